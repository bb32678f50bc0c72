/**
 * Another way to an atomic block that 001 (section 3.3) mentions and leaves open: "the last child registered by a
 * continuation is part of its parent's task and any other children are concurrent tasks". Promises say for some
 * continuations what is true: if one goes on after an `await` of a function, and exactly one of its children goes on
 * after an `await` of the same function, then that child continues its task. Counted are continuations with two
 * children or more, none recurring.
 */
import type { Loop } from './loop.ts'
import { fileOf, functionOf, type Site } from './sites.ts'

export interface LastChildJson {
  /** Continuations with two or more children. */
  parents: number
  /** Of these: with exactly one child that is known to continue their task. */
  known: number
  /** Of the known: that child was the last to be registered, the first. */
  last: number
  first: number
  /** Sum over the known of 1 / number of children: how often a child drawn by lot would have been right. */
  lot: number
  /** Of the known: the child that is known to go on is also the first to run. */
  soonest: number
}

interface Family {
  children: number
  /** Children after an `await` of the parent's function, and the last of them. */
  going: number
  child: number
  /** The first to run, and the first and the last to be registered. */
  soonest: number
  first: number
  last: number
}

export class LastChild {
  private readonly sites: readonly Site[]
  private readonly totals: LastChildJson = { parents: 0, known: 0, last: 0, first: 0, lot: 0, soonest: 0 }
  private readonly functions = new Map<number, string | undefined>()

  constructor(sites: readonly Site[]) {
    this.sites = sites
  }

  add(loop: Loop): void {
    const families = new Map<number, Family>()
    for (let c = 0; c < loop.n; c++) {
      const p = loop.edge(c)
      if (p < 0 || loop.recurring[p] === 1) continue
      const family = families.get(p) ?? { children: 0, going: 0, child: -1, soonest: c, first: c, last: c }
      families.set(p, family)
      family.children++
      const resumed = loop.resumed[p] === 1 && loop.resumed[c] === 1
      if (resumed && this.function(loop.site[p]!) === this.function(loop.site[c]!)) {
        family.going++
        family.child = c
      }
      if (loop.registered[c]! < loop.registered[family.first]!) family.first = c
      if (loop.registered[c]! >= loop.registered[family.last]!) family.last = c
    }
    for (const family of families.values()) this.count(loop, family)
  }

  toJson(): LastChildJson {
    return this.totals
  }

  private count(loop: Loop, { children, going, child, soonest, first, last }: Family): void {
    if (children < 2) return
    const { totals } = this
    totals.parents++
    if (going !== 1) return
    totals.known++
    totals.lot += 1 / children
    // Children that were registered in the same tenth of a microsecond all count as the last, or the first.
    if (loop.registered[child] === loop.registered[last]) totals.last++
    if (loop.registered[child] === loop.registered[first]) totals.first++
    if (child === soonest) totals.soonest++
  }

  /** A module's top level, which may await as well, counts as a function of its file. */
  private function(index: number): string | undefined {
    const site = this.sites[index]!
    if (!this.functions.has(index)) this.functions.set(index, functionOf(site) ?? fileOf(site))
    return this.functions.get(index)
  }
}
