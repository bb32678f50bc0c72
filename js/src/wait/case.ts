/** A clause with the body that `waituntil` runs when the clause is selected. */
import type { Operation } from '../core/suspension.ts'
import type { Clause } from './clause.ts'

export type Body<T, R> = ((value: T) => Generator<unknown, R, any> | Operation<R>) | ((value: T) => R)
export type Result<R> = R extends Operation<infer X> ? X : R

export class Case<T, R> {
  readonly clause: Clause<T>
  readonly body: Body<T, R> | null
  constructor(clause: Clause<T>, body: Body<T, R> | null) {
    this.clause = clause
    this.body = body
  }
}
