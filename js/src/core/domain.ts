/**
 * A domain is one scheduler: everything in it is interleaved, nothing runs in parallel. There is one per realm (page,
 * worker, Node process); tests make more. Where the queues and the host are dealt with is scheduler.ts; here are the
 * birth of activities and the run loop's work on one of them: it runs a branch until that blocks, ends, or finds its
 * time slice over at a call or return.
 *
 * - `pending` is the call that the current branch made last and has not awaited yet; when the branch does anything else
 *   first, the call becomes an activity of its own.
 * - `live` is the newest activity that has not ended; the list goes on with `prev`.
 */
import type * as types from './types.ts'
import type { AnyIterator, AsyncContext, Branch, Frame, Group, Pending, Tracer } from './types.ts'
import { NEXT, START, Suspension, THROW } from './suspension.ts'
import { Activity } from './activity.ts'
import type { AtomicBlock } from './atomicBlock.ts'
import { contexts } from './asyncContext.ts'
import { attributed, Belonging } from './belonging.ts'
import { Call, generatorFrom, generatorOf, NOTHING, ownCall, push } from './call.ts'
import {
  delegate,
  generatorNext,
  generatorThrow,
  isGenerator,
  isGeneratorFunction,
  isOperation,
  once,
  runnable,
} from './generators.ts'
import { shareDomain } from './current.ts'
import { ACTIVITY, CALL, kindOf, REMOVED, SUSPENSION } from './kind.ts'
import { HeldBack } from './held.ts'
import { realHost, type Host } from './host.ts'
import { nameOf, remember } from './names.ts'
import { CIRCLE, diagnosis, OTHER_VERSION, say } from './say.ts'
import { Scheduler, type Step } from './scheduler.ts'
import { withdrawn } from './withdrawn.ts'
import { circleOf } from '../wait/circle.ts'
import { blockAgain, blockOnPromise, expectFailure } from '../wait/promise.ts'
import { endBranch } from '../scope/root.ts'

export interface DomainOptions {
  host?: Host
  /** Milliseconds an activity may run while others are ready, and the library while the host waits. */
  slice?: number
  /** Milliseconds a stuck atomic block waits for legacy code to help before it is reported as a deadlock. */
  grace?: number
}

/** Why the run loop has stopped running a branch: it waits, has ended, lets another one go first, or was set aside. */
const BLOCKED = 0
const ENDED = 1
const SWITCHED = 2
const ASIDE = 3
type Why = typeof BLOCKED | typeof ENDED | typeof SWITCHED | typeof ASIDE

const THREW: Step = { done: true, value: undefined }

export class Domain extends Scheduler implements types.Domain {
  readonly grace: number
  pending: Pending | null = null
  depth: number = 0
  aside: boolean = false
  own: boolean = false
  nested: number = 0
  /** The first part of a call runs, on the stack of whoever has made the call (see start.ts). */
  starting: boolean = false
  live: types.Activity | null = null
  tracer: Tracer | null = (globalThis as any)[Symbol.for('charcoal.tracer')] ?? null
  site: (() => string) | null = null
  enforced: boolean = false
  readonly held: HeldBack = new HeldBack()
  readonly belonging: Belonging = new Belonging(this)

  constructor({ host = realHost, slice = 10, grace = 1000 }: DomainOptions = {}) {
    super(host, slice)
    this.grace = grace
  }

  // ---- birth and end of activities

  /** Queues a new activity; its body does not run before the caller has gone on (law 7). */
  spawn<T>(body: unknown, contained?: boolean, name?: string, context?: AsyncContext | null): Activity<T> {
    const activity = this.make<T>(body, contained, name)
    if (context !== undefined) {
      activity.context = context
      contexts?.unshare(activity)
    }
    this.enqueue(activity)
    if (this.current === null) this.comes(activity)
    return activity
  }

  /** The activity of a call, or another operation, that is not a part of the branch that has made it. */
  adopt<T>(body: unknown, name?: string, context?: AsyncContext | null): Activity<T> {
    const activity = this.spawn<T>(body, undefined, name, context)
    // While an atomic block is open the activity begins later than the turn of the host that would report the failure.
    expectFailure(body)
    if (this.belonging.now() !== null) this.held.note(activity)
    return activity
  }

  /** An activity that is never run: it stands for a call that is a part of a branch. */
  standIn<T>(name: string): Activity<T> {
    const activity = new Activity<T>(this.top, null)
    activity.mode = NEXT
    activity.info = { name: name || 'a call' }
    return activity
  }

