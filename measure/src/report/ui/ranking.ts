/** Chains by their places in the source, with what to do about each; filtered by advice, kind, own code and words. */
import type { Figures } from '../../analysis/figures.ts'
import { isNative } from '../../analysis/conflicts.ts'
import { adviceText, type Advice, type RankedChain } from '../../analysis/ranking.ts'
import { packageAt, siteText, type Site } from '../../analysis/sites.ts'
import { percent, time, whole } from '../format.ts'
import { h } from './dom.ts'
import { choice, tick } from './filters.ts'
import { runLink } from './run.ts'
import { source } from './source.ts'
import { scroll, td, th } from './tables.ts'

/** A file of the program itself: neither of a package nor Node's own. */
const isOwn = (site: Site): boolean =>
  site.url !== undefined && !site.url.startsWith('node:') && packageAt(site) === undefined

const ADVICE: Record<Advice, string> = {
  wrap: 'wrap',
  careful: 'with care',
  'do-not-wrap': 'do not wrap',
  'too-few-runs': 'too few runs',
}

/** The columns, and what some of them say when they are pointed at; on a phone each cell tells its column. */
const COLUMNS: [name: string, title?: string][] = [
  ['Advice'],
  ['Chain'],
  ['Runs'],
  ['Interrupted'],
  ['Median'],
  ['99 %'],
  [
    'Longest',
    'From the start of the first continuation to the end of the last: ' +
      'so long an atomic block would keep everything else waiting',
  ],
  ['By'],
]

const ADVICE_IN_C: Record<Advice, string> = { ...ADVICE, wrap: 'lock', 'do-not-wrap': 'no lock' }

export function rankingTable(f: Figures): HTMLElement {
  const { chains, byAdvice, distinct } = f.ranking
  if (chains.length === 0) return h('p', {}, 'No chains of two or more non-recurring continuations were recorded.')
  let wanted = ''
  let kind = ''
  let own = false
  let text = ''
  // Chains that ran too seldom to say anything about are shown when they are asked for.
  let shown = Math.min(25, Math.max(5, chains.filter((c) => c.advice !== 'too-few-runs').length))
  const body = h('tbody')
  const more = h('button', { type: 'button', class: 'more', onclick: () => ((shown += 50), fill()) }, 'more')
  const row = (c: RankedChain): HTMLElement => {
    const cells = [
      td(
        h('span', { class: `advice ${c.advice}` }, isNative(f, c.from) ? ADVICE_IN_C[c.advice] : ADVICE[c.advice]),
        h('div', { class: 'why' }, adviceText(c, isNative(f, c.from))),
        c.sameFunction > 0
          ? h('div', { class: 'conflict' }, `${whole(c.sameFunction)} times by the same function`)
          : c.sameFile > 0
            ? h('div', { class: 'conflict' }, `${whole(c.sameFile)} times by the same file`)
            : '',
      ),
      td(
        h(
          'ol',
          { class: 'chain' },
          c.sites.map((site) => h('li', {}, source(f.sites[site], f.sites))),
        ),
        h('p', { class: 'links' }, c.from !== undefined ? h('small', {}, c.from) : null, runLink(f, c.sites)),
      ),
      td(whole(c.runs)),
      td(`${whole(c.interrupted)}`, h('small', {}, ` ${percent(c.interrupted, c.runs)}`)),
      td(time(c.p50)),
      td(time(c.p99)),
      td(time(c.max)),
      td(
        c.by.length === 0
          ? '–'
          : h(
              'ul',
              { class: 'by' },
              c.by.slice(0, 3).map(([site, n]) => h('li', {}, source(f.sites[site], f.sites), ` × ${whole(n)}`)),
            ),
      ),
    ]
    cells.forEach((cell, i) => cell.setAttribute('data-column', COLUMNS[i][0]))
    return h('tr', {}, cells)
  }
  function fill(): void {
    const words = text.toLowerCase()
    const found = chains.filter(
      (c) =>
        (wanted === '' || c.advice === wanted) &&
        (kind === '' || c.sites.some((site) => f.sites[site]!.kind === kind)) &&
        (!own || c.sites.some((site) => isOwn(f.sites[site]!))) &&
        (words === '' ||
          c.sites.some((site) => siteText(f.sites[site], f.sites).toLowerCase().includes(words)) ||
          (c.from ?? '').toLowerCase().includes(words)),
    )
    body.replaceChildren(...found.slice(0, shown).map(row))
    more.hidden = found.length <= shown
  }
  fill()
  const advices = (Object.keys(ADVICE) as Advice[]).map((a): [string, string] => [
    a,
    `${ADVICE[a]} (${whole(byAdvice[a])})`,
  ])
  const kinds = [...new Set(chains.flatMap((c) => c.sites.map((site) => f.sites[site]!.kind)))].sort()
  const search = h('input', {
    type: 'search',
    placeholder: 'file, function, kind …',
    'aria-label': 'Search the chains',
    oninput: () => ((text = search.value), fill()),
  })
  return h(
    'div',
    {},
    h(
      'div',
      { class: 'bar' },
      choice(
        'Advice',
        `all advice (distinct chains: ${whole(distinct)})`,
        advices,
        (value) => ((wanted = value), fill()),
      ),
      choice(
        'Kind of callback',
        'all kinds',
        kinds.map((k) => [k, k]),
        (value) => ((kind = value), fill()),
      ),
      tick('own code', (on) => ((own = on), fill())),
      search,
      h('span', { class: 'hint' }, `the ${whole(chains.length)} most worth a look are listed`),
    ),
    scroll(
      h(
        'table',
        { class: 'ranking' },
        h(
          'thead',
          {},
          h(
            'tr',
            {},
            COLUMNS.map(([name, title]) => th(name, title)),
          ),
        ),
        body,
      ),
    ),
    more,
  )
}
