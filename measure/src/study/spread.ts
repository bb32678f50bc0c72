/** How much recordings of one application differ from each other, beside how much applications do. */
import { KINDS, table, textOf, valuesIn } from './cells.ts'
import { MEASURES, type Measure } from './measures.ts'
import { medianOf } from './median.ts'
import type { Studied, Study } from './summary.ts'

const range = (values: number[]): number => Math.max(...values) - Math.min(...values)

/** The median over applications of the difference between the least and the most of an application's recordings. */
function within(measure: Measure, of: Studied[]): number {
  const ranges = of.map((a) => valuesIn(measure, a.runs)).filter((values) => values.length > 1)
  return medianOf(ranges.map(range))?.median ?? NaN
}

/** The difference between the least and the most of the applications, each the median of its recordings. */
function between(measure: Measure, of: Studied[]): number {
  const medians = of.flatMap((a) => medianOf(valuesIn(measure, a.runs))?.median ?? [])
  return medians.length > 1 ? range(medians) : NaN
}

/** Differences of shares are in percentage points, which the page says. */
export function spreadTable({ applications }: Study): string {
  const kinds = KINDS.map(([kind, title]) => [title, applications.filter((a) => a.kind === kind)] as const)
  const present = kinds.filter(([, of]) => of.length > 0)
  const rows = MEASURES.map((m) => [
    m.label,
    ...present.flatMap(([, of]) => [textOf(m, within(m, of)), textOf(m, between(m, of))]),
  ])
  return table(['', ...present.flatMap(([title]) => [`one of the ${title}`, `all ${title}`])], rows)
}
