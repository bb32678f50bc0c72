/**
 * The records of a trace, as `FORMAT.md` describes them. Times are microseconds since the file's origin; ids are
 * positive integers.
 */
export const FORMAT_VERSION = 1

export interface Header {
  type: 'charcoal-trace'
  version: number
  source: 'web' | 'node' | 'js' | 'native' | 'chrome' | 'synthetic'
  tool: string
  mode?: string
  started?: string
  command?: string[]
  /** Names of packages whose code counts as the program's own. */
  own?: string[]
  /** What the program's own code read and wrote was watched. */
  accesses?: boolean
  title?: string
}

/** One event loop: its continuations never overlap, and interrupt each other. */
export interface Thread {
  type: 'thread'
  id: number
  kind: string
  name?: string
  url?: string
  process?: number
}

export interface Location {
  type: 'location'
  id: number
  url: string
  /** From 1; 0 is unknown. */
  line: number
  column: number
  function?: string
  sourceMap?: string
  /** Where the function begins that the place is in; absent: the place is a function's beginning, or unknown. */
  begin?: [line: number, column: number]
}

/** Where a location lies in the text that people wrote, by the source map of the time of the recording. */
export interface Original {
  type: 'original'
  location: number
  source: string
  line: number
  column: number
  name?: string
  begin?: [line: number, column: number]
  /** What is accessed there, if that is known; `unserialisable` has its name in the text that ran. */
  variable?: string
}

/**
 * Which variables and properties the function that a location is in, and those that it calls, name in their source
 * text: those of others too, not the function's own. Whether they were the same objects is not known.
 */
export interface Uses {
  type: 'uses'
  location: number
  reads: string[]
  writes: string[]
}

/** `registration`: the parent registered the callback. `resolution`: the parent settled or sent what it waited for. */
export type Via = 'registration' | 'resolution'

/** One drain of the microtask queue: start, end, how many microtasks (null: unknown). */
export type Batch = [start: number, end: number, count: number | null]

export interface Continuation {
  type: 'continuation'
  id: number
  thread: number
  kind: string
  start: number
  end: number
  parent: number | null
  registered?: number
  via?: Via
  alternatives?: [id: number, via: Via][]
  recurring?: boolean
  registration?: number
  microtasks?: number
  batches?: Batch[]
  at?: number
  from?: number
  cpu?: number
  activity?: number
  callers?: number[]
  atomic?: number
}

export interface ActivityStart {
  type: 'activity-start'
  id: number
  name: string
  time: number
  thread: number
  parent?: number | null
  at?: number
}

export interface ActivityEnd {
  type: 'activity-end'
  id: number
  time: number
  outcome?: string
}

/** An activity ran inside a continuation. */
export interface Step {
  type: 'step'
  activity: number
  continuation: number
  start: number
  end: number
}

export interface AtomicEnter {
  type: 'atomic-enter'
  id: number
  activity: number
  thread: number
  time: number
  name?: string
  at?: number
  outer?: number
}

export interface AtomicLeave {
  type: 'atomic-leave'
  id: number
  time: number
}

/** A foreign continuation ran while an atomic block was open. */
export interface Interruption {
  type: 'interruption'
  atomic: number
  continuation: number
  start: number
  end: number
}

/** Two accesses of one activity to one location, with another's between them that no serial order explains. */
export interface Unserialisable {
  type: 'unserialisable'
  kind: string
  variable?: string
  /** Locations: the activity's accesses, and the other's between them. */
  first: number
  other: number
  second: number
  count: number
  /** The function that the two accesses belong to. */
  operation?: number
  /** The awaits during which it waited between the two. */
  awaits?: number[]
  /** How often the pair of accesses ran with a wait in between, interrupted or not. */
  runs?: number
  /** From the first access to the second, µs. */
  p50?: number
  p99?: number
  /** p50 and p99 of the time between that the operation computed, and waited: without sleeps that it asked for, µs. */
  cpu?: number[]
  wait?: number[]
  /** While it is recorded: a later record with this number replaces it. */
  finding?: number
}

export interface Sources {
  type: 'sources'
  kinds: Record<string, number>
}

export interface Calibration {
  type: 'calibration'
  kinds: Record<string, { runs: number; edges: number; expected: number }>
  overhead: Record<string, { bare: number; recorded: number }>
}

export interface Dropped {
  type: 'dropped'
  thread: number
  count: number
  from?: number
  to?: number
}

/** Something the program wanted to see in the trace. */
export interface Mark {
  type: 'mark'
  name: string
  time: number
  thread: number
  continuation: number
}

export interface Note {
  type: 'note'
  text: string
  code?: string
}

export interface End {
  type: 'end'
  end: number
  reason: string
  continuations: number
  dropped: number
  exitCode?: number
  /** With the reason `signal`: the signal's name. */
  signal?: string
}

export type TraceRecord =
  | Header
  | Thread
  | Location
  | Original
  | Uses
  | Continuation
  | ActivityStart
  | ActivityEnd
  | Step
  | AtomicEnter
  | AtomicLeave
  | Interruption
  | Unserialisable
  | Sources
  | Calibration
  | Dropped
  | Mark
  | Note
  | End
