/**
 * Figure 5 of paper 000 (4 of 001): the gap of an edge, from the end of the parent to the start of the child. It is
 * interrupted if any other continuation of the same event loop, of whatever kind, runs in between. `nonRecurring`
 * leaves out the gaps in front of recurring continuations.
 */
import { Histogram, type HistogramJson } from './histogram.ts'
import type { Loop } from './loop.ts'

export interface GapsJson {
  all: { interrupted: HistogramJson; uninterrupted: HistogramJson }
  nonRecurring: { interrupted: HistogramJson; uninterrupted: HistogramJson }
}

type Pair = { interrupted: Histogram; uninterrupted: Histogram }

export class Gaps {
  private readonly all: Pair = { interrupted: new Histogram('time'), uninterrupted: new Histogram('time') }
  private readonly nonRecurring: Pair = { interrupted: new Histogram('time'), uninterrupted: new Histogram('time') }

  add({ n, parent, recurring, start, end, site }: Loop): void {
    for (let c = 0; c < n; c++) {
      const p = parent[c]!
      if (p < 0) continue
      const gap = start[c]! - end[p]!
      const which = c - p > 1 ? 'interrupted' : 'uninterrupted'
      this.all[which].add(gap, site[c])
      if (recurring[c] === 0) this.nonRecurring[which].add(gap, site[c])
    }
  }

  toJson(): GapsJson {
    const json = (pair: Pair) => ({
      interrupted: pair.interrupted.toJson(),
      uninterrupted: pair.uninterrupted.toJson(),
    })
    return { all: json(this.all), nonRecurring: json(this.nonRecurring) }
  }
}
