/** `use` gives a resource back when its body has ended, however it ended. */
import { isActivity } from '../core/activity.ts'
import { checkFunction } from '../core/arguments.ts'
import { asyncFn } from '../core/asyncFn.ts'
import { claimed, ownCall, type Call } from '../core/call.ts'
import { ASYNC_DISPOSE, DISPOSE } from '../core/dispose.ts'
import { isOperation } from '../core/generators.ts'
import { spawn } from '../core/spawn.ts'
import { isCancelled } from '../scope/errors.ts'
import { noncancellable } from '../scope/finish.ts'
import { endedBy, type OperationOptions } from '../scope/scoped.ts'
import { waitFor } from '../wait/waitFor.ts'
import { operationOf, type ItemResult, type Result } from './items.ts'

type Resource = { [ASYNC_DISPOSE]?: () => unknown; [DISPOSE]?: () => unknown } | null | undefined

const run = asyncFn(function* use(item: unknown, body: (resource: any) => unknown, options?: OperationOptions) {
  return yield* endedBy('use', options, using(item, body))
})

function* using(item: unknown, body: (resource: any) => unknown): Generator<unknown, unknown, any> {
  const resource = yield* acquired(item)
  const dispose = disposalOf(resource)
  let failed = false
  let error: unknown
  try {
    return yield* operationOf(() => body(resource))
  } catch (e) {
    failed = true
    throw (error = e)
  } finally {
    try {
      yield* noncancellable(dispose)
    } catch (later) {
      throw failed ? suppressed(later, error) : later
    }
  }
}

/**
 * The resource. A cancel ends the wait for a promise, but not what the promise stands for: a resource that comes later
 * is disposed of then.
 */
function* acquired(item: unknown): Generator<unknown, Resource, any> {
  const what: unknown = typeof item === 'function' ? claimed(ownCall(item as () => unknown)) : item
  try {
    return (yield* operationOf(() => what)) as Resource
  } catch (error) {
    if (isCancelled(error) && isPromise(what))
      what.then(
        (resource) => void spawn(disposalOf(resource), { name: 'use: a resource that came after a cancel' }),
        () => {},
      )
    throw error
  }
}

/** Goes on although nobody waits for it: a promise, or an activity. */
function isPromise(what: unknown): what is PromiseLike<Resource> {
  if (isActivity(what)) return true
  return !isOperation(what) && typeof (what as PromiseLike<unknown> | null | undefined)?.then === 'function'
}

/** What gives the resource back. Its method is looked up before the body begins, as `using` does. */
function disposalOf(resource: Resource): () => Generator<unknown, void, any> {
  const method = resource?.[ASYNC_DISPOSE] ?? resource?.[DISPOSE]
  if (resource && method === undefined)
    throw new TypeError('use: the resource has neither [Symbol.asyncDispose] nor [Symbol.dispose]')
  return function* () {
    yield* waitFor(method?.call(resource))
  }
}

/** Two errors, as `using` tells them. Engines without `using` have no class for that. */
export function suppressed(error: unknown, first: unknown): Error {
  const message = 'an error while disposing hides an earlier one'
  const { SuppressedError } = globalThis as {
    SuppressedError?: new (error: unknown, suppressed: unknown, message: string) => Error
  }
  if (SuppressedError !== undefined) return new SuppressedError(error, first, message)
  return Object.assign(new Error(message), { name: 'SuppressedError', error, suppressed: first })
}

/**
 * `await using` inside an activity: gives the resource to `body`, and disposes of it when the body has ended, failed
 * or was cancelled. The disposal may wait, and is not cancelled. A resource that a promise brings after a cancel is
 * disposed of when it comes.
 *
 * @example
 * const file = { read: () => 'text', [Symbol.asyncDispose]: async () => console.log('closed') }
 * const open = async () => file
 * console.log(yield* use(open, (f) => f.read()))  // → closed
 * // → text
 */
export function use<I, R>(
  resource: I,
  body: (resource: ItemResult<I>) => R,
  options?: OperationOptions,
): Call<Result<R>> {
  checkFunction('use', body)
  return run(claimed(resource), body as (resource: any) => unknown, options) as Call<any>
}
