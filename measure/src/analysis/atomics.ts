/**
 * Atomic blocks in a recording: how long they stay open, and which foreign continuations ran inside one, by the block's
 * name and the intruder's site; and where one was missing: the unserialisable interleavings that the native runtime has
 * found.
 */
import type { TraceRecord } from '../format/types.ts'
import type { AtomicJson, Unserialisable } from './figures.ts'
import type { Sites } from './sites.ts'

const LISTED = 50

export class Atomics {
  private activities = 0
  private blocks = 0
  private interruptions = 0
  private readonly open = new Map<number, { name: string; time: number }>()
  private readonly names = new Map<number, string>()
  private readonly activityNames = new Map<number, string>()
  private readonly longest = new Map<string, number>()
  private readonly intruders = new Map<string, { name: string; site: number; count: number }>()

  private readonly unserialisable: Unserialisable[] = []
  private readonly sites: Sites

  constructor(sites: Sites) {
    this.sites = sites
  }

  /** `siteOf`: the site of a continuation of this recording, by its id. */
  add(record: TraceRecord, siteOf: (id: number) => number): void {
    if (record.type === 'activity-start') {
      this.activities++
      this.activityNames.set(record.id, record.name)
    } else if (record.type === 'activity-end') this.activityNames.delete(record.id)
    else if (record.type === 'atomic-enter') {
      this.blocks++
      const name = record.name ?? this.activityNames.get(record.activity) ?? `block ${record.id}`
      this.open.set(record.id, { name, time: record.time })
      this.names.set(record.id, name)
    } else if (record.type === 'atomic-leave') {
      const block = this.open.get(record.id)
      if (block === undefined) return
      this.open.delete(record.id)
      this.longest.set(block.name, Math.max(this.longest.get(block.name) ?? 0, record.time - block.time))
    } else if (record.type === 'interruption') {
      this.interruptions++
      const name = this.names.get(record.atomic) ?? `block ${record.atomic}`
      const site = siteOf(record.continuation)
      const key = `${site} ${name}`
      const known = this.intruders.get(key)
      if (known === undefined) this.intruders.set(key, { name, site, count: 1 })
      else known.count++
    } else if (record.type === 'unserialisable') {
      const { kind, variable, first, other, second, count, operation, awaits, runs, p50, p99, cpu, wait } = record
      const site = (location: number): number => this.sites.at('access', location)
      this.unserialisable.push({
        kind,
        ...(variable !== undefined && { variable }),
        sites: [site(first), site(other), site(second)],
        count,
        ...(operation !== undefined && { operation: site(operation) }),
        ...(awaits !== undefined && { awaits: awaits.map(site) }),
        ...(runs !== undefined && { runs }),
        ...(p50 !== undefined && { p50 }),
        ...(p99 !== undefined && { p99 }),
        ...(cpu !== undefined && { cpu }),
        ...(wait !== undefined && { wait }),
      })
    }
  }

  /** With the variable's name in the text that people wrote. */
  private readonly asWritten = (found: Unserialisable): Unserialisable => {
    const variable = this.sites.list[found.sites[2]]?.original?.variable
    return variable === undefined ? found : { ...found, variable }
  }

  toJson(): AtomicJson {
    const longest = [...this.longest].map(([name, duration]) => ({ name, duration }))
    return {
      activities: this.activities,
      blocks: this.blocks,
      interruptions: this.interruptions,
      longest: longest.sort((a, b) => b.duration - a.duration).slice(0, LISTED),
      interrupted: [...this.intruders.values()].sort((a, b) => b.count - a.count).slice(0, LISTED),
      unserialisable: this.unserialisable
        .sort((a, b) => b.count - a.count)
        .slice(0, LISTED)
        .map(this.asWritten),
    }
  }
}
