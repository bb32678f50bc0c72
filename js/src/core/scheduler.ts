/**
 * When the run loop runs, and for which group. A scheduler serves the groups of its newest context first in, first out;
 * what it does with a group is the matter of domain.ts.
 *
 * - `current` is the branch whose code runs now, null in legacy code. It is kept in two fields: the branch that ran
 *   last, and whether its code runs still. Mostly the same branch runs again, so only the second field is written; a
 *   store of a young object in an old one would take a tenth of the time of a wait, because the collector notes it.
 * - `pumping` holds while the run loop is on the stack, `posted` while the host has been asked to run it, and `late`
 *   while it was asked to do so only after a turn of its event loop.
 * - `alone` is a branch that waits for a promise while nothing else is ready and the run loop is not to run: when the
 *   promise answers, the branch goes on without asking for anything. It counts as the running one of its group all the
 *   time, so that a wait writes little. Whatever makes a group ready, or runs the loop, ends this by `disturb`.
 * - `newcomers` are activities that legacy code has made, and that may not have begun. They begin in their order and
 *   before the host has its turn, as `async` functions do: that turn would report a promise that has failed, and that
 *   one of them is about to wait for, as an unhandled rejection, which ends a Node process.
 * - No group is queued twice. A blocked branch is on no queue.
 * - The group that runs is not queued by its own branches: the run loop takes its next branch when the running one has
 *   stopped.
 */
import type { Activity, Branch, Context, Group } from './types.ts'
import type { Host } from './host.ts'
import { BaseContext } from './group.ts'
import { noteOurs } from './current.ts'
import { BLOCK_ORDER, say } from './say.ts'
import { Slice } from './slice.ts'
import { START } from './suspension.ts'

/** How far the code of a branch has come: it asks for something, or has ended. */
export type Step = IteratorResult<unknown, unknown>

export abstract class Scheduler {
  readonly host: Host
  readonly base: Context
  top: Context
  pumping: boolean = false
  steps: number = 0
  onTop: (() => void) | null = null
  alone: Branch | null = null
  protected readonly slice: Slice
  protected posted = false
  protected late = false
  protected last: Branch | null = null
  protected inside = false
  private newcomers: Activity[] = []
  private readonly pumpNow = (): void => this.pump(null, null)

  constructor(host: Host, slice: number) {
    this.host = host
    this.slice = new Slice(host, slice)
    this.steps = this.slice.stride
    this.top = this.base = new BaseContext(this as never)
  }

  get current(): Branch | null {
    return this.inside ? this.last : null
  }

  set current(branch: Branch | null) {
    this.inside = branch !== null
    if (branch !== null && branch !== this.last) this.last = branch
  }

  /**
   * Runs branches of the group until one is set aside, or none is ready. `step` is what the first of them has come to,
   * if it has begun already.
   */
  abstract run(group: Group, step: Step | null): void

  // ---- what becomes ready

  /** Something else is to happen than that a promise answers the branch that is alone. */
  protected disturb(): void {
    const { alone } = this
    if (alone === null) return
    if (!this.pumping) alone.group.running = null // it waits, and its code does not run just now
    this.alone = null
  }

  enqueue(group: Group): void {
    if (group.queued) return
    this.disturb()
    const context = group.home
    context.push(group)
    if (!this.pumping && !this.posted && context === this.top) this.post()
  }

  /** `branch` can go on. */
  ready(branch: Branch): void {
    this.disturb()
    let { group } = branch
    if (group.over) group = branch.group = group.survivor()
    if (group.running === null) group.running = branch
    else group.others!.push(branch)
    if (this.current === null || group !== this.current.group) this.enqueue(group)
  }

  /** The same from a callback of the host: the branch goes on in that callback, unless others are to run before. */
  readyFromHost(branch: Branch): void {
    this.disturb()
    const { group } = branch
    if (this.pumping || this.posted) this.ready(branch)
    else if (isFree(group)) {
      // Nothing else has to run before it, so the queue is not needed.
      group.running = branch
      this.pump(group, null)
      const waitsForPromise = branch.cell !== null && branch.blocked === branch.cell
      if (waitsForPromise && branch.context === null && isFree(branch.group))
        this.last = this.alone = branch.group.running = branch
    } else this.fromHost(() => this.ready(branch))
  }

  /** Runs `f`, which may make branches ready, and then the run loop, unless that is to run anyway. */
  fromHost(f: () => void): void {
    if (this.pumping || this.posted) f()
    else {
      this.disturb()
      this.posted = true
      f()
      this.pump(null, null)
    }
  }

  // ---- contexts

  /** `context` is the newest now. */
  enter(context: Context): void {
    this.top = context
    if (this.onTop !== null) this.onTop()
  }

  leave(context: Context): void {
    if (this.top !== context) throw new Error(say(BLOCK_ORDER))
    this.top = context.parent!
    if (this.onTop !== null) this.onTop()
  }

  // ---- the run loop

  private post(): void {
    this.posted = true
    if (this.slice.hostWaits) {
      this.slice.hostWaits = false
      this.late = true
      this.host.later(this.pumpNow)
    } else this.host.soon(this.pumpNow)
  }

  /** Runs `first`, and then what is queued, until nothing is ready or the host is to have a turn. */
  protected pump(first: Group | null, step: Step | null): void {
    this.posted = this.late = false
    if (first !== null) this.turn(first, step)
    while (!this.slice.hostWaits) {
      const group = this.top.shift()
      if (group === null) break
      this.turn(group)
      // An activity that only gives way, or blocks, does not look at the clock itself.
      if (--this.steps <= 0) this.isOver(group)
    }
    if (this.newcomers.length > 0) this.admit()
    this.rest()
  }

  /** Legacy code has queued `activity`. */
  protected comes(activity: Activity): void {
    this.newcomers.push(activity)
    if (this.late && this.newcomers.length === 1) this.host.soon(() => this.admit())
  }

  /** Runs the first turns of the newcomers that are queued yet. */
  private admit(): void {
    const { newcomers } = this
    this.newcomers = []
    for (const activity of newcomers) {
      if (this.top !== this.base || !activity.queued || activity.mode !== START) continue
      this.base.remove(activity)
      this.turn(activity)
    }
  }

  /** Runs one turn of `group` alone; what else is ready has its turn later, as always. */
  turn(group: Group, step: Step | null = null): void {
    this.disturb()
    this.pumping = true
    noteOurs()
    try {
      this.run(group, step)
    } finally {
      this.pumping = false
      this.current = null
    }
  }

  /** Sees to what is queued, or tells the newest context that all in it waits. */
  rest(): void {
    if (this.top.head !== null) {
      if (!this.posted) this.post()
    } else this.top.idle()
  }

  /** The steps are used up: is the running group to be set aside? */
  protected isOver(group: Group): boolean {
    const over = this.slice.isOver(group, this.top.head !== null)
    this.steps = this.slice.stride
    return over
  }
}

/** Nothing is ready, and nothing of `group` will be but by the host. */
function isFree({ running, others, home }: Group): boolean {
  return running === null && others === null && home === home.domain.top && home.head === null
}
