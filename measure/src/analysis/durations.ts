/**
 * Figure 2 of both papers: how long continuations run. `turns`: from when the dispatcher gives control to when it gets
 * it back, the microtasks at its end included. `items`: the papers' data set, "both microtask batches and normal
 * tasks": a callback without the batches it drained, and each batch, count separately.
 */
import type { Batch } from '../format/types.ts'
import { Histogram, type HistogramJson } from './histogram.ts'

export interface DurationsJson {
  turns: { all: HistogramJson; nonRecurring: HistogramJson }
  items: { all: HistogramJson; nonRecurring: HistogramJson }
}

export class Durations {
  private readonly turns = { all: new Histogram('time'), nonRecurring: new Histogram('time') }
  private readonly items = { all: new Histogram('time'), nonRecurring: new Histogram('time') }

  /** `onlyMicrotasks`: the event loop started the batch itself, there is no callback around it. */
  add(
    start: number,
    end: number,
    recurring: boolean,
    batches: Batch[] | undefined,
    onlyMicrotasks: boolean,
    site: number,
  ): void {
    this.count(this.turns, end - start, recurring, site)
    if (batches === undefined || batches.length === 0) return this.count(this.items, end - start, recurring, site)
    let inBatches = 0
    for (const [from, to] of batches) {
      inBatches += to - from
      this.count(this.items, to - from, recurring, site)
    }
    if (!onlyMicrotasks) this.count(this.items, Math.max(0, end - start - inBatches), recurring, site)
  }

  toJson(): DurationsJson {
    const json = (pair: { all: Histogram; nonRecurring: Histogram }) => ({
      all: pair.all.toJson(),
      nonRecurring: pair.nonRecurring.toJson(),
    })
    return { turns: json(this.turns), items: json(this.items) }
  }

  private count(
    pair: { all: Histogram; nonRecurring: Histogram },
    duration: number,
    recurring: boolean,
    site: number,
  ): void {
    pair.all.add(duration, site)
    if (!recurring) pair.nonRecurring.add(duration, site)
  }
}
