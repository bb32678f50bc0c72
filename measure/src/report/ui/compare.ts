/** Two recordings beside each other, such as before and after `atomic`: what became of each conflict, and figures. */
import { counted } from '../../format/counted.ts'
import { changes, type Change } from '../../analysis/compare.ts'
import { conflictText } from '../../analysis/conflicts.ts'
import type { Figures } from '../../analysis/figures.ts'
import { countBelow } from '../../analysis/histogram.ts'
import { percent, time, whole } from '../format.ts'
import { h } from './dom.ts'
import { scroll, td, th } from './tables.ts'

export function comparison(before: Figures, now: Figures): HTMLElement {
  const all = changes(now, before)
  const rows = all.map((c) => h('tr', {}, td(h('b', {}, wordOf(c))), td(textOf(c)), ...seen(c)))
  return h(
    'div',
    {},
    h('p', {}, `${before.title} is taken for the earlier recording, ${now.title} for the later one.`),
    all.length === 0
      ? h('p', {}, 'No conflict of own code in either.')
      : scroll(
          h(
            'table',
            { class: 'comparison' },
            h('thead', {}, h('tr', {}, th(''), th('Conflict'), th(before.title), th(now.title))),
            h('tbody', {}, rows),
          ),
        ),
    figuresTable(before, now),
  )

  function textOf(c: Change): string {
    const text = c.now === undefined ? conflictText(before, c.before!) : conflictText(now, c.now)
    return c.isSeen ? text : `${text} (In ${now.title} it did not run, or did not wait.)`
  }
}

const wordOf = ({ before, now, isSeen }: Change): string =>
  before === undefined ? 'new' : now !== undefined ? 'still there' : isSeen ? 'gone' : 'not seen'

const seen = ({ before, now }: Change): HTMLElement[] =>
  [before, now].map((c) => td(c === undefined ? '–' : `${whole(c.seen)} of ${counted(c.runs, 'run')}`))

function figuresTable(before: Figures, now: Figures): HTMLElement {
  const rows: [string, (f: Figures) => string][] = [
    ['continuations', (f) => whole(f.counts.continuations)],
    ['recorded', (f) => time(f.recordings.reduce((sum, r) => sum + r.length, 0))],
    ['gaps below 10 ms that were interrupted', (f) => interrupted(f)],
    ['subtrees of at most 10 ms, interrupted', (f) => subtrees(f)],
    ['atomic blocks', (f) => whole(f.atomic.blocks)],
    ['foreign continuations in them', (f) => whole(f.atomic.interruptions)],
  ]
  return scroll(
    h(
      'table',
      { class: 'numbers' },
      h('thead', {}, h('tr', {}, th(''), th(before.title), th(now.title))),
      h(
        'tbody',
        {},
        rows.map(([name, of]) => h('tr', {}, td(name), td(of(before)), td(of(now)))),
      ),
    ),
  )
}

function interrupted({ gaps: { nonRecurring } }: Figures): string {
  const yes = countBelow(nonRecurring.interrupted, 10_000)
  const all = yes + countBelow(nonRecurring.uninterrupted, 10_000)
  return `${percent(yes, all)} of ${whole(all)}`
}

function subtrees(f: Figures): string {
  const row = f.subtrees.find((r) => r.limitMs === 10)
  return row === undefined ? '–' : `${percent(row.interrupted, row.total)} of ${whole(row.total)}`
}
