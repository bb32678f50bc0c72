/**
 * A domain is one scheduler: everything in it is interleaved, nothing runs in parallel. There is one per realm (page,
 * worker, Node process); tests make more.
 *
 * The run loop serves the groups of the newest context (`top`) first in first out. It runs a branch until that blocks, ends, or, at a
 * call or return, finds its time slice over.
 *
 * - `current` is the branch whose code runs now, null in legacy code.
 * - `pending` is the call that the current branch made last and has not yet awaited; when it does anything else first, the call
 *   becomes an activity of its own.
 * - `pumping` holds while the run loop is on the stack; `posted` while the host has been asked to run it.
 * - No group is queued twice; no blocked branch is in a queue.
 */
import { NEXT, OURS, Suspension, THROW, START, type Mode } from './suspension.ts'
import type { AnyIterator, Branch } from './branch.ts'
import { Context, nextBranch, pushReady, type Group } from './group.ts'
import { Activity } from './activity.ts'
import { Call, generatorNext, generatorOf, generatorThrow, isGeneratorFunction, nameOf, NOTHING, remember, swap } from './call.ts'
import { noteOurs, useDomain } from './current.ts'
import { realHost, type Host } from './host.ts'
import { blockOf, type AtomicBlock } from './atomic.ts'
import { blockOnPromise } from '../wait/promise.ts'
import { contexts } from './asyncContext.ts'
import { endBranch } from '../scope/scope.ts'
import { longWaitMessage } from './deadlock.ts'
import type { Tracer } from '../dev/trace.ts'

/** Chooses in the domain's place; see dev/explore.ts. */
export interface Chooser {
  /** At a call or return: shall the running activity be set aside here? */
  preempt(): boolean
}

export interface DomainOptions {
  host?: Host
  /** Milliseconds an activity may run while others are ready, and the library while the host waits. */
  slice?: number
  /** Milliseconds a stuck atomic block waits for legacy code to help before it is reported as a deadlock. */
  grace?: number
}

export class Domain {
  readonly host: Host
  readonly slice: number
  readonly grace: number
  readonly base: Context = new Context(this, null)
  top: Context = this.base
  current: Branch | null = null
  pending: Call<any> | null = null
  /** Newest live activity; the list goes on with `prev`. */
  live: Activity<any> | null = null
  /** A recorder that was there before the library (`charcoal-measure`) is told everything. */
  tracer: Tracer | null = (globalThis as any)[Symbol.for('charcoal.tracer')] ?? null
  chooser: Chooser | null = null
  /** The last atomic block that nobody knows any more. Once it is over it can be opened again. */
  spare: AtomicBlock | null = null
  /** Development mode: says where the caller of `spawn` is. */
  site: (() => string) | null = null
  /** Activities that calls made in an atomic block have become, until the outermost block ends: true if a native promise wants them. */
  fromBlocks: Map<Activity<any>, boolean> | null = null
  pumping: boolean = false
  posted: boolean = false
  /** The group whose code is running. */
  executing: Group | null = null
  /** Calls on the JavaScript stack above the run loop. */
  depth: number = 0
  /** Set by an operation that wants its activity set aside. */
  aside: boolean = false
  /** Called whenever the newest context changes; `enforce()` and the tests listen. */
  onTop: (() => void) | null = null

  // Time slices. The clock costs as much as a call, so it is read every `stride` steps, a quarter of a millisecond or less.
  /** Steps until the clock is looked at. */
  steps: number = 16
  private stride = 16
  private lastCheck = 0
  private turnStart = 0
  private sliceGroup: Group | null = null
  private sliceStart = 0
  private hop = false
  private reminded = false
  private readonly pumpSoon = (): void => this.pump(null)
  private readonly pumpLater = (): void => {
    this.turnStart = this.host.now()
    this.pump(null)
  }

  constructor(options: DomainOptions = {}) {
    this.host = options.host ?? realHost
    this.slice = options.slice ?? 10
    this.grace = options.grace ?? 1000
  }

  // ---- birth

  /** Queues a new activity; its body does not run before the caller has gone on (law 7). */
  spawn<T>(body: unknown, contained: boolean, name: string | undefined): Activity<T> {
    const a = this.make<T>(body, contained, name)
    this.enqueue(a)
    return a
  }

  /**
   * A new activity whose first part, up to its first wait, runs here and now, as an `async` function's does; only legacy code may
   * ask for that. While an atomic block is open, or the run loop is on the stack, it is queued like any other.
   */
  start<T>(body: unknown): Activity<T> {
    const a = this.make<T>(body, false, undefined)
    if (this.pumping || this.top !== this.base) this.enqueue(a)
    else this.pump(a, true)
    return a
  }

