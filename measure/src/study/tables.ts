/** The study's tables as Markdown, from nothing but what was recorded: `docs/study.md` holds a copy. */
import type { Figures } from '../analysis/figures.ts'
import { countBelow, quantile, type HistogramJson } from '../analysis/histogram.ts'
import type { SubtreeRow } from '../analysis/subtrees.ts'
import { percent, time, whole } from '../report/format.ts'
import { PAPER_SUBTREES } from '../report/paper.ts'
import type { Entry } from './index.ts'

type Recorded = { entry: Entry; figures: Figures }

const table = (heads: string[], rows: string[][]): string =>
  [
    `| ${heads.join(' | ')} |`,
    `| --- |${' ---: |'.repeat(heads.length - 1)}`,
    ...rows.map((row) => `| ${row.join(' | ')} |`),
  ].join('\n')
const below = (h: HistogramJson, limit: number): string => percent(countBelow(h, limit), h.count)

/** All tables of a study. */
export function tables(recorded: Recorded[], pools: Figures[]): string {
  return [
    '## Applications\n',
    applicationTable(recorded),
    '\n## Figures\n',
    figuresTable(pools),
    '\n## Potentially atomic subtrees\n',
    subtreeTable(pools),
    '\n## Subtrees of at most 10 ms by application\n',
    shapeTable(recorded),
    '\n## Kinds\n',
    kindsText(pools),
    '',
  ].join('\n')
}

function applicationTable(recorded: Recorded[]): string {
  const applications = recorded.map(({ entry, figures: f }) => {
    const failed = Object.values(entry.session?.failed ?? {}).reduce((a, b) => a + b, 0)
    return [
      entry.title,
      entry.version,
      entry.session !== undefined
        ? `${Math.round(entry.session.seconds)} s, ${entry.session.done} actions${failed > 0 ? `, ${failed} failed` : ''}`
        : `${Math.round(entry.load?.seconds ?? 0)} s, ${whole(entry.load?.done ?? 0)} requests${entry.load?.failed ? `, ${whole(entry.load.failed)} failed` : ''}`,
      whole(f.counts.continuations),
      String(f.counts.loops),
      percent(f.counts.edges, f.counts.continuations),
      percent(f.counts.recurring, f.counts.continuations),
      percent(f.counts.busy, f.recordings[0]!.length),
      time(quantile(f.durations.turns.nonRecurring, 0.5)),
      whole(f.microtasks.counts.sum),
    ]
  })
  return table(
    ['', 'version', 'session', 'continuations', 'loops', 'with parent', 'recurring', 'busy', 'median', 'microtasks'],
    applications,
  )
}

/** The papers' figures in numbers, of each pool. */
export function figuresTable(pools: Figures[]): string {
  const each = (label: string, f: (pool: Figures) => string): string[] => [label, ...pools.map(f)]
  const times = (label: string, pick: (f: Figures) => HistogramJson): string[][] => [
    each(`${label}: number`, (f) => whole(pick(f).count)),
    each(`${label}: median, 90 %, 99 %, longest`, (f) =>
      [0.5, 0.9, 0.99]
        .map((q) => time(quantile(pick(f), q)))
        .concat(time(pick(f).max))
        .join(', '),
    ),
    each(`${label}: below 0.1, 1, 10 ms`, (f) => [100, 1000, 10_000].map((limit) => below(pick(f), limit)).join(', ')),
  ]
  const measured = [
    ...times('Continuations', (f) => f.durations.turns.all),
    each('of these not recurring: below 0.1, 1, 10 ms', (f) =>
      [100, 1000, 10_000].map((l) => below(f.durations.turns.nonRecurring, l)).join(', '),
    ),
    each('Children, all: none, one, more', (f) => shares(f.branching.children.all)),
    each('Children, recurring ones left out: none, one, more', (f) => shares(f.branching.children.nonRecurring)),
    each(
      'most children; most siblings seen',
      (f) => `${whole(f.branching.children.all.max)}; ${whole(f.branching.siblings.nonRecurring.max)}`,
    ),
    each('have a parent with more than one child', (f) =>
      percent(
        f.branching.siblings.nonRecurring.count - countBelow(f.branching.siblings.nonRecurring, 2),
        f.branching.siblings.nonRecurring.count,
      ),
    ),
    each('Degree of concurrency: median, 90 %, most', (f) =>
      [0.5, 0.9, 1].map((q) => whole(quantile(f.concurrency.nonRecurringEdges, q))).join(', '),
    ),
    each('run with 10 or more live edges; 100 or more', (f) =>
      [10, 100]
        .map((n) =>
          percent(
            f.concurrency.nonRecurringEdges.count - countBelow(f.concurrency.nonRecurringEdges, n),
            f.concurrency.nonRecurringEdges.count,
          ),
        )
        .join('; '),
    ),
    each('the same, edges into recurring ones counted', (f) =>
      [10, 100]
        .map((n) =>
          percent(f.concurrency.allEdges.count - countBelow(f.concurrency.allEdges, n), f.concurrency.allEdges.count),
        )
        .join('; '),
    ),
    ...times('Gaps, not recurring, uninterrupted', (f) => f.gaps.nonRecurring.uninterrupted),
    ...times('Gaps, not recurring, interrupted', (f) => f.gaps.nonRecurring.interrupted),
    ...[100, 1000, 10_000, 100_000].map((l) =>
      each(`gaps below ${time(l)} that were interrupted`, (f) => {
        const yes = countBelow(f.gaps.nonRecurring.interrupted, l)
        const all = yes + countBelow(f.gaps.nonRecurring.uninterrupted, l)
        return `${percent(yes, all)} of ${whole(all)}`
      }),
    ),
    each('of all gaps below 1 ms, in front of recurring ones', (f) => {
      const all = countBelow(f.gaps.all.interrupted, 1000) + countBelow(f.gaps.all.uninterrupted, 1000)
      return percent(
        all - countBelow(f.gaps.nonRecurring.interrupted, 1000) - countBelow(f.gaps.nonRecurring.uninterrupted, 1000),
        all,
      )
    }),
    ...([2, 3, 4] as const).flatMap((k) => times(`Chains of ${k}`, (f) => f.chains[k])),
    ...times('Microtask batches', (f) => f.microtasks.durations),
    each('microtasks in a batch: median, 90 %, 99 %, most', (f) =>
      [0.5, 0.9, 0.99, 1].map((q) => whole(quantile(f.microtasks.counts, q))).join(', '),
    ),
    each(
      'batches of 10 ms or more; of 100 microtasks or more',
      (f) =>
        `${percent(f.microtasks.durations.count - countBelow(f.microtasks.durations, 10_000), f.microtasks.durations.count)}; ${percent(f.microtasks.counts.count - countBelow(f.microtasks.counts, 100), f.microtasks.counts.count)}`,
    ),
    each('microtasks for each continuation', (f) => (f.microtasks.counts.sum / f.counts.continuations).toFixed(1)),
    each('continuations that a promise started', (f) =>
      percent((f.counts.kinds.promise ?? 0) + (f.counts.kinds.microtasks ?? 0), f.counts.continuations),
    ),
    each(
      'chains by source; to wrap, with care, not to wrap, too few runs',
      (f) =>
        `${whole(f.ranking.distinct)}; ${['wrap', 'careful', 'do-not-wrap', 'too-few-runs'].map((a) => whole(f.ranking.byAdvice[a as 'wrap'])).join(', ')}`,
    ),
  ]
  return table(['', ...pools.map((f) => f.title)], measured)
}

