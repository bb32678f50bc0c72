/**
 * What the structured operations take: operations and calls, functions that make one, promises, and plain values.
 *
 * A call is taken over: it runs as a branch of the operation, is cancelled with it and ends before it. An activity or
 * a promise belongs to whoever made it: it is waited for, and a cancel ends only the wait.
 */
import { checkItems } from '../core/arguments.ts'
import { claimed, ownCall } from '../core/call.ts'
import { once } from '../core/generators.ts'
import type { Operation } from '../core/suspension.ts'
import type { Value } from '../wait/case.ts'
import { waitFor } from '../wait/waitFor.ts'

/** Something that ends with a `T`: an operation, a promise, or a plain value. */
export type Result<I> = I extends Value ? I : I extends Operation<infer T> ? T : Awaited<I>

/** What an item, or the function that makes it, ends with. */
export type ItemResult<I> = I extends (...args: any[]) => infer R ? Result<R> : Result<I>

/** The items of an operation, as a list; calls among them are taken over. */
export function claimAll(who: string, items: Iterable<unknown>): unknown[] {
  checkItems(who, items)
  return Array.from(items, claimed)
}

/** The operation that an item stands for. A function is called here. */
export function operationOf<I>(item: I): Operation<ItemResult<I>>
export function operationOf(item: unknown): unknown {
  const what: unknown = typeof item === 'function' ? claimed(ownCall(item as () => unknown)) : once(item)
  return waitFor(what)
}
