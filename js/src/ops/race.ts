/** `race` ends with the first of several operations that ends, and cancels the others. */
import { isActivity } from '../core/activity.ts'
import { asyncFn } from '../core/asyncFn.ts'
import { isOperation } from '../core/generators.ts'
import type { Call } from '../core/call.ts'
import { async } from '../scope/async.ts'
import { future } from '../sync/future.ts'
import { Choice, First } from '../wait/choice.ts'
import { isClause, type Clause } from '../wait/clause.ts'
import { clauseOf } from '../wait/waitable.ts'
import { claimAll, operationOf, type ItemResult } from './items.ts'
import { scoped, type OperationOptions } from '../scope/scoped.ts'

const run = asyncFn(function* race(items: unknown[], options: OperationOptions) {
  return yield* scoped('race', options, function* (scope) {
    const clauses: Clause<unknown>[] = []
    const first = future<unknown>('race')
    let asked = 0 // the clauses before this one are known not to be ready
    const ready = function* (): Generator<unknown, boolean, any> {
      if (first.settled) return true
      const later = clauses.slice(asked)
      asked = clauses.length
      const at = later.length === 0 ? -1 : yield* new Choice(later, true)
      if (at >= 0) first.set(later[at].outcome)
      return first.settled
    }
    for (const item of items) {
      if (isWaitable(item)) {
        clauses.push(clauseOf(item))
        continue
      }
      // If an item before this one is ready, it has won, and this one does not begin at all.
      if ((yield* ready()) || scope.cancelled) break
      if (asked === clauses.length) {
        clauses.push(first.get())
        asked++
      }
      yield* async(function* () {
        first.set(yield* operationOf(item))
      })
    }
    const value = first.settled ? first.result : yield* new First(clauses)
    scope.cancel()
    return () => value
  })
})

/** Can it be waited for without a branch? Then losing has no effect on it. */
function isWaitable(item: unknown): boolean {
  if (isClause(item) || isActivity(item) || item instanceof AbortSignal) return true
  return !isOperation(item) && typeof (item as PromiseLike<unknown> | null | undefined)?.then === 'function'
}

/**
 * The result, or the error, of the item that ends first. The others are cancelled, and `race` ends when they have
 * ended. Clauses that lose (`ch.recv()`, `sleep(10)`, `lock.acquire()`) have had no effect; of several that are ready
 * the first in the list wins.
 *
 * @example
 * const answer = function* () { yield* sleep(5); return 'the answer' }
 * console.log(yield* race([answer, sleep(1000)]))  // → the answer
 */
export function race<const I extends readonly unknown[]>(
  items: I,
  options?: OperationOptions,
): Call<ItemResult<I[number]>>
export function race<I>(items: Iterable<I>, options?: OperationOptions): Call<ItemResult<I>>
export function race(items: Iterable<unknown>, options: OperationOptions = {}): Call<any> {
  const list = claimAll('race', items)
  if (list.length === 0) throw new TypeError('race: a race of nothing would never end; give it at least one item')
  return run(list, options)
}
