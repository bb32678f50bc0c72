/**
 * The tables of the report: subtrees beside the papers', sequences of tiny continuations, atomic blocks,
 * calibration, definitions.
 */
import type { Figures } from '../../analysis/figures.ts'
import { percent, time, whole } from '../format.ts'
import { PAPER_SUBTREES } from '../paper.ts'
import { h } from './dom.ts'
import { source } from './source.ts'

export const th = (text: string, title?: string): HTMLElement => h('th', { scope: 'col', title }, text)
export const td = (...children: (Node | string)[]): HTMLElement => h('td', {}, ...children)
export const scroll = (table: HTMLElement): HTMLElement => h('div', { class: 'scroll', tabindex: 0 }, table)

export function subtreesTable(f: Figures): HTMLElement {
  const heads: [string, string][] = [
    ['Total', 'Potentially atomic subtrees'],
    ['Linear', 'Every continuation has at most one child, recurring children not counted (looser)'],
    ['Linear S', 'The same, recurring children counted (stricter)'],
    ['Multi L', 'At least two children outside the subtree'],
    ['Multi S', 'At least two continuations with children outside'],
    ['Contain L', 'A continuation without children, and a child outside'],
    ['Contain S', 'The same, and something in the subtree runs after the first without children'],
    ['Interrupted', 'A continuation from outside ran between the first and the last'],
  ]
  const rows = f.subtrees.flatMap((r) => {
    const p = (n: number): HTMLElement => td(percent(n, r.total))
    const paper = PAPER_SUBTREES.find((q) => q.limitMs === r.limitMs)
    return [
      h(
        'tr',
        {},
        h('th', { scope: 'row', rowspan: paper ? 2 : 1 }, `${r.limitMs} ms`),
        td('here'),
        td(whole(r.total)),
        p(r.linearL),
        p(r.linearS),
        p(r.multiL),
        p(r.multiS),
        p(r.containL),
        p(r.containS),
        p(r.interrupted),
      ),
      paper
        ? h(
            'tr',
            { class: 'theirs' },
            td('paper'),
            td(whole(paper.total)),
            h(
              'td',
              { colspan: 2, class: 'mid', title: 'The paper does not say which of the two' },
              paper.linear.replace('%', ' %'),
            ),
            ...[paper.multiL, paper.multiS, paper.containL, paper.containS].map((t) => td(t.replace('%', ' %'))),
            td(''),
          )
        : null,
    ]
  })
  return scroll(
    h(
      'table',
      { class: 'numbers' },
      h(
        'thead',
        {},
        h(
          'tr',
          {},
          th('Limit'),
          th(''),
          heads.map(([t, title]) => th(t, title)),
        ),
      ),
      h('tbody', {}, rows),
    ),
  )
}

export function tinyTable(f: Figures): HTMLElement {
  if (f.tiny.length === 0)
    return h('p', {}, 'None: no five or more continuations under 1 ms, each the only child of the one before.')
  const row = (t: Figures['tiny'][number]): HTMLElement =>
    h(
      'tr',
      {},
      td(source(f.sites[t.site], f.sites), t.from !== undefined ? h('small', {}, ` ${t.from}`) : ''),
      td(whole(t.sequences)),
      td(whole(t.continuations)),
      td(whole(t.longest)),
      td(time(t.busy)),
      td(time(t.elapsed)),
      td(percent(t.interrupted, t.sequences)),
    )
  return scroll(
    h(
      'table',
      { class: 'numbers' },
      h(
        'thead',
        {},
        h(
          'tr',
          {},
          th('Last continuation'),
          th('Sequences'),
          th('Continuations'),
          th('Longest'),
          th('Running'),
          th('Elapsed'),
          th('Interrupted'),
        ),
      ),
      h('tbody', {}, f.tiny.slice(0, 20).map(row)),
    ),
  )
}

