/** Time as a clause: `yield* sleep(ms)`, `waituntil(x).or(sleep(ms))`. The alarm is set only while the wait lasts. */
import { checkTime } from '../core/arguments.ts'
import { domain } from '../core/current.ts'
import { realHost } from '../core/host.ts'
import { abortable, type WaitOptions } from '../wait/abortable.ts'
import { Clause } from '../wait/clause.ts'
import { clearAlarm, setAlarm, type Alarm } from './alarm.ts'

class Sleep extends Clause<void> implements Alarm {
  private readonly ms: number
  due: number = 0
  timer: Alarm['timer'] = null

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
    setAlarm(this, domain.host ?? realHost, this.ms) // a program that starts no activities has no host of its own
  }
  override withdraw(): void {
    clearAlarm(this)
  }
  ring(): void {
    this.fireFromHost(undefined)
  }
  override get outside(): 1 {
    return 1
  }
  describe(): string {
    return `sleep(${this.ms})`
  }
}

/**
 * Waits `ms` milliseconds, of any number: `sleep(Infinity)` ends only by a cancel or by the signal of its options.
 * Cancelled: the alarm is cleared.
 *
 * @example
 * yield* sleep(100)
 */
export function sleep(ms: number, options?: WaitOptions): Clause<void> {
  checkTime('sleep', ms)
  return abortable('sleep', new Sleep(ms), options)
}
