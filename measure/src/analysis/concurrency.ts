/**
 * Figure 4 of paper 000, the degree of concurrency of a continuation: how many continuations will run after it, but
 * were registered before it started; in other words, how many parent-child edges are live across it. Only non-recurring
 * continuations are counted; `nonRecurringEdges` (the papers' figure) leaves edges into recurring ones out too.
 *
 * Numbers are an order in time, and a parent registers while it runs, so the edge p → c is live exactly across the
 * continuations p+1 … c-1. Each edge adds +1 at p+1 and -1 at c; a running sum over these is every continuation's
 * degree.
 */
import { Histogram, type HistogramJson } from './histogram.ts'
import type { Loop } from './loop.ts'

export interface ConcurrencyJson {
  nonRecurringEdges: HistogramJson
  allEdges: HistogramJson
}

export class Concurrency {
  private readonly nonRecurringEdges = new Histogram('count')
  private readonly allEdges = new Histogram('count')

  add(loop: Loop): void {
    this.sweep(loop, this.nonRecurringEdges, false)
    this.sweep(loop, this.allEdges, true)
  }

  toJson(): ConcurrencyJson {
    return { nonRecurringEdges: this.nonRecurringEdges.toJson(), allEdges: this.allEdges.toJson() }
  }

  private sweep({ n, parent, recurring, site }: Loop, into: Histogram, recurringEdges: boolean): void {
    const change = new Int32Array(n + 1)
    for (let c = 0; c < n; c++) {
      const p = parent[c]!
      if (p < 0 || (recurring[c] === 1 && !recurringEdges)) continue
      change[p + 1]!++
      change[c]!--
    }
    let live = 0
    for (let i = 0; i < n; i++) {
      live += change[i]!
      if (recurring[i] === 0) into.add(live, site[i])
    }
  }
}
