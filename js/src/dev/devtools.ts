/**
 * Activities and atomic blocks as tracks of their own in the Performance panel of DevTools, beside the page's: each
 * stretch of an activity between two waits, and each block from its beginning to its end. Any recorder of user
 * timings sees them.
 */
import type { Branch } from '../core/branch.ts'
import { domain } from '../core/current.ts'
import type { Tracer } from './trace.ts'
import { trace } from './tracers.ts'

const GROUP = 'Charcoal'

class Tracks implements Tracer {
  private running: { name: string; start: number } | null = null
  private readonly blocks: { name: string; start: number }[] = []

  private measure(name: string, start: number, track: string, color: string, properties: [string, string][]): void {
    const detail = { devtools: { dataType: 'track-entry', track, trackGroup: GROUP, color, properties } }
    performance.measure(name, { start, end: performance.now(), detail })
  }

  registered(): void {}

  started(branch: Branch): void {
    this.running = { name: branch.activity.name, start: performance.now() }
  }

  stopped(branch: Branch): void {
    const { running } = this
    this.running = null
    if (running !== null) {
      const waits: [string, string][] = branch.blocked === null ? [] : [['then waits for', branch.blocked.describe()]]
      this.measure(running.name, running.start, 'Activities', 'primary', waits)
    }
  }

  atomic(owner: Branch, entered: boolean, name?: string): void {
    if (entered) this.blocks.push({ name: name || 'atomic', start: performance.now() })
    else {
      const block = this.blocks.pop()
      if (block !== undefined)
        this.measure(block.name, block.start, 'Atomic blocks', 'tertiary', [['of', owner.activity.name]])
    }
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
  const off = trace(domain, new Tracks())
  return () => void off()
}
