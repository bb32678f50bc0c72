/**
 * Which interfaces cut work into long sequences of tiny continuations. A sequence: continuations of less than 1 ms,
 * each the only non-recurring child of the one before; five or more. It is counted under the site of its last
 * continuation. `busy` is the time that its continuations ran, `elapsed` the time from the first start to the last end:
 * what lies between is waiting, and a chance to be interrupted.
 */
import type { Loop } from './loop.ts'

export const TINY_US = 1000
export const LONG_SEQUENCE = 5
const LISTED = 100

export interface TinyEntry {
  site: number
  sequences: number
  continuations: number
  longest: number
  busy: number
  elapsed: number
  interrupted: number
  from?: string
}

export class Tiny {
  private readonly entries = new Map<number, TinyEntry>()

  add(loop: Loop): void {
    const { n, start, end, site } = loop
    const kids = new Int32Array(n)
    for (let c = 0; c < n; c++) if (loop.edge(c) >= 0) kids[loop.edge(c)]!++
    const length = new Int32Array(n)
    const first = new Int32Array(n)
    const busy = new Float64Array(n)
    const prolonged = new Uint8Array(n)
    for (let c = 0; c < n; c++) {
      const duration = end[c]! - start[c]!
      if (duration >= TINY_US || loop.recurring[c] === 1) continue
      const p = loop.edge(c)
      const goesOn = p >= 0 && length[p]! > 0 && kids[p] === 1
      length[c] = goesOn ? length[p]! + 1 : 1
      first[c] = goesOn ? first[p]! : c
      busy[c] = duration + (goesOn ? busy[p]! : 0)
      if (goesOn) prolonged[p] = 1
    }
    for (let c = 0; c < n; c++) {
      if (length[c]! < LONG_SEQUENCE || prolonged[c] === 1) continue
      let entry = this.entries.get(site[c]!)
      if (entry === undefined)
        this.entries.set(
          site[c]!,
          (entry = { site: site[c]!, sequences: 0, continuations: 0, longest: 0, busy: 0, elapsed: 0, interrupted: 0 }),
        )
      entry.sequences++
      entry.continuations += length[c]!
      entry.longest = Math.max(entry.longest, length[c]!)
      entry.busy += busy[c]!
      entry.elapsed += end[c]! - start[first[c]!]!
      if (c - first[c]! + 1 > length[c]!) entry.interrupted++
    }
  }

  toJson(): TinyEntry[] {
    return topTiny([...this.entries.values()])
  }
}

export const topTiny = (entries: TinyEntry[]): TinyEntry[] =>
  entries.sort((a, b) => b.continuations - a.continuations || a.site - b.site).slice(0, LISTED)
