/**
 * The papers' figures of the pooled recordings on one sheet of SVG, for `docs/study.md`: shares of all values, by bin,
 * logarithmic; web applications solid, servers dashed.
 */
import type { Figures } from '../analysis/figures.ts'
import { edgeOf, type HistogramJson } from '../analysis/histogram.ts'
import { time, whole } from '../report/format.ts'

const WIDTH = 420
const HEIGHT = 210
const LEFT = 44
const BOTTOM = 34
const TOP = 34

interface Line {
  histogram: HistogramJson
  color: string
  dashed: boolean
}

interface Panel {
  title: string
  lines: Line[]
  legend: [color: string, text: string][]
  from: number
  to: number
}

const BLUE = '#2a6fdb'
const RED = '#d1495b'
const GREEN = '#0e8a7d'
const VIOLET = '#8e4ec6'

export function sheet(pools: Figures[]): string {
  const lines = (...picks: [(f: Figures) => HistogramJson, string][]): Line[] =>
    pools.flatMap((f, i) => picks.map(([pick, color]) => ({ histogram: pick(f), color, dashed: i > 0 })))
  const panels: Panel[] = [
    {
      title: 'Figure 2: durations of continuations, not recurring',
      lines: lines([(f) => f.durations.turns.nonRecurring, BLUE]),
      legend: [],
      from: 1,
      to: 1e6,
    },
    {
      title: "Figure 3: children; the parent's children",
      lines: lines([(f) => f.branching.children.nonRecurring, BLUE], [(f) => f.branching.siblings.nonRecurring, GREEN]),
      legend: [
        [BLUE, 'children'],
        [GREEN, "the parent's"],
      ],
      from: 0.5,
      to: 1000,
    },
    {
      title: 'Figure 4: degree of concurrency',
      lines: lines([(f) => f.concurrency.nonRecurringEdges, BLUE]),
      legend: [],
      from: 0.5,
      to: 1000,
    },
    {
      title: 'Figure 5: gaps up to half a second',
      lines: lines([(f) => f.gaps.nonRecurring.uninterrupted, BLUE], [(f) => f.gaps.nonRecurring.interrupted, RED]),
      legend: [
        [BLUE, 'uninterrupted'],
        [RED, 'interrupted'],
      ],
      from: 1,
      to: 5e5,
    },
    {
      title: 'Figure 6: chains of 2, 3 and 4',
      lines: lines([(f) => f.chains[2], BLUE], [(f) => f.chains[3], GREEN], [(f) => f.chains[4], VIOLET]),
      legend: [
        [BLUE, '2'],
        [GREEN, '3'],
        [VIOLET, '4'],
      ],
      from: 10,
      to: 1e7,
    },
    {
      title: 'Figure 7: microtask batches by time',
      lines: lines([(f) => f.microtasks.durations, BLUE]),
      legend: [],
      from: 1,
      to: 1e6,
    },
    {
      title: 'Figure 7: microtask batches by size',
      lines: lines([(f) => f.microtasks.counts, BLUE]),
      legend: [],
      from: 0.5,
      to: 10_000,
    },
  ]
  const rows = Math.ceil(panels.length / 2)
  const drawn = panels.map(
    (p, i) => `<g transform="translate(${(i % 2) * WIDTH} ${Math.floor(i / 2) * HEIGHT + 24})">${panel(p)}</g>`,
  )
  const key = pools.map(
    (f, i) =>
      `<line x1="${LEFT + i * 230}" x2="${LEFT + i * 230 + 26}" y1="13" y2="13" stroke="#444" ` +
      `stroke-width="1.6"${i > 0 ? ' stroke-dasharray="5 3"' : ''}/><text x="${LEFT + i * 230 + 32}" ` +
      `y="17">${f.title.replace(/[<&]/g, '')}</text>`,
  )
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${2 * WIDTH} ${rows * HEIGHT + 24}" ` +
    'font-family="system-ui, sans-serif" font-size="11" fill="#333"><rect width="100%" height="100%" ' +
    `fill="#fff"/>${key.join('')}\n${drawn.join('\n')}\n</svg>\n`
  )
}

function panel({ title, lines, legend, from, to }: Panel): string {
  const right = WIDTH - 12
  const bottom = HEIGHT - BOTTOM
  const scale = lines[0]!.histogram.scale
  const x = (value: number): number =>
    LEFT + ((right - LEFT) * Math.log10(Math.min(to, Math.max(from, value)) / from)) / Math.log10(to / from)
  const share = ({ count }: HistogramJson, n: number): number => (count === 0 ? 0 : (100 * n) / count)
  const highest = Math.max(
    1,
    ...lines.flatMap(({ histogram }) =>
      histogram.bins.filter(([bin]) => edgeOf(scale, bin) < to).map(([, n]) => share(histogram, n)),
    ),
  )
  const y = (p: number): number => bottom - ((bottom - TOP) * p) / highest
  const round = (n: number): string => n.toFixed(1)
  const parts = [`<text x="${LEFT}" y="18" font-weight="600">${title}</text>`]
  const step = [1, 2, 5, 10, 20, 50].find((s) => highest / s <= 5) ?? 50
  for (let p = 0; p <= highest; p += step)
    parts.push(
      `<line x1="${LEFT}" x2="${right}" y1="${round(y(p))}" y2="${round(y(p))}" stroke="#e4e4e4"/><text ` +
        `x="${LEFT - 6}" y="${round(y(p) + 4)}" text-anchor="end" fill="#666">${p} %</text>`,
    )
  if (scale === 'count') parts.push(`<text x="${LEFT}" y="${bottom + 15}" text-anchor="middle" fill="#666">0</text>`)
  for (let t = 10 ** Math.ceil(Math.log10(from)); t <= to; t *= 10)
    parts.push(
      `<line x1="${round(x(t))}" x2="${round(x(t))}" y1="${TOP}" y2="${bottom}" stroke="#eee"/><text ` +
        `x="${round(x(t))}" y="${bottom + 15}" text-anchor="middle" ` +
        `fill="#666">${scale === 'time' ? time(t) : whole(t)}</text>`,
    )
  for (const { histogram, color, dashed } of lines) {
    const counts = new Map(histogram.bins.map(([bin, n]) => [bin, n]))
    const last = histogram.bins.at(-1)?.[0] ?? 0
    const first = histogram.bins[0]?.[0] ?? 0
    const points: string[] = [`M${round(x(edgeOf(scale, first)))} ${bottom}`]
    for (let bin = first; bin <= last && edgeOf(scale, bin) < to; bin++)
      points.push(`V${round(y(share(histogram, counts.get(bin) ?? 0)))}H${round(x(edgeOf(scale, bin + 1)))}`)
    parts.push(
      `<path d="${points.join('')}V${bottom}" fill="none" stroke="${color}" ` +
        `stroke-width="1.4"${dashed ? ' stroke-dasharray="4 3"' : ''}/>`,
    )
  }
  legend.forEach(([color, text], i) =>
    parts.push(
      `<rect x="${right - 96}" y="${TOP + i * 14}" width="12" height="3" fill="${color}"/><text ` +
        `x="${right - 80}" y="${TOP + 5 + i * 14}">${text}</text>`,
    ),
  )
  return parts.join('')
}
