/**
 * One figure: histograms as stepped lines, over time or over counts; linear or logarithmic on both axes, cumulative,
 * series on and off, and what a bin holds under the pointer or under the keys (left, right, Home, End). The same
 * numbers stand in a table below, closed.
 */
import uPlot from 'uplot'
import { edgeOf, quantile as quantileOf, type HistogramJson } from '../../analysis/histogram.ts'
import type { Site } from '../../analysis/sites.ts'
import { percent, time, whole } from '../format.ts'
import { h } from './dom.ts'
import { source } from './source.ts'

export interface Series {
  name: string
  histogram: HistogramJson
  /** Index into the palette; `dashed` as in the papers: with recurring ones. */
  color: number
  dashed?: boolean
  hidden?: boolean
}

export interface FigureSpec {
  id: string
  title: string
  /** Which figure of the papers this is. */
  paper: string
  says: string
  x: string
  series: Series[]
  sites: Site[]
  /** Largest value drawn on a linear axis. */
  linearTo?: number
  /** Cut off, as the papers do. */
  upTo?: number
}

const ZERO = 0.5 // where a logarithmic axis of counts shows 0
const redraws = new Set<() => void>()

/** Draws all figures again, when the colours of the page have changed. */
export const redrawAll = (): void => redraws.forEach((redraw) => redraw())
export const forgetAll = (): void => redraws.clear()

/** A colour of the page as a canvas understands it: `rgb(…)`. */
function css(name: string): string {
  const probe = h('span', { style: `color: var(${name})` })
  document.body.append(probe)
  const color = getComputedStyle(probe).color
  probe.remove()
  return color
}
const faint = (color: string): string => color.replace(/^rgb\((.*)\)$/, 'rgba($1, 0.1)')

