/**
 * A call of an activity function: `yield* f(x)`. `await f(x)` in legacy code starts a new activity for it; a call that
 * nobody awaits directly becomes an activity of its own, as an `async` function's would.
 *
 * Frames are born on the JavaScript stack: the callee runs there, inside the caller's `yield*`, and only when it
 * suspends do the calls on the stack become frames of the branch, one each. From then on the run loop resumes the
 * innermost alone.
 *
 * In the life of a call
 * - `gen` is the callee's generator until the call begins; while the call is a frame, it is the *caller's* (see Frame).
 * - `inner` is what the callee asked for when it suspended on the stack, until the run loop has made the call a frame.
 * - `value === this` holds while the call is a part of a branch; others who ask for it then get what `follow` gives.
 * - `activity` is set when the call runs as an activity of its own; then `yield*` joins that.
 * - `context` is the host's context that the call was made in, if it is not its caller's; in a frame, the caller's.
 */
import type { Activity } from './activity.ts'
import type { AnyIterator, AsyncContext, Branch, Frame, Pending } from './types.ts'
import { contexts, isElsewhere } from './asyncContext.ts'
import {
  delegate,
  ending,
  generatorNext,
  isGenerator,
  isGeneratorFunction,
  isOperation,
  just,
  once,
} from './generators.ts'
import { domain } from './current.ts'
import { CALL, kindOf } from './kind.ts'
import { nameOf } from './names.ts'
import { RUN_ALREADY, say, WAITS_ALREADY } from './say.ts'
import { NEXT, START, Suspension, THROW } from './suspension.ts'
import { expectFailure } from '../wait/promise.ts'

export const NOTHING: unique symbol = Symbol.for('charcoal.nothing') as never

/** Calls that may be on the JavaScript stack at once; deeper ones become frames right away. */
export const MAX_DEPTH = 200

/**
 * A call of an activity function: `yield*` runs it, `await` in legacy code makes an activity of it.
 *
 * @example
 * const twice = asyncFn(function* (n: number) { yield* sleep(1); return 2 * n })
 * const call = twice(4)             // not run yet
 * console.log(call instanceof Call, yield* call)  // → true 8
 */
export class Call<T> extends Suspension<T> implements Promise<T>, Frame, Pending {
  /** @internal */ gen: AnyIterator | null
  /** @internal */ parent: Frame | null = null
  /** @internal */ activity: Activity<T> | null = null
  /** @internal */ inner: unknown = NOTHING
  /** @internal */ context: AsyncContext | null | undefined = undefined

  constructor(gen: AnyIterator | null) {
    super()
    this.gen = gen
    if (isElsewhere && domain.current !== null) this.context = contexts!.entered()
    if (gen !== null) domain.called(this)
  }

  /** @internal */ override get $charcoal(): number {
    return CALL
  }

  // ---- inside an activity: `yield*`

  /** A call may be asked for by several, like a promise: the others join what runs it. */
  override [Symbol.iterator](): Iterator<unknown, T, any> {
    if (this.value !== this && this.activity === null) return this as unknown as Iterator<unknown, T, any>
    return (this.activity ?? this.follow())[Symbol.iterator]()
  }

  override next(answer?: unknown): this {
    if (this.value === this) {
      // A call that is a frame has ended before its caller goes on: another one has run the caller's generator.
      if (this.activity === null) throw new Error(say(WAITS_ALREADY))
      return this.finished(answer)
    }
    if (this.done) return this
    const d = domain
    const { gen } = this
    if (gen === null || this.activity !== null || this.context !== undefined || --d.steps <= 0 || d.depth > MAX_DEPTH) {
      return this.asked()
    }
    if (d.pending === this) d.pending = null
    else if (d.pending !== null) d.startPending()
    this.gen = null
    d.depth++
    let result: IteratorResult<unknown, unknown>
    try {
      result = generatorNext.call(gen)
    } catch (error) {
      d.own = false
      this.gen = ending(THROW, error)
      throw error
    }
    d.depth--
    if (result.done) {
      if (d.pending !== null) d.startPending()
      return this.finished(result.value)
    }
    this.gen = gen
    this.inner = result.value
    return this.asked()
  }

  /** Who asks again has the same error. */
  override throw(error: unknown): never {
    this.gen = ending(THROW, error)
    return super.throw(error)
  }

  override begin(branch: Branch): boolean {
    if (this.activity !== null) return this.activity.joinFrom(branch)
    push(this, branch)
    return branch.goOn(NEXT, undefined)
  }

  /** @internal The outcome is known before the caller has it: others may ask in between. */
  leave(_branch: Branch, mode: 0 | 1, answer: unknown): boolean {
    if (mode === NEXT) this.finished(answer)
    else {
      this.value = undefined
      this.gen = ending(THROW, answer)
    }
    return true
  }

  // ---- as an activity of its own

