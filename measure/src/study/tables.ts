/** The study's tables as Markdown, from nothing but `study.json`: `docs/study.md` holds a copy. */
import type { Figures } from '../analysis/figures.ts'
import { countBelow, quantile, type HistogramJson } from '../analysis/histogram.ts'
import { percent, time, whole } from '../report/format.ts'
import { PAPER_SUBTREES } from '../report/paper.ts'
import { below, KINDS, medianText, overApplications, overRuns, shares, table, textOf } from './cells.ts'
import { LIMIT, MEASURES, SHAPES, subtreesOf } from './measures.ts'
import { medianOf } from './median.ts'
import { paperTable, recurringShare } from './papers.ts'
import { spreadTable } from './spread.ts'
import { pools, type Run, type Studied, type Study } from './summary.ts'

/** A table, or a paragraph, with its heading. */
export type Section = [title: string, text: string]

export function sections(study: Study): Section[] {
  const all = pools(study)
  return [
    ['Applications', applicationTable(study)],
    ['The machine', machineText(study)],
    ['What recording cost', costTable(study)],
    ['Figures', figuresTable(all)],
    ['Pools and medians', measuresTable(study)],
    ['The papers’ words', paperTable(study)],
    ['How recordings of one application differ', spreadTable(study)],
    ['Potentially atomic subtrees', subtreeTable(all)],
    [`Subtrees of at most ${LIMIT} ms by application`, shapeTable(study)],
    ['The last child', lastChildTable(study)],
    ['Kinds', kindsText(all)],
  ]
}

/** All tables of a study. */
export const tables = (study: Study): string =>
  sections(study)
    .map(([title, text]) => `## ${title}\n\n${text}\n`)
    .join('\n')

function applicationTable({ applications }: Study): string {
  const row = ({ title, version, runs, figures: f }: Studied): string[] => [
    title,
    version,
    `${runs.length} x ${sessionText(runs)}`,
    whole(f.counts.continuations),
    percent(f.counts.edges, f.counts.continuations),
    percent(f.counts.recurring, f.counts.continuations),
    percent(
      f.counts.busy,
      f.recordings.reduce((sum, r) => sum + r.length, 0),
    ),
    time(quantile(f.durations.turns.nonRecurring, 0.5)),
    whole(f.microtasks.counts.sum),
  ]
  return table(
    ['', 'version', 'sessions', 'continuations', 'with parent', 'recurring', 'busy', 'median', 'microtasks'],
    applications.map(row),
  )
}

/** What was done in all runs together. */
function sessionText(runs: Run[]): string {
  const sum = (of: (run: Run) => number): number => runs.reduce((total, run) => total + of(run), 0)
  const seconds = Math.round(sum((r) => r.session?.seconds ?? r.load?.seconds ?? 0) / runs.length)
  const done = sum((r) => r.session?.done ?? r.load?.done ?? 0)
  const failed = sum((r) => r.load?.failed ?? Object.values(r.session?.failed ?? {}).reduce((a, b) => a + b, 0))
  const what = runs[0]!.session === undefined ? 'requests' : 'actions'
  return `${seconds} s, ${whole(done)} ${what}${failed > 0 ? `, ${whole(failed)} failed` : ''}`
}

/** How much was recorded, how quiet the machine was, and what ran the applications. */
function machineText({ applications }: Study): string {
  const runs = applications.flatMap((a) => a.runs)
  const counts = [...new Set(applications.map((a) => a.runs.length))].sort((a, b) => a - b)
  const each = counts.length === 1 ? counts[0] : `${counts[0]} to ${counts.at(-1)}`
  const loads = runs.flatMap((r) => r.machine).sort((a, b) => a - b)
  const { median } = medianOf(loads)!
  const browsers = [...new Set(runs.flatMap((r) => r.browser ?? []))]
  const nodes = [...new Set(runs.map((r) => r.node))]
  const calibrated = runs.filter((r) => r.calibration !== undefined).length
  const wrong = runs.filter((r) => Object.values(r.calibration?.kinds ?? {}).some((k) => k.edges < k.expected)).length
  return [
    `${runs.length} recordings, ${each} of each application.`,
    `Load averages when they began and ended: ${loads[0]} to ${loads.at(-1)}, median ${median}.`,
    `${calibrated} of ${runs.length} recordings are calibrated; in ${wrong} of these a parent was missed.`,
    `${[...browsers, ...nodes.map((n) => `Node ${n}`)].join(', ')}.`,
  ].join(' ')
}

/** Of each operation of the self-test: microseconds bare and recorded, medians over the recordings of a kind. */
function costTable({ applications }: Study): string {
  const rows = (['web', 'server'] as const).flatMap((kind) => {
    const runs = applications.filter((a) => a.kind === kind).flatMap((a) => a.runs)
    const operations = [...new Set(runs.flatMap((r) => Object.keys(r.calibration?.overhead ?? {})))]
    return operations.map((name) => {
      const costs = runs.flatMap((r) => r.calibration?.overhead[name] ?? [])
      const one = (of: 'bare' | 'recorded'): string => medianText(medianOf(costs.map((c) => c[of]))!, (us) => time(us))
      return [kind === 'web' ? 'web' : 'servers', name, one('bare'), one('recorded')]
    })
  })
  return table(['', 'operation', 'bare', 'recorded'], rows)
}

