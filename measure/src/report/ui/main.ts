/** The page: reads the figures out of the document, and shows one view of them at a time. */
import 'uplot/dist/uPlot.min.css'
import './style.css'
import type { Figures } from '../../analysis/figures.ts'
import { percent, time, whole } from '../format.ts'
import { insights } from '../insights.ts'
import { PAPER_SAYS } from '../paper.ts'
import { troubles } from '../troubles.ts'
import { comparison } from './compare.ts'
import { conflictCards } from './conflicts.ts'
import { h } from './dom.ts'
import { figure, forgetAll, redrawAll, type FigureSpec } from './plot.ts'
import { atomicTable, calibrationTables, kindsTable, recordingsTable, subtreesTable, tinyTable } from './tables.ts'
import { rankingTable } from './ranking.ts'
import { timeline } from './timeline.ts'

const views = JSON.parse(document.getElementById('figures')!.textContent!) as Figures[]
const app = document.getElementById('app')!

function figuresOf(f: Figures): FigureSpec[] {
  const { durations, branching, concurrency, gaps, chains, microtasks, sites } = f
  return [
    {
      id: 'durations',
      title: 'How long continuations run',
      paper: 'Figure 2',
      says: PAPER_SAYS.durations,
      x: 'duration',
      sites,
      series: [
        { name: 'not recurring', histogram: durations.turns.nonRecurring, color: 1 },
        { name: 'all', histogram: durations.turns.all, color: 1, dashed: true },
        { name: 'callbacks and batches apart', histogram: durations.items.all, color: 2, hidden: true },
      ],
    },
    {
      id: 'branching',
      title: 'How many children they have',
      paper: 'Figure 3',
      says: PAPER_SAYS.branching,
      x: 'children',
      sites,
      linearTo: 20,
      series: [
        { name: 'not recurring', histogram: branching.children.nonRecurring, color: 1 },
        { name: 'all', histogram: branching.children.all, color: 1, dashed: true },
        { name: "the parent's children", histogram: branching.siblings.nonRecurring, color: 2 },
        { name: 'the same, all', histogram: branching.siblings.all, color: 2, dashed: true, hidden: true },
      ],
    },
    {
      id: 'concurrency',
      title: 'How many edges are live across each',
      paper: 'Figure 4 (000)',
      says: PAPER_SAYS.concurrency,
      x: 'degree of concurrency',
      sites,
      linearTo: 300,
      series: [
        { name: 'edges that do not recur', histogram: concurrency.nonRecurringEdges, color: 1 },
        { name: 'all edges', histogram: concurrency.allEdges, color: 1, dashed: true },
      ],
    },
    {
      id: 'gaps',
      title: 'Gaps between parent and child',
      paper: 'Figure 5 (000), 4 (001)',
      says: PAPER_SAYS.gaps,
      x: 'gap (up to half a second, as in the papers)',
      sites,
      upTo: 500_000,
      linearTo: 20_000,
      series: [
        { name: 'uninterrupted', histogram: gaps.nonRecurring.uninterrupted, color: 1 },
        { name: 'interrupted', histogram: gaps.nonRecurring.interrupted, color: 3 },
        { name: 'uninterrupted, all', histogram: gaps.all.uninterrupted, color: 1, dashed: true, hidden: true },
        { name: 'interrupted, all', histogram: gaps.all.interrupted, color: 3, dashed: true, hidden: true },
      ],
    },
    {
      id: 'chains',
      title: 'How long chains take',
      paper: 'Figure 6 (000)',
      says: PAPER_SAYS.chains,
      x: 'from the start of the first to the end of the last',
      sites,
      linearTo: 100_000,
      series: [
        { name: 'of 2', histogram: chains[2], color: 1 },
        { name: 'of 3', histogram: chains[3], color: 2 },
        { name: 'of 4', histogram: chains[4], color: 4 },
      ],
    },
    {
      id: 'batches',
      title: 'Microtask batches by time',
      paper: 'Figure 7 (000), 5 (001)',
      says: PAPER_SAYS.microtasks,
      x: 'duration of a batch',
      sites,
      linearTo: 20_000,
      series: [{ name: 'batches', histogram: microtasks.durations, color: 1 }],
    },
    {
      id: 'batch-sizes',
      title: 'Microtask batches by size',
      paper: 'Figure 7 (000), 5 (001)',
      says: PAPER_SAYS.microtasks,
      x: 'microtasks in a batch',
      sites,
      linearTo: 100,
      series: [{ name: 'batches', histogram: microtasks.counts, color: 1 }],
    },
  ]
}

