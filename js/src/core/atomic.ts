/**
 * An atomic block: while it lasts, nothing runs but its own branches and the activities spawned `contained` in it (laws 5 and 6).
 *
 * A block is a context on the domain's stack, and the group of its own branches in that context.
 *
 * - It is `domain.top` exactly while it is the innermost one.
 * - `contained` counts the contained activities that have not ended; the block does not end before it is 0.
 * - `outer` is the group that the owner came from. It cannot run while the block lasts: its context is not the newest.
 * - `conts` is null exactly if no branch was started in the block or in one inside it.
 * - `over` is set at the end; branches of the block that outlive it (an `async` whose finish is outside) move to `survivor()`.
 * - A block that nobody can know any more when it ends is kept by the domain (`spare`) and opened again: `over` becomes false then.
 */
import type { AnyIterator, Blocker, Branch } from './branch.ts'
import { Context, pushReady, type Group } from './group.ts'
import { NEXT, Suspension, THROW, type Operation } from './suspension.ts'
import type { Queue } from './queue.ts'
import { domain } from './current.ts'
import type { Domain } from './domain.ts'
import { Call, generatorNext, generatorOf, isGeneratorFunction, nameOf, remember, swap } from './call.ts'
import type { Activity } from './activity.ts'
import { deadlockMessage } from './deadlock.ts'
import { DeadlockError } from '../scope/errors.ts'

export class AtomicBlock extends Context implements Group, Blocker {
  running: Branch | null
  conts: Branch[] | null = null
  readies: Queue<Branch> | null = null
  queued: boolean = false
  link: Group | null = null
  outer: Group
  readonly home: Context
  owner: Branch
  contained: number = 0
  over: boolean = false
  /** How often everything in the block has come to wait. */
  turns: number = 0
  /** Somebody has noted the block: it is not to be opened again. */
  noted: boolean = false
  private timer: unknown = undefined
  /** How the owner goes on when the contained activities have ended. */
  private leaveMode: 0 | 1 = NEXT
  private leaveAnswer: unknown = undefined

  constructor(owner: Branch, d: Domain) {
    super(d, d.top)
    this.home = this
    this.owner = this.running = owner
    this.outer = owner.group
  }

  /** Opens a block on `owner`, whose code is running. `body` gives it a name in traces. */
  static open(owner: Branch, d: Domain, body?: unknown): AtomicBlock {
    const { group } = owner
    let block = d.spare
    if (block === null || !block.over) block = new AtomicBlock(owner, d)
    else {
      // Mostly the same activity opens a block at the same place again; not to write a field is cheaper than to write it.
      if (block.parent !== d.top) block.parent = d.top
      if (block.owner !== owner) block.owner = owner
      if (block.outer !== group) block.outer = group
      block.running = owner
      block.over = false
    }
    owner.group = block
    d.top = block
    d.executing = block
    if (d.onTop !== null) d.onTop()
    if (d.tracer !== null) d.tracer.atomic(owner, true, typeof body === 'string' ? body : nameOf(body))
    return block
  }

  get atomic(): boolean {
    return true
  }

  /** The group that the block's branches belong to when it is over. */
  survivor(): Group {
    let group = this.outer
    while (group.over) group = (group as AtomicBlock).outer
    return group
  }

  /** Ends the block on its owner, or blocks the owner until the contained activities have ended. */
  leave(mode: 0 | 1, answer: unknown): boolean {
    if (this.contained > 0) {
      this.leaveMode = mode
      this.leaveAnswer = answer
      this.owner.blocked = this
      return false
    }
    this.end()
    return true
  }

  /** Ends the block if nothing contained is left in it. */
  leaveNow(): boolean {
    if (this.contained > 0) return false
    this.end()
    return true
  }

  private end(): void {
    const d = this.domain
    if (d.top !== this) throw new Error('an atomic block cannot end before a block inside it')
    this.over = true
    this.moved()
    d.top = this.parent!
    if (d.top === d.base) d.fromBlocks = null
    const group = this.survivor()
    this.owner.group = group
    group.running = this.owner
    if (this.conts === null && this.readies === null && !this.queued && !this.noted) {
      if (d.spare !== this) d.spare = this
    } else if (d.spare === this) d.spare = null
    if (this.conts !== null) {
      // Branches of mine that still wait find their group through `outer`, which must therefore not be reused either: it gets `conts`.
      const conts = (group.conts ??= [])
      for (const b of this.conts) {
        b.group = group
        conts.push(b)
      }
      // One that became ready while the owner waited for the contained activities.
      if (this.running !== null && this.running !== this.owner) {
        this.running.group = group
        pushReady(group, this.running)
      }
      if (this.readies !== null)
        for (let b = this.readies.shift(); b !== undefined; b = this.readies.shift()) {
          b.group = group
          pushReady(group, b)
        }
    }
    if (d.executing === this) d.executing = group
    if (d.onTop !== null) d.onTop()
    if (d.tracer !== null) d.tracer.atomic(this.owner, false)
  }

