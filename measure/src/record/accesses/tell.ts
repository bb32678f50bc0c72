/** What the watching of accesses has found, as records of a trace. */
import type { Unserialisable } from '../../format/types.ts'
import type { Place } from '../place.ts'
import type { Finding, Watch } from './watch.ts'

const MAX_TOLD = 500
const MAX_AWAITS = 6

/** A finding as plain data, which a page can hand over. */
export interface Told extends Omit<Finding, 'waits' | 'lengths' | 'costs'> {
  /** Sites. */
  waits: number[]
  runs: number
  p50: number
  p99: number
  /** p50 and p99 of the time that the operation computed, and waited. */
  cpu: [number, number]
  wait: [number, number]
}

/** What a site says. */
export interface Described {
  place: Place
  text: string
  function?: Place
}

/** The findings that were seen most often. */
export function toldBy(watch: Watch): Told[] {
  const findings = [...watch.findings.values()].sort((a, b) => b.count - a.count).slice(0, MAX_TOLD)
  return findings.map(({ waits, lengths, costs, ...finding }) => {
    const [p50, p99] = quantiles(lengths)
    const cpu = quantiles(costs.map(({ computed }) => computed))
    const wait = quantiles(costs.map(({ waited }) => waited))
    const runs = Math.max(finding.count, watch.operations(finding.first, finding.second))
    return { ...finding, waits: [...waits], runs, p50, p99, cpu, wait }
  })
}

/** The median and the 99th of a hundred, to a tenth of a microsecond. */
function quantiles(times: number[]): [number, number] {
  const sorted = times.sort((x, y) => x - y)
  const at = (q: number): number =>
    Math.max(0, Math.round(sorted[Math.min(sorted.length - 1, Math.floor(q * sorted.length))] * 10) / 10)
  return [at(0.5), at(0.99)]
}

/** Undefined: one of its files is unknown. */
export function recordOf(
  told: Told,
  describe: (site: number) => Described | undefined,
  location: (place: Place) => number,
): Unserialisable | undefined {
  const { kind, first, other, second, operation, waits, count, runs, p50, p99, cpu, wait } = told
  const [a, b, c] = [describe(first), describe(other), describe(second)]
  if (a === undefined || b === undefined || c === undefined) return undefined
  const whole = describe(operation)?.function
  const awaits = waits.flatMap((site) => describe(site)?.place ?? []).slice(0, MAX_AWAITS)
  return {
    type: 'unserialisable',
    kind,
    variable: c.text,
    first: location(a.place),
    other: location(b.place),
    second: location(c.place),
    count,
    ...(whole !== undefined && { operation: location(whole) }),
    ...(awaits.length > 0 && { awaits: awaits.map(location) }),
    runs,
    p50,
    p99,
    cpu,
    wait,
  }
}