function view(f: Figures): HTMLElement[] {
  const { counts } = f
  const dropped = f.recordings.reduce((sum, r) => sum + r.dropped, 0)
  const length = f.recordings.reduce((sum, r) => sum + r.length, 0)
  const stat = (value: string, label: string): HTMLElement =>
    h('div', { class: 'stat' }, h('b', {}, value), h('span', {}, label))
  const section = (id: string, title: string, intro: string, ...content: (HTMLElement | null)[]): HTMLElement =>
    h(
      'section',
      { id, class: 'part' },
      h('h2', {}, title),
      intro === '' ? null : h('p', { class: 'intro' }, intro),
      content,
    )
  const atomic = atomicTable(f)
  const trouble = troubles(f)
  return [
    section(
      'conflicts',
      'Conflicts',
      '',
      trouble.length > 0 ? h('p', { class: 'trouble' }, trouble.join('; ')) : null,
      conflictCards(f),
    ),
    // A pool of two recordings: the one and the other.
    ...(views.length === 3 && f === views[0]
      ? [section('comparison', 'Before and after', '', comparison(views[1]!, views[2]!))]
      : []),
    section(
      'summary',
      'What was recorded',
      '',
      h(
        'div',
        { class: 'stats' },
        stat(whole(counts.continuations), 'continuations'),
        stat(time(length), f.recordings.length > 1 ? `in ${f.recordings.length} recordings` : 'recorded'),
        stat(whole(counts.loops), counts.loops === 1 ? 'event loop' : 'event loops'),
        stat(percent(counts.busy, length), 'of the time running'),
        stat(percent(counts.edges, counts.continuations), 'have a known parent'),
        stat(percent(counts.recurring, counts.continuations), 'run again and again (intervals, listeners)'),
        dropped > 0 ? stat(whole(dropped), 'were lost') : null,
      ),
      h(
        'dl',
        { class: 'insights' },
        insights(f).flatMap(({ topic, text }) => [h('dt', {}, topic), h('dd', {}, text)]),
      ),
      f.notes.length > 0
        ? h(
            'ul',
            { class: 'notes' },
            f.notes.slice(0, 20).map((note) => h('li', {}, note)),
          )
        : null,
    ),
    section(
      'timeline',
      'Continuation trees',
      'As figure 1 of the papers: boxes are continuations, lines lead from parent to child. Which child goes ' +
        'on in its parent’s row is an interpretation.',
      timeline(f),
    ),
    section(
      'ranking',
      'Where atomic would help',
      'Chains by the places in the source where their continuations come from, and how long each took at ' +
        'worst: that long would an atomic block there have kept everything else waiting.',
      rankingTable(f),
    ),
    section(
      'figures',
      'The figures of the papers',
      'Numbered as in the study of 2018. Dashed lines include recurring continuations, as there.',
      h('div', { class: 'grid' }, figuresOf(f).map(figure)),
    ),
    section(
      'subtrees',
      'Potentially atomic subtrees',
      'Connected pieces of a tree that fit into the limit, none inside a larger one, by shape. A piece may ' +
        'have several shapes, or none. What somebody might believe to be atomic, because it almost always is.',
      subtreesTable(f),
    ),
    section(
      'tiny',
      'Long sequences of tiny continuations',
      'Five or more continuations of less than 1 ms, each the only child of the one before: work that an ' +
        'interface cuts into pieces without need.',
      tinyTable(f),
    ),
    atomic === null ? h('span') : section('atomic', 'Atomic blocks', 'Of the activities in this program.', atomic),
    section(
      'calibration',
      'How far to trust this',
      'Each run of the recorder tests itself on callbacks whose parents are known, and measures what it costs.',
      calibrationTables(f),
      h('h3', {}, 'Recordings'),
      recordingsTable(f),
      h('h3', {}, 'Kinds of continuation'),
      kindsTable(f),
    ),
    section(
      'definitions',
      'Definitions',
      '',
      h(
        'dl',
        { class: 'definitions' },
        DEFINITIONS.flatMap(([term, text]) => [h('dt', {}, term), h('dd', {}, text)]),
      ),
    ),
  ]
}