const atLeast = (h: HistogramJson, limit: number): string => percent(h.count - countBelow(h, limit), h.count)

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
    each('Children, all: none, one, more', (f) => shares(f.branching.children.all).join(', ')),
    each('Children, recurring ones left out: none, one, more', (f) =>
      shares(f.branching.children.nonRecurring).join(', '),
    ),
    each(
      'most children; most siblings seen',
      (f) => `${whole(f.branching.children.all.max)}; ${whole(f.branching.siblings.nonRecurring.max)}`,
    ),
    each('have a parent with more than one child', (f) => atLeast(f.branching.siblings.nonRecurring, 2)),
    each('Degree of concurrency: median, 90 %, most', (f) =>
      [0.5, 0.9, 1].map((q) => whole(quantile(f.concurrency.nonRecurringEdges, q))).join(', '),
    ),
    each('run with 10 or more live edges; 100 or more', (f) =>
      [10, 100].map((n) => atLeast(f.concurrency.nonRecurringEdges, n)).join('; '),
    ),
    each('the same, edges into recurring ones counted', (f) =>
      [10, 100].map((n) => atLeast(f.concurrency.allEdges, n)).join('; '),
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
    each('of all gaps below 1 ms, in front of recurring ones', recurringShare),
    ...([2, 3, 4] as const).flatMap((k) => times(`Chains of ${k}`, (f) => f.chains[k])),
    ...times('Microtask batches', (f) => f.microtasks.durations),
    each('microtasks in a batch: median, 90 %, 99 %, most', (f) =>
      [0.5, 0.9, 0.99, 1].map((q) => whole(quantile(f.microtasks.counts, q))).join(', '),
    ),
    each(
      'batches of 10 ms or more; of 100 microtasks or more',
      (f) => `${atLeast(f.microtasks.durations, 10_000)}; ${atLeast(f.microtasks.counts, 100)}`,
    ),
    each('microtasks for each continuation', (f) => (f.microtasks.counts.sum / f.counts.continuations).toFixed(1)),
    each('continuations that a promise started', (f) =>
      percent((f.counts.kinds.promise ?? 0) + (f.counts.kinds.microtasks ?? 0), f.counts.continuations),
    ),
    each(
      'chains by source; to wrap, with care, not to wrap, too few runs',
      (f) => `${whole(f.ranking.distinct)}; ${ADVICE.map((a) => whole(f.ranking.byAdvice[a])).join(', ')}`,
    ),
  ]
  return table(['', ...pools.map((f) => f.title)], measured)
}

/** The papers' table, of each pool. */
export function subtreeTable(pools: Figures[]): string {
  const subtrees = [0.1, 1, 10, 100, 1000].flatMap((limitMs) => [
    ...pools.map((f) => {
      const r = subtreesOf(f, limitMs)
      return [`${limitMs} ms`, f.title, whole(r.total), ...SHAPES.map(([, of]) => percent(of(r), r.total))]
    }),
    ...PAPER_SUBTREES.filter((p) => p.limitMs === limitMs).map((p) => [
      '',
      '*paper 000, 2018*',
      whole(p.total),
      ...[p.linear, '', p.multiL, p.multiS, p.containL, p.containS, ''].map((t) => t.replace('%', ' %')),
    ]),
  ])
  return table(['limit', '', 'total', ...SHAPE_NAMES], subtrees)
}

/** Shapes by application, and their medians: a pool is mostly its largest application. */
function shapeTable(study: Study): string {
  return byApplication(
    study,
    ['total', ...SHAPE_NAMES],
    ({ figures }) => [whole(subtreesOf(figures, LIMIT).total)],
    SHAPES.map(([name]) => name),
  )
}

function lastChildTable(study: Study): string {
  return byApplication(
    study,
    ['with two children or more', 'known', 'the last goes on', 'one drawn by lot would'],
    ({ figures: { lastChild } }) => [whole(lastChild.parents), whole(lastChild.known)],
    ['last child', 'any child'],
  )
}

/** A row for each application: `counted` of its pool, measures as medians over its runs; below, over applications. */
function byApplication(
  { applications }: Study,
  heads: string[],
  counted: (application: Studied) => string[],
  keys: string[],
): string {
  const measures = keys.map((key) => MEASURES.find((m) => m.key === key)!)
  const rows = applications.map((a) => [a.title, ...counted(a), ...measures.map((m) => overRuns(m, a.runs))])
  const blank = counted(applications[0]!).map(() => '')
  const medians = KINDS.flatMap(([kind, title]) => {
    const of = applications.filter((a) => a.kind === kind)
    return of.length === 0
      ? []
      : [[`*median of ${of.length} ${title}*`, ...blank, ...measures.map((m) => overApplications(m, of))]]
  })
  return table(['', ...heads], [...rows, ...medians])
}

/** What the pools say, and beside it the medians over applications, each application being the median of its runs. */
export function measuresTable(study: Study): string {
  const all = pools(study)
  const kinds = KINDS.map(([kind]) => study.applications.filter((a) => a.kind === kind)).filter((of) => of.length > 0)
  const rows = MEASURES.map((m) => [
    m.label,
    ...kinds.flatMap((of, i) => [textOf(m, m.of(all[i]!)), overApplications(m, of)]),
  ])
  const heads = all.flatMap((f) => [f.title, 'median of them'])
  return table(['', ...heads], rows)
}

const ADVICE = ['wrap', 'careful', 'do-not-wrap', 'too-few-runs'] as const
const SHAPE_NAMES = SHAPES.map(([name]) => name)

const kindsText = (pools: Figures[]): string =>
  pools
    .map((f) => {
      const kinds = Object.entries(f.counts.kinds).slice(0, 16)
      return `${f.title}: ${kinds.map(([kind, n]) => `${kind} ${percent(n, f.counts.continuations)}`).join(', ')}.`
    })
    .join('\n\n')
