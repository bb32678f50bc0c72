/** What becomes of calls of transformed `async` functions, and what waits for them and for anything else. */
import { Call } from '../../core/call.ts'
import { isGenerator } from '../../core/generators.ts'
import { domain } from '../../core/current.ts'
import { kindOf } from '../../core/kind.ts'
import { remember } from '../../core/names.ts'
import { start } from '../../core/start.ts'
import { NEXT, Suspension, type Operation } from '../../core/suspension.ts'
import type { Branch } from '../../core/types.ts'
import { blockOnPromise } from '../../wait/promise.ts'
import { waitFor } from '../../wait/waitFor.ts'
import { Called } from './called.ts'

/**
 * The operation that waits for what is awaited. Only what has a `then` is waited for, as natively: a generator is a
 * value.
 */
export function $wait(what: unknown): unknown {
  domain.own = false
  if (what instanceof Call) return what
  if (typeof what !== 'object' && typeof what !== 'function') return waitFor(what)
  if (what === null || what instanceof Promise || kindOf(what) !== undefined) return waitFor(what)
  return isGenerator(what) && 'then' in what ? what : new Thenable(what)
}

/** What has a `then`, and is no promise, is asked by a job of its own, as natively; what has none is a value. */
class Thenable extends Suspension<unknown> {
  private readonly what: object
  private asks: PromiseLike<unknown>['then'] | null = null
  constructor(what: object) {
    super()
    this.what = what
  }
  override next(answer?: unknown): this {
    if (this.value === this || this.done) return super.next(answer)
    const { then } = this.what as PromiseLike<unknown>
    if (typeof then === 'function') this.asks = then
    else if (--domain.steps > 0) {
      if (domain.pending !== null) domain.startPending()
      return this.finished(this.what)
    }
    return this.asked()
  }
  begin(branch: Branch): boolean {
    const { what, asks } = this
    if (asks === null) return branch.goOn(NEXT, what)
    return blockOnPromise(branch, { then: (ok, bad) => asks.call(what, ok, bad) } as PromiseLike<unknown>)
  }
}

/**
 * The call that is made next, when `value` is its last argument or its object, is awaited in place: it belongs to its
 * caller (see called.ts).
 */
export function own<T>(value?: T): T {
  domain.own = domain.current !== null
  return value as T
}

/** What a call of the library gets. A function that was not transformed has left the mark to the next call. */
export function given<T>(what: T): T {
  domain.own = false
  return what
}

/** A function that is not `async` has been called: does what it returns belong to its caller? */
export function told(): boolean {
  const { own } = domain
  domain.own = false
  return own
}

/** As `own`, in a function that was told so, or not. */
export function tell<T>(own: boolean, value?: T): T {
  domain.own = own
  return value as T
}

/** A call that is returned in place, and has begun: whoever waits for it takes it over. */
export function owned<T>(what: T): T {
  if (what instanceof Called) what.claim()
  return what
}

export type Body = (...args: any[]) => Generator<unknown, any, any>

/**
 * A call of a transformed `async` function. The part before its first wait runs in the call, as natively: an event
 * handler can call `preventDefault`, and who counts the calls that are running has counted this one. In an atomic
 * block, and while another activity is in one, it is delayed like any activity.
 */
export function go(body: Body, self?: unknown, args?: ArrayLike<unknown>): Call<any> | Called<any> {
  return made(begin(body, self, args), body)
}

/** Gives a function to a variable without giving it the variable's name. */
export const nameless = <F>(f: F): F => f

/**
 * As `go`, for a function whose parameters are plain names: to make the generator throws nothing, so its function does
 * that itself. With `self` it is nothing but this call, and its name is nothing else's (see fuse.ts).
 */
export function goPlain(gen: Generator<unknown, any, any>, body: Body, self?: Known): Call<any> | Called<any> {
  noteName(body)
  if (self !== undefined && self[BODY] === undefined) Reflect.defineProperty(self, BODY, { value: { self, body } })
  return made(gen, body)
}

const BODY = Symbol('body')

/** A function that the module which calls it does not know. */
type Known = Function & { readonly [BODY]?: { readonly self: Function; readonly body: Body } }

/** What a call of `f` runs, if it has been called before; null: who knows. A copy of its properties is not `f`. */
export function bodyOf(f: Known | null | undefined): Body | null {
  const known = f?.[BODY]
  return known !== undefined && known.self === f ? known.body : null
}

/** Calls on the stack inside one another that begin at once; what is deeper begins when its caller waits. */
const MAX_NESTED = 500

function made(gen: Generator<unknown, any, any>, body: Body): Call<any> | Called<any> {
  const { own, current, belonging } = domain
  domain.own = false
  const begins = current === null || (!own && domain.top === domain.base && domain.nested < MAX_NESTED)
  if (!begins) {
    if (!own) noteName(body)
    return new Call(gen)
  }
  const block = belonging.now()
  const activity = start<any>(gen, body)
  if (block === null) return new Called(activity)
  // What the host's code does for a block is found by who asks for it.
  const call = new Call<any>(null)
  call.activity = activity
  return call
}

/** Parameters are evaluated here; what their defaults throw rejects the call. */
function begin(body: Body, self: unknown, args: ArrayLike<unknown> | undefined): Generator<unknown, any, any> {
  // One that is made at each call is not worth a note.
  if (domain.site !== null || domain.tracer !== null) noteName(body)
  if (args === undefined) return body.call(self)
  try {
    return body.apply(self, args as unknown[])
  } catch (error) {
    return failing(error)
  }
}

/** Calls of `body` have its name in messages. To look for the note of an earlier call costs less than to make one. */
export function noteName(body: Body & { named$?: boolean }): void {
  if (body.named$ === true) return
  body.named$ = true
  remember(body)
}

function* failing(error: unknown): Generator<unknown, any, any> {
  throw error
}

/** As `go`, for a function that returns promises from inside `try`: the result is awaited after the body has ended. */
export function goFlat(body: Body, self?: unknown, args?: ArrayLike<unknown>): Call<any> | Called<any> {
  return made(flatten(begin(body, self, args)), body)
}

function* flatten(gen: Generator<unknown, any, any>): Generator<unknown, any, any> {
  return yield* $wait(yield* gen) as Operation<any>
}

/** `super` for a generator function: properties of it are read and written where it is known. */
export function superOf(
  get: (key: PropertyKey) => unknown,
  set: (key: PropertyKey, value: unknown) => unknown,
): object {
  return new Proxy(
    {},
    {
      get: (_, key) => get(key),
      set: (_, key, value) => (set(key, value), true),
      deleteProperty: () => {
        throw new ReferenceError("Unsupported reference to 'super'")
      },
    },
  )
}
