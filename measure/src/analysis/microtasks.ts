/**
 * Figure 7 of paper 000 (5 of 001): batches of microtasks, by duration and by the number of microtasks in them. A batch
 * whose count the source does not know is left out of `counts`.
 */
import type { Batch } from '../format/types.ts'
import { Histogram, type HistogramJson } from './histogram.ts'

export interface MicrotasksJson {
  durations: HistogramJson
  counts: HistogramJson
}

export class Microtasks {
  private readonly durations = new Histogram('time')
  private readonly counts = new Histogram('count')

  add(batches: Batch[] | undefined, site: number): void {
    if (batches === undefined) return
    for (const [start, end, count] of batches) {
      this.durations.add(end - start, site)
      if (count !== null) this.counts.add(count, site)
    }
  }

  toJson(): MicrotasksJson {
    return { durations: this.durations.toJson(), counts: this.counts.toJson() }
  }
}
