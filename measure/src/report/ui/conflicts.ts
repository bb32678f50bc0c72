/** The cards that the report opens with: each conflict as steps from top to bottom, the intruder drawn between them. */
import { counted } from '../../format/counted.ts'
import {
  conflicts,
  conflictText,
  isTelling,
  noConflict,
  unwatchedText,
  type Conflict,
} from '../../analysis/conflicts.ts'
import type { Figures } from '../../analysis/figures.ts'
import { fileOf, siteText, type Site } from '../../analysis/sites.ts'
import { costText, whole } from '../format.ts'
import { h } from './dom.ts'
import { choice, tick } from './filters.ts'
import { runLink } from './run.ts'
import { source } from './source.ts'

const SHOWN = 10

export function conflictCards(f: Figures): HTMLElement {
  const all = conflicts(f)
  const own = all.filter(isTelling)
  const ofPackages = all.filter((c) => c.foreign)
  const ofHints = all.filter((c) => !c.foreign && c.hint)
  let packages = own.length === 0
  let hints = false
  let text = ''
  let kind = ''
  let resource = ''
  let shown = SHOWN
  const list = h('div', { class: 'conflicts' })
  const more = h('button', { type: 'button', class: 'more', onclick: () => ((shown += SHOWN), fill()) }, 'more')
  const fill = (): void => {
    const words = text.toLowerCase()
    const found = all.filter(
      (c) =>
        (isTelling(c) || (c.foreign ? packages : hints)) &&
        (words === '' || wordsOf(f, c).includes(words)) &&
        (kind === '' || kindOf(c) === kind) &&
        (resource === '' || c.variable === resource),
    )
    list.replaceChildren(...found.slice(0, shown).map((c, i) => card(f, c, i + 1)))
    more.hidden = found.length <= shown
  }
  fill()
  const search = h('input', {
    type: 'search',
    placeholder: 'file, function, variable …',
    'aria-label': 'Search the conflicts',
    oninput: () => ((text = search.value), fill()),
  })
  const bar = h(
    'div',
    { class: 'bar' },
    search,
    choice('Kind of conflict', 'all kinds', named(all.map(kindOf)), (value) => ((kind = value), fill())),
    choice('Resource', 'all resources', named(all.flatMap((c) => c.variable ?? [])), (value) => {
      resource = value
      fill()
    }),
    ofPackages.length > 0
      ? tick(`packages, too (${whole(ofPackages.length)})`, (on) => ((packages = on), fill()), packages)
      : null,
    ofHints.length > 0
      ? tick(`probably in order, too (${whole(ofHints.length)})`, (on) => ((hints = on), fill()))
      : null,
  )
  const filtered = all.length > 3 || ofHints.length > 0
  return h('div', {}, h('p', { class: 'finding' }, finding(f, all, own)), filtered ? bar : null, list, more)
}

const kindOf = (c: Conflict): string => c.kind ?? 'the same function'

/** Each name once, in order, for a choice. */
const named = (names: string[]): [string, string][] => [...new Set(names)].sort().map((name) => [name, name])

/** The report in one sentence. */
function finding(f: Figures, all: Conflict[], own: Conflict[]): string {
  const [first] = own.length > 0 ? own : all.filter((c) => !c.hint)
  if (first === undefined) return noConflict(f, all)
  const others = own.length - 1
  const more = others > 0 ? ` ${counted(others, 'more conflict')} in your code.` : ''
  const unwatched = unwatchedText(f)
  return conflictText(f, first) + more + (unwatched === undefined ? '' : ` ${unwatched}`)
}

const wordsOf = (f: Figures, c: Conflict): string =>
  [c.first, c.second, c.other, ...c.awaits]
    .map((s) => siteText(f.sites[s], f.sites))
    .join(' ')
    .concat(` ${c.variable ?? ''}`)
    .toLowerCase()

function card(f: Figures, c: Conflict, number: number): HTMLElement {
  const step = (word: string, site: number, kind: string): HTMLElement =>
    h('li', { class: kind }, h('span', { class: 'word' }, word), placeOf(f, site))
  const data = c.evidence === 'data'
  return h(
    'article',
    { class: `card conflict-card${c.foreign ? ' foreign' : ''}` },
    h('h3', {}, `${number}. ${conflictText(f, c)}`),
    h(
      'ol',
      { class: 'steps' },
      step(data ? 'first' : 'begins', c.first, 'own'),
      c.awaits.map((site) => step('waits', site, 'waits')),
      step(data ? 'another' : 'enters', c.other, 'enters'),
      step(data ? 'then' : 'goes on', c.second, 'own'),
    ),
    h('p', { class: 'cost' }, `${costText(c)}. `, c.from !== undefined ? `Recorded in ${c.from}.` : null),
    h('p', { class: 'links' }, treeLink(f, c), editorLink(f.sites[c.second])),
  )
}

function placeOf(f: Figures, index: number): HTMLElement {
  const site = f.sites[index]
  return source(site && { ...site, kind: '' }, f.sites)
}

/** A run of the chain if the trees have one, else the trees. */
function treeLink(f: Figures, c: Conflict): HTMLElement {
  const place = (site: number): string => `${fileOf(f.sites[site]!)}:${f.sites[site]!.line}`
  const wanted = new Set([c.second, ...c.awaits].map(place))
  const chain = f.ranking.chains.find(({ sites }) => wanted.has(place(sites.at(-1)!)))
  return (chain && runLink(f, chain.sites)) ?? h('a', { href: '#timeline' }, 'the trees')
}

/** Opens the line in Visual Studio Code, which is what most web developers have. */
function editorLink(site: Site | undefined): HTMLElement | null {
  const file = site === undefined ? undefined : fileOf(site)
  if (file === undefined || !file.startsWith('file:///')) return null
  const { line, column } = site!.original ?? site!
  return h('a', { href: `vscode://file${file.slice('file://'.length)}:${line}:${column}` }, 'editor')
}