  make<T>(body: unknown, contained?: boolean, name?: string): Activity<T> {
    const { current } = this
    const block = this.belonging.now() as AtomicBlock | null
    const activity = new Activity<T>(this.base, body)
    if (block !== null && (contained ?? /^[cf]/.test(block.spawns))) block.take(activity)
    if (this.site !== null || this.tracer !== null) {
      if (typeof body === 'function') remember(body)
      name ||= nameOf(body)
    }
    if (name) activity.name = name
    if (this.site !== null) (activity.info ??= {}).site = this.site()
    activity.prev = this.live
    if (this.live !== null) this.live.next = activity
    this.live = activity
    const locals = current?.activity.info?.locals
    if (locals !== undefined) (activity.info ??= {}).locals = locals
    if (contexts !== null) activity.context = contexts.present()
    this.tracer?.registered(activity)
    const isForeign = current === null && block === null && this.top !== this.base
    if (isForeign && diagnosis !== null) diagnosis.heldBack(activity, this.top as AtomicBlock)
    return activity
  }

  /** The activity and all its branches have ended. */
  buried(activity: types.Activity): void {
    const { prev, next } = activity
    if (prev !== null) prev.next = next
    if (next !== null) next.prev = prev
    else this.live = prev
    activity.prev = activity.next = null
    this.tracer?.ended?.(activity)
    activity.home.ended()
  }

  // ---- calls

  /** A call was made. In an activity it waits to be awaited; in legacy code it belongs to a new activity. */
  called(call: Pending): void {
    // Each call comes here, so this reads no more than it needs: `current` is two fields.
    if (!this.inside) call.start()
    else {
      if (this.pending !== null) this.pending.start()
      this.pending = call
    }
  }

  /** The pending call was not awaited: it becomes an activity. */
  startPending(): void {
    const call = this.pending!
    this.pending = null
    call.start()
  }

  circle(branch: Branch): string | null {
    const others = circleOf(branch)
    if (others === null) return null
    const names = [branch.activity, ...others, branch.activity].map((activity) => activity.name)
    return say(CIRCLE, ...names)
  }

  /**
   * The operation that a body has returned, or a call of the generator that it has: `yield*` looks up the methods of
   * what it runs, which for the generator of a body written in place costs more than to run it (see generators.ts).
   */
  asCall(what: unknown): Iterable<unknown> | undefined {
    return isGenerator(what) ? new Call(what) : isOperation(what) ? runnable(what) : undefined
  }

  within(op: AnyIterator, context: AsyncContext): Call<any> {
    return Object.assign(new Call<any>(null), { gen: op, context })
  }

  // ---- the run loop

  /**
   * A promise answers the branch that is `alone`. Mostly it only comes to its wait for the next promise, and then it is
   * alone still. So this does what the run loop would do, in fewer steps, and leaves everything else to that.
   */
  resume(branch: Branch, value: unknown): void {
    const { group } = branch
    branch.blocked = null
    this.pumping = this.inside = true
    this.depth = 0
    let step: Step
    try {
      step = generatorNext.call(branch.gen as AnyIterator, value)
    } catch (error) {
      this.own = false
      branch.goOn(THROW, error)
      step = THREW
    }
    const isSame = this.alone === branch && branch.group === group && branch.context === null
    const isBusy = this.pending !== null || this.aside || group.others !== null || this.tracer !== null
    if (!isSame || isBusy || step.done || !blockAgain(branch, step.value)) return this.pump(group, step)
    this.pumping = this.inside = false
    const block = this.top as AtomicBlock
    if (block === this.base) return
    const { held } = this
    // Mostly the reminder is set, and there is nothing to let in.
    if (held.reminding && held.calls === null && !block.noted) block.turns++
    else block.idle()
  }

  run(group: Group, step: Step | null): void {
    let branch = (group.running ??= next(group))
    while (branch !== null) {
      this.current = branch
      const why = this.step(branch, step)
      step = null
      // The branch may have entered or left atomic blocks meanwhile.
      group = branch.group
      if (this.tracer !== null && why !== ENDED) this.tracer.stopped(branch)
      if (why === ASIDE) {
        this.enqueue(group)
        break
      }
      branch = why === SWITCHED ? group.running : (group.running = next(group))
    }
    this.current = null
  }

