/**
 * The clauses that wait on one object, in the order of registration.
 *
 * - A clause is on one list at most. It is on this one if it has one `before` it, or is the `head`.
 */

/** What a list needs of a clause. */
export interface Listed {
  before: Listed | null
  after: Listed | null
}

export class ClauseList<C extends Listed = any> {
  head: C | null = null
  private tail: C | null = null

  get empty(): boolean {
    return this.head === null
  }

  push(clause: C): void {
    clause.before = this.tail
    clause.after = null
    if (this.tail === null) this.head = clause
    else this.tail.after = clause
    this.tail = clause
  }

  /** Takes a clause off the list, if it is there. */
  remove(clause: C): void {
    if (clause.before === null && this.head !== clause) return // it is not on the list
    if (clause.before === null) this.head = clause.after as C | null
    else clause.before.after = clause.after
    if (clause.after === null) this.tail = clause.before as C | null
    else clause.after.before = clause.before
    clause.before = clause.after = null
  }

  shift(): C | null {
    const clause = this.head
    if (clause !== null) this.remove(clause)
    return clause
  }

  count(): number {
    let n = 0
    for (let c: Listed | null = this.head; c !== null; c = c.after) n++
    return n
  }
}
