/**
 * Tracing: what ran when, and what it came from, in the trace format of the measuring tool. A continuation is one stretch of a branch between two waits; its parent
 * is the continuation that registered it: the spawner's, or the branch's own last one.
 */
import type { Activity } from '../core/activity.ts'
import type { Branch } from '../core/branch.ts'
import { domain } from '../core/current.ts'

/** One line of a trace: times in microseconds. */
export interface Continuation {
  id: number
  parent: number | null
  kind: string
  recurring: boolean
  regTs: number
  start: number
  end: number
  microtasks: number
  thread: string
  activity: string
  /** Depth of atomic blocks at the end. */
  atomic: boolean
}

export interface Tracer {
  registered(activity: Activity<any>): void
  started(branch: Branch): void
  stopped(branch: Branch): void
  atomic(branch: Branch, entered: boolean): void
}

/** Collects continuations; `lines()` is the trace as JSONL. */
export class Recorder implements Tracer {
  readonly continuations: Continuation[] = []
  private readonly now: () => number
  private next = 1
  private running: Continuation | null = null
  private readonly last = new WeakMap<Branch, { id: number; ts: number }>()

  constructor(now: () => number = () => performance.now()) {
    this.now = now
  }

  private us(): number {
    return Math.round(this.now() * 1000)
  }

  registered(activity: Activity<any>): void {
    this.last.set(activity, { id: this.running?.id ?? 0, ts: this.us() })
  }

  started(branch: Branch): void {
    const ts = this.us()
    const from = this.last.get(branch) ?? { id: this.running?.id ?? 0, ts }
    this.running = {
      id: this.next++,
      parent: from.id === 0 ? null : from.id,
      kind: 'activity',
      recurring: false,
      regTs: from.ts,
      start: ts,
      end: ts,
      microtasks: 0,
      thread: 'main',
      activity: branch.activity.name,
      atomic: branch.group.atomic,
    }
  }

  stopped(branch: Branch): void {
    const c = this.running
    if (c === null) return
    c.end = this.us()
    c.atomic = branch.group.atomic
    this.continuations.push(c)
    this.last.set(branch, { id: c.id, ts: c.end })
    this.running = null
  }

  atomic(_branch: Branch, entered: boolean): void {
    if (this.running !== null && entered) this.running.atomic = true
  }

  lines(): string {
    return this.continuations.map((c) => JSON.stringify(c) + '\n').join('')
  }
}

/**
 * Records what runs from now on, until `stop()`.
 *
 * @example
 * const recording = record()
 * await main()
 * recording.stop()
 * writeFileSync('trace.jsonl', recording.lines())
 */
export function record(): Recorder & { stop(): void } {
  const d = domain
  const recorder = new Recorder(() => d.host.now())
  d.tracer = recorder
  return Object.assign(recorder, { stop: () => void (d.tracer = null) })
}
