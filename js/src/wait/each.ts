/**
 * `each` is `for await` for activities. It closes the iterator when the loop ends early, by an error or a cancel too.
 */
import { checkFunction, checkItems } from '../core/arguments.ts'
import { asCall } from '../core/asCall.ts'
import { domain } from '../core/current.ts'
import { steps, type Steps } from '../core/steps.ts'
import { isCancelled } from '../scope/errors.ts'
import { noncancellable } from '../scope/finish.ts'
import { endedBy, type OperationOptions } from '../scope/scoped.ts'
import { disregard, expectFailure } from './promise.ts'
import { waitFor } from './waitFor.ts'

/**
 * Runs `body` for each item of an async iterable (a stream, a channel, an async generator), or of an iterable of
 * promises; one at a time. An operation or a promise that it returns is waited for.
 *
 * @example
 * const pages = [Promise.resolve('a'), Promise.resolve('b')]
 * yield* each(pages, function* (page) { yield* sleep(1); console.log(page) })
 * // → a
 * // → b
 */
export function each<T>(items: Items<T>, body: (item: T) => unknown, options?: OperationOptions): Steps<void> {
  checkItems('each', items)
  checkFunction('each', body)
  // A promise that fails before its turn, or before the loop begins, is an error of the loop, not of the program.
  if (Array.isArray(items)) items.forEach(expectFailure)
  return steps(endedBy('each', options, run(items, body)))
}

type Items<T> = AsyncIterable<T> | Iterable<T | PromiseLike<T>>

function* run<T>(items: Items<T>, body: (item: T) => unknown): Generator<unknown, void, any> {
  const stream = (items as AsyncIterable<T>)[Symbol.asyncIterator]?.()
  const iterator = stream ?? (items as Iterable<T>)[Symbol.iterator]()
  let ended = false
  let asked = false // the iterator is about to say what comes next
  let told = false // what has ended the loop is to be thrown, whatever the closing throws
  try {
    for (;;) {
      asked = true
      const next = (yield* waitFor(iterator.next() as PromiseLike<IteratorResult<T>>)) as IteratorResult<T>
      asked = false
      ended = next.done === true
      if (ended) return
      const item: T = stream ? next.value : yield* waitFor(next.value)
      domain.own = true
      yield* asCall(body(item))
    }
  } catch (error) {
    const cancelled = isCancelled(error)
    // The iterator itself has failed, so it need not be closed.
    ended = asked && !cancelled
    told = !cancelled || asked
    throw error
  } finally {
    // The source is closed even after a cancel, and what it does to close is waited for. As in `for await`, the error
    // of the body comes before one of the closing.
    if (!ended)
      try {
        yield* close(iterator, asked)
      } catch (error) {
        if (!told) throw error
      }
  }
}

function* close(iterator: AsyncIterator<unknown> | Iterator<unknown>, asked: boolean): Generator<unknown, void, any> {
  const closed = iterator.return?.() as PromiseLike<unknown> | undefined
  // It may fail before the wait begins: to open the scope takes steps, between which the host may have a turn.
  expectFailure(closed)
  // An iterator that was asked for its next item closes when that has come. It may never come, so nobody waits.
  if (asked) disregard(Promise.resolve(closed))
  else yield* noncancellable(waitFor(closed))
}