/** The columns of `shapesOf`. */
const SHAPES = ['linear', 'linear S', 'multi L', 'multi S', 'contain L', 'contain S', 'interrupted']

const shapesOf = (r: SubtreeRow): number[] => [
  r.linearL,
  r.linearS,
  r.multiL,
  r.multiS,
  r.containL,
  r.containS,
  r.interrupted,
]

/** The papers' table, of each pool. */
export function subtreeTable(pools: Figures[]): string {
  const subtrees = [0.1, 1, 10, 100, 1000].flatMap((limitMs) => [
    ...pools.map((f) => {
      const r = f.subtrees.find((row) => row.limitMs === limitMs)!
      return [`${limitMs} ms`, f.title, whole(r.total), ...shapesOf(r).map((n) => percent(n, r.total))]
    }),
    ...PAPER_SUBTREES.filter((p) => p.limitMs === limitMs).map((p) => [
      '',
      '*paper 000, 2018*',
      whole(p.total),
      ...[p.linear, '', p.multiL, p.multiS, p.containL, p.containS, ''].map((t) => t.replace('%', ' %')),
    ]),
  ])
  return table(['limit', '', 'total', ...SHAPES], subtrees)
}

/** Shapes by application, and their medians: a pool is mostly its largest application. */
function shapeTable(recorded: Recorded[]): string {
  const rows = recorded.map(({ entry, figures: f }) => ({ entry, r: f.subtrees.find((row) => row.limitMs === 10)! }))
  const medians = [
    { kind: 'web', title: 'web applications' },
    { kind: 'server', title: 'servers' },
  ].flatMap(({ kind, title }) => {
    const of = rows.filter(({ entry, r }) => entry.kind === kind && r.total > 0)
    return of.length === 0
      ? []
      : [
          medianRow(
            title,
            of.map(({ r }) => shapesOf(r).map((n) => n / r.total)),
          ),
        ]
  })
  return table(
    ['', 'total', ...SHAPES],
    [
      ...rows.map(({ entry, r }) => [entry.title, whole(r.total), ...shapesOf(r).map((n) => percent(n, r.total))]),
      ...medians,
    ],
  )
}

/** The median of each column over applications, as a row; shares from 0 to 1. */
export function medianRow(title: string, shares: number[][]): string[] {
  const median = (column: number): number => {
    const sorted = shares.map((row) => row[column]!).sort((a, b) => a - b)
    const middle = sorted.length / 2
    return (sorted[Math.ceil(middle) - 1]! + sorted[Math.floor(middle)]!) / 2
  }
  return [`*median of ${shares.length} ${title}*`, '', ...shares[0]!.map((_, column) => percent(median(column), 1))]
}

const kindsText = (pools: Figures[]): string =>
  pools
    .map((f) => {
      const kinds = Object.entries(f.counts.kinds).slice(0, 16)
      return `${f.title}: ${kinds.map(([kind, n]) => `${kind} ${percent(n, f.counts.continuations)}`).join(', ')}.`
    })
    .join('\n\n')

function shares(h: HistogramJson): string {
  const at = (n: number): number => h.bins.find(([bin]) => bin === n)?.[1] ?? 0
  return [at(0), at(1), h.count - at(0) - at(1)].map((n) => percent(n, h.count)).join(', ')
}
