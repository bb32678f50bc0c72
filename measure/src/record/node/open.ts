/**
 * The continuation that runs, or ran last and is not written yet; and what is decided about it when it has ended: which
 * of its edges leads to its parent, and what it is called.
 *
 * Node's loop calls a *task*; microtasks run after it. Each may have been registered by another continuation, so there
 * are several edges to choose from.
 */
import type { Batch, Continuation, Via } from '../../format/types.ts'

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
  open.handle = false
  open.userTask = false
  open.user = false
  open.internal = false
  return open
}

/** An end of an edge, after continuations that were left out have been replaced by what stands for them. */
export interface Link {
  id: number
  registered: number
  from: number
}

/** A continuation that was left out has a parent in its place, which registered it then and there. */
export class Aliases {
  private readonly aliases = new Map<number, Link>()

  add(id: number, link: Link): void {
    this.aliases.set(id, link)
  }

  resolve<L extends Link>(link: L): L {
    if (!this.aliases.has(link.id)) return link
    let { id, registered, from } = link
    for (let alias = this.aliases.get(id); alias !== undefined; alias = this.aliases.get(id)) {
      id = alias.id
      registered = alias.registered
      if (alias.from !== 0) from = alias.from
    }
    return { ...link, id, registered, from }
  }
}

export interface Decision {
  parent: Link
  others: Edge[]
  kind: string
  recurring: boolean
}

/**
 * The parent is who registered the task; but a connection or Node's own callback may only deliver what an `await` waits
 * for, and then the `await` is what was registered.
 */
export function decide(open: Open, aliases: Aliases): Decision {
  const task = aliases.resolve<Link>({ id: open.parent, registered: open.registered, from: open.from })
  if (open.edges.length === 0) return { parent: task, others: open.edges, kind: open.kind, recurring: open.recurring }
  const others = open.edges.map((e) => aliases.resolve(e))
  const registered = others.filter((e) => e.via === 'registration' && e.id !== 0)
  const link = registered.find((e) => e.direct) ?? registered[0]
  const delivers = link !== undefined && !open.userTask && (open.handle || task.id === 0)
  if (!delivers) return { parent: task, others, kind: open.kind, recurring: open.recurring }
  if (task.id !== 0) others.push({ ...task, direct: false, via: 'resolution' })
  return { parent: link, others, kind: open.handle ? 'microtasks' : open.kind, recurring: false }
}

/** To tenths of a microsecond: shorter lines. */
export const round = (x: number): number => Math.round(x * 10) / 10

/** The record of a continuation on which all has been decided. */
export function recordOf(
  open: Open,
  { parent, others, kind, recurring }: Decision,
  thread: number,
  start: number,
  end: number,
): Continuation {
  const record: Continuation = {
    type: 'continuation',
    id: open.id,
    thread,
    kind,
    start: round(start),
    end: round(end),
    parent: parent.id === 0 ? null : parent.id,
  }
  if (parent.registered >= 0) record.registered = Math.min(round(parent.registered), record.start)
  if (others.length > 0) {
    const seen = new Set([0, open.id, parent.id])
    const alternatives: [number, Via][] = []
    for (const e of others) if (!seen.has(e.id) && seen.add(e.id)) alternatives.push([e.id, e.via])
    if (alternatives.length > 0) record.alternatives = alternatives
  }
  if (recurring) {
    record.recurring = true
    record.registration = open.registration
  }
  if (open.microtasks > 0) {
    record.microtasks = open.microtasks
    record.batches = open.batches.map(([a, b, n]) => [round(a), Math.max(round(a), round(b)), n])
  }
  const at = open.at !== 0 ? open.at : open.resumed
  if (at !== 0) record.at = at
  if (parent.from !== 0) record.from = parent.from
  return record
}
