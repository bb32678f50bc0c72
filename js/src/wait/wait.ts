/** `wait` is `await` for activities: it waits for whatever can be awaited. */
import { refuse } from '../core/arguments.ts'
import { isOperation } from '../core/generators.ts'
import { ACTIVITY, CLAUSE, kindOf } from '../core/kind.ts'
import { NO_SIGNAL_HERE } from '../core/say.ts'
import type { Awaitable, Operation } from '../core/suspension.ts'
import { abortable, type WaitOptions } from './abortable.ts'
import type { Clause } from './clause.ts'
import { PromiseClause } from './promise.ts'
import { waitFor } from './waitFor.ts'

/**
 * Makes an operation of whatever can be awaited: an operation is returned as it is, a promise or thenable becomes a
 * wait, any other value is the result at once. Cancelling the wait leaves the promise alone; pass `signal()` to what
 * should stop with it. With a signal, which ends the wait, it takes promises, values, clauses and activities.
 *
 * @example
 * console.log(yield* wait(Promise.resolve(5)))  // → 5
 */
export function wait<T>(what: Operation<T>, options?: WaitOptions): Operation<T> & Awaitable<T>
export function wait<T>(what: T | PromiseLike<T>, options?: WaitOptions): Operation<T> & Awaitable<T>
export function wait(what: unknown, options?: WaitOptions): unknown {
  if (options?.signal === undefined) return waitFor(what)
  return abortable('wait', clauseFor(what), options)
}

/** What a signal can end. What runs steps of its own has to be cancelled, which takes a scope. */
function clauseFor(what: any): Clause<unknown> {
  const kind = kindOf(what)
  if (kind === CLAUSE) return what
  if (kind === ACTIVITY) return what.join()
  if (isOperation(what)) refuse(NO_SIGNAL_HERE, 'wait')
  return new PromiseClause(typeof what?.then === 'function' ? what : Promise.resolve(what))
}
