/**
 * A call of an activity function: `yield* f(x)`. `await f(x)` in legacy code starts a fresh activity for it; a call that nobody
 * awaits directly becomes an activity of its own, as an `async` function's would.
 *
 * Frames are born on the stack: the callee runs on the JavaScript stack, inside the caller's `yield*`, and only when it suspends do the calls
 * on the stack become frames of the branch, one each. From then on the run loop resumes the innermost alone.
 *
 * - Until the call is a frame `gen` is the callee's generator; while it is one, `gen` is its *caller's*, and `parent` the caller's frame.
 * - `inner` is what the callee asked for when it suspended on the stack, until the run loop has made the call a frame.
 * - `activity` is set when the call runs as an activity of its own; then `yield*` joins it.
 */
import { NEXT, Suspension, type Operation } from './suspension.ts'
import type { AnyIterator, Branch } from './branch.ts'
import type { Activity } from './activity.ts'
import { domain } from './current.ts'
import { contexts, type AsyncContext } from './asyncContext.ts'

export const NOTHING: unique symbol = Symbol('nothing')

/** Calls that may be on the JavaScript stack at once; deeper ones become frames right away. */
const MAX_DEPTH = 200

export class Call<T> extends Suspension<T> implements Promise<T> {
  /** @internal */ gen: AnyIterator | null
  /** @internal */ parent: Call<any> | null = null
  /** @internal */ activity: Activity<T> | null = null
  /** @internal Its frame has a context of its own. */
  entered: boolean = false
  /** @internal */ inner: unknown = NOTHING
  /** @internal Until the call is a frame, the context it was made in if that is not its caller's; then the caller's. */
  context: AsyncContext | null = null

  constructor(gen: AnyIterator | null) {
    super()
    this.gen = gen
    if (contexts !== null && domain.current !== null) this.context = contexts.entered()
    if (gen !== null) domain.called(this)
  }

  override next(answer?: unknown): this {
    if (this.value === this) {
      this.done = true
      this.value = answer
      return this
    }
    if (this.done) return this
    const d = domain
    const gen = this.gen
    if (gen === null || this.context !== null || this.activity !== null || --d.steps <= 0 || d.depth > MAX_DEPTH) {
      this.value = this
      return this
    }
    if (d.pending === this) d.pending = null
    else if (d.pending !== null) d.startPending()
    this.gen = null
    d.depth++
    const result = generatorNext.call(gen)
    d.depth--
    if (result.done) {
      if (d.pending !== null) d.startPending()
      this.done = true
      this.value = result.value
      return this
    }
    this.gen = gen
    this.inner = result.value
    this.value = this
    return this
  }

  /** Only for a call that does not go through the run loop's own quick path. */
  override begin(branch: Branch): boolean {
    if (this.activity !== null) return this.activity.joinFrom(branch)
    if (this.gen === null) throw new Error('this call has been run already: call the function again')
    branch.gen = swap(this, branch)
    return branch.goOn(NEXT, undefined)
  }

  /** @internal The frame has ended. True: the caller goes on with it at once; false: there is something to wait for first. */
  leave(_branch: Branch, _mode: 0 | 1, _answer: unknown): boolean {
    return true
  }

  then<A = T, B = never>(ok?: ((value: T) => A | PromiseLike<A>) | null, bad?: ((error: any) => B | PromiseLike<B>) | null): Promise<A | B> {
    const activity = this.start()
    // With nobody's code running it is a native promise that asks: the call is an element of `Promise.all`, or was returned to one.
    if (domain.current === null) domain.wanted(activity)
    return activity.then(ok, bad)
  }

  catch<B = never>(bad?: ((error: any) => B | PromiseLike<B>) | null): Promise<T | B> {
    return this.start().then(undefined, bad)
  }

  finally(run?: (() => void) | null): Promise<T> {
    return this.start().finally(run)
  }

  get [Symbol.toStringTag](): string {
    return 'Call'
  }

  /** @internal Takes the body back from an activity that has not begun. */
  reclaim(body: AnyIterator): void {
    this.gen = body
  }

  /** @internal What its name is taken from. */
  get source(): unknown {
    return this.gen
  }

