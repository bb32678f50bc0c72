/**
 * `each` is `for await` for activities. It closes the iterator when the loop ends early, by an error or a cancel too.
 */
import { checkFunction, checkItems } from '../core/arguments.ts'
import { steps, type Steps } from '../core/steps.ts'
import type { Operation } from '../core/suspension.ts'
import { isCancelled } from '../scope/errors.ts'
import { noncancellable } from '../scope/finish.ts'
import { disregard, wait } from './promise.ts'

/**
 * Runs `body` for each item of an async iterable (a stream, a channel, an async generator), or of an iterable of
 * promises; one at a time.
 *
 * @example
 * const pages = [Promise.resolve('a'), Promise.resolve('b')]
 * yield* each(pages, function* (page) { yield* sleep(1); console.log(page) })
 * // → a
 * // → b
 */
export function each<T>(items: Items<T>, body: (item: T) => Operation<unknown> | void): Steps<void> {
  checkItems('each', items)
  checkFunction('each', body)
  return steps(run(items, body))
}

type Items<T> = AsyncIterable<T> | Iterable<T | PromiseLike<T>>

function* run<T>(items: Items<T>, body: (item: T) => Operation<unknown> | void): Generator<unknown, void, any> {
  const stream = (items as AsyncIterable<T>)[Symbol.asyncIterator]?.()
  const iterator = stream ?? (items as Iterable<T>)[Symbol.iterator]()
  let ended = false
  let asked = false // the iterator is about to say what comes next
  try {
    for (;;) {
      asked = true
      const next = (yield* wait(iterator.next() as PromiseLike<IteratorResult<T>>)) as IteratorResult<T>
      asked = false
      ended = next.done === true
      if (ended) return
      const op = body(stream ? next.value : ((yield* wait(next.value)) as T))
      if (op) yield* op
    }
  } catch (error) {
    // The iterator itself has failed, so it need not be closed.
    ended = asked && !(isCancelled(error))
    throw error
  } finally {
    if (!ended) {
      const closed = iterator.return?.() as PromiseLike<unknown> | undefined
      // An iterator that was asked for its next item closes when that has come. It may never come, so nobody waits.
      if (asked) disregard(Promise.resolve(closed))
      // The source is closed even after a cancel, and what it does to close is waited for.
      else yield* noncancellable(wait(closed))
    }
  }
}
