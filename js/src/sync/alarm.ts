/**
 * Alarms: what `sleep`, `deadline` and `timeout` have called at a time. Those of one length share a timer of the host,
 * so that a waiting activity takes no timer of its own.
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
  timer: { clear(alarm: Alarm): void } | null
  ring(): void
}

export function setAlarm(alarm: Alarm, host: Host, ms: number): void {
  if (host.real !== true) alarm.timer = new Single(alarm, host.timer.bind(host), host.clear.bind(host), ms)
  else if (isFake(globalThis.setTimeout))
    alarm.timer = new Single(alarm, globalThis.setTimeout, globalThis.clearTimeout, ms)
  else (rows.get(ms) ?? new Row(ms)).add(alarm)
}

/** The timers of a test framework: Vitest, Jest and Sinon mark theirs, those of `node:test` have this name. */
function isFake(set: Function): boolean {
  return 'clock' in set || set.name === 'bound #createTimer'
}

export function clearAlarm(alarm: Alarm): void {
  alarm.timer?.clear(alarm)
  alarm.timer = null
}

/** An alarm that calls `ring`; the result clears it. */
export function after(host: Host, ms: number, ring: () => void): () => void {
  const alarm: Alarm = { before: null, after: null, due: 0, timer: null, ring }
  setAlarm(alarm, host, ms)
  return () => clearAlarm(alarm)
}

/** An alarm with a timer of its own, on a host whose time is not real. */
class Single {
  private readonly handle: unknown
  private readonly clearHandle: (handle: any) => void

  constructor(alarm: Alarm, set: (f: () => void, ms: number) => unknown, clear: (handle: any) => void, ms: number) {
    this.clearHandle = clear
    this.handle = set(() => {
      noteOurs()
      alarm.timer = null
      alarm.ring()
    }, ms)
  }

  clear(): void {
    this.clearHandle(this.handle)
  }
}

/** The rows in which alarms are set, by their length. */
const rows = new Map<number, Row>()

/**
 * Alarms of one length, in the order in which they were set and therefore in that of `due`.
 *
 * - A row is in `rows`, and has a timer of the host, exactly while alarms are in it. The timer stays when the first
 *   alarm is cleared, so that the row may wake up for nothing.
 */
class Row {
  private readonly ms: number
  private readonly alarms: ClauseList<Alarm> = new ClauseList()
  private handle: unknown = undefined
  /** The time that the host's timer was set for. */
  private set = 0

  constructor(ms: number) {
    this.ms = ms
    rows.set(ms, this)
  }

  add(alarm: Alarm): void {
    alarm.timer = this
    alarm.due = Math.ceil(realNow() + this.ms)
    if (this.alarms.head === null) this.arm(this.ms, alarm.due)
    this.alarms.push(alarm)
  }

  clear(alarm: Alarm): void {
    this.alarms.remove(alarm)
    if (this.alarms.head !== null) return
    clearTimer(this.handle as number)
    rows.delete(this.ms)
  }

  private arm(ms: number, due: number): void {
    this.set = ms > LONGEST ? 0 : due
    this.handle = setTimer(() => this.ring(), Math.min(ms, LONGEST))
  }

  private ring(): void {
    noteOurs()
    // The host's timer may be a little early.
    const reached = Math.max(realNow(), this.set)
    const rung = new ClauseList<Alarm>()
    const holder = { clear: (alarm: Alarm) => rung.remove(alarm) }
    let first = this.alarms.head
    for (; first !== null && first.due <= reached; first = this.alarms.head) {
      this.alarms.remove(first)
      first.timer = holder
      rung.push(first)
    }
    if (first === null) rows.delete(this.ms)
    else this.arm(Math.max(0, first.due - realNow()), first.due)
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