  /** Runs the call as an activity of its own. */
  start(): Activity<T> {
    return (this.activity ??= domain.madeByCall(this.adopt()))
  }

  /** @internal */
  protected adopt(): Activity<T> {
    return domain.adopt(this)
  }
}

/** Makes `call` the innermost frame of `branch`; returns the callee's generator. */
export function swap(call: Call<any>, branch: Branch): AnyIterator {
  const callee = call.gen!
  call.gen = branch.gen
  call.parent = branch.frame
  branch.frame = call
  if (call.context !== null) {
    const caller = branch.context
    branch.context = call.context
    call.context = caller
    call.entered = true
  }
  return callee
}

const functions = new WeakMap<object, Function>()

/** The name of the function whose body `gen` is, if it was made by `asyncFn` or spawned. */
export function functionName(gen: AnyIterator | null): string {
  return gen === null ? '' : nameOf(gen) || '(anonymous)'
}

/** The name of a function, call or generator; empty if it has none. */
export function nameOf(body: unknown): string {
  if (typeof body === 'function') return body.name
  if (body instanceof Call) return nameOf(body.source)
  return typeof body === 'object' && body !== null ? (functions.get(Object.getPrototypeOf(body))?.name ?? '') : ''
}

export function remember(body: Function, name: Function = body): void {
  const prototype: unknown = body.prototype
  if (typeof prototype === 'object' && prototype !== null) functions.set(prototype, name)
}

/**
 * Makes an activity function out of a generator function (Charcoal, section 3.4). Inside an activity call it with
 * `yield*`, from legacy code with `await`.
 *
 * @example
 * const total = asyncFn(function* (a: string, b: string) {
 *   return (yield* size(a)) + (yield* size(b))
 * })
 */
export function asyncFn<This, A extends unknown[], T>(
  body: (this: This, ...args: A) => Generator<unknown, T, any>,
): (this: This, ...args: A) => Call<T> {
  const sure = isGeneratorFunction(body)
  const f = function (this: This): Call<T> {
    const made = body.apply(this, arguments as unknown as A)
    return new Call<T>(sure ? made : generatorFrom(made))
  }
  Object.defineProperty(f, 'name', { value: body.name, configurable: true })
  Object.defineProperty(f, 'length', { value: body.length, configurable: true })
  remember(body)
  return f as (this: This, ...args: A) => Call<T>
}

const generatorFunctionPrototype = Object.getPrototypeOf(function* () {}) as Function
const generatorPrototype = generatorFunctionPrototype.prototype as Generator

/**
 * `next` and `throw` of every generator. A generator made by a closure has a hidden class of its own, so that looking up its methods would cost more than running
 * it; therefore all frames are true generators and the run loop calls these.
 */
export const generatorNext = generatorPrototype.next as (this: AnyIterator, value?: unknown) => IteratorResult<unknown, unknown>
export const generatorThrow = generatorPrototype.throw as (this: AnyIterator, error: unknown) => IteratorResult<unknown, unknown>

export function isGeneratorFunction(f: unknown): f is () => AnyIterator {
  return typeof f === 'function' && Object.getPrototypeOf(f) === generatorFunctionPrototype
}

/** A generator for whatever may be run: a function's result, an operation, a promise, or any value. */
export function generatorOf(body: unknown): AnyIterator {
  if (typeof body !== 'function') return generatorFrom(body)
  return isGeneratorFunction(body) ? body() : generatorFrom(body())
}

function generatorFrom(what: unknown): AnyIterator {
  if (what instanceof Call) {
    domain.claim(what)
    const { gen } = what
    if (what.activity === null && gen !== null) {
      what.gen = null
      return gen
    }
    return delegate(what)
  }
  if (typeof what !== 'object' || what === null) return just(what)
  if (Object.prototype.isPrototypeOf.call(generatorPrototype, what)) return what as AnyIterator
  return Symbol.iterator in what ? delegate(what as Operation<unknown>) : just(what)
}

function* just(value: unknown): Generator<unknown, unknown, unknown> {
  return yield value
}

function* delegate(op: Operation<unknown>): Generator<unknown, unknown, unknown> {
  return yield* op
}
