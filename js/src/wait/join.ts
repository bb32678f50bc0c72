/** Waits for the end of an activity; the result is the activity's. Losing or cancelling the wait does not touch the activity. */
import type { Activity } from '../core/activity.ts'
import { Clause } from './clause.ts'
import { ClauseList } from './list.ts'

export class Join<T> extends Clause<T> {
  readonly activity: Activity<T>

  constructor(activity: Activity<T>) {
    super()
    this.activity = activity
  }

  poll(): boolean {
    const a = this.activity
    if (a.ended === 0) return false
    a.handled()
    this.failed = a.ended !== 1
    this.outcome = a.answer
    return true
  }

  override ready(): boolean {
    return this.activity.ended !== 0
  }

  override register(): void {
    ;((this.activity.joiners ??= new ClauseList()) as ClauseList).push(this)
  }

  override withdraw(): void {
    ;(this.activity.joiners as ClauseList).remove(this)
  }

  describe(): string {
    return `join(${this.activity.name})`
  }

  override needs(): Activity<any> {
    return this.activity
  }

  /** @internal The activity has ended. */
  settle(): void {
    if (this.activity.ended === 1) this.fire(this.activity.answer as T)
    else this.fail(this.activity.answer)
  }
}