  /** Runs `branch` until there is a reason to stop; it has come to `first` already, if that is not null. */
  private step(branch: Branch, first: Step | null): Why {
    this.tracer?.started(branch)
    let { mode, answer } = branch
    branch.answer = undefined
    if (mode === START) {
      mode = branch.mode = NEXT
      try {
        const { context } = branch
        context === null ? begin(branch, answer) : context.runInAsyncScope(begin, null, branch, answer)
      } catch (error) {
        return this.ended(branch, THROW, error)
      }
      answer = undefined
    }
    for (;;) {
      let result: Step
      if (first !== null) {
        result = first
        first = null
      } else {
        // The code goes on.
        this.depth = 0
        if (this.starting) this.steps = 0 // everything that is awaited has to come to this loop
        try {
          const { context } = branch
          const gen = branch.gen as AnyIterator
          if (context === null)
            result = mode === NEXT ? generatorNext.call(gen, answer) : generatorThrow.call(gen, answer)
          else result = context.runInAsyncScope(mode === NEXT ? generatorNext : generatorThrow, gen, answer)
        } catch (error) {
          mode = THROW
          answer = error
          result = THREW
          this.own = false
        }
      }
      if (result.done) {
        // A call has ended, and its caller goes on with the result.
        if (this.pending !== null) this.startPending()
        if (result !== THREW) {
          mode = NEXT
          answer = result.value
        } else diagnosis?.thrown(answer)
        const { frame } = branch
        if (frame === null) return this.ended(branch, mode as 0 | 1, answer)
        pop(frame, branch)
        if (!frame.leave(branch, mode as 0 | 1, answer)) return BLOCKED
        if (this.starting) {
          branch.goOn(mode, answer)
          return ASIDE
        }
      } else {
        // The code asks for something, in a call on the stack perhaps: all calls that suspend become frames, outermost
        // first.
        let op: any = result.value
        let kind = kindOf(op) // asked for only once, because it costs more than all the rest
        while (kind === CALL && op.inner !== NOTHING) {
          const call: Call<any> = op
          op = call.inner
          kind = kindOf(op)
          call.inner = NOTHING
          push(call, branch)
        }
        if (this.pending !== null) {
          if (this.pending === op) this.pending = null
          else this.startPending()
        }
        if (kind === CALL && op.activity === null && op.gen !== null && op.value === op) {
          push(op, branch)
          mode = NEXT
          answer = undefined
        } else {
          try {
            // What is asked for may call the program's code: a thenable's `then`, the body of a block.
            const { context } = branch
            const goesOn =
              context === null ? ask(op, kind, branch) : context.runInAsyncScope(ask, null, op, kind, branch)
            if (!goesOn) return BLOCKED
          } catch (error) {
            // One clause of several may have thrown when it was to wait; then the others wait no more.
            if (branch.blocked !== null) withdrawn(branch.blocked)
            branch.blocked = null
            branch.goOn(THROW, error)
          }
          if (branch.group.running !== branch) return SWITCHED
          if (this.aside || this.starting) {
            this.aside = false
            return ASIDE
          }
          mode = branch.mode
          answer = branch.answer
          branch.answer = undefined
        }
      }
      if (--this.steps <= 0 && !this.starting && this.isOver(branch.group)) {
        branch.goOn(mode, answer)
        return ASIDE
      }
    }
  }

  private ended(branch: Branch, mode: 0 | 1, answer: unknown): Why {
    if (this.pending !== null) this.startPending()
    this.tracer?.stopped(branch)
    branch.gen = null
    endBranch(branch, mode, answer)
    this.last = null // so that the collector can free the branch and its result
    return ENDED
  }
}

/** The branch that runs next in `group`. */
function next({ others }: Group): Branch | null {
  return others === null ? null : others.next()
}

/** What a branch asks for that is not a call of its own. False: the branch is blocked. */
function ask(op: any, kind: number | undefined, branch: Branch): boolean {
  if (kind === undefined && op instanceof Promise) return blockOnPromise(branch, op)
  if (kind === CALL && op.value !== op) return beginCall(delegate(op), branch) // written with `yield` alone
  if (kind! >= SUSPENSION && kind! <= CALL) return (op as Suspension<unknown>).begin(branch)
  if (kind === ACTIVITY) return (op as types.Activity).joinFrom(branch)
  if (kind! < SUSPENSION || kind! > REMOVED) throw new Error(say(OTHER_VERSION))
  if (isOperation(op)) return beginCall(op, branch)
  if (typeof op === 'object' && typeof (op as PromiseLike<unknown> | null)?.then === 'function')
    return blockOnPromise(branch, op as PromiseLike<unknown>)
  return branch.goOn(NEXT, op)
}

/** Runs an operation that `yield` alone has handed over as a call of `branch`. */
function beginCall(op: unknown, branch: Branch): boolean {
  const call = new Call(null)
  call.gen = generatorOf(op)
  return call.begin(branch)
}

/** The branch begins with what was spawned. */
function begin(branch: Branch, body: unknown): void {
  if (isGeneratorFunction(body)) branch.gen = body()
  else if (typeof body !== 'function') branch.gen = generatorFrom(once(body))
  else {
    const made = ownCall(body as () => unknown)
    // `spawn(() => load(1))` has the name of `load`.
    if (branch === branch.activity && body.name === '') branch.activity.source = nameOf(made)
    branch.gen = generatorFrom(made)
  }
}

/** Makes the caller of an ended call the innermost of `branch` again. */
function pop(frame: Frame, branch: Branch): void {
  branch.gen = frame.gen
  branch.frame = frame.parent
  if (frame.context !== undefined) branch.context = frame.context
  frame.gen = null
  frame.parent = null
}

for (const kind of [Suspension, Call, Activity]) attributed(kind)
shareDomain(() => new Domain())
