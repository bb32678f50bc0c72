/** What the papers say in words, beside the same figures here. Whether they agree is for people to say. */
import type { Figures } from '../analysis/figures.ts'
import { countBelow } from '../analysis/histogram.ts'
import { percent, whole } from '../report/format.ts'
import { KINDS, overApplications, shares, table, textOf } from './cells.ts'
import { MEASURES } from './measures.ts'
import { pools, type Studied, type Study } from './summary.ts'

interface Saying {
  quote: string
  /** What is compared with it. */
  here: string
  /** Of one kind of applications: the pool, and its members. */
  of: (pool: Figures, members: Studied[]) => string
}

/** The pool; the median application. */
const measured =
  (...keys: string[]): Saying['of'] =>
  (pool, members) =>
    keys
      .map((key) => MEASURES.find((m) => m.key === key)!)
      .map((m) => `${textOf(m, m.of(pool))}; ${overApplications(m, members)}`)
      .join(' and ')

/** Of all gaps below 1 ms: the share in front of recurring continuations. */
export function recurringShare({ gaps }: Figures): string {
  const below = ({ interrupted, uninterrupted }: (typeof gaps)['all']): number =>
    countBelow(interrupted, 1000) + countBelow(uninterrupted, 1000)
  return percent(below(gaps.all) - below(gaps.nonRecurring), below(gaps.all))
}

function largestBatch(_: Figures, members: Studied[]): string {
  const most = (a: Studied): number => a.figures.microtasks.counts.max
  const largest = members.reduce((a, b) => (most(b) > most(a) ? b : a))
  return `${whole(most(largest))}, in ${largest.title}`
}

const SAYINGS: Saying[] = [
  { quote: '"Most continuations have *at most* one child"', here: 'at most one child', of: measured('few children') },
  {
    quote: '"Most continuations have one child" (caption)',
    here: 'none, one, more, recurring ones left out',
    of: (pool) => shares(pool.branching.children.nonRecurring).join(', '),
  },
  {
    quote: '"At least a few continuations with hundreds of children"',
    here: 'most children',
    of: (pool) => whole(pool.branching.children.all.max),
  },
  {
    quote: '"Most continuations are concurrent with at least 10 edges, and a substantial minority with at least 100"',
    here: '10 or more; 100 or more',
    of: measured('edges 10', 'edges 100'),
  },
  { quote: 'Batches with "dozens or hundreds of microtasks"', here: 'the largest', of: largestBatch },
  {
    quote: '"A large majority take less than one millisecond"',
    here: 'not recurring, below 1 ms',
    of: measured('short'),
  },
  {
    quote: '"Roughly half of the measured gaps are shorter than one millisecond" (001)',
    here: 'not recurring, below 1 ms',
    of: measured('gaps'),
  },
  {
    quote: 'Recurring continuations account for a majority of the shortest gaps',
    here: 'their share of the gaps below 1 ms',
    of: recurringShare,
  },
  {
    quote: 'Short gaps are interrupted, but rarely',
    here: 'interrupted, below 0.1 ms and below 1 ms',
    of: measured('gaps 100', 'gaps 1000'),
  },
  {
    quote: '"A non-trivial fraction [of chains] under 10 milliseconds, and even some under 1 millisecond"',
    here: 'chains of two below 10 ms and below 1 ms',
    of: measured('chains 10', 'chains 1'),
  },
]

export function paperTable(study: Study): string {
  const all = pools(study)
  const kinds = KINDS.map(([kind, title]) => ({ title, members: study.applications.filter((a) => a.kind === kind) }))
  const present = kinds.filter(({ members }) => members.length > 0)
  const rows = SAYINGS.map(({ quote, here, of }) => [
    quote,
    here,
    ...present.map(({ members }, i) => of(all[i]!, members)),
  ])
  return table(['000 or 001, 2018', 'here', ...present.map(({ title }) => title)], rows)
}
