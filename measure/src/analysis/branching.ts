/**
 * Figure 3 of both papers: children of each continuation, and (001) the children of each continuation's parent, which
 * shows the long tail better.
 * `nonRecurring`: recurring continuations are taken out, as continuations and as children.
 */
import { Histogram, type HistogramJson } from './histogram.ts'
import type { Loop } from './loop.ts'

export interface BranchingJson {
  children: { all: HistogramJson; nonRecurring: HistogramJson }
  /** For each continuation that has a parent: how many children that parent has, itself included. */
  siblings: { all: HistogramJson; nonRecurring: HistogramJson }
}

export class Branching {
  private readonly children = { all: new Histogram('count'), nonRecurring: new Histogram('count') }
  private readonly siblings = { all: new Histogram('count'), nonRecurring: new Histogram('count') }

  add(loop: Loop): void {
    const { n, parent, recurring, site } = loop
    const all = new Int32Array(n)
    const plain = new Int32Array(n)
    for (let i = 0; i < n; i++) {
      const p = parent[i]!
      if (p < 0) continue
      all[p]!++
      if (recurring[i] === 0) plain[p]!++
    }
    for (let i = 0; i < n; i++) {
      const p = parent[i]!
      this.children.all.add(all[i]!, site[i])
      if (p >= 0) this.siblings.all.add(all[p]!, site[p])
      if (recurring[i] === 1) continue
      this.children.nonRecurring.add(plain[i]!, site[i])
      if (p >= 0) this.siblings.nonRecurring.add(plain[p]!, site[p])
    }
  }

  toJson(): BranchingJson {
    const json = (pair: { all: Histogram; nonRecurring: Histogram }) => ({
      all: pair.all.toJson(),
      nonRecurring: pair.nonRecurring.toJson(),
    })
    return { children: json(this.children), siblings: json(this.siblings) }
  }
}
