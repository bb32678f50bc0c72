/** A clause with the body that `waituntil` runs when the clause is selected. */
import type { Operation } from '../core/suspension.ts'
import type { Clause } from './clause.ts'

/** What has an iterator but is a value, not something to run. */
type Value = string | readonly unknown[] | ReadonlyMap<unknown, unknown> | ReadonlySet<unknown> | ArrayBufferView

/** A body may return its result, or an operation (a generator, a call) that ends with it. */
export type Body<T, Q> = (value: T) => Q
export type Result<Q> = Q extends Value ? Q : Q extends Operation<infer R> ? R : Q

export class Case<T, R> {
  readonly clause: Clause<T>
  readonly body: Body<T, R | Operation<R>> | null
  constructor(clause: Clause<T>, body: Body<T, R | Operation<R>> | null) {
    this.clause = clause
    this.body = body
  }
}