  private make<T>(body: unknown, contained: boolean, name: string | undefined): Activity<T> {
    let home: Context = this.base
    if (contained && this.current !== null) {
      const block = blockOf(this.current)
      if (block !== null) {
        home = block
        block.contained++
      }
    }
    const a = new Activity<T>(home, body)
    if (name || this.site !== null || this.tracer !== null) {
      if (typeof body === 'function') remember(body)
      a.info = { name: name || nameOf(body) || `activity ${a.id}` }
      if (this.site !== null) a.info.site = this.site()
    }
    a.prev = this.live
    if (this.live !== null) this.live.next = a
    this.live = a
    if (this.current !== null) a.locals = this.current.activity.locals
    if (contexts !== null) a.context = contexts.present()
    if (this.tracer !== null) this.tracer.registered(a)
    return a
  }

  /** A call has been made. Inside an activity it waits to be awaited; in legacy code it belongs to a fresh activity. */
  called(call: Call<any>): void {
    if (this.current === null) {
      call.start()
      return
    }
    if (this.pending !== null) this.pending.start()
    this.pending = call
  }

  /** Somebody takes the call over: it is not to become an activity. One that legacy code made has become one; if that has not begun it is undone. */
  claim(call: Call<any>): void {
    if (this.pending === call) this.pending = null
    const { activity } = call
    if (activity !== null && activity.mode === START && activity.joiners === null && typeof activity.answer === 'object') {
      call.activity = null
      call.reclaim(activity.answer as AnyIterator)
      activity.answer = () => {}
    }
  }

  adopt<T>(call: Call<T>): Activity<T> {
    if (this.pending === call) this.pending = null
    const gen = call.gen
    if (gen === null) throw new Error('this call has been run already: call the function again')
    call.gen = null
    const a = this.spawn<T>(gen, false, undefined)
    if (call.context !== null) a.context = call.context
    return a
  }

  /** @internal `a` was made by a call that was not awaited at once. */
  madeByCall<T>(a: Activity<T>): Activity<T> {
    if (this.current !== null && this.top !== this.base && blockOf(this.current) !== null) (this.fromBlocks ??= new Map()).set(a, false)
    return a
  }

  /** @internal A native promise waits for `a`, which a call has become. */
  wanted(a: Activity<any>): void {
    if (this.fromBlocks === null || !this.fromBlocks.has(a)) return
    this.fromBlocks.set(a, true)
    const { top } = this
    if (top !== this.base && (top as AtomicBlock).waitsForPromise) this.admitWanted(top as AtomicBlock)
  }

  private admitWanted(block: AtomicBlock): void {
    if (this.fromBlocks === null) return
    for (const [a, wanted] of this.fromBlocks) {
      if (!wanted) continue
      this.fromBlocks.delete(a)
      if (a.mode === START && a.queued && a.home === this.base) block.admit(a)
    }
  }

  /**
   * @internal Everything in `block` waits, for a promise. It cannot be known whether the promise depends on an activity that
   * the block holds back; so that such a program does not stand still in silence, a wait of ten times `grace` is told.
   */
  waitingOutside(block: AtomicBlock): void {
    this.admitWanted(block)
    if (this.reminded || this.host.remind === undefined) return
    this.reminded = true
    const { turns, owner } = block
    this.host.remind(() => {
      this.reminded = false
      if (this.top !== block || block.owner !== owner || block.turns !== turns || block.head !== null) return
      const held = heldBack(this)
      if (held.length > 0) console.warn(longWaitMessage(owner, held, 10 * this.grace))
    }, 10 * this.grace)
  }

  /** @internal The activity and all its branches have ended. */
  buried(a: Activity<any>): void {
    if (a.prev !== null) a.prev.next = a.next
    if (a.next !== null) a.next.prev = a.prev
    else this.live = a.prev
    a.prev = a.next = null
    const home = a.home
    if (this.tracer?.ended !== undefined) this.tracer.ended(a)
    if (home !== this.base) (home as AtomicBlock).containedEnded()
  }

  unhandled(error: unknown): Promise<never> {
    return this.host.unhandled(error)
  }

  // ---- queues

  enqueue(group: Group): void {
    if (group.queued) return
    const context = group.home
    context.push(group)
    if (!this.pumping && !this.posted && context === this.top) this.post()
  }