export function atomicTable(f: Figures): HTMLElement | null {
  const { activities, blocks, interruptions, longest, interrupted, unserialisable } = f.atomic
  if (activities === 0 && blocks === 0) return null
  return h(
    'div',
    {},
    h(
      'p',
      {},
      `${whole(activities)} activities, ${whole(blocks)} atomic blocks. `,
      interruptions === 0
        ? 'No foreign continuation ran inside one.'
        : h('b', { class: 'do-not-wrap' }, `Foreign continuations ran inside ${whole(interruptions)} times.`),
    ),
    longest.length > 0
      ? scroll(
          h(
            'table',
            { class: 'numbers' },
            h('thead', {}, h('tr', {}, th('Block'), th('Open for at most'))),
            h(
              'tbody',
              {},
              longest.slice(0, 20).map((b) => h('tr', {}, td(b.name), td(time(b.duration)))),
            ),
          ),
        )
      : null,
    interrupted.length > 0
      ? scroll(
          h(
            'table',
            { class: 'numbers' },
            h('thead', {}, h('tr', {}, th('Block'), th('Entered by'), th('Times'))),
            h(
              'tbody',
              {},
              interrupted.map((x) => h('tr', {}, td(x.name), td(source(f.sites[x.site], f.sites)), td(whole(x.count)))),
            ),
          ),
        )
      : null,
    unserialisable.length > 0
      ? scroll(
          h(
            'table',
            { class: 'numbers' },
            h(
              'thead',
              {},
              h(
                'tr',
                {},
                th('Unserialisable'),
                th('Variable'),
                th('First'),
                th('Another in between'),
                th('Then'),
                th('Times'),
              ),
            ),
            h(
              'tbody',
              {},
              unserialisable.map((x) =>
                h(
                  'tr',
                  {},
                  td(x.kind),
                  td(x.variable ?? ''),
                  ...x.sites.map((s) => td(source(f.sites[s], f.sites))),
                  td(whole(x.count)),
                ),
              ),
            ),
          ),
        )
      : null,
  )
}

export function calibrationTables(f: Figures): HTMLElement {
  const with_ = f.recordings.filter((r) => r.calibration !== undefined)
  if (with_.length === 0)
    return h(
      'p',
      {},
      'This recording carries no calibration: it was made with --no-calibrate, by another tool, ' +
        'or by an earlier version.',
    )
  return h(
    'div',
    {},
    with_.map((r, i) => {
      const { kinds, overhead } = r.calibration!
      const content = h(
        'div',
        { class: 'pair' },
        scroll(
          h(
            'table',
            { class: 'numbers' },
            h('thead', {}, h('tr', {}, th('Source'), th('Runs seen'), th('Parents right'))),
            h(
              'tbody',
              {},
              Object.entries(kinds).map(([kind, k]) =>
                h(
                  'tr',
                  { class: k.edges < k.expected ? 'short' : '' },
                  td(kind),
                  td(whole(k.runs)),
                  td(`${whole(k.edges)} of ${whole(k.expected)}`),
                ),
              ),
            ),
          ),
        ),
        scroll(
          h(
            'table',
            { class: 'numbers' },
            h('thead', {}, h('tr', {}, th('Operation'), th('Bare'), th('Recorded'))),
            h(
              'tbody',
              {},
              Object.entries(overhead).map(([name, o]) =>
                h('tr', {}, td(name), td(time(o.bare)), td(time(o.recorded))),
              ),
            ),
          ),
        ),
      )
      return with_.length === 1
        ? content
        : h(
            'details',
            { open: i === 0 && with_.length < 3 },
            h('summary', {}, `${r.title} (${r.source}${r.mode ? `, ${r.mode}` : ''})`),
            content,
          )
    }),
  )
}

export function recordingsTable(f: Figures): HTMLElement {
  const row = (r: Figures['recordings'][number]): HTMLElement =>
    h(
      'tr',
      {},
      td(r.title),
      td(`${r.source}${r.mode ? `, ${r.mode}` : ''}`),
      td(time(r.length)),
      td(whole(r.continuations)),
      td(r.dropped > 0 ? whole(r.dropped) : '0'),
      td(r.signal ?? r.reason),
      td(r.started ?? ''),
    )
  return scroll(
    h(
      'table',
      { class: 'numbers' },
      h(
        'thead',
        {},
        h(
          'tr',
          {},
          th('Recording'),
          th('Source'),
          th('Length'),
          th('Continuations'),
          th('Lost'),
          th('Ended by'),
          th('Begun'),
        ),
      ),
      h('tbody', {}, f.recordings.map(row)),
    ),
  )
}

export function kindsTable(f: Figures): HTMLElement {
  const kinds = Object.entries(f.counts.kinds)
  return scroll(
    h(
      'table',
      { class: 'numbers' },
      h('thead', {}, h('tr', {}, th('Kind'), th('Continuations'), th('Share'))),
      h(
        'tbody',
        {},
        kinds
          .slice(0, 30)
          .map(([kind, n]) => h('tr', {}, td(kind), td(whole(n)), td(percent(n, f.counts.continuations)))),
        kinds.length > 30 ? h('tr', {}, td(`and ${kinds.length - 30} kinds more`)) : null,
      ),
    ),
  )
}
