/**
 * An atomic block: while it lasts, nothing runs but its own branches and the activities spawned `contained` in it (laws
 * 5 and 6).
 *
 * A block is a context on the domain's stack, and the group of its own branches in that context.
 *
 * - It is `domain.top` exactly while it is the innermost one.
 * - `contained` counts the contained activities that have not ended; the block does not end before it is 0.
 * - `outer` is the group that the owner came from. It cannot run while the block lasts: its context is not the newest.
 * - `over` is set at the end; branches of the block that outlive it (an `async` whose finish is outside) move to
 *   `survivor()`.
 * - A block without options that nobody can know any more when it ends is `spare`, and opened again; `over` becomes
 *   false then.
 */
import type { Activity, Block, Blocker, Branch, Context, Domain, Group, Others } from './types.ts'
import { someBranch } from './branchesOf.ts'
import { BaseContext } from './group.ts'
import { NEXT } from './suspension.ts'
import { DEADLOCK, say } from './say.ts'
import { DeadlockError } from '../scope/errors.ts'

/** What becomes of activities that are spawned in a block. */
export type Spawns = 'delay' | 'contained' | 'free' | 'error'

/** Options of `atomic`. */
export interface AtomicOptions {
  /**
   * What becomes of activities that are spawned in the block (Charcoal, section 2): `delay`, the default, keeps them
   * back until the outermost block has ended. `contained` runs them inside, and the block does not end before they do.
   * `free` runs them inside while the block lasts, and it does not wait for them. With `error` a spawn throws; a call
   * that nobody awaits is delayed. `contained` of a single spawn goes before `delay`, `contained` and `free`.
   */
  spawns?: Spawns | undefined
  /**
   * With `wait` the block ends when the continuations of legacy code have run that were registered in it, and those
   * that these register (the event-queue definition of atomic): timers, microtasks, frames and reactions with `then`,
   * but not intervals, listeners and native `await`. It needs `enforce()`. Default: `ignore`.
   */
  continuations?: 'ignore' | 'wait' | undefined
}

/** The last block that nobody knows any more. */
let spare: AtomicBlock | null = null

export class AtomicBlock extends BaseContext implements Group, Block, Blocker {
  running: Branch | null
  others: Others | null = null
  link: Group | null | undefined = undefined
  outer: Group
  readonly home: Context
  owner: Branch
  contained: number = 0
  over: boolean = false
  turns: number = 0
  /** Somebody has noted the block, so it is not to be opened again. */
  noted: boolean = false
  /** What becomes of activities that are spawned in the block. */
  spawns: Spawns = 'delay'
  /** The block waits for the continuations that were registered in it; `contained` counts these, too. */
  waits: boolean = false
  /** Those spawned under `free`: contained while the block lasts, but it does not wait for them. */
  private free: Activity[] | null = null
  private timer: unknown = undefined
  /** How the owner goes on when the contained activities have ended. */
  private leaveMode: 0 | 1 = NEXT
  private leaveAnswer: unknown = undefined

  constructor(owner: Branch, domain: Domain) {
    super(domain)
    this.parent = domain.top
    this.home = this
    this.owner = this.running = owner
    this.outer = owner.group
  }

  get atomic(): boolean {
    return true
  }

  get queued(): boolean {
    return this.link !== undefined
  }

  /** The group that the block's branches belong to: the block, or what it was opened in when it is over. */
  survivor(): Group {
    return this.over ? this.outer.survivor() : this
  }

  // ---- the end of a block

  /** Ends the block on its owner, or blocks the owner until the contained activities have ended. */
  leave(mode: 0 | 1, answer: unknown): boolean {
    if (this.leaveNow()) return true
    this.leaveMode = mode
    this.leaveAnswer = answer
    this.owner.blocked = this
    return false
  }

  /** Ends the block if nothing contained is left in it. */
  leaveNow(): boolean {
    if (this.free !== null) {
      release(this, this.free)
      this.free = null
    }
    if (this.contained > 0) return false
    this.end()
    return true
  }

  /** A contained activity has ended. */
  override ended(): void {
    if (--this.contained > 0 || this.owner.blocked !== this) return
    const { owner, domain } = this
    owner.blocked = null
    owner.goOn(this.leaveMode, this.leaveAnswer)
    this.leaveAnswer = undefined
    this.end()
    domain.enqueue(owner.group)
  }

  /** Does what the caller of `atomic` asks. */
  choose({ spawns = 'delay', continuations }: AtomicOptions): void {
    this.spawns = spawns
    this.waits = continuations === 'wait'
  }

  /** Takes in an activity that was spawned in the block. */
  take(activity: Activity): void {
    this.contained++
    activity.home = this
    if (this.spawns === 'free') (this.free ??= []).push(activity)
  }

  private end(): void {
    const { domain, owner, outer } = this
    domain.leave(this)
    if (domain.top === domain.base) domain.held.clear()
    this.over = true
    this.somethingRuns()
    const group = outer.over ? outer.survivor() : outer
    owner.group = group
    group.running = owner
    const known = this.others !== null || this.queued || this.noted
    if (!known && this.spawns === 'delay' && !this.waits) spare = this
    else if (spare === this) spare = null
    if (this.others !== null) {
      // A branch that became ready while the owner waited for the contained activities goes on, too.
      const { running } = this
      this.others.handOver(running === owner ? null : running, group)
    }
    if (domain.tracer !== null) domain.tracer.atomic(owner, false)
  }

