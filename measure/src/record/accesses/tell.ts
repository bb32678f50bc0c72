/** What the watching of accesses has found, as records of a trace. */
import type { Unserialisable } from '../../format/types.ts'
import type { Place } from '../place.ts'
import { sorted } from './lists.ts'
import type { FileSite } from './sites.ts'
import type { Finding, Watch } from './watch.ts'

const MAX_TOLD = 500
const MAX_AWAITS = 6

/** A finding as plain data, which a page can hand over. */
export interface Told extends Omit<Finding, 'waits' | 'last' | 'lengths' | 'costs'> {
  /** How many findings there were before it. */
  number: number
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
  /** Undefined: it is no place of a file that was rewritten. */
  site?: FileSite
}

/** The findings that are wanted. */
export function toldBy(watch: Watch, isWanted: (finding: Finding) => boolean = () => true): Told[] {
  const all: Told[] = []
  let number = -1
  watch.findings.forEach((finding) => {
    number++
    if (!isWanted(finding)) return
    const { kind, first, other, second, operation, count, ended, direct, acted, waits, lengths, costs } = finding
    const sites: number[] = []
    waits.forEach((site) => void (sites[sites.length] = site))
    const computed: number[] = []
    const waited: number[] = []
    for (let i = 0; i < costs.length; i++) {
      computed[i] = costs[i].computed
      waited[i] = costs[i].waited
    }
    all[all.length] = {
      number,
      kind,
      first,
      other,
      second,
      operation,
      count,
      ended,
      direct,
      acted,
      waits: sites,
      runs: Math.max(count, watch.operations(first, second)),
      p50: quantile(lengths, 0.5),
      p99: quantile(lengths, 0.99),
      cpu: [quantile(computed, 0.5), quantile(computed, 0.99)],
      wait: [quantile(waited, 0.5), quantile(waited, 0.99)],
    }
  })
  return all
}

/**
 * Which findings are told before the end, which may be a crash: new ones, and each again whenever it was seen twice as
 * often.
 */
export class News {
  private readonly counts = new Map<Finding, number>()

  has(finding: Finding): boolean {
    const known = this.counts.get(finding)
    if (known === undefined ? this.counts.size >= MAX_TOLD : finding.count < 2 * known) return false
    this.counts.set(finding, finding.count)
    return true
  }
}

/** Those that were seen most often. */
export const mostFrequent = (told: Told[]): Told[] => [...told].sort((a, b) => b.count - a.count).slice(0, MAX_TOLD)

/** To a tenth of a microsecond. The times are sorted. */
function quantile(times: number[], q: number): number {
  sorted(times, (x, y) => x - y)
  return Math.max(0, Math.round(times[Math.min(times.length - 1, Math.floor(q * times.length))] * 10) / 10)
}

/** Undefined: one of its files is unknown. */
export function recordOf(
  told: Told,
  describe: (site: number) => Described | undefined,
  location: (place: Place) => number,
): Unserialisable | undefined {
  const { first, other, second, operation, waits, count, runs, p50, p99, cpu, wait } = told
  const [a, b, c] = [describe(first), describe(other), describe(second)]
  if (a === undefined || b === undefined || c === undefined) return undefined
  const whole = describe(operation)?.function
  const kind = isTestedAgain(told, a, c, whole) ? 'tested again' : isUsedUp(told, a, c) ? 'used again' : told.kind
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

/** The operation only asked before the wait, and asked again after it: it decides anew. */
function isTestedAgain({ kind }: Told, first: Described, second: Described, operation: Place | undefined): boolean {
  return (
    kind === 'changed between two reads' &&
    second.site?.[TESTED] !== undefined &&
    (first.site?.[TESTED] !== undefined || second.site[TESTED].compares === true) &&
    isSame(first.function, operation) &&
    // In the function itself, or in a callback inside it.
    (isSame(second.function, operation) || isBehind(second.function, first.place))
  )
}

/** The operation acted on what it asked before it waited, so what it does after the wait does not follow from that. */
function isUsedUp({ kind, ended, direct, acted }: Told, first: Described, second: Described): boolean {
  if (acted && first.site?.[TESTED] !== undefined) return true
  const { callersCannotTell: how, untold } = first.site?.[TESTED] ?? {}
  const isUpdate = kind === 'stale check' || (kind === 'lost update' && second.site?.[TESTED]?.updates === true)
  if (!direct || (!isUpdate && kind !== 'changed between two reads')) return false
  // A function that cannot wait has ended when its caller has waited.
  if (!isSame(first.function, second.function)) return how === 'at once' || (how === 'later' && ended)
  return untold !== undefined && isAfter(second.site!, untold)
}

const TESTED = 6

const isSame = (a: Place | undefined, b: Place | undefined): boolean =>
  a !== undefined && a.url === b?.url && a.line === b.line && a.column === b.column

const isBehind = (a: Place | undefined, b: Place): boolean =>
  a !== undefined && a.url === b.url && (a.line > b.line || (a.line === b.line && a.column > b.column))

const isAfter = ([line, column]: FileSite, [untilLine, until]: [number, number]): boolean =>
  line > untilLine || (line === untilLine && column >= until)
