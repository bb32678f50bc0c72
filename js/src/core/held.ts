/**
 * What atomic blocks hold back. A block that waits for a promise may be waiting for something that it keeps from
 * running itself, which the library cannot see. Two things are done about that:
 *
 * - A call that was made inside the block, and that a native promise wants, runs inside it: `Promise.all([load(1),
 *   load(2)])`. So does one that a branch of the block waits for later: `const a = load(1), b = load(2)`, then
 *   `await a`.
 * - A block that waits for long says which activities it holds back (see diagnosis/reminder.ts).
 *
 * `calls` are the activities that calls made in the open blocks have become, each with whether a native promise wants
 * it.
 */
import type { Activity, Block, Context, Held } from './types.ts'
import { START } from './suspension.ts'
import { diagnosis } from './say.ts'

export class HeldBack implements Held {
  reminding: boolean = diagnosis === null // then there is nobody to remind
  calls: Map<Activity, boolean> | null = null

  note(activity: Activity): void {
    ;(this.calls ??= new Map()).set(activity, false)
  }

  want(activity: Activity, top: Context): void {
    const { base, belonging } = top.domain
    if (top === base) return
    if (this.calls !== null && this.calls.has(activity)) {
      this.calls.set(activity, true)
      if ((top as Block).waitsForPromise) this.admit(top as Block)
    } else if (diagnosis !== null && activity.ended === 0 && activity.home === base && belonging.now() !== null)
      diagnosis.heldBack(activity, top as Block)
  }

  clear(): void {
    this.calls = null
  }

  waitsForPromise(block: Block): void {
    this.admit(block)
    diagnosis?.waitsForPromise(block)
  }

  need(activity: Activity, block: Block): boolean {
    if (this.calls === null || !this.calls.delete(activity)) return false
    if (activity.mode !== START || !activity.queued || activity.home !== block.domain.base) return false
    block.admit(activity)
    return true
  }

  /** Lets in what native promises want. */
  private admit(block: Block): void {
    if (this.calls === null) return
    for (const [activity, wanted] of this.calls) if (wanted) this.need(activity, block)
  }
}
