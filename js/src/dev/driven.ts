/**
 * A domain whose groups are run by the caller, one `turn` each, and not by the host: simulations choose which one runs,
 * and where an activity is set aside.
 */
import { Domain } from '../core/domain.ts'
import type { Host } from '../core/host.ts'
import type { Group } from '../core/types.ts'

export class DrivenDomain extends Domain {
  private readonly preempt: () => boolean

  /** `preempt` is asked at each call and return: is the running activity to be set aside here? */
  constructor(host: Host, preempt: () => boolean) {
    super({ host })
    this.preempt = preempt
    this.posted = true // so nobody asks the host to run the loop
    this.steps = 0
  }

  protected override comes(): void {}

  protected override isOver(group: Group): boolean {
    this.steps = 1
    return !group.atomic && this.preempt()
  }
}
