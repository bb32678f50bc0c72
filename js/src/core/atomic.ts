/**
 * Atomic calls: `atomic(body)` and `atomicFn(f)` are calls whose frame is an atomic block. The block itself is in
 * atomicBlock.ts.
 */
import './domain.ts'
import { checkBody, checkFunction, checkOptions, checkWord, refuse } from './arguments.ts'
import type { AnyIterator, Branch } from './types.ts'
import { contexts } from './asyncContext.ts'
import { blockOf, open, type AtomicBlock, type AtomicOptions } from './atomicBlock.ts'
import { Call, claimed, frame, generatorOf, isCall } from './call.ts'
import { delegate, ending, generatorNext, isGeneratorFunction, just } from './generators.ts'
import { domain } from './current.ts'
import { named, nameOf } from './names.ts'
import { NEEDS_ENFORCE, NO_SIGNAL_HERE, say } from './say.ts'
import { NEXT, Suspension, THROW, type Operation, type Returned } from './suspension.ts'

/**
 * Until its block is open, the body of the call is in `made` if it is a generator already, or in `todo`. `block` is
 * null until then, and undefined when the call has left it.
 */
class AtomicCall<T> extends Call<T> {
  /** What the caller asks of the block; null: nothing. */
  options: AtomicOptions | null = null
  private readonly todo: Body<T> | null
  private readonly made: AnyIterator | null
  private block: AtomicBlock | null | undefined = null

  constructor(todo: Body<T> | null, made: AnyIterator | null) {
    super(null)
    this.todo = todo
    this.made = made
    // All that runs in the block is this call, so the block is in its context.
    if (isCall(todo)) this.context = todo.takeContext() ?? this.context
    domain.called(this)
  }

  override next(answer?: unknown): this {
    const d = domain
    const branch = d.current
    const asksLoop = this.block !== null || branch === null || this.context !== undefined || this.activity !== null
    if (asksLoop || d.steps <= 1 || d.depth > 50) return super.next(answer)
    if (d.pending === this) d.pending = null
    else if (d.pending !== null) d.startPending()
    // The body runs on the JavaScript stack until it first suspends.
    const block = this.open(branch)
    if (contexts !== null) contexts.opened(branch, block, true)
    this.gen = this.begun()
    let result: IteratorResult<unknown, unknown>
    d.depth++
    try {
      result = generatorNext.call(this.gen!)
    } catch (error) {
      this.gen = ending(THROW, error)
      if (!block.leaveNow()) return this.asked()
      this.block = undefined
      throw error
    }
    d.depth--
    if (result.done) {
      if (d.pending !== null) d.startPending()
      if (!block.leaveNow()) {
        // Contained activities have not ended: the run loop makes the call a frame and leaves it.
        this.gen = ending(NEXT, result.value)
        return this.asked()
      }
      this.gen = null
      return this.finished(result.value)
    }
    this.inner = result.value
    return this.asked()
  }

  private open(branch: Branch): AtomicBlock {
    const block = (this.block = openBlock(branch, this.source))
    if (this.options !== null) block.choose(this.options)
    return block
  }

  /** What the block runs. The function that makes it is called inside the block, with the stores of the call. */
  private begun(): AnyIterator {
    try {
      return this.made ?? generatorOf(this.todo)
    } catch (error) {
      return ending(THROW, error)
    }
  }

  override begin(branch: Branch): boolean {
    if (this.activity !== null || this.block !== null) return super.begin(branch)
    if (domain.nested === 0) return this.enter(branch)
    // The code around the first part goes on, so the block opens only when the activity has its own turn.
    const later = new Call<T>(null)
    later.gen = just(this)
    return later.begin(branch)
  }

  /** Opens the block on `branch` and makes the call its innermost frame. */
  enter(branch: Branch): boolean {
    const block = this.open(branch)
    frame(this, branch)
    if (contexts !== null) contexts.opened(branch, block, false)
    const { context } = branch
    branch.gen = context === null ? this.begun() : context.runInAsyncScope(this.begun, this)
    return branch.goOn(NEXT, undefined)
  }

  override leave(branch: Branch, mode: 0 | 1, answer: unknown): boolean {
    const { block } = this
    this.block = undefined
    super.leave(branch, mode, answer)
    return block === undefined || block!.leave(mode, answer)
  }

