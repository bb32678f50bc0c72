/**
 * Activities and atomic blocks as tracks of their own in the Performance panel of DevTools, beside the page's: each
 * stretch of an activity between two waits, and each block from its beginning to its end. Any recorder of user
 * timings sees them.
 */
import type { Activity } from '../core/activity.ts'
import type { Branch } from '../core/branch.ts'
import { domain } from '../core/current.ts'
import type { Tracer } from './trace.ts'

const GROUP = 'Charcoal'

class Tracks implements Tracer {
  private running: { name: string; start: number } | null = null
  private readonly blocks: { name: string; start: number }[] = []
  private readonly next: Tracer | null

  constructor(next: Tracer | null) {
    this.next = next
  }

  private measure(name: string, start: number, track: string, color: string, properties: [string, string][]): void {
    const detail = { devtools: { dataType: 'track-entry', track, trackGroup: GROUP, color, properties } }
    performance.measure(name, { start, end: performance.now(), detail })
  }

  registered(activity: Activity<any>): void {
    this.next?.registered(activity)
  }

  started(branch: Branch): void {
    this.running = { name: branch.activity.name, start: performance.now() }
    this.next?.started(branch)
  }

  stopped(branch: Branch): void {
    const { running } = this
    this.running = null
    if (running !== null) {
      const waits: [string, string][] = branch.blocked === null ? [] : [['then waits for', branch.blocked.describe()]]
      this.measure(running.name, running.start, 'Activities', 'primary', waits)
    }
    this.next?.stopped(branch)
  }

  atomic(owner: Branch, entered: boolean, name?: string): void {
    if (entered) this.blocks.push({ name: name || 'atomic', start: performance.now() })
    else {
      const block = this.blocks.pop()
      if (block !== undefined)
        this.measure(block.name, block.start, 'Atomic blocks', 'tertiary', [['of', owner.activity.name]])
    }
    this.next?.atomic(owner, entered, name)
  }

  ended(activity: Activity<any>): void {
    this.next?.ended?.(activity)
  }
}

/**
 * Shows activities and atomic blocks as custom tracks in the Performance panel, from now on; the result ends that.
 *
 * @example
 * const stop = tracks()
 * yield* spawn(function* () { yield* atomic(function* load() { yield* sleep(1) }) }, { name: 'reader' })
 * stop()
 * const names = performance.getEntriesByType('measure').map((entry) => entry.name)
 * console.log(names.includes('reader'), names.includes('load'))  // → true true
 */
export function tracks(): () => void {
  const d = domain
  const before = d.tracer
  const ours = new Tracks(before)
  d.tracer = ours
  return () => {
    if (d.tracer === ours) d.tracer = before
  }
}
