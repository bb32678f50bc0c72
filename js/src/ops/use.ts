/** `use` gives a resource back when its body has ended, however it ended. */
import { checkFunction } from '../core/arguments.ts'
import { asyncFn } from '../core/asyncFn.ts'
import type { Call } from '../core/call.ts'
import { ASYNC_DISPOSE, DISPOSE } from '../core/dispose.ts'
import { noncancellable } from '../scope/finish.ts'
import { wait } from '../wait/promise.ts'
import { claim, operationOf, type ItemResult, type Result } from './items.ts'

type Resource = { [ASYNC_DISPOSE]?: () => unknown; [DISPOSE]?: () => unknown } | null | undefined

const run = asyncFn(function* use(item: unknown, body: (resource: any) => unknown) {
  const resource = (yield* operationOf(item)) as Resource
  let failed = false
  let error: unknown
  try {
    return yield* operationOf(() => body(resource))
  } catch (e) {
    failed = true
    throw (error = e)
  } finally {
    try {
      yield* noncancellable(() => dispose(resource))
    } catch (later) {
      throw failed ? suppressed(later, error) : later
    }
  }
})

function* dispose(resource: Resource): Generator<unknown, void, any> {
  if (resource === null || resource === undefined) return
  const method = resource[ASYNC_DISPOSE] ?? resource[DISPOSE]
  if (method === undefined)
    throw new TypeError('use: the resource has neither [Symbol.asyncDispose] nor [Symbol.dispose]')
  yield* wait(method.call(resource))
}

/** Two errors, as `using` tells them. Engines without `using` have no class for that. */
function suppressed(error: unknown, first: unknown): Error {
  const message = 'an error while disposing hides an earlier one'
  const { SuppressedError } = globalThis as {
    SuppressedError?: new (error: unknown, suppressed: unknown, message: string) => Error
  }
  if (SuppressedError !== undefined) return new SuppressedError(error, first, message)
  return Object.assign(new Error(message), { name: 'SuppressedError', error, suppressed: first })
}

/**
 * `await using` inside an activity: gives the resource to `body`, and disposes of it when the body has ended, failed
 * or was cancelled. The disposal may wait, and is not cancelled.
 *
 * @example
 * const file = { read: () => 'text', [Symbol.asyncDispose]: async () => console.log('closed') }
 * const open = async () => file
 * console.log(yield* use(open, (f) => f.read()))  // → closed
 * // → text
 */
export function use<I, R>(resource: I, body: (resource: ItemResult<I>) => R): Call<Result<R>> {
  checkFunction('use', body)
  return run(claim(resource), body as (resource: any) => unknown) as Call<any>
}
