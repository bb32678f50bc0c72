/**
 * Figure 6 of paper 000: the duration of each chain of 2, 3 and 4 continuations, each the parent of the next, from the
 * start of the first to the end of the last. Chains with a recurring continuation anywhere are left out. A continuation
 * with three ancestors ends one chain of each length; chains share continuations.
 */
import { Histogram, type HistogramJson } from './histogram.ts'
import type { Loop } from './loop.ts'

export const CHAIN_LENGTHS = [2, 3, 4] as const

export type ChainsJson = Record<'2' | '3' | '4', HistogramJson>

export class Chains {
  private readonly lengths = new Map<number, Histogram>(CHAIN_LENGTHS.map((k) => [k, new Histogram('time')]))

  add({ n, parent, recurring, start, end, site }: Loop): void {
    for (let last = 0; last < n; last++) {
      let first = last
      for (let length = 1; recurring[first] === 0;) {
        if (length > 1) this.lengths.get(length)!.add(end[last]! - start[first]!, site[last])
        first = parent[first]!
        if (first < 0 || ++length > 4) break
      }
    }
  }

  toJson(): ChainsJson {
    return Object.fromEntries([...this.lengths].map(([k, h]) => [k, h.toJson()])) as ChainsJson
  }
}