  protected override body(): AnyIterator {
    return delegate(new Entrance(this))
  }

  protected override returned(): void {}

  protected override get label(): string {
    return nameOf(this)
  }

  override get source(): unknown {
    return this.made ?? this.todo
  }
}

/** Runs an atomic call as the body of its own activity. */
class Entrance extends Suspension<unknown> {
  private readonly call: AtomicCall<any>
  constructor(call: AtomicCall<any>) {
    super()
    this.call = call
  }
  begin(branch: Branch): boolean {
    return this.call.enter(branch)
  }
}

/** Opens a block on the running branch; `body` is what its name in traces is taken from. */
export function openBlock(branch: Branch, body?: unknown): AtomicBlock {
  const { domain } = branch.group.home
  const block = open(branch, domain)
  if (domain.tracer !== null) domain.tracer.atomic(branch, true, typeof body === 'string' ? body : nameOf(body))
  return block
}

/** What can be run: a generator function or a function that returns an operation or a promise, or an operation. */
export type Body<T> = (() => Returned<T>) | Operation<T>

export type { AtomicOptions }

function checkPolicy(options: AtomicOptions): void {
  if ((options as { signal?: unknown }).signal !== undefined) refuse(NO_SIGNAL_HERE, 'atomic')
  checkOptions('atomic', options)
  const { spawns = 'delay', continuations = 'ignore' } = options
  checkWord('atomic: spawns', spawns, ['delay', 'contained', 'free', 'error'])
  checkWord('atomic: continuations', continuations, ['ignore', 'wait'])
  if (continuations === 'wait' && !domain.enforced) throw new Error(say(NEEDS_ENFORCE))
}

type Method = (this: any, ...args: any[]) => Operation<unknown>

/**
 * Runs `body` with nothing else of the domain in between (Charcoal, section 3). What the body spawns is delayed until
 * the outermost block has ended, unless it is spawned `contained`. As a decorator it makes a generator method atomic.
 *
 * Cancellation inside ends the block like any error. The block of a failed body is left properly. A signal belongs to a
 * scope: `finish(atomic(body), { signal })`.
 *
 * @example
 * let n = 0
 * const vote = function* () { const was = n; yield* sleep(1); n = was + 1 }
 * const [a, b] = [spawn(() => atomic(vote)), spawn(() => atomic(vote))]
 * yield* a
 * yield* b
 * console.log(n)  // → 2
 */
export function atomic<T>(body: Body<T>, options?: AtomicOptions): Call<T>
export function atomic<M extends Method>(method: M, context: ClassMethodDecoratorContext): M
export function atomic(body: Body<unknown> | Method, options?: ClassMethodDecoratorContext | AtomicOptions): unknown {
  checkBody('atomic', body)
  if (options !== undefined && 'kind' in options) return atomicFn(body as Method)
  if (options !== undefined) checkPolicy(options)
  const call = new AtomicCall(claimed(body as Body<unknown>), null)
  if (options !== undefined) call.options = options
  return call
}

/**
 * The atomic version of a generator function or activity function.
 *
 * @example
 * let n = 0
 * const add = atomicFn(function* (by: number) { const was = n; yield* sleep(1); n = was + by })
 * const [a, b] = [spawn(add(1)), spawn(add(2))]
 * yield* a
 * yield* b
 * console.log(n)  // → 3
 */
export function atomicFn<This, A extends any[], T>(
  body: (this: This, ...args: A) => Operation<T>,
): (this: This, ...args: A) => Call<T> {
  checkFunction('atomicFn', body)
  // Two functions, so that the first does not keep its arguments in a closure.
  const f = isGeneratorFunction(body)
    ? function (this: This): Call<T> {
        return new AtomicCall<T>(null, (body as Function).apply(this, arguments))
      }
    : function (this: This, ...args: A): Call<T> {
        return new AtomicCall<T>(() => body.apply(this, args), null)
      }
  return named(f, body)
}

/**
 * Is the caller inside an atomic block (its own, or one that contains its activity)?
 *
 * @example
 * console.log(inAtomic(), yield* atomic(function* () { return inAtomic() }))  // → false true
 */
export function inAtomic(): boolean {
  return domain.current !== null && blockOf(domain.current) !== null
}
