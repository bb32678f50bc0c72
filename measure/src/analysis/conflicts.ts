/**
 * What a report opens with: operations that something came between. One card each, ranked by evidence, not by length.
 * The strongest is data: an operation read something, waited, and wrote it, though another had written it meanwhile.
 * Where the recording does not know what was read and written, code of the same function that ran in a gap is a hint.
 */
import { counted, grouped } from '../format/counted.ts'
import { baseName } from '../format/address.ts'
import type { Figures } from './figures.ts'
import { ENOUGH_RUNS, type RankedChain } from './ranking.ts'
import { fileOf, functionOf, functionPlace, packageAt, placeText, type Site } from './sites.ts'

export interface Conflict {
  /** `data`: accesses were seen. `function`: code of the same function ran in a gap. */
  evidence: 'data' | 'function'
  /** What happened, of `data`. */
  kind?: string
  /** Of `data`: what was accessed. Of `function`: what the source text says that both write, or one reads. */
  variable?: string
  /** Sites: the operation's function, its first access or step, its awaits, its last; who came between. */
  operation?: number
  first: number
  awaits: number[]
  second: number
  other: number
  /** Times that it was seen, of how many runs. */
  seen: number
  runs: number
  /** How long an atomic block from the first to the last would take, µs; undefined: not known. */
  p50?: number
  p99?: number
  /** How much of that is computing, and waiting without sleeps that the program asked for, if known; [p50, p99]. */
  cpu?: number[]
  wait?: number[]
  /** Of a program in C, where an atomic block must not wait: a lock would be held there. */
  lock: boolean
  /** Of packages, not the program's own. */
  foreign: boolean
  /**
   * Hardly a conflict: it was entered while it waited, but what both sides use is known, and nothing is in common; or
   * another read what it wrote first, and will write again (`loading = true; …; loading = false`); or what changed
   * during the wait was only tested before it, and that test is over.
   */
  hint: boolean
  /** Title of the recording, in pooled figures. */
  from?: string
}

const WEIGHT: Record<string, number> = {
  'lost update': 3,
  'changed between two reads': 1,
  'partly written state was seen': 1,
  'tested again': 0,
  'used again': 0,
}

/** Kinds that are in order in most programs: nothing is done by a value that was read before the wait. */
const IN_ORDER = ['partly written state was seen', 'tested again', 'used again']

export function conflicts(f: Figures): Conflict[] {
  const data = ofData(f)
  const covered = new Set(data.map((c) => functionOf(f.sites[c.second]!)))
  const isTold = ({ second, other }: Conflict): boolean =>
    [second, other].some((site) => covered.has(functionOf(f.sites[site]!)))
  return [...data, ...ofCallSites(f).filter((c) => !isTold(c))].sort((a, b) => weight(b) - weight(a) || b.seen - a.seen)
}

/** What a report tells at once: of own code, and with something that both sides use. */
export const isTelling = (c: Conflict): boolean => !c.foreign && !c.hint

const strength = (kind = ''): number => WEIGHT[kind] ?? 2

/** Own code before packages, data before hints, lost updates before what may be meant so. */
function weight(c: Conflict): number {
  return (c.foreign ? 0 : 100) + (c.hint ? 0 : c.evidence === 'data' ? 10 * strength(c.kind) : 5)
}

/** Findings about one variable in one function are one conflict, whichever of its accesses met. */
function ofData(f: Figures): Conflict[] {
  const byOperation = new Map<string, Conflict>()
  for (const u of f.atomic.unserialisable) {
    const [first, other, second] = u.sites
    const whole = u.operation ?? second
    const key = `${u.variable} ${functionOf(f.sites[whole]!)}`
    const known = byOperation.get(key)
    // Of several kinds, the one that says most.
    if (known !== undefined && strength(known.kind) > strength(u.kind)) continue
    if (known !== undefined && known.kind === u.kind) {
      known.seen += u.count
      known.runs = Math.max(known.runs, known.seen, u.runs ?? 0)
      continue
    }
    byOperation.set(key, {
      evidence: 'data',
      kind: u.kind,
      variable: u.variable,
      operation: u.operation,
      first,
      awaits: u.awaits ?? [],
      second,
      other,
      seen: u.count,
      runs: Math.max(u.count, u.runs ?? 0),
      ...(u.p50 === undefined ? costOfChain(f, second, u.from) : { p50: u.p50, p99: u.p99, cpu: u.cpu, wait: u.wait }),
      lock: isNative(f, u.from),
      foreign: isForeign(f, second),
      hint: IN_ORDER.includes(u.kind),
      from: u.from,
    })
  }
  return [...byOperation.values()]
}

