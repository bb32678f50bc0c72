/**
 * What kind of object something is, whichever copy of the library made it. `instanceof` knows only the classes of its
 * own copy, and copies that have one domain (see current.ts) run one another's operations. Therefore each class says
 * its kind in the property `$charcoal`, and the library asks that: `isCall`, `isClause`, `isActivity`, `isOperation`.
 */

/**
 * Counts up when objects of older versions cannot be run any more by the loop of newer ones. Copies of one protocol
 * have one domain.
 */
export const PROTOCOL = 1

export const SUSPENSION = 10 * PROTOCOL + 1
export const CLAUSE = 10 * PROTOCOL + 2
export const CALL = 10 * PROTOCOL + 3
export const ACTIVITY = 10 * PROTOCOL + 4
/** The parts of a `waituntil`: a clause with a body, a group, a clause that `when` has removed. */
export const CASE = 10 * PROTOCOL + 5
export const GROUP = 10 * PROTOCOL + 6
export const REMOVED = 10 * PROTOCOL + 7

/** Undefined for what is not the library's. A window of another origin throws an error whatever it is asked. */
export function kindOf(what: any): number | undefined {
  try {
    return what?.$charcoal
  } catch {
    return undefined
  }
}