  /** Something in the block can run: whatever it was that it waited for, it was no deadlock. */
  override push(group: Group): void {
    this.moved()
    super.push(group)
  }

  /**
   * A call made in the block that a native promise wants: it runs in the block, like a contained activity. Otherwise a
   * block that waits for `Promise.all([load(1), load(2)])` would wait for what it holds back itself.
   */
  admit(a: Activity<any>): void {
    a.home.remove(a)
    a.home = this
    this.contained++
    this.domain.enqueue(a)
  }

  /** A branch of the block waits for a promise. */
  get waitsForPromise(): boolean {
    return this.owner.blocked?.outside === 2 || this.blockedBranches().some((b) => b.blocked!.outside === 2)
  }

  private moved(): void {
    if (this.timer === undefined) return
    this.domain.host.clear(this.timer)
    this.timer = undefined
  }

  /** A contained activity has ended. */
  containedEnded(): void {
    if (--this.contained > 0 || this.owner.blocked !== this) return
    const { owner } = this
    owner.blocked = null
    owner.mode = this.leaveMode
    owner.answer = this.leaveAnswer
    this.leaveAnswer = undefined
    this.end()
    const d = this.domain
    if (owner.group !== d.executing) d.enqueue(owner.group)
  }

  // The owner, blocked on the end of the contained activities. A block cannot be left otherwise, so it is not interrupted.
  withdraw(): void {}
  get fixed(): boolean {
    return true
  }
  describe(): string {
    return `the end of ${this.contained} contained ${this.contained === 1 ? 'activity' : 'activities'}`
  }

  /** Nothing in the block can run. Either something outside the library will help, or it is a deadlock. */
  idle(): void {
    this.turns++
    if (this.owner.blocked?.outside) {
      if (this.owner.blocked.outside === 2) this.domain.waitingOutside(this)
      return
    }
    const stuck = this.blockedBranches()
    if (stuck.some((b) => b.blocked!.outside)) return
    for (const b of stuck) {
      const needed = b.blocked!.needs?.()
      if (needed !== undefined && needed.ended === 0 && !this.mayRun(needed)) return this.report(b, stuck)
    }
    const d = this.domain
    if (this.timer !== undefined) return
    this.timer = d.host.timer(() => {
      this.timer = undefined
      if (this.over || d.top !== this || this.head !== null || d.pumping) return
      const still = this.blockedBranches()
      if (still.every((b) => b.blocked!.fixed) || still.some((b) => b.blocked!.outside)) return
      // The error goes to a wait that can be interrupted, the owner's rather than another's.
      const open = still.filter((b) => b.blocked!.fixed !== true)
      d.fromHost(() => this.report(open.find((b) => b.group === this) ?? open[0], still))
    }, d.grace)
  }

  private mayRun(a: Activity<any>): boolean {
    return a.home === this || a === this.owner.activity
  }

  private report(branch: Branch, stuck: Branch[]): void {
    const error = new DeadlockError(deadlockMessage(branch, stuck))
    const d = this.domain
    d.fromHost(() => branch.interrupt(error))
  }

  /** The branches that could run in this block, if they were not blocked. */
  private blockedBranches(): Branch[] {
    const found: Branch[] = []
    for (let a = this.domain.live; a !== null; a = a.prev) {
      for (const b of branchesOf(a)) if (b.blocked !== null && b.group.home === this && !(b.blocked instanceof AtomicBlock)) found.push(b)
    }
    return found
  }
}

/** All branches of an activity, itself first. */
export function branchesOf(a: Activity<any>): Branch[] {
  const found: Branch[] = [a]
  const root = a.scope === null ? null : a.scope.root()
  if (root !== null) root.each((b) => b !== a && found.push(b))
  return found
}

/** A call whose frame is an atomic block. Until the block is opened the body is in `made`, if it is a generator already, or in `body`. */
class AtomicCall<T> extends Call<T> {
  private readonly body: Body<T> | null
  private readonly made: AnyIterator | null
  private block: AtomicBlock | null = null

  constructor(body: Body<T> | null, made: AnyIterator | null) {
    super(null)
    this.body = body
    this.made = made
  }

