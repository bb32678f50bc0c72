/**
 * The clauses that wait on one object, in the order of registration. They form a ring, in which the list itself stands
 * between the last and the first.
 *
 * - A clause is on one list at most. It is on one exactly while its `before` is not null.
 */

/** What a list needs of a clause. */
export interface Listed {
  before: Listed | null
  after: Listed | null
}

export class ClauseList<C extends Listed = any> implements Listed {
  /** The last one, or the list itself. */
  before: Listed = this
  /** The first one, or the list itself. */
  after: Listed = this

  get head(): C | null {
    return this.after === this ? null : (this.after as C)
  }

  push(clause: C): void {
    clause.after = this
    clause.before = this.before
    this.before = this.before.after = clause
  }

  /** Takes a clause off the list, if it is there. */
  remove(clause: C): void {
    if (clause.before === null) return
    clause.before.after = clause.after
    clause.after!.before = clause.before
    clause.before = clause.after = null
  }

  shift(): C | null {
    const clause = this.head
    if (clause !== null) this.remove(clause)
    return clause
  }

  /** Rings have no JSON. */
  toJSON(): object {
    return {}
  }
}

/** It is no method, so that a bundle has it only where somebody counts. */
export function count(list: ClauseList): number {
  let n = 0
  for (let at = list.after; at !== list; at = at.after!) n++
  return n
}
