/** The numbers that are compared between applications: one value each of a recording, or of a pool. */
import type { Figures } from '../analysis/figures.ts'
import { countBelow, type HistogramJson } from '../analysis/histogram.ts'
import type { SubtreeRow } from '../analysis/subtrees.ts'

export interface Measure {
  key: string
  label: string
  /** NaN: the recording has nothing that it could be computed from. */
  of: (f: Figures) => number
  /** A share, from 0 to 1; else a plain number. */
  share: boolean
}

/** By a measure's key; null: the recording has nothing that it could be computed from. */
export type Values = Record<string, number | null>

const below = (h: HistogramJson, limit: number): number => countBelow(h, limit) / h.count
const above = (h: HistogramJson, limit: number): number => 1 - below(h, limit)
const share = (key: string, label: string, of: Measure['of']): Measure => ({ key, label, of, share: true })
const plain = (key: string, label: string, of: Measure['of']): Measure => ({ key, label, of, share: false })

function gapsBelow(f: Figures, limit: number): { all: number; interrupted: number; count: number } {
  const { interrupted, uninterrupted } = f.gaps.nonRecurring
  const yes = countBelow(interrupted, limit)
  return {
    all: yes + countBelow(uninterrupted, limit),
    interrupted: yes,
    count: interrupted.count + uninterrupted.count,
  }
}

/** The papers' shapes, in the order of their table. */
export const SHAPES: [name: string, of: (r: SubtreeRow) => number][] = [
  ['linear', (r) => r.linearL],
  ['linear S', (r) => r.linearS],
  ['multi L', (r) => r.multiL],
  ['multi S', (r) => r.multiS],
  ['contain L', (r) => r.containL],
  ['contain S', (r) => r.containS],
  ['interrupted', (r) => r.interrupted],
]

export const subtreesOf = (f: Figures, limitMs: number): SubtreeRow => f.subtrees.find((r) => r.limitMs === limitMs)!

/** Shapes are compared at this limit, ms. */
export const LIMIT = 10

export const MEASURES: Measure[] = [
  share('short', 'continuations below 1 ms, not recurring', (f) => below(f.durations.turns.nonRecurring, 1000)),
  share('few children', 'at most one child', (f) => below(f.branching.children.all, 2)),
  share('edges 10', 'run with 10 or more live edges', (f) => above(f.concurrency.nonRecurringEdges, 10)),
  share('edges 100', 'run with 100 or more live edges', (f) => above(f.concurrency.nonRecurringEdges, 100)),
  share('gaps', 'gaps below 1 ms', (f) => gapsBelow(f, 1000).all / gapsBelow(f, 1000).count),
  ...[100, 1000, 10_000].map((limit) =>
    share(`gaps ${limit}`, `gaps below ${limit / 1000} ms that were interrupted`, (f) => {
      const { all, interrupted } = gapsBelow(f, limit)
      return interrupted / all
    }),
  ),
  share('chains 1', 'chains of two below 1 ms', (f) => below(f.chains[2], 1000)),
  share('chains 10', 'chains of two below 10 ms', (f) => below(f.chains[2], 10_000)),
  share('batches', 'microtask batches of 10 ms or more', (f) => above(f.microtasks.durations, 10_000)),
  plain('microtasks', 'microtasks for each continuation', (f) => f.microtasks.counts.sum / f.counts.continuations),
  share('promises', 'continuations that a promise started', (f) => {
    const { kinds, continuations } = f.counts
    return ((kinds.promise ?? 0) + (kinds.microtasks ?? 0)) / continuations
  }),
  plain('subtrees', 'subtrees of at most 10 ms for each 100 continuations', (f) => {
    return (100 * subtreesOf(f, LIMIT).total) / f.counts.continuations
  }),
  ...SHAPES.map(([name, of]) =>
    share(name, `of these ${name}`, (f) => of(subtreesOf(f, LIMIT)) / subtreesOf(f, LIMIT).total),
  ),
  share('last child', 'last child goes on with its parent’s task', (f) => f.lastChild.last / f.lastChild.known),
  share('any child', 'a child drawn by lot does', (f) => f.lastChild.lot / f.lastChild.known),
]

export function valuesOf(f: Figures): Values {
  return Object.fromEntries(
    MEASURES.map(({ key, of }) => {
      const value = of(f)
      return [key, Number.isFinite(value) ? Number(value.toPrecision(4)) : null]
    }),
  )
}