/** The recording with this title, or one that is in these figures, is of a C program. */
export const isNative = (f: Figures, from: string | undefined): boolean =>
  f.recordings.some((r) => r.source === 'native' && (from === undefined || r.title === from))

/**
 * Of a finding without times of its own: those of the chain of two that ran most often and goes on in the same
 * function. Whole continuations are more than what lies between two accesses. A native recording does not tell sleeps
 * from other waits.
 */
function costOfChain(f: Figures, second: number, from: string | undefined): Pick<Conflict, 'p50' | 'p99' | 'cpu'> {
  const name = functionOf(f.sites[second]!)
  let best: RankedChain | undefined
  for (const chain of f.ranking.chains)
    if (
      chain.sites.length === 2 &&
      chain.from === from &&
      name !== undefined &&
      functionOf(f.sites[chain.sites[1]!]!) === name &&
      chain.runs > (best?.runs ?? 0)
    )
      best = chain
  return best === undefined ? {} : { p50: best.p50, p99: best.p99, cpu: best.cpu }
}

/** Of each function, the chain whose gaps its own code entered most often. */
function ofCallSites(f: Figures): Conflict[] {
  const byFunction = new Map<string, Conflict>()
  for (const { sites, runs, sameFunction, by, p50, p99, cpu, wait, from } of f.ranking.chains) {
    if (sameFunction === 0 || runs < ENOUGH_RUNS) continue
    const second = sites.at(-1)!
    const name = functionOf(f.sites[second]!)
    const other = by.find(([site]) =>
      sites.some(
        (s) => functionOf(f.sites[s]!) !== undefined && functionOf(f.sites[s]!) === functionOf(f.sites[site]!),
      ),
    )?.[0]
    if (name === undefined || other === undefined || (byFunction.get(name)?.seen ?? 0) >= sameFunction) continue
    const first = sites[0]!
    const awaits = sites.slice(1, -1)
    const shared = sites.map((site) => sharedBy(f.sites[site]!, f.sites[other]!)).reverse()
    const variable = shared.find((name) => typeof name === 'string') ?? undefined
    const isKnown = isWatched(f) || shared.every((name) => name === null)
    byFunction.set(name, {
      evidence: 'function',
      variable,
      first,
      awaits,
      second,
      other,
      seen: sameFunction,
      runs,
      p50,
      p99,
      cpu,
      ...(!isNative(f, from) && { wait }),
      lock: isNative(f, from),
      foreign: isForeign(f, second),
      hint: variable === undefined && isKnown,
      from,
    })
  }
  return [...byFunction.values()]
}

const isWatched = (f: Figures): boolean => f.recordings.every(({ accesses }) => accesses === true)

/**
 * What one of two functions writes and the other uses: rather what is read and written than what is only written. Null:
 * nothing, by their texts. Undefined: their texts are not known.
 */
function sharedBy({ uses: a }: Site, { uses: b }: Site): string | null | undefined {
  if (a === undefined || b === undefined) return undefined
  const used = [...a.reads, ...a.writes]
  const shared = b.writes.filter((name) => used.includes(name))
  const isUpdated = (name: string): boolean => a.reads.includes(name) && a.writes.includes(name)
  return shared.find(isUpdated) ?? shared[0] ?? a.writes.find((name) => b.reads.includes(name)) ?? null
}

/** In a package that the user has not counted as own. */
function isForeign(f: Figures, index: number): boolean {
  const name = packageAt(f.sites[index]!)
  return name !== undefined && !f.recordings.some((r) => r.own?.includes(name))
}

const nameOf = (site: Site | undefined): string => site?.original?.name ?? site?.function ?? ''

/** `save()`, or where it stands if it has no name. */
function whose(site: Site | undefined, sites: readonly Site[]): string {
  const name = nameOf(site)
  if (name !== '') return `${name}()`
  const place = site === undefined ? undefined : (functionPlace(site, sites) ?? placeText(site, sites))
  return place === undefined ? 'a function without a name' : `the function at ${place}`
}

