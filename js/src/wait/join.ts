/**
 * A join waits for the end of an activity; the result is the activity's. Losing or cancelling the wait leaves the
 * activity alone.
 */
import type { Activity, Branch } from '../core/types.ts'
import { OWN_END, say } from '../core/say.ts'
import { THROW } from '../core/suspension.ts'
import { DeadlockError } from '../scope/errors.ts'
import { Clause } from './clause.ts'
import { ClauseList } from './list.ts'

/** An activity as its joiners see it. */
interface Joined extends Activity {
  joiners: unknown
}

export class Join<T> extends Clause<T> {
  private readonly activity: Joined

  constructor(activity: Joined) {
    super()
    this.activity = activity
  }

  override begin(branch: Branch): boolean {
    if (this.activity === branch.activity)
      return branch.goOn(THROW, new DeadlockError(say(OWN_END, this.activity.name)))
    if (super.begin(branch)) return true
    const circle = branch.group.home.domain.circle(branch)
    if (circle === null) return false
    this.withdraw()
    branch.blocked = null
    return branch.goOn(THROW, new DeadlockError(circle))
  }

  poll(): boolean {
    const a = this.activity
    if (a.ended === 0) return false
    a.handled()
    if (a.ended !== 1) this.failed = true
    this.outcome = a.answer
    return true
  }

  override ready(): boolean {
    return this.activity.ended !== 0
  }

  override get list(): ClauseList {
    return (this.activity.joiners ??= new ClauseList()) as ClauseList
  }

  describe(): string {
    return `join(${this.activity.name})`
  }

  override needs(): Activity {
    return this.activity
  }

  /** @internal The activity has ended. */
  settle(): void {
    if (this.activity.ended === 1) this.fire(this.activity.answer as T)
    else this.fail(this.activity.answer)
  }
}
