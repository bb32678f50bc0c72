/**
 * Figures of several recordings together: what is counted is added up, lists are joined and cut. Sites are numbered
 * anew, and only those are kept that something names.
 */
import type { Figures, Unserialisable } from './figures.ts'
import { FIGURES_VERSION } from './figures.ts'
import { Histogram, type HistogramJson } from './histogram.ts'
import type { LastChildJson } from './last_child.ts'
import { rank } from './ranking.ts'
import { topTiny } from './tiny.ts'
import { longest } from './waits.ts'
import type { Site } from './sites.ts'

const LISTED = 200
const PIECES_OF_EACH = 2

export function pool(all: Figures[], title: string): Figures {
  if (all.length === 0) throw new Error('nothing to pool')
  if (all.length === 1) return { ...all[0]!, title }
  const sites: Site[] = []
  const offsets = all.map((f) => {
    const offset = sites.length
    for (const site of f.sites) sites.push(site)
    return offset
  })
  const histograms = (pick: (f: Figures) => HistogramJson): HistogramJson => {
    const sum = new Histogram(pick(all[0]!).scale)
    all.forEach((f, i) => sum.merge(pick(f), (site) => site + offsets[i]!))
    return sum.toJson()
  }
  const both = (pick: (f: Figures) => { all: HistogramJson; nonRecurring: HistogramJson }) => ({
    all: histograms((f) => pick(f).all),
    nonRecurring: histograms((f) => pick(f).nonRecurring),
  })
  const gaps = (pick: (f: Figures) => { interrupted: HistogramJson; uninterrupted: HistogramJson }) => ({
    interrupted: histograms((f) => pick(f).interrupted),
    uninterrupted: histograms((f) => pick(f).uninterrupted),
  })
  const sum = (pick: (f: Figures) => number): number => all.reduce((total, f) => total + pick(f), 0)
  const counted = (pick: (f: Figures) => Record<string, number>): Record<string, number> => {
    const total = new Map<string, number>()
    for (const f of all)
      for (const [key, count] of Object.entries(pick(f))) total.set(key, (total.get(key) ?? 0) + count)
    return Object.fromEntries([...total].sort((a, b) => b[1] - a[1]))
  }
  return compactSites({
    schema: 'charcoal-figures',
    version: FIGURES_VERSION,
    title,
    recordings: all.flatMap((f) => f.recordings),
    counts: {
      continuations: sum((f) => f.counts.continuations),
      loops: sum((f) => f.counts.loops),
      busy: sum((f) => f.counts.busy),
      edges: sum((f) => f.counts.edges),
      recurring: sum((f) => f.counts.recurring),
      roots: sum((f) => f.counts.roots),
      crossLoop: sum((f) => f.counts.crossLoop),
      lostParents: sum((f) => f.counts.lostParents),
      byResolution: sum((f) => f.counts.byResolution),
      kinds: counted((f) => f.counts.kinds),
    },
    durations: { turns: both((f) => f.durations.turns), items: both((f) => f.durations.items) },
    branching: { children: both((f) => f.branching.children), siblings: both((f) => f.branching.siblings) },
    concurrency: {
      nonRecurringEdges: histograms((f) => f.concurrency.nonRecurringEdges),
      allEdges: histograms((f) => f.concurrency.allEdges),
    },
    gaps: { all: gaps((f) => f.gaps.all), nonRecurring: gaps((f) => f.gaps.nonRecurring) },
    chains: { 2: histograms((f) => f.chains[2]), 3: histograms((f) => f.chains[3]), 4: histograms((f) => f.chains[4]) },
    microtasks: {
      durations: histograms((f) => f.microtasks.durations),
      counts: histograms((f) => f.microtasks.counts),
    },
    subtrees: all[0]!.subtrees.map((row, i) => {
      const total = { ...row }
      for (const f of all.slice(1)) {
        const other = f.subtrees[i]!
        for (const key of [
          'total',
          'linearL',
          'linearS',
          'multiL',
          'multiS',
          'containL',
          'containS',
          'interrupted',
          'nodes',
        ] as const)
          total[key] += other[key]
        total.largest = Math.max(total.largest, other.largest)
      }
      return total
    }),
    ranking: {
      chains: rank(
        all.flatMap((f, i) =>
          f.ranking.chains.map((c) => ({
            ...c,
            sites: c.sites.map((s) => s + offsets[i]!),
            by: c.by.map(([s, runs]) => [s + offsets[i]!, runs] as [number, number]),
            from: c.from ?? f.title,
          })),
        ),
      ).slice(0, LISTED),
      distinct: sum((f) => f.ranking.distinct),
      untracked: sum((f) => f.ranking.untracked),
      byAdvice: counted((f) => f.ranking.byAdvice) as Figures['ranking']['byAdvice'],
    },
    tiny: topTiny(
      all.flatMap((f, i) => f.tiny.map((t) => ({ ...t, site: t.site + offsets[i]!, from: t.from ?? f.title }))),
    ),
    lastChild: Object.fromEntries(
      Object.keys(all[0]!.lastChild).map((key) => [key, sum((f) => f.lastChild[key as keyof LastChildJson])]),
    ) as unknown as LastChildJson,
    ...(all.some((f) => f.waits) && {
      waits: longest(
        all.flatMap((f, i) =>
          (f.waits ?? []).map((w) => ({ ...w, site: w.site + offsets[i]!, from: w.from ?? f.title })),
        ),
      ),
    }),
    timeline: all.flatMap((f, i) =>
      f.timeline.slice(0, PIECES_OF_EACH).map((p) => ({
        ...p,
        title: p.title ?? f.title,
        nodes: p.nodes.map(
          ([a, b, c, site, ...rest]) => [a, b, c, site + offsets[i]!, ...rest] as (typeof p.nodes)[number],
        ),
      })),
    ),
    atomic: {
      activities: sum((f) => f.atomic.activities),
      blocks: sum((f) => f.atomic.blocks),
      interruptions: sum((f) => f.atomic.interruptions),
      longest: all
        .flatMap((f) => f.atomic.longest)
        .sort((a, b) => b.duration - a.duration)
        .slice(0, 50),
      interrupted: all
        .flatMap((f, i) => f.atomic.interrupted.map((x) => ({ ...x, site: x.site + offsets[i]! })))
        .sort((a, b) => b.count - a.count)
        .slice(0, 50),
      unserialisable: all
        .flatMap((f, i) =>
          f.atomic.unserialisable.map((x) => ({ ...withSites(x, (s) => s + offsets[i]!), from: x.from ?? f.title })),
        )
        .sort((a, b) => b.count - a.count)
        .slice(0, 50),
    },
    notes: all.flatMap((f) => f.notes.map((text) => (all.length > 1 ? `${f.title}: ${text}` : text))).slice(0, 200),
    sites,
  })
}

