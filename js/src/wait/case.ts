/** A case is a clause with the body that `waituntil` runs when the clause is selected. */
import type { Blocker, Branch } from '../core/types.ts'
import { CASE, kindOf } from '../core/kind.ts'
import type { Operation } from '../core/suspension.ts'

/** What has an iterator but is a value, not something to run. */
export type Value = string | readonly unknown[] | ReadonlyMap<unknown, unknown> | ReadonlySet<unknown> | ArrayBufferView

/** A body may return its result, or an operation (a generator, a call) that ends with it. */
export type Body<T, Q> = (value: T) => Q
export type Result<Q> = Q extends Value ? Q : Q extends Operation<infer R> ? R : Q

/** Who gets the answer of a clause: a branch, a `waituntil` of several clauses, or a promise for legacy code. */
export interface Waiter {
  /** The branch that waits; none for legacy code. */
  readonly branch?: Branch | null
  answered(clause: Choosable): void
  /** @internal Whoever waits alone takes its answer: throws if somebody else is about to. */
  goesOn?(): void
}

/** What `waituntil` knows of a clause (see clause.ts). */
export interface Choosable extends Blocker {
  waiter: Waiter | null
  readonly done: boolean
  value: any
  readonly failed?: boolean
  readonly outcome: any
  readonly outside: 0 | 1 | 2
  readonly uncertain: boolean
  readonly resource: unknown
  readonly amount?: number
  poll(): boolean
  register(): void
  ready(earlier: number): boolean
  needs(): ReturnType<NonNullable<Blocker['needs']>>
}

export class Case<R> {
  readonly clause: Choosable
  readonly body: Body<any, R | Operation<R>> | null
  constructor(clause: Choosable, body: Body<any, R | Operation<R>> | null) {
    this.clause = clause
    this.body = body
  }
  /** @internal */ get $charcoal(): number {
    return CASE
  }
}

export function isCase(what: unknown): what is Case<any> {
  return kindOf(what) === CASE
}
