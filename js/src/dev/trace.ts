/**
 * Tracing: what ran when, and what it came from, in the trace format of the measuring tool (measure/FORMAT.md, version
 * 1). A continuation is one stretch of a branch between two waits; its parent is the continuation that registered it:
 * the branch's own last one, or for its first the one that spawned or started it.
 *
 * - `running` is set while a branch's code runs. Stretches do not overlap, so ids grow in the order of the records.
 * - `blocks` are the open atomic blocks, innermost last: they end innermost first.
 */
import type { Activity, Branch, Tracer } from '../core/types.ts'
import { blockOf } from '../core/atomicBlock.ts'
import { domain } from '../core/current.ts'
import { trace } from './tracers.ts'

export type { Tracer }

/** Records of the format that the library writes. Times are microseconds since the recording began. */
export interface TraceContinuation {
  type: 'continuation'
  id: number
  thread: number
  kind: 'activity'
  parent: number | null
  registered: number
  start: number
  end: number
  activity: number
  /** The block open at the end, or else at the start. */
  atomic?: number
}

/** One line of a trace. */
export type TraceRecord =
  | { type: 'charcoal-trace'; version: 1; source: 'js'; tool: string; started: string }
  | { type: 'thread'; id: number; kind: string; name: string }
  | TraceContinuation
  | { type: 'activity-start'; id: number; name: string; time: number; thread: number; parent: number | null }
  | { type: 'activity-end'; id: number; time: number; outcome: 'returned' | 'failed' | 'cancelled' }
  | { type: 'atomic-enter'; id: number; activity: number; thread: number; time: number; name?: string; outer?: number }
  | { type: 'atomic-leave'; id: number; time: number }
  | { type: 'end'; end: number; reason: 'stopped'; continuations: number; dropped: 0 }

const THREAD = 1
const OUTCOMES = { done: 'returned', failed: 'failed', cancelled: 'cancelled' } as const

/**
 * Collects records; `lines()` is the trace as JSON lines.
 *
 * @example
 * const recorder = record()
 * console.log(recorder instanceof Recorder)  // → true
 * recorder.stop()
 */
export class Recorder implements Tracer {
  readonly records: TraceRecord[] = []
  private readonly now: () => number
  private readonly origin: number
  private running: TraceContinuation | null = null
  private lastContinuation = 0
  private lastActivity = 0
  private lastBlock = 0
  private readonly activities = new WeakMap<Activity, number>()
  private readonly last = new WeakMap<Branch, { id: number | null; time: number }>()
  private readonly blocks: number[] = []
  private readonly numbers = new WeakMap<object, number>()

  /** `now` gives milliseconds. */
  constructor(now: () => number = () => performance.now()) {
    this.now = now
    this.origin = now()
    this.records.push(
      { type: 'charcoal-trace', version: 1, source: 'js', tool: 'charcoal-js', started: new Date().toISOString() },
      { type: 'thread', id: THREAD, ...thisThread() },
    )
  }

  get continuations(): TraceContinuation[] {
    return this.records.filter((r) => r.type === 'continuation')
  }

  private time(): number {
    return Math.max(0, Math.round((this.now() - this.origin) * 1e4) / 10)
  }

  private numberOf(activity: Activity): number {
    let id = this.activities.get(activity)
    if (id === undefined) {
      this.activities.set(activity, (id = ++this.lastActivity))
      this.records.push({
        type: 'activity-start',
        id,
        name: activity.name,
        time: this.time(),
        thread: THREAD,
        parent: this.running?.activity ?? null,
      })
    }
    return id
  }

  registered(activity: Activity): void {
    this.numberOf(activity)
    this.last.set(activity, { id: this.running?.id ?? null, time: this.time() })
  }

  started(branch: Branch): void {
    const activity = this.numberOf(branch.activity)
    const start = this.time()
    // A branch that `async` starts continues the activity that started it, which has just stopped.
    const from = this.last.get(branch) ?? { id: this.lastContinuation || null, time: start }
    const block = this.blockOf(branch)
    this.running = {
      type: 'continuation',
      id: ++this.lastContinuation,
      thread: THREAD,
      kind: 'activity',
      parent: from.id,
      registered: from.time,
      start,
      end: start,
      activity,
      ...(block !== undefined && { atomic: block }),
    }
  }

  stopped(branch: Branch): void {
    const c = this.running
    if (c === null) return
    this.running = null
    c.end = this.time()
    const block = this.blockOf(branch)
    if (block !== undefined) c.atomic = block
    this.records.push(c)
    this.last.set(branch, { id: c.id, time: c.end })
  }

  atomic(owner: Branch, entered: boolean, name?: string): void {
    if (entered) {
      const activity = this.numberOf(owner.activity)
      const id = ++this.lastBlock
      const outer = this.blocks[this.blocks.length - 1]
      this.numbers.set(blockOf(owner)!, id)
      this.blocks.push(id)
      this.records.push({
        type: 'atomic-enter',
        id,
        activity,
        thread: THREAD,
        time: this.time(),
        ...(name && { name }),
        ...(outer !== undefined && { outer }),
      })
    } else {
      // A block that was open before the recording began is not known.
      const id = this.blocks.pop()
      if (id !== undefined) this.records.push({ type: 'atomic-leave', id, time: this.time() })
    }
  }

  ended(activity: Activity): void {
    this.records.push({
      type: 'activity-end',
      id: this.numberOf(activity),
      time: this.time(),
      outcome: OUTCOMES[activity.state as keyof typeof OUTCOMES],
    })
  }

  private blockOf(branch: Branch): number | undefined {
    const block = blockOf(branch)
    return block === null ? undefined : this.numbers.get(block)
  }

  /** Ends the trace. What runs now is cut here. */
  finish(): void {
    const { running } = this
    this.running = null
    const end = this.time()
    if (running !== null) {
      running.end = end
      this.records.push(running)
    }
    this.records.push({ type: 'end', end, reason: 'stopped', continuations: this.continuations.length, dropped: 0 })
  }

  lines(): string {
    return this.records.map((r) => JSON.stringify(r) + '\n').join('')
  }
}

function thisThread(): { kind: string; name: string } {
  const g = globalThis as any
  if (g.process?.versions?.node !== undefined) return { kind: 'node', name: 'main' }
  return g.document === undefined
    ? { kind: 'worker', name: g.name || 'worker' }
    : { kind: 'page', name: g.document.title || 'page' }
}

/**
 * Records what runs from now on, until `stop()`.
 *
 * @example
 * const recording = record()
 * yield* spawn(function* () { yield* sleep(1) }, { name: 'traced' })
 * recording.stop()
 * console.log(recording.lines().includes('traced'))  // → true
 */
export function record(): Recorder & { stop(): void } {
  const d = domain
  const recorder = new Recorder(() => d.host.now())
  const off = trace(d, recorder)
  const stop = (): void => {
    if (off()) recorder.finish()
  }
  return Object.assign(recorder, { stop })
}
