/** One view of the report: its parts from top to bottom. */
import { isNative } from '../../analysis/conflicts.ts'
import type { Figures } from '../../analysis/figures.ts'
import { troubles } from '../troubles.ts'
import { comparison } from './compare.ts'
import { conflictCards } from './conflicts.ts'
import { definitions } from './definitions.ts'
import { h } from './dom.ts'
import { figuresOf } from './papers_figures.ts'
import { figure } from './plot.ts'
import { rankingTable } from './ranking.ts'
import { summary } from './summary.ts'
import { atomicTable, calibrationTables, kindsTable, recordingsTable, subtreesTable, tinyTable } from './tables.ts'
import { timeline } from './timeline.ts'

type Content = HTMLElement | null

function section(id: string, title: string, intro: string, ...content: Content[]): HTMLElement {
  const said = intro === '' ? null : h('p', { class: 'intro' }, intro)
  return h('section', { id, class: 'part' }, h('h2', {}, title), said, content)
}

/** `compared`: the two recordings of which `f` is the pool. */
export function view(f: Figures, compared?: [Figures, Figures]): HTMLElement[] {
  return [...conflictParts(f, compared), ...chainParts(f), ...paperParts(f), ...trustParts(f)]
}

function conflictParts(f: Figures, compared?: [Figures, Figures]): HTMLElement[] {
  const trouble = troubles(f)
  const warning = trouble.length > 0 ? h('p', { class: 'trouble' }, trouble.join('; ')) : null
  return [
    section('conflicts', 'Conflicts', '', warning, conflictCards(f)),
    ...(compared ? [section('comparison', 'Before and after', '', comparison(...compared))] : []),
    section('summary', 'What was recorded', '', ...summary(f)),
  ]
}

function chainParts(f: Figures): HTMLElement[] {
  return [
    section(
      'timeline',
      'Continuation trees',
      'As figure 1 of the papers: boxes are continuations, lines lead from parent to child. Which child goes ' +
        'on in its parent’s row is an interpretation.',
      timeline(f),
    ),
    section(
      'ranking',
      isNative(f, undefined) ? 'Where a lock would help' : 'Where atomic would help',
      'Chains by the places in the source where their continuations come from, and how long each took at ' +
        (isNative(f, undefined)
          ? 'worst. A lock held there would have kept those waiting who want it for as long.'
          : 'worst. An atomic block there would have kept everything else waiting for as long.'),
      rankingTable(f),
    ),
  ]
}

function paperParts(f: Figures): HTMLElement[] {
  const atomic = atomicTable(f)
  return [
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
    ...(atomic === null ? [] : [section('atomic', 'Atomic blocks', 'Of the activities in this program.', atomic)]),
  ]
}

function trustParts(f: Figures): HTMLElement[] {
  return [
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
    section('definitions', 'Definitions', '', definitions()),
  ]
}
