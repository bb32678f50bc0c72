/**
 * In which functions activities of a native program waited: for each function, the time during which its frame was
 * saved, in a wait of its own or below a function that it had called. This is the profile of latency that the Tame
 * paper proposes (section 7.4): how long closures live, by function, as gprof shows it for processor time.
 */
import type { Continuation } from '../format/types.ts'
import { functionOf, type Sites } from './sites.ts'

const LISTED = 100

export interface WaitEntry {
  /** A place in the function; that of its first wait. */
  site: number
  /** How often it waited, alone or below a call. */
  waits: number
  /** µs for which it was the innermost function; for which it or what it had called waited. */
  self: number
  total: number
  /** Title of the recording, in pooled figures. */
  from?: string
}

export class Waits {
  private readonly entries = new Map<string, WaitEntry>()
  private readonly begun = new Set<number>()
  private readonly sites: Sites

  constructor(sites: Sites) {
    this.sites = sites
  }

  /** `since`: when the run ended that began the wait, µs; undefined: that run is unknown. */
  add(c: Continuation, since: number | undefined): void {
    const { activity, at, callers = [] } = c
    if (activity === undefined) return
    const hasWaited = this.begun.has(activity)
    this.begun.add(activity)
    if (!hasWaited || at === undefined || since === undefined) return
    const length = Math.max(0, c.start - since)
    const counted = new Set<WaitEntry>()
    for (const location of [at, ...callers]) {
      const entry = this.entryOf(c.kind, location)
      if (location === at) entry.self += length
      if (counted.has(entry)) continue // the function has called itself
      counted.add(entry)
      entry.waits++
      entry.total += length
    }
  }

  toJson(): WaitEntry[] {
    return longest([...this.entries.values()])
  }

  private entryOf(kind: string, location: number): WaitEntry {
    const site = this.sites.at(kind, location)
    const whole = functionOf(this.sites.list[site]!)
    const key = whole ?? String(site)
    let entry = this.entries.get(key)
    if (entry === undefined) this.entries.set(key, (entry = { site, waits: 0, self: 0, total: 0 }))
    return entry
  }
}

export const longest = (entries: WaitEntry[]): WaitEntry[] =>
  entries.sort((a, b) => b.total - a.total || b.self - a.self).slice(0, LISTED)
