/**
 * Alarms: what `sleep`, `deadline` and `timeout` have called at a time. Those of one length share a timer of the host,
 * so that a waiting activity takes no timer of its own.
 *
 * They ring in the order of their deadlines, in whole milliseconds, and those of one millisecond in the order in which
 * they were set. Node's own timers do not: when it is late, it calls all that are due of one length, then of another.
 *
 * - `timer` is what the alarm is set in; null before it was set, after it has rung, and after it was cleared.
 * - `due` is when it rings, by the clock of the host. It means something in a `Row` only.
 */
import { noteOurs } from '../core/current.ts'
import { clearTimer, LONGEST, realNow, setTimer, type Host } from '../core/host.ts'
import { ClauseList } from '../wait/list.ts'

export interface Alarm {
  before: any
  after: any
  due: number
  timer: { remove(alarm: Alarm): void } | null
  ring(): void
}

export function setAlarm(alarm: Alarm, host: Host, ms: number): void {
  const { setTimeout: timer, clearTimeout: clear } = globalThis
  if (host.real !== true) setAlone(alarm, host, ms)
  else if (isFake(timer)) setAlone(alarm, { timer, clear }, ms)
  else {
    const length = Math.ceil(ms) // whole milliseconds, as the host's timers have
    ;(rows.get(length) ?? new Row(length)).push(alarm)
  }
}

/** The timers of a test framework: Vitest, Jest and Sinon mark theirs, those of `node:test` have this name. */
function isFake(set: Function): boolean {
  return 'clock' in set || set.name === 'bound #createTimer'
}

export function clearAlarm(alarm: Alarm): void {
  alarm.timer?.remove(alarm)
  alarm.timer = null
}

/** An alarm that calls `ring`; the result clears it. */
export function after(host: Host, ms: number, ring: () => void): () => void {
  const alarm: Alarm = { before: null, after: null, due: 0, timer: null, ring }
  setAlarm(alarm, host, ms)
  return () => clearAlarm(alarm)
}

/** Sets an alarm in a timer of its own, of a host whose time is not real. */
function setAlone(alarm: Alarm, host: Pick<Host, 'timer'> & { clear(handle: any): void }, ms: number): void {
  const handle = host.timer(() => {
    noteOurs()
    alarm.timer = null
    alarm.ring()
  }, ms)
  alarm.timer = { remove: () => host.clear(handle) }
}

/** The rows in which alarms are set, by their length. */
const rows = new Map<number, Row>()

/**
 * Alarms of one length, in the order in which they were set and therefore in that of `due`.
 *
 * - A row is in `rows`, and has a timer of the host, exactly while alarms are in it. The timer stays when the first
 *   alarm is cleared, or rings together with others, so that the row may wake up for nothing.
 */
class Row extends ClauseList<Alarm> {
  readonly ms: number
  private handle: unknown = undefined

  constructor(ms: number) {
    super()
    this.ms = ms
    rows.set(ms, this)
  }

  override push(alarm: Alarm): void {
    alarm.timer = this
    alarm.due = Math.ceil(realNow() + this.ms)
    super.push(alarm)
    if (this.head === alarm) this.arm(this.ms)
  }

  override remove(alarm: Alarm): void {
    super.remove(alarm)
    if (this.head !== null) return
    clearTimer(this.handle as number)
    rows.delete(this.ms)
  }

  private arm(ms: number): void {
    const time = ms > LONGEST ? 0 : this.head!.due
    this.handle = setTimer(() => this.ring(time), Math.min(ms, LONGEST))
  }

  /** Rings what is due, also in other rows. The host's timer was set for `time`, and may be a little early. */
  private ring(time: number): void {
    noteOurs()
    const reached = Math.max(realNow(), time)
    const due: Alarm[] = []
    for (const row of rows.values()) while (row.head !== null && row.head.due <= reached) due.push(row.shift()!)
    if (this.head !== null) this.arm(Math.max(0, this.head.due - realNow()))
    // Of two at one time the longer was set first.
    due.sort((a, b) => a.due - b.due || (b.timer as Row).ms - (a.timer as Row).ms)
    const rung = new ClauseList<Alarm>()
    for (const alarm of due) {
      alarm.timer = rung
      rung.push(alarm)
    }
    ringAll(rung)
  }
}

/** Also if what one of them calls throws an error, which is the host's to report. */
function ringAll(alarms: ClauseList<Alarm>): void {
  try {
    for (let alarm = alarms.shift(); alarm !== null; alarm = alarms.shift()) {
      alarm.timer = null
      alarm.ring()
    }
  } finally {
    if (alarms.head !== null) setTimer(() => ringAll(alarms), 0)
  }
}
