/**
 * What a body has returned, an operation, a promise or a value, to be run at once: `yield* asCall(body())`, after
 * `domain.own` was set. It belongs to this activity. In a program that starts none, nothing but a generator is needed.
 */
import { domain } from './current.ts'
import { Suspension } from './suspension.ts'
import type { AsOperation } from './types.ts'

export function asCall<O>(what: O): AsOperation<O> {
  domain.own = false
  if (Object(what) === what) return (domain.asCall?.(what) ?? asOperation(what)) as AsOperation<O>
  // A result is an operation that is answered already. To ask the run loop for it would cost more.
  if (domain.pending !== null) domain.startPending()
  return new (Suspension as unknown as new () => Answered)().finished(what)
}

interface Answered {
  finished(answer: unknown): any
}

/** A domain has run whatever is an operation; without one a generator is the only one that there can be. */
function* asOperation(what: any): Generator<unknown, unknown, any> {
  return !domain.asCall && what.throw && Symbol.iterator in what ? yield* what : yield what
}
