/**
 * When the run loop runs, and for which group. A scheduler serves the groups of its newest context first in, first out;
 * what it does with a group is the matter of domain.ts.
 *
 * - `current` is the branch whose code runs now, null in legacy code. It is kept in two fields: the branch that ran
 *   last, and whether its code runs still. Mostly the same branch runs again, so only the second field is written; a
 *   store of a young object in an old one would take a tenth of the time of a wait, because the collector notes it.
 * - `pumping` holds while the run loop is on the stack, `posted` while the host has been asked to run it, and `late`
 *   while it was asked to do so only after a turn of its event loop.
 * - No group is queued twice. A blocked branch is on no queue.
 * - The group that runs is not queued by its own branches: the run loop takes its next branch when the running one has
 *   stopped.
 */
import type { Branch, Chooser, Context, Group } from './types.ts'
import type { Host } from './host.ts'
import { BaseContext, pushReady } from './group.ts'
import { noteOurs } from './current.ts'
import { BLOCK_ORDER, say } from './say.ts'
import { Slice } from './slice.ts'

/** How far the code of a branch has come: it asks for something, or has ended. */
export type Step = IteratorResult<unknown, unknown>

export abstract class Scheduler {
  readonly host: Host
  readonly base: Context
  top: Context
  pumping: boolean = false
  steps: number = 0
  onTop: (() => void) | null = null
  protected chooser: Chooser | null = null
  protected readonly slice: Slice
  protected posted = false
  protected late = false
  protected last: Branch | null = null
  protected inside = false
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

  enqueue(group: Group): void {
    if (group.queued) return
    const context = group.home
    context.push(group)
    if (!this.pumping && !this.posted && context === this.top) this.post()
  }

  /** `branch` can go on. */
  ready(branch: Branch): void {
    let { group } = branch
    if (group.over) group = branch.group = group.survivor()
    if (group.running === null && (group.readies === null || group.readies.size === 0)) group.running = branch
    else pushReady(group, branch)
    if (this.current === null || group !== this.current.group) this.enqueue(group)
  }

  /** The same from a callback of the host: the branch goes on in that callback, unless others are to run before. */
  readyFromHost(branch: Branch): void {
    const { group } = branch
    if (this.pumping || this.posted) this.ready(branch)
    else if (group.running === null && group.readies === null && this.top.head === null && group.home === this.top) {
      // Nothing else has to run before it, so the queue is not needed.
      group.running = branch
      this.pump(group, null)
    } else this.fromHost(() => this.ready(branch))
  }

  /** Runs `f`, which may make branches ready, and then the run loop, unless that is to run anyway. */
  fromHost(f: () => void): void {
    if (this.pumping || this.posted) f()
    else {
      this.posted = true
      f()
      this.pump(null, null)
    }
  }

  // ---- contexts

  /** `context` is the newest now. */
  enter(context: Context): void {
    this.top = context
    this.onTop?.()
  }

  leave(context: Context): void {
    if (this.top !== context) throw new Error(say(BLOCK_ORDER))
    this.top = context.parent!
    this.onTop?.()
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
    this.pumping = true
    noteOurs()
    try {
      if (first !== null) this.run(first, step)
      while (!this.slice.hostWaits) {
        const group = this.top.shift()
        if (group === null) break
        this.run(group, null)
        // An activity that only gives way, or blocks, does not look at the clock itself.
        if (--this.steps <= 0) this.isOver(group)
      }
    } finally {
      this.pumping = false
      this.current = null
    }
    this.rest()
  }

  /** Runs one turn of `group` alone; what else is ready has its turn later, as always. */
  turn(group: Group): void {
    this.pumping = true
    noteOurs()
    try {
      this.run(group, null)
    } finally {
      this.pumping = false
      this.current = null
    }
  }

  protected rest(): void {
    if (this.top.head !== null) {
      if (!this.posted) this.post()
    } else this.top.idle()
  }

  // ---- in the place of the host

  /** From now on the caller runs the groups, with `turn`, and chooses where an activity is set aside. */
  drive(chooser: Chooser): void {
    this.posted = true
    this.chooser = chooser
    this.steps = 0
  }

  /** The steps are used up: is the running group to be set aside? */
  protected isOver(group: Group): boolean {
    if (this.chooser !== null) {
      this.steps = 1
      return !group.atomic && this.chooser.preempt()
    }
    const over = this.slice.isOver(group, this.top.head !== null)
    this.steps = this.slice.stride
    return over
  }
}
