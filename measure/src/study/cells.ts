/** What the study's tables are put together from: Markdown, and measures of several recordings as text. */
import { countBelow, type HistogramJson } from '../analysis/histogram.ts'
import { percent } from '../report/format.ts'
import type { Measure } from './measures.ts'
import { medianOf } from './median.ts'
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

function intervalText(measure: Measure, values: number[]): string {
  const m = medianOf(values)
  if (m === null) return '–'
  return m.low === m.high
    ? textOf(measure, m.median)
    : `${textOf(measure, m.median)} (${textOf(measure, m.low)} – ${textOf(measure, m.high)})`
}

export const valuesIn = (measure: Measure, runs: Run[]): number[] => runs.flatMap((r) => r.values[measure.key] ?? [])

export const overRuns = (measure: Measure, runs: Run[]): string => intervalText(measure, valuesIn(measure, runs))

/** Each application is the median of its runs. */
export const overApplications = (measure: Measure, of: Studied[]): string =>
  intervalText(
    measure,
    of.flatMap((a) => medianOf(valuesIn(measure, a.runs))?.median ?? []),
  )