export function figure(spec: FigureSpec): HTMLElement {
  const scale = spec.series[0]!.histogram.scale
  const state = { logX: true, logY: false, cumulative: false }
  const shown = spec.series.map((series) => series.hidden !== true)
  const holder = h('div', {
    class: 'plot',
    tabindex: 0,
    role: 'img',
    'aria-label': `${spec.title}. Left and right arrow keys read the bins.`,
  })
  const readout = h('div', { class: 'readout', 'aria-live': 'polite' }, hint())
  let plot: uPlot | undefined
  let bins: number[] = []

  const legend = spec.series.map((series, i) =>
    h(
      'button',
      {
        type: 'button',
        class: 'key',
        'aria-pressed': String(shown[i]),
        onclick: (event: Event) => {
          shown[i] = !shown[i]
          ;(event.currentTarget as Element).setAttribute('aria-pressed', String(shown[i]))
          draw()
        },
      },
      h('span', { class: `swatch c${series.color}${series.dashed ? ' dashed' : ''}` }),
      `${series.name} `,
      h('small', {}, whole(series.histogram.count)),
    ),
  )
  const toggle = (name: keyof typeof state, label: string): HTMLElement =>
    h(
      'button',
      {
        type: 'button',
        class: 'toggle',
        'aria-pressed': String(state[name]),
        onclick: (event: Event) => {
          state[name] = !state[name]
          ;(event.currentTarget as Element).setAttribute('aria-pressed', String(state[name]))
          draw()
        },
      },
      label,
    )

  function draw(): void {
    const width = holder.clientWidth || 520
    plot?.destroy()
    const all = [
      ...new Set(spec.series.flatMap((series, i) => (shown[i] ? series.histogram.bins.map(([bin]) => bin) : []))),
    ].sort((a, b) => a - b)
    const limit = spec.upTo ?? Infinity
    const from = all[0] ?? 0
    const to = all.filter((bin) => edgeOf(scale, bin) < limit).at(-1) ?? from
    bins = Array.from({ length: to - from + 2 }, (_, i) => from + i)
    const place = (bin: number): number =>
      scale === 'count' ? Math.max(edgeOf(scale, bin), state.logX ? ZERO : 0) : Math.max(edgeOf(scale, bin), 0.1)
    const xs = bins.map(place)
    const columns = spec.series.map((series) => {
      const counts = new Map(series.histogram.bins.map(([bin, count]) => [bin, count]))
      let sum = [...counts].reduce((below, [bin, count]) => (bin < from ? below + count : below), 0)
      return bins.map((bin, i) => {
        const count = i === bins.length - 1 ? 0 : (counts.get(bin) ?? 0)
        if (state.cumulative)
          return series.histogram.count === 0 ? null : (100 * (sum += count)) / series.histogram.count
        return state.logY ? Math.max(count, 0.5) : count
      })
    })
    const highest = Math.max(1, ...columns.flatMap((column, i) => (shown[i] ? column.map((y) => y ?? 0) : [])))
    const linearTo = Math.min(spec.linearTo ?? Infinity, limit)
    const text = css('--muted')
    const grid = css('--grid')
    plot = new uPlot(
      {
        width,
        height: 250,
        padding: [10, 8, 0, 0],
        legend: { show: false },
        cursor: { y: false, drag: { x: false, y: false }, points: { size: 7 } },
        scales: {
          x: {
            time: false,
            distr: state.logX ? 3 : 1,
            log: 10,
            range: () =>
              state.logX ? [xs[0]!, Math.max(xs.at(-1)!, xs[0]! * 10)] : [0, Math.min(linearTo, xs.at(-1)!)],
          },
          y: {
            distr: state.logY && !state.cumulative ? 3 : 1,
            log: 10,
            range: () =>
              state.cumulative ? [0, 100] : state.logY ? [0.7, Math.max(10, highest * 1.3)] : [0, highest * 1.06],
          },
        },
        series: [
          {},
          ...spec.series.map((series, i) => ({
            show: shown[i]!,
            stroke: css(`--c${series.color}`),
            width: 1.6,
            dash: series.dashed ? [5, 4] : undefined,
            fill: i === 0 && !state.cumulative ? faint(css(`--c${series.color}`)) : undefined,
            paths: uPlot.paths.stepped!({ align: 1 }),
            points: { show: false },
          })),
        ],
        axes: [
          {
            stroke: text,
            grid: { stroke: grid, width: 1 },
            ticks: { stroke: grid, width: 1, size: 4 },
            font: '11px system-ui, sans-serif',
            label: spec.x,
            labelFont: '11px system-ui, sans-serif',
            labelSize: 18,
            size: 28,
            splits: state.logX
              ? (_u: uPlot, _axis: number, min: number, max: number) => logSplits(min, max, scale)
              : undefined,
            values: (_u: uPlot, values: number[]) =>
              values.map((v) => (scale === 'time' ? time(v) : v === ZERO ? '0' : whole(v))),
            filter: (_u: uPlot, splits: number[]) => splits,
          },
          {
            stroke: text,
            grid: { stroke: grid, width: 1 },
            ticks: { stroke: grid, width: 1, size: 4 },
            font: '11px system-ui, sans-serif',
            size: 52,
            values: (_u: uPlot, values: number[]) =>
              values.map((v) =>
                state.cumulative
                  ? `${v} %`
                  : // Counts are whole; a line between two of them has no number.
                    !Number.isInteger(v) || (state.logY && Math.abs(Math.log10(v) % 1) > 1e-9)
                    ? ''
                    : v >= 10_000
                      ? `${v / 1000} k`
                      : whole(v),
              ),
          },
        ],
        hooks: { setCursor: [(u: uPlot) => read(u.cursor.idx)] },
      } as uPlot.Options,
      [xs, ...columns] as uPlot.AlignedData,
      holder,
    )
  }

  function hint(): HTMLElement {
    return h('span', { class: 'hint' }, 'Point at the plot, or focus it and use the arrow keys.')
  }

  function read(index: number | null | undefined): void {
    if (index === null || index === undefined || index >= bins.length - 1) return readout.replaceChildren(hint())
    const bin = bins[index]!
    const low = edgeOf(scale, bin)
    const high = edgeOf(scale, bin + 1)
    const range =
      scale === 'time'
        ? `${time(low)} – ${time(high)}`
        : high - low === 1
          ? whole(low)
          : `${whole(low)} – ${whole(high - 1)}`
    const rows = spec.series.map((series, i) => {
      if (!shown[i]) return null
      const held = series.histogram.bins.find(([b]) => b === bin)
      const upTo = series.histogram.bins.reduce((sum, [b, count]) => (b <= bin ? sum + count : sum), 0)
      return h(
        'span',
        { class: 'item' },
        h('span', { class: `swatch c${series.color}${series.dashed ? ' dashed' : ''}` }),
        `${series.name}: ${whole(held?.[1] ?? 0)} (${percent(upTo, series.histogram.count)} up to here)`,
      )
    })
    const examples = [
      ...new Set(
        spec.series.flatMap((series, i) =>
          shown[i] ? (series.histogram.bins.find(([b]) => b === bin)?.[2] ?? []) : [],
        ),
      ),
    ].slice(0, 3)
    readout.replaceChildren(
      h('b', {}, range),
      ' ',
      ...rows.filter((row) => row !== null),
      examples.length > 0
        ? h(
            'span',
            { class: 'examples' },
            'for instance ',
            ...examples.flatMap((e, i) => [i > 0 ? ', ' : '', source(spec.sites[e], spec.sites)]),
          )
        : '',
    )
  }

  holder.addEventListener('keydown', (event) => {
    if (plot === undefined) return
    const now = plot.cursor.idx ?? -1
    const next =
      event.key === 'ArrowRight'
        ? now + 1
        : event.key === 'ArrowLeft'
          ? now - 1
          : event.key === 'Home'
            ? 0
            : event.key === 'End'
              ? bins.length - 2
              : undefined
    if (next === undefined) return
    event.preventDefault()
    const index = Math.min(bins.length - 2, Math.max(0, next))
    plot.setCursor({ left: plot.valToPos(plot.data[0][index]!, 'x'), top: 10 })
    read(index)
  })
  redraws.add(draw)
  new ResizeObserver(() => plot !== undefined && Math.abs(plot.width - holder.clientWidth) > 4 && draw()).observe(
    holder,
  )
  requestAnimationFrame(draw)

  return h(
    'section',
    { class: 'card figure', id: spec.id },
    h('header', {}, h('h3', {}, spec.title), h('span', { class: 'paper' }, spec.paper)),
    h(
      'div',
      { class: 'controls' },
      h('div', { class: 'legend' }, legend),
      h(
        'div',
        { class: 'toggles' },
        toggle('logX', 'log x'),
        toggle('logY', 'log y'),
        toggle('cumulative', 'cumulative'),
      ),
    ),
    holder,
    readout,
    h(
      'details',
      {},
      h('summary', {}, 'The papers, and the numbers'),
      h('p', { class: 'says' }, spec.says),
      numbers(spec),
    ),
  )
}

