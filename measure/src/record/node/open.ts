/**
 * The continuation that runs, or ran last and is not written yet.
 *
 * Node's loop calls a *task*; microtasks run after it. Each may have been registered by another continuation, so there
 * are several edges to choose from.
 */
import type { Batch, Via } from '../../format/types.ts'
import type { Resource } from './resources.ts'
import type { ResourceType } from './types.ts'

/** How a microtask hangs on another continuation. */
export interface Edge {
  id: number
  registered: number
  /** Location of the registration, or 0. */
  from: number
  /** The user's code registered it itself. */
  direct: boolean
  via: Via
}

export interface Open {
  id: number
  kind: string
  start: number
  /** The task's registration: continuation (0: none known), time (-1: unknown), location (0: unknown). */
  parent: number
  registered: number
  from: number
  recurring: boolean
  registration: number
  /** Location of the function that the loop called, or 0. */
  at: number
  /**
   * Location of the `await` after which the first of its microtasks went on, or 0. Means something only while `at` is
   * 0.
   */
  resumed: number
  /** That function is a script's top level. */
  top: boolean
  batches: Batch[]
  microtasks: number
  edges: Edge[]
  /** The task has ended, and microtasks run or ran: the last of `batches` is theirs. */
  inBatch: boolean
  /** The task is the callback of a handle. */
  handle: boolean
  /**
   * Code of the user's was seen in the task; in the whole continuation; only Node's own code was seen, at least once.
   */
  userTask: boolean
  user: boolean
  internal: boolean
}

/** Until there is one. */
export const NONE: never[] = []

export const opened = (id: number, start: number, kind: string): Open => reopen({} as Open, id, start, kind)

/** The same object, for the next continuation: one for each would be much garbage. */
export function reopen(open: Open, id: number, start: number, kind: string): Open {
  open.id = id
  open.kind = kind
  open.start = start
  open.parent = 0
  open.registered = -1
  open.from = 0
  open.recurring = false
  open.registration = 0
  open.at = 0
  open.resumed = 0
  open.top = false
  open.batches = NONE
  open.microtasks = 0
  open.edges = NONE
  open.inBatch = false
  open.handle = false
  open.userTask = false
  open.user = false
  open.internal = false
  return open
}

/** Code of the user's runs in it. */
export function ranUsers(open: Open): void {
  open.user = true
  if (!open.inBatch) open.userTask = true
}

/** The event loop calls a resource with this number: `open` is its continuation. */
export function calls(open: Open, id: number, resource: Resource, type: ResourceType): void {
  open.recurring = resource.recurring || resource.runs > 0
  open.kind = type.kind === 'timeout' && open.recurring ? 'interval' : type.kind
  if (open.recurring) open.registration = id
  open.parent = resource.owner
  open.registered = resource.registered
  open.from = resource.from
  open.handle = type.handle
  open.at = resource.callback
}

const MAX_EDGES = 8

/** A microtask runs in it. `settler`: the continuation that settled the promise on which it hangs, or 0. */
export function runsMicrotask(open: Open, resource: Resource, settler: number, now: number): void {
  if (!open.inBatch) {
    open.inBatch = true
    if (open.batches === NONE) open.batches = []
    open.batches.push([now, now, 0])
  }
  open.batches[open.batches.length - 1]![2]!++
  open.microtasks++
  if (resource.direct) open.user = true
  // If the callback itself is the user's, it is what the loop called, so nothing is named after it.
  if (resource.awaits && open.at === 0 && open.resumed === 0 && !open.userTask) open.resumed = resource.from
  if (open.edges === NONE) open.edges = []
  if (open.edges.length >= MAX_EDGES) return
  const { owner, registered, from, direct } = resource
  if (owner !== open.id && owner !== 0) open.edges.push({ id: owner, registered, from, direct, via: 'registration' })
  if (settler !== 0 && settler !== open.id && settler !== owner)
    open.edges.push({ id: settler, registered: now, from: 0, direct: false, via: 'resolution' })
}
