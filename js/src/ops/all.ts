/** `all` runs several operations at the same time and gives all their results, or the error of the first that fails. */
import { asyncFn } from '../core/asyncFn.ts'
import type { Call } from '../core/call.ts'
import { async, type BranchHandle } from '../scope/async.ts'
import { claimAll, operationOf, type ItemResult } from './items.ts'
import { scoped, type OperationOptions } from '../scope/scoped.ts'

const run = asyncFn(function* all(keys: string[] | null, items: unknown[], options: OperationOptions) {
  const values = yield* scoped('all', options, function* (scope) {
    const handles: BranchHandle<unknown>[] = []
    for (const item of items) {
      if (scope.cancelled) throw scope.error()
      handles.push(yield* async(() => operationOf(item)))
    }
    return () => handles.map((handle) => handle.value)
  })
  return keys === null ? values : Object.fromEntries(keys.map((key, i) => [key, values[i]]))
})

/**
 * Runs all items at the same time and gives their results, in the order of the items: of a list a list, of an object
 * an object. It ends when every item has ended. If one fails, the others are cancelled, and when they have ended the
 * error is thrown; if several fail, an `AggregateError`.
 *
 * Inside an activity use it with `yield*`, in other code with `await`.
 *
 * @example
 * const load = asyncFn(function* (name: string) { yield* sleep(1); return name.length })
 * console.log(yield* all([load('ann'), load('bo'), Promise.resolve('x')]))  // → [ 3, 2, 'x' ]
 * console.log(yield* all({ ann: load('ann'), bo: load('bo') }))             // → { ann: 3, bo: 2 }
 */
export function all<const I extends readonly unknown[]>(
  items: I,
  options?: OperationOptions,
): Call<{ -readonly [K in keyof I]: ItemResult<I[K]> }>
export function all<I>(items: Iterable<I>, options?: OperationOptions): Call<ItemResult<I>[]>
export function all<I extends Record<string, unknown>>(
  items: I,
  options?: OperationOptions,
): Call<{ -readonly [K in keyof I]: ItemResult<I[K]> }>
export function all(items: Iterable<unknown> | Record<string, unknown>, options: OperationOptions = {}): Call<any> {
  const named = typeof items === 'object' && items !== null && !(Symbol.iterator in items)
  const values = claimAll('all', (named ? Object.values(items) : items) as Iterable<unknown>)
  return run(named ? Object.keys(items) : null, values, options)
}