  /** Runs the call as an activity of its own. */
  start(): Activity<T> {
    if (this.activity !== null) return this.activity
    if (this.value === this) return this.follow()
    this.claim()
    // A call that was not awaited has waited for its caller to do something else, inside `storage.run` perhaps.
    contexts?.inherit(this)
    return (this.activity = domain.adopt!(this.body(), this.label, this.context) as Activity<T>)
  }

  /** The call is a part of a branch. From now on an activity that nobody runs stands for it, and ends with it. */
  private follow(): Activity<T> {
    const activity = domain.standIn(nameOf(this)) as Activity<T>
    const leave = this.leave.bind(this)
    this.leave = (branch, mode, answer) => {
      activity.settle(mode, answer)
      return leave(branch, mode, answer)
    }
    return (this.activity = activity)
  }

  override then<A = T, B = never>(
    ok?: ((value: T) => A | PromiseLike<A>) | null,
    bad?: ((error: any) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    return this.start().then(ok, bad)
  }

  get [Symbol.toStringTag](): string {
    return 'Call'
  }

  // ---- as a part of something else: `atomic(f())`, `spawn(f())`, `finish(f())`

  /**
   * @internal Somebody will run the call as a part of something else: it is not to become an activity. A call that
   * legacy code made has become one already; if that has not begun it is undone.
   */
  claim(): void {
    if (domain.pending === this) domain.pending = null
    const { activity } = this
    // Who runs it may have other stores than there were where it was made.
    if (isElsewhere) contexts!.inherit(this)
    if (
      activity === null ||
      activity.mode !== START ||
      activity.joiners !== null ||
      typeof activity.answer !== 'object'
    )
      return
    this.activity = null
    if (contexts !== null) this.context = (activity as { context?: AsyncContext | null }).context
    this.returned(activity.answer as AnyIterator)
    activity.answer = () => {}
  }

  /** @internal The context that whoever runs the call instead enters for it; undefined: none. */
  takeContext(): AsyncContext | null | undefined {
    const { context } = this
    this.context = undefined
    return context
  }

  /** @internal Claims the call, and gives what it would run. */
  take(): AnyIterator {
    this.claim()
    return this.runs()
  }

  /** @internal What the call would run, after it was claimed. */
  runs(): AnyIterator {
    const { gen, activity, value, context } = this
    return gen === null || activity !== null || value === this || context !== undefined ? delegate(this) : this.body()
  }

  /** What an activity of the call's own runs. The call cannot run any more. */
  protected body(): AnyIterator {
    const gen = this.done ? ending(NEXT, this.value) : this.gen
    if (gen === null) throw new Error(say(RUN_ALREADY))
    this.gen = null
    return gen
  }

  /** An activity gives back what it got from `body`. */
  protected returned(body: AnyIterator): void {
    this.gen = body
  }

  /** The name of the call's activity, if it is another than the name of its body. */
  protected get label(): string | undefined {
    return undefined
  }

  /** @internal What the name of the call is taken from. */
  get source(): unknown {
    return this.gen
  }
}

export function isCall(what: unknown): what is Call<any> {
  return kindOf(what) === CALL
}

/** A call that has run on the stack without an object of its own, until it has asked for `inner`. */
export function suspended(gen: AnyIterator, inner: unknown): Call<unknown> {
  const call = new Call<unknown>(null)
  call.gen = gen
  call.inner = inner
  call.value = call
  return call
}

/** Makes `call` the innermost frame of `branch`, which runs the callee from now on. */
export function push(call: Call<any>, branch: Branch): void {
  const callee = call.gen
  if (callee === null) throw new Error(say(RUN_ALREADY))
  frame(call, branch)
  branch.gen = callee
}

/** Makes `call` the innermost frame of `branch`, which is to be given what the call runs. */
export function frame(call: Call<any>, branch: Branch): void {
  call.gen = branch.gen
  call.parent = branch.frame
  branch.frame = call
  if (call.context !== undefined) {
    const caller = branch.context
    branch.context = call.context
    call.context = caller
  }
}

/**
 * Takes over what is going to be run: a call is not to become an activity, and the failure of a promise is not to end
 * the process although nobody has come to wait for it yet, or nobody will.
 */
export function claimed<B>(body: B): B {
  if (isCall(body)) body.claim()
  else expectFailure(body)
  return body
}

/** Calls a function that the library runs as a part of the activity: a call that it gives back belongs to this, too. */
export function ownCall<R>(f: () => R): R {
  domain.own = true
  try {
    return f()
  } finally {
    domain.own = false
  }
}

/** A generator for whatever may be run: a function's result, an operation, a promise, or any value. */
export function generatorOf(body: unknown): AnyIterator {
  if (typeof body !== 'function') return generatorFrom(once(body))
  return isGeneratorFunction(body) ? body() : generatorFrom(ownCall(body as () => unknown))
}

export function generatorFrom(what: unknown): AnyIterator {
  if (isCall(what)) return what.take()
  if (isGenerator(what)) return what
  return isOperation(what) ? delegate(what) : just(what)
}