/** The finding as a sentence. */
export function conflictText(f: Figures, c: Conflict): string {
  const operation = f.sites[c.operation ?? c.second]
  const name = nameOf(operation)
  const who = whose(operation, f.sites).replace(/^the/, 'The')
  const foreign = nameOf(f.sites[c.other])
  const same = functionOf(f.sites[c.other]!) === functionOf(operation!) || (foreign !== '' && foreign === name)
  const other = !same
    ? whose(f.sites[c.other], f.sites)
    : foreign === ''
      ? 'another call of it'
      : `another ${foreign}()`
  const of = `in ${grouped(c.seen)} of ${counted(c.runs, 'run')}`
  if (c.kind === 'lost update')
    return (
      `${who} read ${c.variable ?? 'a variable'}, waited and wrote it, though ${other} had written it ` +
      `meanwhile: ${of}.`
    )
  if (c.kind === 'changed between two reads')
    return `${who} read ${c.variable ?? 'a variable'} twice and waited in between, while ${other} changed it: ${of}.`
  if (c.kind === 'partly written state was seen')
    return `${who} wrote ${c.variable ?? 'a variable'} twice and waited in between, while ${other} read it: ${of}.`
  if (c.kind === 'tested again')
    return `${who} tested ${c.variable ?? 'a variable'} again after a wait in which ${other} had changed it: ${of}.`
  if (c.kind === 'used again')
    return (
      `${who} tested ${c.variable ?? 'a variable'} and acted on it at once, and used it again after a wait in which ` +
      `${other} had changed it: ${of}.`
    )
  if (c.kind === 'stale check')
    return (
      `${who} tested ${c.variable ?? 'a variable'}, waited and acted on it, though ${other} had changed ` +
      `it meanwhile: ${of}.`
    )
  if (c.kind === 'overwritten value')
    return (
      `${who} wrote ${c.variable ?? 'a variable'}, waited and read it, though ${other} had written it ` +
      `meanwhile: ${of}.`
    )
  if (c.evidence === 'data')
    return (
      `${who} was interrupted by ${other} (${c.kind} of ${c.variable ?? 'a variable'}): ` +
      `${counted(c.seen, 'time')}.`
    )
  const shared = c.hint
    ? isWatched(f)
      ? 'Nothing was done by a value that had changed meanwhile.'
      : 'By their source text, they share nothing.'
    : c.variable === undefined
      ? 'What they share is not known.'
      : `By their source text, they share ${c.variable}.`
  return `${who} waits, and ${other} runs in between: ${of}. ${shared}`
}

/** The finding where there is none that is telling. */
export function noConflict(f: Figures, all: Conflict[]): string {
  const unwatched = unwatchedText(f)
  if (unwatched !== undefined) return `No conflict was seen in what was watched. ${unwatched}`
  if (!isWatched(f))
    return isNative(f, undefined)
      ? 'No conflict was seen, but reads and writes were not watched: compile the program with -fcharcoal-atomicity.'
      : 'No conflict was seen, but reads and writes were not watched: they are in mode full, without --no-accesses.'
  const hints = all.filter((c) => c.hint)
  if (hints.some((c) => c.evidence === 'data'))
    return 'No conflict was seen: where values changed or were read while a function waited, it did not go by old ones.'
  return hints.length > 0
    ? 'No conflict was seen: functions were entered while they waited, but nothing was done by what had changed.'
    : isNative(f, undefined) && f.counts.loops > f.recordings.length
      ? 'No conflict was seen between activities of one thread. Between threads, -fsanitize=thread finds them.'
      : 'No conflict was seen: while a function waited, neither it nor anything else that uses its data was run.'
}

const MAX_UNWATCHED = 3

/** Own code that was not watched, as a sentence; undefined: there is none. */
export function unwatchedText(f: Figures): string | undefined {
  const all = [...new Set(f.recordings.flatMap(({ unwatched = [] }) => unwatched))]
  if (all.length === 0) return undefined
  const more = all.length > MAX_UNWATCHED ? `; and ${all.length - MAX_UNWATCHED} more` : ''
  return `Reads and writes were not watched of: ${all.slice(0, MAX_UNWATCHED).join('; ')}${more}.`
}

/** What stays the same when lines move: to compare two recordings. */
export function conflictKey(f: Figures, c: Conflict): string {
  const site = f.sites[c.operation ?? c.second]
  const file = baseName((site && fileOf(site)) ?? '')
  return [c.evidence, c.kind ?? '', c.variable ?? '', nameOf(site), file].join(' ')
}
