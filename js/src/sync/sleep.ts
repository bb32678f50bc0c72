/** Time as a clause: `yield* sleep(ms)`, `waituntil(x).or(sleep(ms))`. The timer exists only while the wait does. */
import '../core/domain.ts'
import { checkTime } from '../core/arguments.ts'
import { Clause } from '../wait/clause.ts'
import { domain, noteOurs } from '../core/current.ts'
import type { Domain } from '../core/types.ts'

class Sleep extends Clause<void> {
  private readonly ms: number
  private handle: unknown = undefined
  private in: Domain | null = null

  constructor(ms: number) {
    super()
    this.ms = ms
  }
  poll(): boolean {
    return this.ms < 0
  }
  override ready(): boolean {
    return this.ms < 0
  }
  override register(): void {
    this.in = domain
    this.handle = domain.host.timer(() => {
      noteOurs()
      this.fireFromHost(undefined)
    }, this.ms)
  }
  override withdraw(): void {
    if (this.in !== null) this.in.host.clear(this.handle)
  }
  override get outside(): 1 {
    return 1
  }
  describe(): string {
    return `sleep(${this.ms})`
  }
}

/**
 * Waits `ms` milliseconds, of any number: `sleep(Infinity)` ends only by a cancel. Cancelled: the timer is cleared.
 *
 * @example
 * yield* sleep(100)
 */
export function sleep(ms: number): Clause<void> {
  checkTime('sleep', ms)
  return new Sleep(ms)
}
