/**
 * Beyond the papers (000 could not get it: "Atomic Can Cause Unresponsiveness"): chains by *source location*. The runs
 * of a chain are all chains of 2, 3 or 4 non-recurring continuations whose sites are the same, in order. For each: how
 * often some gap in it was interrupted and by whom, and how long it takes from the start of the first to the end of the
 * last, which is how long an `atomic` block around it would have kept everything else waiting. A conflict is an
 * interruption by code of the same file, or of the same function.
 *
 * Memory: at most `MAX_CHAINS` chains are kept apart; runs of others are counted in `untracked`.
 */
import { counted, grouped } from '../format/counted.ts'
import { binOf, edgeOf } from './histogram.ts'
import type { Loop } from './loop.ts'
import { fileOf, functionOf, MAX_SITES, type Site } from './sites.ts'

/** Up to here a block is hardly felt: less than a frame. */
export const SAFE_MS = 10
/** From here on a call should be asynchronous: the limit of the Windows 8 team that the papers quote. */
export const LONG_MS = 50
/** Below this many runs nothing is advised. */
export const ENOUGH_RUNS = 10

export const MAX_CHAINS = 50_000
const LISTED = 200
const INTERRUPTERS = 6
/** Keys of chains that begin: above all indices of entries. */
const BEGINNING = 2 ** 30
/** Interrupting continuations that are looked at in one gap. */
const LOOKED_AT = 8

export type Advice = 'wrap' | 'careful' | 'do-not-wrap' | 'too-few-runs'

export interface RankedChain {
  /** Indices into the sites. */
  sites: number[]
  runs: number
  interrupted: number
  /** Of the interrupted runs: by code of the same file, of the same function. */
  sameFile: number
  sameFunction: number
  /** [site, runs that it interrupted], the most frequent first. */
  by: [site: number, runs: number][]
  p50: number
  p99: number
  max: number
  /** p50 and p99 of the time in which it ran, and of that in which it waited, but not for a timer of its own, µs. */
  cpu: [p50: number, p99: number]
  wait: [p50: number, p99: number]
  advice: Advice
  /** Title of the recording, in pooled figures. */
  from?: string
}

export interface RankingJson {
  chains: RankedChain[]
  /** Distinct chains, and runs of chains that were not kept apart. */
  distinct: number
  untracked: number
  byAdvice: Record<Advice, number>
}

interface Entry {
  sites: number[]
  runs: number
  interrupted: number
  sameFile: number
  sameFunction: number
  by: Map<number, number>
  whole: Times
  cpu: Times
  wait: Times
}

export class Ranking {
  private readonly sites: readonly Site[]
  private readonly next = new Map<number, number>()
  private readonly entries: Entry[] = []
  private untracked = 0

  constructor(sites: readonly Site[]) {
    this.sites = sites
  }

  add(loop: Loop): void {
    const { n, parent, recurring, site, start, end } = loop
    // The chain of 2 and of 3 that ends in a continuation, to be prolonged by its children: index into entries, or -1.
    const two = new Int32Array(n).fill(-1)
    const three = new Int32Array(n).fill(-1)
    for (let c = 0; c < n; c++) {
      const p = loop.edge(c)
      if (p < 0 || recurring[p] === 1) continue
      const end1 = end[c]!
      two[c] = this.entry(BEGINNING + site[p]!, site[c]!, [site[p]!])
      this.run(two[c]!, loop, c, 2, end1 - start[p]!)
      const g = parent[p]!
      if (g < 0 || recurring[g] === 1) continue
      three[c] = this.prolonged(two[p]!, site[c]!)
      this.run(three[c]!, loop, c, 3, end1 - start[g]!)
      const gg = parent[g]!
      if (gg < 0 || recurring[gg] === 1) continue
      this.run(this.prolonged(three[p]!, site[c]!), loop, c, 4, end1 - start[gg]!)
    }
  }

  toJson(): RankingJson {
    const byAdvice: Record<Advice, number> = { wrap: 0, careful: 0, 'do-not-wrap': 0, 'too-few-runs': 0 }
    const all = this.entries.map((entry) => {
      const ranked = summary(entry)
      byAdvice[ranked.advice]++
      return ranked
    })
    return { chains: rank(all).slice(0, LISTED), distinct: all.length, untracked: this.untracked, byAdvice }
  }

  /** The entry of an entry's chain with one more site; -1 if either is not kept apart. */
  private prolonged(before: number, site: number): number {
    return before < 0 ? -1 : this.entry(before, site, this.entries[before]!.sites)
  }

  private entry(before: number, site: number, sites: number[]): number {
    const key = before * MAX_SITES + site
    let entry = this.next.get(key)
    if (entry === undefined) {
      if (this.entries.length >= MAX_CHAINS) return -1
      entry = this.entries.length
      this.entries.push({
        sites: [...sites, site],
        runs: 0,
        interrupted: 0,
        sameFile: 0,
        sameFunction: 0,
        by: new Map(),
        whole: new Times(),
        cpu: new Times(),
        wait: new Times(),
      })
      this.next.set(key, entry)
    }
    return entry
  }

