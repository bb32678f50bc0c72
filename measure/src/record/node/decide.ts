/**
 * What is decided about a continuation when it has ended: which of its edges leads to its parent, and what it is
 * called.
 * Continuations that were left out are replaced by what stands for them.
 */
import type { Continuation, Via } from '../../format/types.ts'
import type { Edge, Open } from './open.ts'

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
