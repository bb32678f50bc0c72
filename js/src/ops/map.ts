/** `map` does the same work for many items, with a limit on how many are worked on at once. */
import { checkCount, checkFunction, checkItems } from '../core/arguments.ts'
import { expectFailure } from '../wait/promise.ts'
import { asyncFn } from '../core/asyncFn.ts'
import type { Call } from '../core/call.ts'
import { async, type BranchHandle } from '../scope/async.ts'
import { semaphore } from '../sync/semaphore.ts'
import { each } from '../wait/each.ts'
import { operationOf, type Result } from './items.ts'
import { scoped, type OperationOptions } from '../scope/scoped.ts'

/** Options of `map`. */
export interface MapOptions extends OperationOptions {
  /** How many items are worked on at the same time. Default: all of them. */
  limit?: number | undefined
}

type Items<T> = Iterable<T | PromiseLike<T>> | AsyncIterable<T>

const run = asyncFn(function* map(items: Items<any>, body: (item: any, index: number) => unknown, options: MapOptions) {
  const { limit = Infinity } = options
  return yield* scoped('map', options, function* () {
    const handles: BranchHandle<unknown>[] = []
    const places = semaphore(limit, 'map')
    let count = 0
    let place = yield* places.acquire()
    // An item is asked for only when a worker is free, so that the source is not read faster than it is worked on.
    yield* each(items, function* (item) {
      const mine = place
      const index = count++
      const handle = yield* async(function* () {
        const result = yield* operationOf(() => body(item, index))
        mine.release() // after an error no further item begins
        return result
      })
      handles.push(handle)
      place = yield* places.acquire()
    })
    return () => handles.map((handle) => handle.value)
  })
})

/**
 * Runs `body` for every item, at most `limit` at the same time, and gives the results in the order of the items.
 * Items may come from a list, an async generator, a stream, a channel; the next one is asked for when there is a free
 * place. If one fails, the others are cancelled, the source is closed, and the error is thrown.
 *
 * @example
 * const sizes = yield* map(['a', 'bb', 'ccc'], function* (url) {
 *   yield* sleep(1)
 *   return url.length
 * }, { limit: 2 })
 * console.log(sizes)  // → [ 1, 2, 3 ]
 */
export function map<T, R>(
  items: Items<T>,
  body: (item: T, index: number) => R,
  options: MapOptions = {},
): Call<Result<R>[]> {
  const { limit } = options
  checkItems('map', items)
  checkFunction('map', body)
  if (Array.isArray(items)) items.forEach(expectFailure)
  if (limit !== undefined) checkCount('map: limit', limit, 1)
  return run(items, body, options) as Call<any>
}
