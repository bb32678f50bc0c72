/**
 * Circles of activities that wait for one another. An activity cannot end before each of its branches has, so one
 * branch that waits for the circle is enough.
 */
import { someBranch } from '../core/branchesOf.ts'
import type { Activity, Branch } from '../core/types.ts'

/**
 * How much is looked at, because the search is a part of every wait for an activity: each branch counts, and each
 * activity as much as ten. What searches have not used is left to later ones: a circle is mostly closed by one wait
 * after many that had little to look at. One that is longer is not found.
 */
const EACH = 1000
const MOST = 200_000

/** The searches of a domain. */
export class Circles {
  /** What they have not used. */
  private saved = 0

  /** The other activities of a circle that `branch` has closed by its present wait, in order; null if there is none. */
  closedBy(branch: Branch): Activity[] | null {
    const first = branch.blocked!.needs!()
    if (first === undefined || first === branch.activity) return null
    if (first.blocked === null && first.scope === null) return null
    let left = Math.min(MOST, this.saved + EACH)
    /** What an activity waits for, the last first. */
    const needsOf = (activity: Activity): Activity[] => {
      const needs: Activity[] = []
      left -= 10
      someBranch(activity, ({ blocked }) => {
        const needed = blocked?.needs?.()
        if (needed !== undefined) needs.push(needed)
        return --left < 0
      })
      return needs.reverse()
    }
    const seen = new Set([first])
    const path = [first]
    /** What is still to be looked at of what each of `path` waits for. */
    const ahead = [needsOf(first)]
    let closed = false
    while (!closed && left >= 0 && path.length > 0) {
      const next = ahead[ahead.length - 1]!.pop()
      closed = next === branch.activity
      if (next === undefined) {
        path.pop()
        ahead.pop()
      } else if (!closed && !seen.has(next)) {
        seen.add(next)
        path.push(next)
        ahead.push(needsOf(next))
      }
    }
    this.saved = Math.max(0, left)
    return closed ? path : null
  }
}
