/// <reference lib="es2020.promise" preserve="true" />
/** In `any` and `allSettled` the failure of one item does not end the others. */
import { asyncFn } from '../core/asyncFn.ts'
import type { Call } from '../core/call.ts'
import { async } from '../scope/async.ts'
import { claimAll, operationOf, type ItemResult } from './items.ts'
import { scoped, type OperationOptions } from '../scope/scoped.ts'

const runAny = asyncFn(function* any(items: unknown[], options: OperationOptions) {
  return yield* scoped('any', options, function* (scope) {
    const errors: unknown[] = []
    let first: { value: unknown } | undefined
    for (const [at, item] of items.entries()) {
      if (scope.cancelled) break
      yield* async(function* () {
        try {
          const value = yield* operationOf(item)
          first ??= { value }
          scope.cancel()
        } catch (error) {
          if (scope.isTold(error)) throw error
          errors[at] = error
        }
      })
    }
    return () => {
      if (first !== undefined) return first.value
      throw scope.cancelled ? scope.error() : new AggregateError(errors, `any: all ${items.length} items failed`)
    }
  })
})

const runSettled = asyncFn(function* allSettled(items: unknown[], options: OperationOptions) {
  return yield* scoped('allSettled', options, function* (scope) {
    const results: PromiseSettledResult<unknown>[] = []
    let ended = 0
    for (const [at, item] of items.entries()) {
      if (scope.cancelled) break
      yield* async(function* () {
        try {
          results[at] = { status: 'fulfilled', value: yield* operationOf(item) }
        } catch (reason) {
          if (scope.isTold(reason)) throw reason
          results[at] = { status: 'rejected', reason }
        }
        ended++
      })
    }
    return () => {
      if (ended < items.length) throw scope.error()
      return results
    }
  })
})

/**
 * The result of the first item that succeeds; then the others are cancelled, and `any` ends when they have ended. If
 * all fail, an `AggregateError` with the errors in the order of the items.
 *
 * @example
 * const mirror = function* (ms: number, up: boolean) {
 *   yield* sleep(ms)
 *   if (!up) throw new Error('down')
 *   return `answer after ${ms}`
 * }
 * console.log(yield* any([mirror(1, false), mirror(5, true), mirror(1000, true)]))  // → answer after 5
 */
export function any<const I extends readonly unknown[]>(
  items: I,
  options?: OperationOptions,
): Call<ItemResult<I[number]>>
export function any<I>(items: Iterable<I>, options?: OperationOptions): Call<ItemResult<I>>
export function any(items: Iterable<unknown>, options: OperationOptions = {}): Call<any> {
  return runAny(claimAll('any', items), options)
}

/**
 * Waits until every item has succeeded or failed, and tells which, in the form of `Promise.allSettled`. It fails only
 * if it is cancelled itself.
 *
 * @example
 * const fails = function* () { throw new Error('no') }
 * const [a, b] = yield* allSettled([sleep(1), fails])
 * console.log(a.status, b.status)  // → fulfilled rejected
 */
export function allSettled<const I extends readonly unknown[]>(
  items: I,
  options?: OperationOptions,
): Call<{ -readonly [K in keyof I]: PromiseSettledResult<ItemResult<I[K]>> }>
export function allSettled<I>(
  items: Iterable<I>,
  options?: OperationOptions,
): Call<PromiseSettledResult<ItemResult<I>>[]>
export function allSettled(items: Iterable<unknown>, options: OperationOptions = {}): Call<any> {
  return runSettled(claimAll('allSettled', items), options)
}