/** The same finding with its sites numbered anew. */
function withSites(x: Unserialisable, to: (site: number) => number): Unserialisable {
  const sites = x.sites.map(to) as Unserialisable['sites']
  return {
    ...x,
    sites,
    ...(x.operation !== undefined && { operation: to(x.operation) }),
    ...(x.awaits !== undefined && { awaits: x.awaits.map(to) }),
  }
}

/** The same figures with the sites numbered by first use; equal sites become one. */
export function compactSites(f: Figures): Figures {
  const sites: Site[] = []
  const number = new Map<string, number>()
  const renumbered = new Map<number, number>()
  const site = (old: number): number => {
    let now = renumbered.get(old)
    if (now === undefined) {
      const key = JSON.stringify(f.sites[old] ?? { kind: 'callback' })
      now = number.get(key)
      if (now === undefined) {
        number.set(key, (now = sites.length))
        sites.push(f.sites[old] ?? { kind: 'callback' })
      }
      renumbered.set(old, now)
    }
    return now
  }
  const walk = (value: unknown): unknown => {
    if (!isObject(value)) return value
    if (isHistogram(value))
      return {
        ...value,
        bins: value.bins.map(([bin, count, examples]) => [bin, count, [...new Set(examples.map(site))]]),
      }
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, walk(inner)]))
  }
  const measured = walk({
    durations: f.durations,
    branching: f.branching,
    concurrency: f.concurrency,
    gaps: f.gaps,
    chains: f.chains,
    microtasks: f.microtasks,
  }) as Pick<Figures, 'durations' | 'branching' | 'concurrency' | 'gaps' | 'chains' | 'microtasks'>
  return {
    ...f,
    ...measured,
    ranking: {
      ...f.ranking,
      chains: f.ranking.chains.map((c) => ({
        ...c,
        sites: c.sites.map(site),
        by: c.by.map(([s, runs]) => [site(s), runs] as [number, number]),
      })),
    },
    tiny: f.tiny.map((t) => ({ ...t, site: site(t.site) })),
    ...(f.waits && { waits: f.waits.map((w) => ({ ...w, site: site(w.site) })) }),
    timeline: f.timeline.map((p) => ({
      ...p,
      nodes: p.nodes.map(([a, b, c, s, ...rest]) => [a, b, c, site(s), ...rest] as (typeof p.nodes)[number]),
    })),
    atomic: {
      ...f.atomic,
      interrupted: f.atomic.interrupted.map((x) => ({ ...x, site: site(x.site) })),
      unserialisable: f.atomic.unserialisable.map((x) => withSites(x, site)),
    },
    sites,
  }
}

const isObject = (x: unknown): x is Record<string, unknown> => typeof x === 'object' && x !== null && !Array.isArray(x)
const isHistogram = (x: Record<string, unknown>): x is HistogramJson & Record<string, unknown> =>
  Array.isArray(x.bins) && typeof x.scale === 'string'