const DEFINITIONS: [string, string][] = [
  [
    'Continuation',
    'What the event loop runs from when it gives control to when it gets it back, the microtasks at its end ' +
      'included. A batch of microtasks that the event loop starts by itself is a continuation too.',
  ],
  [
    'Parent',
    'The continuation that ran when this one was registered; where no registration is known, the one that ' +
      'settled the promise or sent the message.',
  ],
  ['Recurring', 'Its registration can run more than once. From the second run on, its parent is the run before.'],
  [
    'Degree of concurrency',
    'How many edges are live across it: children that run later and were registered before it started.',
  ],
  [
    'Gap',
    'From the end of the parent to the start of the child, on one event loop; interrupted if any other ' +
      'continuation of that loop runs in between.',
  ],
  ['Chain', 'Two, three or four continuations, none recurring, each the parent of the next.'],
  [
    'Potentially atomic subtree',
    'Two or more connected continuations, from the start of the first to the end of the last less than the ' +
      'limit, not part of a larger such set. Edges into recurring continuations are ignored.',
  ],
]

function render(index: number): void {
  forgetAll()
  main.replaceChildren(...view(views[index]!))
  document.title = `${views[index]!.title} · continuations`
}

const SCHEMES = ['light dark', 'light', 'dark']
const scheme = h(
  'button',
  {
    type: 'button',
    class: 'scheme',
    title: 'Colours: as the system, light, dark',
    onclick: () => {
      const now = document.documentElement.dataset.scheme ?? SCHEMES[0]!
      const next = SCHEMES[(SCHEMES.indexOf(now) + 1) % 3]!
      document.documentElement.dataset.scheme = next
      document.documentElement.style.colorScheme = next
      scheme.textContent = next === 'light dark' ? 'auto' : next
      redrawAll()
    },
  },
  'auto',
)
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', redrawAll)
let before = ''
addEventListener('beforeprint', () => {
  before = document.documentElement.style.colorScheme
  document.documentElement.style.colorScheme = 'light'
  document.documentElement.dataset.printing = ''
  redrawAll()
})
addEventListener('afterprint', () => {
  document.documentElement.style.colorScheme = before
  delete document.documentElement.dataset.printing
  redrawAll()
})

const select = h(
  'select',
  { 'aria-label': 'Recording', onchange: () => render(Number(select.value)) },
  views.map((f, i) => h('option', { value: i }, `${f.title} (${whole(f.counts.continuations)})`)),
)
const main = h('main')
const links = [
  ['conflicts', 'Conflicts'],
  ['summary', 'Summary'],
  ['figures', 'Figures'],
  ['subtrees', 'Subtrees'],
  ['timeline', 'Trees'],
  ['ranking', 'Ranking'],
  ['tiny', 'Tiny'],
  ['calibration', 'Calibration'],
]
app.append(
  h(
    'header',
    { class: 'top' },
    h(
      'div',
      { class: 'inner' },
      h('h1', {}, 'Continuations'),
      views.length > 1 ? select : h('span', { class: 'what' }, views[0]?.title ?? ''),
      h(
        'nav',
        { 'aria-label': 'Parts' },
        links.map(([id, text]) => h('a', { href: `#${id}` }, text!)),
      ),
      scheme,
    ),
  ),
  main,
)
if (views.length > 0) render(0)
else main.append(h('p', {}, 'No recordings.'))
