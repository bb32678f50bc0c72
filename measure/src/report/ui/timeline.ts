/**
 * Continuation trees to walk through, drawn as figure 1 of the papers: boxes in rows, arrows from parent to child. One
 * continuation is chosen; its ancestors and descendants stand out, and what interrupted its gap is marked. Left/right:
 * the one before or after in time; up: parent; down: first child; n: next sibling; Home/End: the first or last; Enter:
 * its source; +/-: zoom; 0: all. These are the keys of a horizontal tree as WAI-ARIA has it, and so are the roles.
 */
import { counted } from '../../format/counted.ts'
import type { Figures } from '../../analysis/figures.ts'
import type { TimelinePiece } from '../../analysis/timeline.ts'
import { moments, time } from '../format.ts'
import { h, s } from './dom.ts'
import { SHOW_RUN, type Run } from './run.ts'
import { source } from './source.ts'

const ROW = 22
const BOX = 14
const LEFT = 8
const TOP = 24
const WHY = { interrupted: 'many short gaps interrupted', dense: 'much in little time', sample: 'taken at random' }

export function timeline(f: Figures): HTMLElement {
  if (f.timeline.length === 0) return h('p', {}, 'No continuations.')
  const picker = h(
    'select',
    { 'aria-label': 'Piece of the recording', onchange: () => show(Number(picker.value)) },
    f.timeline.map((p, i) =>
      h(
        'option',
        { value: i },
        (p.title !== undefined ? `${p.title}: ` : '') +
          `${time(p.from)} – ${time(p.to)}, loop ${p.thread} (${WHY[p.why]})`,
      ),
    ),
  )
  const canvas = h('div', {
    class: 'timeline',
    tabindex: 0,
    role: 'tree',
    'aria-orientation': 'horizontal',
    'aria-label':
      'Continuations in time. Arrow keys walk: left and right in time, up to the parent, down to the first child.',
  })
  const detail = h('div', { class: 'detail' })
  let piece: TimelinePiece
  let zoom = 1
  let chosen = 0
  let boxes: SVGRectElement[] = []
  let arrows: (SVGPathElement | undefined)[] = []
  let kids: number[][] = []

  /**
   * Time is drawn so that short things can be seen: each continuation and pause gets the square root of its length, not
   * its length.
   */
  let positions: Float64Array
  function layout(): void {
    const stops = new Set<number>()
    for (const [start, end] of piece.nodes) stops.add(start).add(end)
    const sorted = [...stops].sort((a, b) => a - b)
    const at = new Map<number, number>()
    let x = 0
    sorted.forEach((t, i) => {
      if (i > 0) x += Math.sqrt(t - sorted[i - 1]!) + 0.5
      at.set(t, x)
    })
    positions = new Float64Array(piece.nodes.length * 2)
    const unit = 1 / Math.max(1, x)
    piece.nodes.forEach(([start, end], i) => {
      positions[2 * i] = at.get(start)! * unit
      positions[2 * i + 1] = at.get(end)! * unit
    })
  }

  function show(index: number): void {
    piece = f.timeline[index]!
    kids = piece.nodes.map(() => [])
    piece.nodes.forEach(([, , parent], i) => parent >= 0 && kids[parent]!.push(i))
    layout()
    zoom = 1
    chosen = Math.max(
      0,
      kids.findIndex((k) => k.length > 1),
    )
    draw()
  }

  function draw(): void {
    const width = Math.max(320, (canvas.clientWidth - 4) * zoom)
    const inner = width - 2 * LEFT - 6
    const height = TOP + piece.rows * ROW + 6
    const svg = s('svg', { width, height, viewBox: `0 0 ${width} ${height}`, role: 'none' })
    const x = (i: number, end: number): number => LEFT + positions[2 * i + end]! * inner
    const y = (i: number): number => TOP + piece.nodes[i]![4] * ROW
    const marks = Math.max(2, Math.floor(width / 140))
    const marked: number[] = []
    for (let m = 0, last = -1; m <= marks; m++) {
      const i = Math.min(piece.nodes.length - 1, Math.round((m * (piece.nodes.length - 1)) / marks))
      if (i === last || (last >= 0 && x(i, 0) - x(last, 0) < (hasRoom(x(i, 0), width) ? 70 : 110))) continue
      marked.push((last = i))
    }
    const texts = moments(marked.map((i) => piece.nodes[i]![0]))
    marked.forEach((i, m) =>
      svg.append(
        s('line', { x1: x(i, 0), x2: x(i, 0), y1: TOP - 6, y2: height, class: 'mark' }),
        s('text', { ...besides(x(i, 0), width), y: 12, 'aria-hidden': 'true' }, texts[m]!),
      ),
    )
    arrows = piece.nodes.map(([, , parent], i) => {
      if (parent < 0) return undefined
      const x1 = x(parent, 1)
      const x2 = x(i, 0)
      const y1 = y(parent) + BOX / 2
      const y2 = y(i) + BOX / 2
      const path = s('path', {
        d: y1 === y2 ? `M${x1} ${y1}H${x2}` : `M${x1 - 1} ${y1}C${x1 + 14} ${y1} ${x2 - 14} ${y2} ${x2} ${y2}`,
        class: 'edge',
      })
      svg.append(path)
      return path
    })
    const levels: number[] = []
    boxes = piece.nodes.map(([, , parent, site, , recurring], i) => {
      levels[i] = parent < 0 ? 1 : levels[parent]! + 1
      const family = parent < 0 ? [] : kids[parent]!
      const box = s(
        'rect',
        {
          id: `continuation-${i}`,
          role: 'treeitem',
          'aria-level': levels[i],
          'aria-posinset': parent < 0 ? undefined : family.indexOf(i) + 1,
          'aria-setsize': parent < 0 ? undefined : family.length,
          'aria-selected': 'false',
          x: x(i, 0),
          y: y(i),
          width: Math.max(2, x(i, 1) - x(i, 0)),
          height: BOX,
          rx: 2,
          class: `box${recurring ? ' recurring' : ''}`,
          onclick: () => choose(i),
        },
        s('title', {}, f.sites[site]?.kind ?? ''),
      )
      svg.append(box)
      return box
    })
    canvas.replaceChildren(svg)
    choose(chosen, false)
  }

  function choose(i: number, scroll = true): void {
    chosen = i
    const related = new Set<number>()
    for (let p = i; p >= 0; p = piece.nodes[p]![2]) related.add(p)
    const below = [i]
    for (let k = 0; k < below.length; k++) {
      related.add(below[k]!)
      below.push(...kids[below[k]!]!)
    }
    const [start, end, parent, site, , recurring, interruptions] = piece.nodes[i]!
    const between = parent >= 0 ? Array.from({ length: i - parent - 1 }, (_, k) => parent + 1 + k) : []
    const intruders = new Set(between)
    canvas.setAttribute('aria-activedescendant', boxes[i]!.id)
    boxes.forEach((box, k) => {
      box.setAttribute('aria-selected', String(k === i))
      box.classList.toggle('chosen', k === i)
      box.classList.toggle('related', related.has(k) && k !== i)
      box.classList.toggle('intruder', intruders.has(k) && !related.has(k))
    })
    arrows.forEach((arrow, k) => arrow?.classList.toggle('related', related.has(k) && related.has(piece.nodes[k]![2])))
    const gap = parent >= 0 ? start - piece.nodes[parent]![1] : 0
    const to = (k: number | undefined, label: string): HTMLElement => {
      const there = k !== undefined && k >= 0
      return h(
        'button',
        { type: 'button', disabled: !there, onclick: () => there && (choose(k), stayAt(label)) },
        label,
      )
    }
    const place = h('p', {}, source(f.sites[site], f.sites), recurring ? ' · recurring' : '')
    const told = h(
      'p',
      {},
      `Runs ${time(end - start)}, from ${moments([start, end]).join(' to ')} of this piece; ` +
        `${kids[i]!.length === 1 ? 'one child' : `${kids[i]!.length} children`} here. `,
      parent === -1
        ? 'A root.'
        : parent === -2
          ? 'Its parent ran before this piece.'
          : `Its parent ended ${time(gap)} earlier; ${betweenText(interruptions)}`,
    )
    boxes[i]!.setAttribute('aria-label', `${place.textContent}. ${told.textContent}`)
    detail.replaceChildren(
      h(
        'div',
        { class: 'walk' },
        to(i - 1, '← before'),
        to(i + 1 < boxes.length ? i + 1 : undefined, 'after →'),
        to(parent, '↑ parent'),
        to(kids[i]![0], '↓ child'),
        to(sibling(i), 'n sibling'),
      ),
      place,
      told,
      between.length > 0
        ? h(
            'ul',
            {},
            between
              .slice(0, 5)
              .map((k) =>
                h(
                  'li',
                  {},
                  source(f.sites[piece.nodes[k]![3]], f.sites),
                  `, ${time(piece.nodes[k]![1] - piece.nodes[k]![0])}`,
                ),
              ),
            between.length > 5 ? h('li', {}, `and ${between.length - 5} more`) : null,
          )
        : '',
    )
    if (!scroll) return
    const box = boxes[i]!
    const x = Number(box.getAttribute('x'))
    if (x < canvas.scrollLeft || x > canvas.scrollLeft + canvas.clientWidth - 40)
      canvas.scrollLeft = x - canvas.clientWidth / 3
    const y = Number(box.getAttribute('y'))
    if (y < canvas.scrollTop || y > canvas.scrollTop + canvas.clientHeight - 30)
      canvas.scrollTop = y - canvas.clientHeight / 2
  }

  /** The buttons of the new choice are others. */
  const stayAt = (label: string): void => {
    const button = [...detail.querySelectorAll('button')].find((b) => b.textContent === label)
    ;(button === undefined || button.disabled ? canvas : button).focus()
  }
  const sibling = (i: number): number | undefined => {
    const parent = piece.nodes[i]![2]
    if (parent < 0) return undefined
    const family = kids[parent]!
    return family.length > 1 ? family[(family.indexOf(i) + 1) % family.length] : undefined
  }
  const zoomTo = (z: number): void => {
    zoom = Math.min(64, Math.max(1, z))
    draw()
    choose(chosen)
  }
  canvas.addEventListener('keydown', (event) => {
    // The browser's own: back, and its zoom.
    if (event.ctrlKey || event.altKey || event.metaKey) return
    const parent = piece.nodes[chosen]![2]
    const moves: Record<string, number | undefined> = {
      ArrowLeft: chosen - 1,
      ArrowRight: chosen + 1,
      ArrowUp: parent,
      ArrowDown: kids[chosen]![0],
      n: sibling(chosen),
      Home: 0,
      End: boxes.length - 1,
    }
    if (event.key in moves) {
      const to = moves[event.key]
      if (to !== undefined && to >= 0 && to < boxes.length) choose(to)
    } else if (event.key === 'Enter')
      (detail.querySelector<HTMLElement>('p .site a') ?? detail.querySelector<HTMLElement>('button:enabled'))?.focus()
    else if (event.key === '+' || event.key === '=') zoomTo(zoom * 2)
    else if (event.key === '-') zoomTo(zoom / 2)
    else if (event.key === '0') zoomTo(1)
    else return
    event.preventDefault()
  })
  let width = 0
  new ResizeObserver(() => {
    if (Math.abs(canvas.clientWidth - width) < 4) return
    width = canvas.clientWidth
    if (piece !== undefined) draw()
  }).observe(canvas)
  requestAnimationFrame(() => show(0))
  const showRun = (event: Event): void => {
    if (!canvas.isConnected) return document.removeEventListener(SHOW_RUN, showRun)
    const run = (event as CustomEvent<Run>).detail
    picker.value = String(run.piece)
    show(run.piece)
    choose(run.node)
  }
  document.addEventListener(SHOW_RUN, showRun)
  return h(
    'div',
    {},
    h(
      'div',
      { class: 'bar' },
      picker,
      h(
        'span',
        { class: 'toggles' },
        h('button', { type: 'button', onclick: () => zoomTo(zoom * 2) }, 'zoom in'),
        h('button', { type: 'button', onclick: () => zoomTo(zoom / 2) }, 'zoom out'),
        h('button', { type: 'button', onclick: () => zoomTo(1) }, 'all'),
      ),
    ),
    canvas,
    detail,
    h(
      'p',
      { class: 'hint' },
      'Arrow keys: before, after, parent, child; n: next sibling; Home, End: the first, the last; Enter: to the ' +
        'source; + − 0: zoom. Lengths are drawn as square ' +
        'roots, so that microseconds can be seen beside seconds.',
    ),
  )
}

const hasRoom = (x: number, width: number): boolean => width - x > 60

/** A time is written on the right of its line, where the picture has room for it, and else on the left. */
const besides = (x: number, width: number): { x: number; 'text-anchor': string } =>
  hasRoom(x, width) ? { x: x + 2, 'text-anchor': 'start' } : { x: x - 2, 'text-anchor': 'end' }

const betweenText = (n: number): string =>
  n === 0 ? 'nothing ran in between.' : `${counted(n, 'other continuation')} ran in between:`
