/** Places in source text from the browser's sampling profiler: of a registration, and of what a continuation ran. */
import type { Place } from '../place.ts'
import type { ChromeThread, Collection, Profile } from './collect.ts'

/** Scripts of this tool. */
export const OWN = 'charcoal-measure:'

/** µs by which a sample and the event that asked for it may lie apart. */
const APART = 200

/** The same where the thread was set aside between the two: it has not gone on meanwhile. */
const SET_ASIDE = 200_000

export interface Stack {
  /** The user's innermost function, at the line that runs; the outermost, at its beginning. */
  inner: Place | null
  outer: Place | null
}

const NOWHERE: Stack = { inner: null, outer: null }

export class Stacks {
  private readonly profiles: Profile[]

  constructor(collection: Collection, thread: ChromeThread) {
    const ofThread = [...collection.profiles.entries()].filter(
      ([key, p]) => p.tid === thread.tid && key.startsWith(`${thread.pid}:`),
    )
    this.profiles = ofThread.map(([, p]) => p)
    for (const { taken } of this.profiles) taken.sort((a, b) => a.ts - b.ts)
  }

  /** The stack of the sample that an event at `ts` asked for. */
  at(sample: unknown, ts: number): Stack {
    for (const profile of this.profiles) {
      const node = profile.samples.get(sample as number)
      if (node !== undefined) return stack(profile, node, nearest(profile, node, ts))
    }
    return NOWHERE
  }

  /** The outermost function of any sample between two times: what ran there, if it ran long enough to be seen. */
  during(from: number, to: number): Place | null {
    for (const profile of this.profiles) {
      for (let i = firstAt(profile, from); i < profile.taken.length && profile.taken[i].ts < to; i++) {
        const { outer } = stack(profile, profile.taken[i].node, null)
        if (outer !== null) return outer
      }
    }
    return null
  }
}

function stack({ nodes }: Profile, id: number, at: { line: number; column: number } | null): Stack {
  let inner: Place | null = null
  let outer: Place | null = null
  // Built-in functions have no place of their own: the sample's line is that of their caller. One of this tool's own
  // functions between would take it for itself.
  let exact = at !== null && at.line > 0
  for (
    let node = nodes.get(id), depth = 0;
    node !== undefined && depth < 1000;
    node = nodes.get(node.parent), depth++
  ) {
    if (node.url === '') continue
    if (node.url.startsWith(OWN)) {
      exact = false
      continue
    }
    const { url, line, column, name } = node
    if (inner === null)
      inner = exact
        ? { url, line: at!.line, column: Math.max(1, at!.column), name, begin: [line, column] }
        : { url, line, column, name }
    outer = { url, line, column, name }
  }
  return { inner, outer }
}

/** Index of the first sample at or after a time. */
function firstAt({ taken }: Profile, ts: number): number {
  let low = 0
  let high = taken.length
  while (low < high) {
    const mid = (low + high) >>> 1
    if (taken[mid].ts < ts) low = mid + 1
    else high = mid
  }
  return low
}

/** The sample with this node that is nearest in time; if none is near, the next one. */
function nearest(profile: Profile, node: number, ts: number): Profile['taken'][number] | null {
  let best: Profile['taken'][number] | null = null
  for (let i = firstAt(profile, ts - APART); i < profile.taken.length && profile.taken[i].ts <= ts + APART; i++) {
    const sample = profile.taken[i]
    if (sample.node === node && (best === null || Math.abs(sample.ts - ts) < Math.abs(best.ts - ts))) best = sample
  }
  for (
    let i = firstAt(profile, ts + APART);
    best === null && i < profile.taken.length && profile.taken[i].ts <= ts + SET_ASIDE;
    i++
  ) {
    if (profile.taken[i].node === node) best = profile.taken[i]
  }
  return best
}

const count = (x: unknown): number => (Number.isSafeInteger(x) && (x as number) >= 0 ? (x as number) : 0)

/** Of an event that carries its stack itself. */
export function stackPlace(data: any): Place | null {
  const frame = data?.stackTrace?.[0]
  if (typeof frame?.url !== 'string' || frame.url === '') return null
  return {
    url: frame.url,
    line: count(frame.lineNumber),
    column: count(frame.columnNumber),
    name: String(frame.functionName ?? ''),
  }
}

/** Of an event that tells the function that is called. */
export function callPlace(data: any): Place | null {
  if (typeof data?.url !== 'string' || data.url === '') return null
  return { url: data.url, line: count(data.line), column: count(data.column), name: String(data.name) }
}
