/**
 * The JavaScript library's activities and atomic blocks, told to a recorder. The library looks for
 * `Symbol.for('charcoal.tracer')` on the global object when it is loaded and calls what it finds; this file knows no
 * more of it than that.
 */
import type { TraceRecord } from '../format/types.ts'

export interface ActivityHost {
  now(): number
  /** The continuation that runs. */
  readonly current: number
  readonly threadId: number
  write(record: TraceRecord): void
}

interface Activity {
  name: string
}

interface Branch {
  activity: Activity
  /** Null once the branch has ended. */
  gen?: unknown
}

/** What the library calls; see `Tracer` in js/src/dev/trace.ts. */
export interface LibraryTracer {
  registered(activity: Activity): void
  started(branch: Branch): void
  stopped(branch: Branch): void
  atomic(branch: Branch, entered: boolean): void
}

export const TRACER = Symbol.for('charcoal.tracer')

export function traceActivities(host: ActivityHost): void {
  const now = (): number => Math.round(host.now() * 10) / 10
  const ids = new WeakMap<Activity, number>()
  let lastActivity = 0
  let lastBlock = 0
  let running: { activity: number; start: number } | null = null
  /** Open blocks of each activity, innermost last. */
  const blocks = new Map<number, number[]>()
  const idOf = (activity: Activity): number => {
    let id = ids.get(activity)
    if (id === undefined) {
      ids.set(activity, (id = ++lastActivity))
      host.write({
        type: 'activity-start',
        id,
        name: String(activity.name).slice(0, 200),
        time: now(),
        thread: host.threadId,
        ...(running !== null && { parent: running.activity }),
      })
    }
    return id
  }
  const tracer: LibraryTracer = {
    registered: (activity) => void idOf(activity),
    started(branch) {
      running = { activity: idOf(branch.activity), start: now() }
    },
    stopped(branch) {
      if (running === null) return
      const { activity, start } = running
      running = null
      host.write({ type: 'step', activity, continuation: host.current, start, end: now() })
      if (branch.gen === null && (branch as unknown) === branch.activity)
        host.write({ type: 'activity-end', id: activity, time: now() })
    },
    atomic(branch, entered) {
      const activity = idOf(branch.activity)
      const open = blocks.get(activity) ?? []
      if (entered) {
        const id = ++lastBlock
        host.write({
          type: 'atomic-enter',
          id,
          activity,
          thread: host.threadId,
          time: now(),
          ...(open.length > 0 && { outer: open[open.length - 1] }),
        })
        blocks.set(activity, [...open, id])
      } else if (open.length > 0) {
        host.write({ type: 'atomic-leave', id: open.pop()!, time: now() })
        if (open.length === 0) blocks.delete(activity)
      }
    },
  }
  Object.defineProperty(globalThis, TRACER, { value: tracer, configurable: true })
}