function logSplits(min: number, max: number, scale: 'time' | 'count'): number[] {
  const splits: number[] = scale === 'count' && min <= ZERO ? [ZERO] : []
  const decades = Math.log10(max / min)
  for (let power = Math.floor(Math.log10(min)); 10 ** power <= max * 1.001; power++)
    for (const step of decades < 3 ? [1, 2, 5] : [1]) {
      const at = step * 10 ** power
      if (at >= min * 0.999 && at <= max * 1.001 && (scale === 'time' || at >= 1))
        splits.push(Number(at.toPrecision(6)))
    }
  return splits
}

/** The figure as a table: quantiles of each series. */
function numbers(spec: FigureSpec): HTMLElement {
  const text = (v: number): string => (spec.series[0]!.histogram.scale === 'time' ? time(v) : whole(v))
  const at = (hist: HistogramJson, q: number): string => (hist.count === 0 ? '–' : text(quantileOf(hist, q)))
  return h(
    'div',
    { class: 'scroll' },
    h(
      'table',
      {},
      h(
        'thead',
        {},
        h(
          'tr',
          {},
          ['', 'count', 'least', '10 %', 'median', '90 %', '99 %', 'most'].map((t) => h('th', { scope: 'col' }, t)),
        ),
      ),
      h(
        'tbody',
        {},
        spec.series.map(({ name, histogram }) =>
          h(
            'tr',
            {},
            h('th', { scope: 'row' }, name),
            [
              whole(histogram.count),
              histogram.count === 0 ? '–' : text(histogram.min),
              at(histogram, 0.1),
              at(histogram, 0.5),
              at(histogram, 0.9),
              at(histogram, 0.99),
              histogram.count === 0 ? '–' : text(histogram.max),
            ].map((t) => h('td', {}, t)),
          ),
        ),
      ),
    ),
  )
}