  // The owner, blocked on the end of the contained activities. A block cannot be left otherwise, so it is not
  // interrupted.
  withdraw(): void {}
  get fixed(): boolean {
    return true
  }
  get outside(): 0 | 2 {
    return this.waits ? 2 : 0
  }
  describe(): string {
    if (this.waits) return `the end of ${this.contained} activities and continuations`
    return `the end of ${this.contained} contained ${this.contained === 1 ? 'activity' : 'activities'}`
  }

  // ---- what runs in a block

  override push(group: Group): void {
    this.somethingRuns()
    super.push(group)
  }

  /**
   * A call made in the block that a native promise wants, or a branch of the block: it runs in the block, like a
   * contained activity. Otherwise a block that waits for `Promise.all([load(1), load(2)])` would wait for what it holds
   * back itself.
   */
  admit(activity: Activity): void {
    activity.home.remove(activity)
    activity.home = this
    this.contained++
    this.domain.enqueue(activity)
  }

  // ---- a block in which everything waits

  get waitsForPromise(): boolean {
    return this.owner.blocked?.outside === 2 || someBlocked(this, (b) => b.blocked!.outside === 2)
  }

  /** Something in the block can run: whatever it was that it waited for, it was no deadlock. */
  private somethingRuns(): void {
    if (this.timer === undefined) return
    this.domain.host.clear(this.timer)
    this.timer = undefined
  }

  /** Nothing in the block can run. Either something outside the library will help, or it is a deadlock. */
  override idle(): void {
    this.turns++
    const { owner, domain } = this
    const outside = owner.blocked?.outside
    if (outside) {
      if (outside === 2) domain.held.waitsForPromise(this)
      return
    }
    // Mostly something outside will help, and no call is held back that could: that is seen at the first such wait.
    if (domain.held.calls === null && someBlocked(this, isHelped)) return
    const stuck = blockedBranches(this)
    let inVain: Branch | undefined
    for (const b of stuck) {
      const needed = b.blocked!.needs?.()
      if (needed === undefined) continue
      if (domain.held.need(needed, this)) return
      if (needed.home !== this && needed !== owner.activity && needed.ended === 0) inVain ??= b
    }
    if (someBlocked(this, isHelped)) return
    if (inVain !== undefined) return report(inVain, stuck)
    this.timer ??= domain.host.timer(() => this.graceIsOver(), domain.grace)
  }

  /** Legacy code has not helped in time. */
  private graceIsOver(): void {
    this.timer = undefined
    if (!someBlocked(this, isHelped)) this.reportIfStuck()
  }

  /** Nothing outside the block will help it any more. */
  reportIfStuck(): void {
    if (this.over || this.domain.top !== this || this.head !== null || this.domain.pumping) return
    const stuck = blockedBranches(this)
    if (stuck.every((b) => b.blocked!.fixed)) return
    // The error goes to a wait that can be interrupted, the owner's rather than another's.
    const open = stuck.filter((b) => b.blocked!.fixed !== true)
    report(open.find((b) => b.group.survivor() === this) ?? open[0], stuck)
  }
}

/** Opens a block on `owner`, whose code is running. */
export function open(owner: Branch, domain: Domain): AtomicBlock {
  let block = spare
  if (block === null || !block.over || block.domain !== domain) block = new AtomicBlock(owner, domain)
  else {
    // Mostly the same activity opens a block at the same place again, and comparing a field is cheaper than writing it.
    if (block.parent !== domain.top) block.parent = domain.top
    if (block.owner !== owner) block.owner = owner
    if (block.outer !== owner.group) block.outer = owner.group
    if (block.running !== owner) block.running = owner
    block.over = false
  }
  owner.group = block
  domain.enter(block)
  return block
}

/** The body has ended: what is free goes on outside, and is no longer waited for. */
function release(block: AtomicBlock, free: Activity[]): void {
  const { base } = block.domain
  for (const activity of free) {
    if (activity.ended !== 0) continue
    block.contained--
    const { queued } = activity
    if (queued) block.remove(activity)
    activity.home = base
    if (queued) base.push(activity)
  }
}

/** Something outside the library can end the wait. */
const isHelped = ({ blocked }: Branch): boolean => !!blocked!.outside

/**
 * Does `f` hold for one of the branches that could run in the block, if they were not blocked? Some may outlive a block
 * inside it.
 */
function someBlocked(block: AtomicBlock, f: (branch: Branch) => boolean): boolean {
  const look = (b: Branch): boolean =>
    b.blocked !== null && b.group.survivor().home === block && (b.blocked as unknown) !== b.group && f(b)
  // What is contained has begun after the block, so it is among the newest activities.
  let left = block.contained
  for (let a = block.domain.live; a !== null && left > 0; a = a.prev)
    if (a.home === block && (left--, someBranch(a, look))) return true
  return someBranch(block.owner.activity, look)
}

function blockedBranches(block: AtomicBlock): Branch[] {
  const found: Branch[] = []
  someBlocked(block, (branch) => found.push(branch) === 0)
  return found
}

function report(branch: Branch, stuck: Branch[]): void {
  const error = new DeadlockError(say(DEADLOCK, branch.activity.name, branch.blocked!.describe(), branch, stuck))
  branch.group.home.domain.fromHost(() => branch.interrupt(error))
}

/** The innermost block that `branch` is in, or null. */
export function blockOf(branch: Branch): AtomicBlock | null {
  const { group } = branch
  const block = group.home
  return block === block.domain.base ? null : (block as AtomicBlock)
}
