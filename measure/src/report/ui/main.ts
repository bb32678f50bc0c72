/** The page: reads the figures out of the document, and shows one view of them at a time. */
import 'uplot/dist/uPlot.min.css'
import './style.css'
import type { Figures } from '../../analysis/figures.ts'
import { whole } from '../format.ts'
import { h } from './dom.ts'
import { forgetAll } from './plot.ts'
import { redrawWithScheme, schemeButton } from './scheme.ts'
import { view } from './view.ts'

/** In the order of the page. */
const LINKS = [
  ['conflicts', 'Conflicts'],
  ['summary', 'Summary'],
  ['timeline', 'Trees'],
  ['ranking', 'Ranking'],
  ['figures', 'Figures'],
  ['subtrees', 'Subtrees'],
  ['tiny', 'Tiny'],
  ['calibration', 'Calibration'],
] as const

const views = JSON.parse(document.getElementById('figures')!.textContent!) as Figures[]
const main = h('main')

function render(index: number): void {
  const f = views[index]!
  // If there are three reports, the first one is the pool of the two others.
  const [, before, after] = views
  forgetAll()
  main.replaceChildren(...view(f, index === 0 && views.length === 3 ? [before!, after!] : undefined))
  document.title = `${f.title} · continuations`
}

/** The choice of a recording if there are several, else the title of the one. */
function chooser(): HTMLElement {
  if (views.length <= 1) return h('span', { class: 'what' }, views[0]?.title ?? '')
  const options = views.map((f, i) => h('option', { value: i }, `${f.title} (${whole(f.counts.continuations)})`))
  const select = h('select', { 'aria-label': 'Recording', onchange: () => render(Number(select.value)) }, options)
  return select
}

function header(): HTMLElement {
  const links = LINKS.map(([id, text]) => h('a', { href: `#${id}` }, text))
  const nav = h('nav', { 'aria-label': 'Parts' }, links)
  const inner = h('div', { class: 'inner' }, h('h1', {}, 'Continuations'), chooser(), nav, schemeButton())
  return h('header', { class: 'top' }, inner)
}

document.getElementById('app')!.append(header(), main)
redrawWithScheme()
if (views.length > 0) render(0)
else main.append(h('p', {}, 'No recordings.'))