  /** `branch` can go on. */
  ready(branch: Branch): void {
    let group = branch.group
    if (group.over) group = branch.group = (group as AtomicBlock).survivor()
    if (group.running === null && (group.readies === null || group.readies.size === 0)) group.running = branch
    else pushReady(group, branch)
    if (group !== this.executing) this.enqueue(group)
  }

  readyFromHost(branch: Branch): void {
    if (this.pumping || this.posted) this.ready(branch)
    else {
      const { group } = branch
      if (group.running === null && group.readies === null && this.top.head === null && group.home === this.top) {
        // Nothing else is to run before: the queue is not needed.
        group.running = branch
        this.pump(group)
      } else {
        this.posted = true
        this.ready(branch)
        this.pump(null)
      }
    }
  }

  /** Runs `f`, which may make branches ready, and then the run loop, unless that is to run anyway. */
  fromHost(f: () => void): void {
    if (this.pumping || this.posted) f()
    else {
      this.posted = true
      f()
      this.pump(null)
    }
  }

  private post(): void {
    this.posted = true
    if (this.hop) {
      this.hop = false
      this.host.later(this.pumpLater)
    } else this.host.soon(this.pumpSoon)
  }

  // ---- the loop

  /** `alone`: what else is ready comes later, as always. */
  private pump(first: Group | null, alone = false): void {
    this.posted = false
    this.pumping = true
    noteOurs()
    try {
      if (first !== null) this.run(first)
      while (!this.hop && !alone) {
        const group = this.top.shift()
        if (group === null) break
        this.run(group)
      }
    } finally {
      this.pumping = false
      this.current = null
      this.executing = null
    }
    if (this.top.head !== null) this.post()
    else if (this.top !== this.base) (this.top as AtomicBlock).idle()
  }

  /** @internal Runs one group's turn. */
  run(group: Group): void {
    let branch = (group.running ??= nextBranch(group))
    while (branch !== null) {
      this.executing = group
      this.current = branch
      const left = this.step(branch)
      // The branch may have entered or left atomic blocks meanwhile, or another branch of the group may be in front of it.
      this.current = null
      if (left === PAUSED) {
        this.executing = null
        return
      }
      group = left === SWITCHED ? branch.group : left
      this.executing = group
      if (left === SWITCHED) {
        branch = group.running!
        continue
      }
      branch = nextBranch(group)
      group.running = branch
    }
    this.executing = null
  }

  /**
   * Runs `branch` until it blocks or ends (returns its group), is set aside with its group (PAUSED), or has made another branch
   * of its group go first (SWITCHED).
   */
  private step(branch: Branch): Group | typeof PAUSED | typeof SWITCHED {
    let mode: Mode = branch.mode
    let answer: unknown = branch.answer
    branch.answer = undefined
    if (this.tracer !== null) this.tracer.started(branch)
    if (mode === START) {
      mode = branch.mode = NEXT
      const body = answer
      answer = undefined
      try {
        const { context } = branch
        if (isGeneratorFunction(body)) branch.gen = body()
        else branch.gen = context === null ? generatorOf(body) : context.runInAsyncScope(generatorOf, null, body)
      } catch (error) {
        return this.ended(branch, THROW, error)
      }
    }
    let gen = branch.gen as AnyIterator
    for (;;) {
      let result: IteratorResult<unknown, unknown>
      this.depth = 0
      try {
        const { context } = branch
        if (context === null) result = mode === NEXT ? generatorNext.call(gen, answer) : generatorThrow.call(gen, answer)
        else result = context.runInAsyncScope(mode === NEXT ? generatorNext : generatorThrow, gen, answer)
      } catch (error) {
        mode = THROW
        answer = error
        result = THREW
      }
      if (result.done) {
        if (this.pending !== null) this.startPending()
        if (result !== THREW) {
          mode = NEXT
          answer = result.value
        }
        const frame = branch.frame
        if (frame === null) return this.ended(branch, mode as 0 | 1, answer)
        branch.gen = gen = frame.gen!
        branch.frame = frame.parent
        if (frame.entered) branch.context = frame.context
        frame.gen = null
        frame.parent = null
        if (!frame.leave(branch, mode as 0 | 1, answer)) return this.leftAt(branch)
        if (--this.steps <= 0 && this.check(branch, mode, answer)) return PAUSED
        continue
      }
      let op = result.value
      while (op instanceof Call && op.inner !== NOTHING) {
        const { inner } = op
        op.inner = NOTHING
        branch.gen = gen = swap(op, branch)
        op = inner
      }
      if (this.pending !== null) {
        if (this.pending === op) this.pending = null
        else this.startPending()
      }
      if (op instanceof Call && op.activity === null && op.gen !== null) {
        branch.gen = gen = swap(op, branch)
        mode = NEXT
        answer = undefined
        if (--this.steps <= 0 && this.check(branch, mode, answer)) return PAUSED
        continue
      }
      try {
        if (!this.begin(op, branch)) return this.leftAt(branch)
      } catch (error) {
        branch.mode = THROW
        branch.answer = error
      }
      if (branch.group.running !== branch) {
        if (this.tracer !== null) this.tracer.stopped(branch)
        return SWITCHED
      }
      if (this.aside) {
        this.aside = false
        this.setAside(branch)
        return PAUSED
      }
      mode = branch.mode
      answer = branch.answer
      branch.answer = undefined
      gen = branch.gen as AnyIterator
      if (--this.steps <= 0 && this.check(branch, mode, answer)) return PAUSED
    }
  }

