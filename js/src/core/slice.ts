/**
 * Time slices: when a running activity is set aside for the others, and when the library leaves the host its turn.
 *
 * To read the clock costs as much as a call. It is therefore read every `stride` steps only; `stride` adapts so that
 * this is a quarter of a millisecond or less.
 */
import type { Host } from './host.ts'
import type { Group } from './types.ts'

export class Slice {
  /** Steps until the clock is to be read again. */
  stride = 16
  /** The host has waited for longer than a slice: the run loop goes on after a turn of the host's event loop. */
  hostWaits = false
  private readonly host: Host
  private readonly length: number
  private lastLook = 0
  /** The first look at the clock since the host had a turn: from then on the host waits. Null: there was none yet. */
  private turnStart: number | null = null
  /** The group whose slice it is, and since when. */
  private group: Group | null = null
  private groupStart = 0

  /** `length`: milliseconds that an activity may run while others are ready, and the library while the host waits. */
  constructor(host: Host, length: number) {
    this.host = host
    this.length = length
  }

  private readonly hostHadTurn = (): void => {
    this.hostWaits = false // what legacy code began before that turn may have set it again
    this.turnStart = null
  }

  /** Reads the clock: is the running group to be set aside? `others` are ready in the same context. */
  isOver(group: Group, others: boolean): boolean {
    const now = this.host.now()
    const since = now - this.lastLook
    this.lastLook = now
    if (since < 0.1 && this.stride < 256) this.stride *= 2
    else if (since > 0.25 && this.stride > 1) this.stride >>= 1
    if (this.turnStart === null) {
      // The time before, in which nothing may have run, belongs to nobody's slice.
      this.turnStart = now
      this.group = null
      this.host.later(this.hostHadTurn)
    }
    this.hostWaits = now - this.turnStart > this.length
    if (this.hostWaits) {
      // This holds in an atomic block, too: nothing else of the domain runs then, but the page and its timers go on.
      this.group = null
      return true
    }
    if (group.atomic) return false
    if (group !== this.group) {
      this.group = group
      this.groupStart = now
      return false
    }
    if (!others || now - this.groupStart < this.length) return false
    this.group = null
    return true
  }
}
