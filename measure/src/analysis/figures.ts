/**
 * All that the analysis says about one recording, or about several together: numbers and short lists, whatever the
 * length of the recording. `schema/figures.schema.json` describes it as JSON.
 */
import type { Calibration, Unserialisable as Found } from '../format/types.ts'
import type { BranchingJson } from './branching.ts'
import type { ChainsJson } from './chains.ts'
import type { ConcurrencyJson } from './concurrency.ts'
import type { DurationsJson } from './durations.ts'
import type { GapsJson } from './gaps.ts'
import type { LastChildJson } from './last_child.ts'
import type { MicrotasksJson } from './microtasks.ts'
import type { RankingJson } from './ranking.ts'
import type { Site } from './sites.ts'
import type { SubtreeRow } from './subtrees.ts'
import type { TimelinePiece } from './timeline.ts'
import type { TinyEntry } from './tiny.ts'
import type { WaitEntry } from './waits.ts'

export const FIGURES_VERSION = 1

/** One recording, as its header, its end and its calibration tell. */
export interface Recording {
  title: string
  source: string
  tool: string
  mode?: string
  started?: string
  command?: string[]
  /** Packages that count as the program's own code. */
  own?: string[]
  /** What the program's own code read and wrote was watched. */
  accesses?: boolean
  /** Own code that was not watched all the same, as parts of a sentence. */
  unwatched?: string[]
  /** µs from the recording's origin to its end. */
  length: number
  continuations: number
  dropped: number
  reason: string
  /** Of one with the reason `signal`: the signal's name. */
  signal?: string
  /** Of one with the reason `hung`: for how long the event loop stood still, µs. */
  hungFor?: number
  /** Of one with the reason `hung`: the function that did not return to the event loop, as `siteText` has it. */
  hungIn?: string
  /** What happened to child processes that did not end by themselves, as sentences. */
  children?: string[]
  calibration?: Pick<Calibration, 'kinds' | 'overhead'>
}

export interface Counts {
  continuations: number
  loops: number
  /** Sum over the loops of the time in which continuations ran, µs. */
  busy: number
  /** Edges within one event loop, recurring ones included. */
  edges: number
  recurring: number
  roots: number
  /** Of the roots: registered by a continuation of another loop; by one that the recording does not have. */
  crossLoop: number
  lostParents: number
  /** Edges whose registration nobody saw: the parent is what settled the promise or sent the message. */
  byResolution: number
  kinds: Record<string, number>
}

/** Atomic blocks of the JavaScript library or the native runtime, and what ran in them though it should not have. */
export interface AtomicJson {
  activities: number
  blocks: number
  interruptions: number
  /** Time that blocks stayed open, µs; the longest first. */
  longest: { name: string; duration: number }[]
  interrupted: { name: string; site: number; count: number }[]
  /**
   * Interleavings that no serial order explains (native programs compiled with -fcharcoal-atomicity), the most frequent
   * first.
   */
  unserialisable: Unserialisable[]
}

/** As in the trace, with sites in place of locations. */
export interface Unserialisable extends Omit<Found, 'type' | 'first' | 'other' | 'second'> {
  /** The first access, the other activity's, the second. */
  sites: [first: number, other: number, second: number]
  /** Title of the recording, in pooled figures. */
  from?: string
}

export interface Figures {
  schema: 'charcoal-figures'
  version: typeof FIGURES_VERSION
  title: string
  recordings: Recording[]
  counts: Counts
  durations: DurationsJson
  branching: BranchingJson
  concurrency: ConcurrencyJson
  gaps: GapsJson
  chains: ChainsJson
  microtasks: MicrotasksJson
  subtrees: SubtreeRow[]
  ranking: RankingJson
  tiny: TinyEntry[]
  lastChild: LastChildJson
  /** Of native programs only: the functions in which activities waited, the longest total first. */
  waits?: WaitEntry[]
  timeline: TimelinePiece[]
  atomic: AtomicJson
  notes: string[]
  sites: Site[]
}
