/** What the study's tables are put together from: Markdown, and measures of several recordings as text. */
import { countBelow, type HistogramJson } from '../analysis/histogram.ts'
import { percent } from '../report/format.ts'
import type { Measure } from './measures.ts'
import { medianOf, type Median } from './median.ts'
import type { Run, Studied } from './summary.ts'

export const KINDS = [
  ['web', 'web applications'],
  ['server', 'servers'],
] as const

export const table = (heads: string[], rows: string[][]): string =>
  [
    `| ${heads.join(' | ')} |`,
    `| --- |${' ---: |'.repeat(heads.length - 1)}`,
    ...rows.map((row) => `| ${row.join(' | ')} |`),
  ].join('\n')

export const below = (h: HistogramJson, limit: number): string => percent(countBelow(h, limit), h.count)

/** The shares of none, one and more in a histogram of counts. */
export function shares(h: HistogramJson): string[] {
  const at = (n: number): number => h.bins.find(([bin]) => bin === n)?.[1] ?? 0
  return [at(0), at(1), h.count - at(0) - at(1)].map((n) => percent(n, h.count))
}

export const textOf = ({ share }: Measure, value: number): string =>
  !Number.isFinite(value) ? '–' : share ? percent(value, 1) : String(Number(value.toPrecision(2)))

/** A median with its interval, if it has one that is more than a number. */
export function medianText({ median, interval }: Median, text: (value: number) => string): string {
  if (interval === null || interval[0] === interval[1]) return text(median)
  return `${text(median)} (${text(interval[0])} – ${text(interval[1])})`
}

function measureText(measure: Measure, values: number[]): string {
  const m = medianOf(values)
  return m === null ? '–' : medianText(m, (value) => textOf(measure, value))
}

export const valuesIn = (measure: Measure, runs: Run[]): number[] => runs.flatMap((r) => r.values[measure.key] ?? [])

export const overRuns = (measure: Measure, runs: Run[]): string => measureText(measure, valuesIn(measure, runs))

/** Each application is the median of its runs. */
export const overApplications = (measure: Measure, of: Studied[]): string =>
  measureText(
    measure,
    of.flatMap((a) => medianOf(valuesIn(measure, a.runs))?.median ?? []),
  )
