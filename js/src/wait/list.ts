/** The clauses that wait on one object, in the order of registration. A clause is on one list at most; `listed` says so. */
import type { Clause } from './clause.ts'

export class ClauseList {
  head: Clause<any> | null = null
  tail: Clause<any> | null = null

  get empty(): boolean {
    return this.head === null
  }

  push(clause: Clause<any>): void {
    clause.listed = true
    clause.before = this.tail
    clause.after = null
    if (this.tail === null) this.head = clause
    else this.tail.after = clause
    this.tail = clause
  }

  remove(clause: Clause<any>): void {
    if (!clause.listed) return
    clause.listed = false
    if (clause.before === null) this.head = clause.after
    else clause.before.after = clause.after
    if (clause.after === null) this.tail = clause.before
    else clause.after.before = clause.before
    clause.before = clause.after = null
  }

  shift(): Clause<any> | null {
    const clause = this.head
    if (clause !== null) this.remove(clause)
    return clause
  }

  count(): number {
    let n = 0
    for (let c = this.head; c !== null; c = c.after) n++
    return n
  }
}
