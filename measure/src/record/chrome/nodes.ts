/** Continuations in the making, and what hangs them on one another. */
import type { Batch } from '../../format/types.ts'
import type { Code, Kept } from './collect.ts'
import type { Place } from '../place.ts'

export interface Registration {
  /** The continuation that made it; null: none that is known. */
  by: Node | null
  ts: number
  from: Place | null
  /** The browser's name of it, or a kind of ours after `=`. */
  name: string
  recurring: boolean
  /** Numbers those that recur; 0: not numbered yet. */
  id: number
}

export interface Edge {
  /** A flow or message that is looked up when all threads are known. */
  key: number | string | null
  registration: Registration | null
  micro: boolean
}

export interface Node {
  id: number
  thread: number
  /** The task of the event loop in which it began; -1: none. */
  task: number
  start: number
  end: number
  cpu: number
  code: Code
  kind: string
  event: string
  javascript: boolean
  edges: Edge[]
  batches: Batch[]
  microtasks: number
  /** The function that the event loop called; null: unknown, or not told by the browser. */
  at: Place | null
  /** The outermost function that was seen in it, directly or not: a registration's, a call's, a sample's. */
  entry: Place | null
  /** A promise's reaction, or what follows an `await`, has run in it. */
  reacts: boolean
  calls: number
  /** Code of this tool ran in it; it was a callback that the shim knows. */
  ours: boolean
  ran: boolean
  dropped: boolean
}

/** Something the JavaScript library told. */
export interface Told {
  ts: number
  thread: number
  node: Node | null
  fields: string[]
}

/** A continuation that begins with a slice. */
export const begun = (thread: number, task: number, e: Kept): Node => ({
  id: 0,
  thread,
  task,
  start: e.ts,
  end: e.end,
  cpu: 0,
  code: e.code,
  kind: '',
  event: '',
  javascript: false,
  edges: [],
  batches: [],
  microtasks: 0,
  at: null,
  entry: null,
  reacts: false,
  calls: 0,
  ours: false,
  ran: false,
  dropped: false,
})

/** The registrations that flows and messages lead to, of all threads. */
export class Flows {
  private readonly registrations = new Map<number | string, Registration>()
  /** From the flow that a run begins to the one that it ended: runs of one registration. */
  private readonly before = new Map<number | string, number | string>()

  begins(key: number | string, registration: Registration): void {
    this.registrations.set(key, registration)
  }

  goesOn(key: number | string, before: number | string): void {
    this.before.set(key, before)
  }

  /** The registration of an edge, and whether it has run before. */
  resolve(edge: Edge): { registration: Registration; again: boolean } | null {
    if (edge.registration !== null) return { registration: edge.registration, again: false }
    let key = edge.key!
    let again = false
    for (let before = this.before.get(key); before !== undefined; before = this.before.get(key)) {
      key = before
      again = true
    }
    const registration = this.registrations.get(key)
    return registration === undefined ? null : { registration, again }
  }
}
