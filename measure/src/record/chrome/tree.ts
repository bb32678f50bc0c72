/**
 * Hangs the continuations of a trace's threads on one another.
 *
 * Slices in which no JavaScript ran (an event without listeners) are no continuations. The parent of one is the
 * continuation in which the registration of its outermost asynchronous task stands; for a batch of microtasks, the
 * registration of the first of them that another continuation made. All others are alternatives.
 */
import type { Batch, Continuation, Via } from '../../format/types.ts'
import { Code, type ChromeThread, type Collection } from './collect.ts'
import { repeats, taskKind } from './kinds.ts'
import { Flows, type Node, type Registration, type Told } from './nodes.ts'
import type { Place } from '../place.ts'
import { Walk } from './walk.ts'

export interface Tree {
  threads: { thread: ChromeThread; nodes: Node[] }[]
  told: Told[]
}

const MAX_ALTERNATIVES = 8

export class TreeMaker {
  private readonly flows = new Flows()
  private readonly collection: Collection
  private registrations = 0
  private readonly primary = new Map<Node, Registration>()
  private readonly usersOf = new Map<Registration, Node[]>()
  /** Continuations whose registration turned out to run again. */
  private readonly again = new Set<Node>()

  constructor(collection: Collection) {
    this.collection = collection
  }

  make(): Tree {
    const threads = [...this.collection.threads.values()].filter((t) => t.kept.length > 0)
    const walks = threads.map((thread, i) => new Walk(this.collection, this.flows, thread, i))
    for (const { nodes } of walks) for (const node of nodes) this.join(node)
    for (const { nodes } of walks) for (const node of nodes) if (this.again.has(node)) this.repeat(node)
    return {
      threads: walks.map(({ nodes }, i) => ({ thread: threads[i], nodes })),
      told: walks.flatMap(({ told }) => told),
    }
  }

  /** Decides on a continuation's kind, parent and alternatives, now that all registrations are known. */
  private join(node: Node): void {
    if (!node.javascript || (node.ours && node.calls === 0 && !node.ran)) {
      node.dropped = true
      return
    }
    const { chosen, again, others } = this.choose(node)
    node.kind = kindOf(node, chosen?.name ?? '', again)
    const primary = chosen ?? (node.code === Code.Microtasks ? (others.shift() ?? null) : null)
    if (primary !== null) this.hang(node, primary, again)
    node.edges = others.map((registration) => ({ key: null, registration, micro: true }))
  }

  /** Of a continuation's registrations the one that it is the run of, if it has run before, and those of others. */
  private choose(node: Node): { chosen: Registration | null; again: boolean; others: Registration[] } {
    let chosen: Registration | null = null
    let again = false
    let flowed = false
    const others: Registration[] = []
    for (const edge of node.edges) {
      const found = this.flows.resolve(edge)
      if (found === null || found.registration.by === node) continue
      // A flow and a fallback (timer ids, message ids) tell of the same registration: the flow has more to say, the
      // fallback more certainly whether it repeats.
      const better: boolean =
        chosen === null ||
        (!flowed && edge.key !== null && chosen.by === found.registration.by && !chosen.name.startsWith('='))
      if (!edge.micro && better) {
        again ||= found.again || (chosen?.recurring ?? false)
        chosen = found.registration
        flowed = edge.key !== null
      } else if (found.registration.by !== null) others.push(found.registration)
    }
    return { chosen, again, others }
  }

  private hang(node: Node, primary: Registration, again: boolean): void {
    const elsewhere = primary.by !== null && primary.by.thread !== node.thread
    if (elsewhere && node.kind === 'message') node.kind = 'worker-message'
    if (again || primary.recurring || repeats(node.kind)) {
      primary.recurring = true
      this.again.add(node)
    }
    this.primary.set(node, primary)
    const users = this.usersOf.get(primary) ?? []
    this.usersOf.set(primary, users)
    users.push(node)
    if (primary.recurring) for (const user of users) this.again.add(user)
  }

  private repeat(node: Node): void {
    const registration = this.primary.get(node)!
    registration.recurring = true
    registration.id ||= ++this.registrations
  }

  /**
   * The place of the `await` after which a continuation goes on: the first of its registrations that is one, if no
   * `then` comes before it.
   */
  private awaited(node: Node, primary: Registration | null): Place | null {
    const promises = [primary, ...node.edges.map((e) => e.registration)].filter(
      (r) => r !== null && taskKind(r.name) === 'promise',
    )
    return promises[0]?.name === 'await' ? promises[0].from : null
  }

  /** The record of a continuation, once all have their ids. */
  record(node: Node, origin: number, location: (place: Place) => number, clamp: (t: number) => number): Continuation {
    const primary = this.primary.get(node) ?? null
    const parent = primary === null ? null : alive(primary.by)
    const start = clamp(node.start - origin)
    const record: Continuation = {
      type: 'continuation',
      id: node.id,
      thread: node.thread + 1,
      kind: node.kind,
      start,
      end: Math.max(start, node.end - origin),
      parent: parent?.id ?? null,
    }
    if (parent !== null) record.registered = Math.max(0, Math.min(primary!.ts - origin, record.start))
    const alternatives = alternativesOf(node, parent)
    if (alternatives.length > 0) record.alternatives = alternatives
    if (primary?.recurring === true) {
      record.recurring = true
      record.registration = primary.id ||= ++this.registrations
    }
    if (node.microtasks > 0) record.microtasks = node.microtasks
    if (node.batches.length > 0)
      record.batches = node.batches
        .map(([a, b, n]): Batch => [
          Math.max(record.start, a - origin),
          Math.max(record.start, a - origin, b - origin),
          n,
        ])
        .slice(0, 10_000)
    const at = node.at ?? this.awaited(node, primary) ?? node.entry
    if (at !== null) record.at = location(at)
    if (primary !== null && primary.from !== null) record.from = location(primary.from)
    if (node.cpu > 0) record.cpu = node.cpu
    return record
  }
}

/** The continuation itself unless it was left out. */
function alive(node: Node | null): Node | null {
  return node === null || node.dropped ? null : node
}

/** The other continuations that have registered something of it. */
function alternativesOf(node: Node, parent: Node | null): [number, Via][] {
  const seen = new Set<number>([node.id, parent?.id ?? 0])
  const alternatives: [number, Via][] = []
  for (const { registration } of node.edges) {
    const by = alive(registration!.by)
    if (by === null || seen.has(by.id) || alternatives.length >= MAX_ALTERNATIVES) continue
    seen.add(by.id)
    alternatives.push([by.id, 'registration'])
  }
  return alternatives
}

/** What a continuation is called; `name` is that of its registration, `again` that this has run before. */
function kindOf({ kind: seen, event, code }: Node, name: string, again: boolean): string {
  const ours = name.startsWith('=')
  const ofName = ours ? name.slice(1) : (taskKind(name) ?? '')
  let kind = seen
  if (kind === 'timeout' && (repeats(taskKind(name) ?? '') || again)) kind = 'interval'
  if (kind === '' || (kind === 'message' && ours)) kind = ofName === 'script' && event !== '' ? '' : ofName
  if (kind === 'promise' && code === Code.Microtasks) return 'microtasks'
  if (kind !== '') return kind
  if (event !== '') return `event:${event.slice(0, 100)}`
  if (/^[a-z]+$/.test(name)) return `event:${name}`
  return code === Code.Microtasks ? 'microtasks' : 'callback'
}