  private run(index: number, loop: Loop, last: number, length: number, duration: number): void {
    if (index < 0) {
      this.untracked++
      return
    }
    const { parent, site, start, end } = loop
    const entry = this.entries[index]!
    entry.runs++
    let ran = end[last]! - start[last]!
    let slept = 0
    let seen: Set<number> | undefined
    for (let c = last, step = 1; step < length; step++) {
      const p = parent[c]!
      ran += end[p]! - start[p]!
      if (this.sites[site[c]!]!.kind === 'timeout') slept += start[c]! - end[p]!
      if (c - p > 1) {
        seen ??= new Set()
        for (let i = p + 1; i < c && i - p <= LOOKED_AT; i++) seen.add(site[i]!)
      }
      c = p
    }
    entry.whole.add(duration)
    entry.cpu.add(ran)
    entry.wait.add(Math.max(0, duration - ran - slept))
    if (seen === undefined) return
    entry.interrupted++
    let sameFile = false
    let sameFunction = false
    for (const by of seen) {
      if (entry.by.size < INTERRUPTERS * 4 || entry.by.has(by)) entry.by.set(by, (entry.by.get(by) ?? 0) + 1)
      const foreign = this.sites[by]!
      if (foreign.url === undefined) continue
      for (const own of entry.sites) {
        const mine = this.sites[own]!
        if (fileOf(mine) !== fileOf(foreign)) continue
        sameFile = true
        const f = functionOf(mine)
        if (f !== undefined && f === functionOf(foreign)) sameFunction = true
      }
    }
    if (sameFile) entry.sameFile++
    if (sameFunction) entry.sameFunction++
  }
}

function summary({ sites, runs, interrupted, sameFile, sameFunction, by, whole, cpu, wait }: Entry): RankedChain {
  const top = [...by].sort((a, b) => b[1] - a[1] || a[0] - b[0]).slice(0, INTERRUPTERS)
  const [p50, p99] = whole.quantiles()
  return {
    sites,
    runs,
    interrupted,
    sameFile,
    sameFunction,
    by: top,
    p50,
    p99,
    max: tenth(whole.max),
    cpu: cpu.quantiles(),
    wait: wait.quantiles(),
    advice: advise(runs, whole.max),
  }
}

/** Times in bins that grow with them, as few as occur. */
class Times {
  max = 0
  private count = 0
  private readonly bins = new Map<number, number>()

  add(us: number): void {
    if (us > this.max) this.max = us
    this.count++
    const bin = binOf('time', us)
    this.bins.set(bin, (this.bins.get(bin) ?? 0) + 1)
  }

  quantiles(): [p50: number, p99: number] {
    const sorted = [...this.bins].sort((a, b) => a[0] - b[0])
    const at = (q: number): number => {
      let left = Math.ceil(q * this.count)
      for (const [bin, count] of sorted)
        if ((left -= count) <= 0) return tenth(Math.min(this.max, edgeOf('time', bin + 1)))
      return tenth(this.max)
    }
    return [at(0.5), at(0.99)]
  }
}

const tenth = (us: number): number => Math.round(us * 10) / 10

/** What to do, from the number of runs and the longest of them (µs). */
export function advise(runs: number, max: number): Advice {
  if (max > LONG_MS * 1000) return 'do-not-wrap'
  if (runs < ENOUGH_RUNS) return 'too-few-runs'
  return max <= SAFE_MS * 1000 ? 'wrap' : 'careful'
}

/**
 * Most worth a look first: what is interrupted at all; then what can be wrapped, what can be with care, what is usually
 * short but at times long (the case that 000 worries about), what is always long (a server's wait for its next request:
 * nobody takes that for atomic); then interruptions by the same function, the same file, anything.
 */
export function rank(chains: RankedChain[]): RankedChain[] {
  const group = ({ advice, p50 }: RankedChain): number =>
    advice === 'wrap' ? 0 : advice === 'careful' ? 1 : advice === 'too-few-runs' ? 3 : p50 <= LONG_MS * 1000 ? 2 : 4
  return chains.sort(
    (a, b) =>
      Number(b.interrupted > 0) - Number(a.interrupted > 0) ||
      group(a) - group(b) ||
      b.sameFunction - a.sameFunction ||
      b.sameFile - a.sameFile ||
      b.interrupted - a.interrupted ||
      b.runs - a.runs,
  )
}

/**
 * The sentence that stands beside a chain. `lock`: in a C program a lock has to do it, because inside `atomic` nothing
 * can wait.
 */
export function adviceText({ advice, max, runs, interrupted }: RankedChain, lock: boolean): string {
  const ms =
    max < 1000
      ? `${Math.max(0.01, max / 1000).toPrecision(2)} ms`
      : max < 10_000
        ? `${(max / 1000).toFixed(1)} ms`
        : `${Math.round(max / 1000)} ms`
  const often =
    interrupted === 0
      ? `never interrupted in ${counted(runs, 'run')}`
      : `interrupted in ${grouped(interrupted)} of ${counted(runs, 'run')}`
  if (advice === 'wrap') return `${lock ? 'hold a lock' : 'wrap in atomic'}: it took at most ${ms}; ${often}`
  if (advice === 'careful') return `${lock ? 'hold a lock' : 'wrap'} with care: up to ${ms}; ${often}`
  if (advice === 'do-not-wrap') return `${lock ? 'hold no lock' : 'do not wrap'}: up to ${ms}; ${often}`
  return `too few runs to say (${runs}; up to ${ms})`
}
