/** `for await` in generator form. The iterator is closed when the loop is left early, by an error or a cancel too. */
import type { Operation } from '../core/suspension.ts'
import { wait } from './promise.ts'

/**
 * Runs `body` for each item of an async iterable (a stream, a channel, an async generator), or of an iterable of promises; one at a time.
 *
 * @example
 * yield* each(response.body, function* (chunk) { ... })
 */
export function* each<T>(items: AsyncIterable<T> | Iterable<T | PromiseLike<T>>, body: (item: T) => Operation<unknown> | void): Generator<unknown, void, any> {
  const stream = (items as AsyncIterable<T>)[Symbol.asyncIterator]?.()
  const iterator = stream ?? (items as Iterable<T>)[Symbol.iterator]()
  let inBody = false
  try {
    for (;;) {
      const next = (yield* wait(iterator.next() as PromiseLike<IteratorResult<T>>)) as IteratorResult<T>
      if (next.done) return
      inBody = true
      const op = body(stream ? next.value : ((yield* wait(next.value)) as T))
      if (op) yield* op
      inBody = false
    }
  } finally {
    if (inBody) yield* wait(iterator.return?.() as PromiseLike<unknown>)
  }
}