  override next(answer?: unknown): this {
    const d = domain
    const branch = d.current
    if (this.block !== null || branch === null || this.context !== null || this.activity !== null || d.steps <= 1 || d.depth > 50) return super.next(answer)
    if (d.pending === this) d.pending = null
    else if (d.pending !== null) d.startPending()
    this.open(branch)
    const gen = this.gen!
    let result: IteratorResult<unknown, unknown>
    d.depth++
    try {
      result = generatorNext.call(gen)
    } catch (error) {
      if (this.block!.leaveNow()) throw error
      return this.leaveLater(ending(THROW, error))
    }
    d.depth--
    if (result.done) {
      if (d.pending !== null) d.startPending()
      if (!this.block!.leaveNow()) return this.leaveLater(ending(NEXT, result.value))
      this.gen = null
      this.done = true
      this.value = result.value
      return this
    }
    this.inner = result.value
    this.value = this
    return this
  }

  /** The body has ended on the stack, but contained activities have not: the run loop makes the call a frame and leaves it. */
  private leaveLater(rest: AnyIterator): this {
    this.gen = rest
    this.value = this
    return this
  }

  private open(branch: Branch): void {
    this.block = AtomicBlock.open(branch, branch.group.home.domain, this.source)
    try {
      this.gen = this.made ?? generatorOf(this.body)
    } catch (error) {
      this.gen = ending(THROW, error)
    }
  }

  override begin(branch: Branch): boolean {
    return this.activity !== null || this.block !== null ? super.begin(branch) : this.push(branch)
  }

  /** Opens the block on `branch` and makes the call its innermost frame. */
  push(branch: Branch): boolean {
    this.open(branch)
    branch.gen = swap(this, branch)
    return branch.goOn(NEXT, undefined)
  }

  override leave(_branch: Branch, mode: 0 | 1, answer: unknown): boolean {
    return this.block!.leave(mode, answer)
  }

  override reclaim(): void {}

  override get source(): unknown {
    return this.made ?? this.body
  }

  protected override adopt(): Activity<T> {
    if (domain.pending === this) domain.pending = null
    return domain.spawn<T>(new Start(this), false, nameOf(this))
  }
}

function* ending(mode: 0 | 1, answer: unknown): Generator<unknown, unknown, unknown> {
  if (mode === THROW) throw answer
  return answer
}

/** Runs a call as the body of its own activity. */
class Start extends Suspension<unknown> {
  private readonly call: AtomicCall<any>
  constructor(call: AtomicCall<any>) {
    super()
    this.call = call
  }
  begin(branch: Branch): boolean {
    return this.call.push(branch)
  }
}

export type Body<T> = (() => Operation<T>) | Operation<T>
type Method = (this: any, ...args: any[]) => Operation<unknown>

/**
 * Runs `body` with nothing else of the domain in between (Charcoal, section 3). What the body spawns is delayed until the outermost block has
 * ended, unless it is spawned `contained`. As a decorator it makes a generator method atomic.
 *
 * Cancellation inside ends the block like any error. The block of a failed body is left properly.
 *
 * @example
 * yield* atomic(function* () {
 *   const n = yield* read('counter')
 *   yield* write('counter', n + 1)
 * })
 */
export function atomic<T>(body: Body<T>): Call<T>
export function atomic<M extends Method>(method: M, context: ClassMethodDecoratorContext): M
export function atomic(body: Body<unknown> | Method, context?: ClassMethodDecoratorContext): unknown {
  if (context !== undefined) return atomicFn(body as Method)
  if (body instanceof Call) domain.claim(body)
  const call = new AtomicCall(body as Body<unknown>, null)
  domain.called(call)
  return call
}

/** The atomic version of a generator function or activity function. */
export function atomicFn<This, A extends unknown[], T>(body: (this: This, ...args: A) => Operation<T>): (this: This, ...args: A) => Call<T> {
  // Two functions, so that the first does not keep its arguments in a closure.
  const f = isGeneratorFunction(body)
    ? function (this: This): Call<T> {
        const made = (body as Function).apply(this, arguments) as AnyIterator
        const call = new AtomicCall<T>(null, made)
        domain.called(call)
        return call
      }
    : function (this: This, ...args: A): Call<T> {
        const call = new AtomicCall<T>(() => body.apply(this, args), null)
        domain.called(call)
        return call
      }
  remember(body)
  Object.defineProperty(f, 'name', { value: body.name, configurable: true })
  return f
}

/** The innermost block that `branch` is in, or null. */
export function blockOf(branch: Branch): AtomicBlock | null {
  const { group } = branch
  if (group instanceof AtomicBlock) return group
  const home = group.home
  return home instanceof AtomicBlock ? home : null
}

/** Is the caller inside an atomic block (its own, or one that contains its activity)? */
export function inAtomic(): boolean {
  return domain.current !== null && blockOf(domain.current) !== null
}