  /** @internal The pending call was not awaited: it becomes an activity. */
  startPending(): void {
    const call = this.pending!
    this.pending = null
    call.start()
  }

  /** What a branch asked for that is not a call. */
  private begin(op: unknown, branch: Branch): boolean {
    if (op instanceof Suspension) return op.begin(branch)
    if (typeof op === 'object' && op !== null) {
      if (op instanceof Activity) return op.joinFrom(branch)
      if ((op as Record<symbol, unknown>)[OURS] === true) throw new Error('this operation belongs to another copy of charcoal-js: npm dedupe')
      if (typeof (op as PromiseLike<unknown>).then === 'function') return blockOnPromise(branch, op as PromiseLike<unknown>)
      if (typeof (op as Generator).next === 'function' && typeof (op as Generator).throw === 'function') {
        const call = new Call(null)
        call.gen = generatorOf(op)
        return call.begin(branch)
      }
    }
    return branch.goOn(NEXT, op)
  }

  private leftAt(branch: Branch): Group {
    if (this.tracer !== null) this.tracer.stopped(branch)
    return branch.group
  }

  private ended(branch: Branch, mode: 0 | 1, answer: unknown): Group {
    if (this.pending !== null) this.startPending()
    branch.gen = null
    if (this.tracer !== null) this.tracer.stopped(branch)
    const group = branch.group
    endBranch(branch, mode, answer)
    return group
  }

  /** The steps are used up: looks at the clock, and sets the running activity aside if its slice or the host's patience is over. */
  private check(branch: Branch, mode: Mode, answer: unknown): boolean {
    const group = branch.group
    if (this.chooser !== null) {
      this.steps = 1
      if (group.atomic || !this.chooser.preempt()) return false
    } else {
      const now = this.host.now()
      const since = now - this.lastCheck
      this.lastCheck = now
      if (since < 0.1 && this.stride < 256) this.stride *= 2
      else if (since > 0.25 && this.stride > 1) this.stride >>= 1
      this.steps = this.stride
      const hostWaits = now - this.turnStart > this.slice
      if (group.atomic) {
        // Nothing else of the domain runs in between, but the page and its timers go on.
        if (!hostWaits) return false
      } else if (group !== this.sliceGroup) {
        this.sliceGroup = group
        this.sliceStart = now
        if (!hostWaits) return false
      } else if (!hostWaits && (now - this.sliceStart < this.slice || this.top.head === null)) return false
      this.sliceGroup = null
      this.hop = hostWaits
    }
    branch.mode = mode
    branch.answer = answer
    this.setAside(branch)
    return true
  }

  /** Puts the running group behind the other ready ones; it goes on exactly here (law 1). */
  private setAside(branch: Branch): void {
    if (this.tracer !== null) this.tracer.stopped(branch)
    this.executing = null
    this.enqueue(branch.group)
  }
}

/** The activities that cannot run while a block lasts. */
function heldBack(d: Domain): Activity<any>[] {
  const held: Activity<any>[] = []
  for (let a = d.live; a !== null; a = a.prev) if (a.home !== d.top && a.queued) held.push(a)
  return held
}

const PAUSED = Symbol('paused')
const SWITCHED = Symbol('switched')
const THREW: IteratorResult<unknown, unknown> = { done: true, value: undefined }


// Two copies have two domains, and know nothing of each other's blocks and activities: what can be done is to say so.
const COPIES = Symbol.for('charcoal.copies')
const copies = (globalThis as { [COPIES]?: number })[COPIES] ?? 0
if (copies === 1) console.warn('charcoal: two copies of charcoal-js are loaded; atomic blocks of one do not exclude activities of the other. Remedy: npm dedupe')
;(globalThis as { [COPIES]?: number })[COPIES] = copies + 1

useDomain(new Domain())
