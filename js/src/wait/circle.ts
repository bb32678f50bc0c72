/**
 * Circles of activities that wait for one another. An activity cannot end before each of its branches has, so one
 * branch that waits for the circle is enough.
 */
import { someBranch } from '../core/branchesOf.ts'
import type { Activity, Branch } from '../core/types.ts'

/**
 * How much is looked at, because the search is a part of every wait for an activity: each branch counts, and each
 * activity as much as ten. A circle that is longer is not found.
 */
const MOST = 1000

/** The other activities of a circle that `branch` has closed by its present wait, in order; null if there is none. */
export function circleOf(branch: Branch): Activity[] | null {
  const first = branch.blocked!.needs!()
  if (first === undefined || (first.blocked === null && first.scope === null)) return null
  const path: Activity[] = []
  const seen = new Set<Activity>()
  let left = MOST
  const leadsBack = (activity: Activity): boolean => {
    if (activity === branch.activity) return true
    if (seen.has(activity)) return false
    seen.add(activity)
    path.push(activity)
    left -= 10
    const found = someBranch(activity, ({ blocked }) => {
      const needed = blocked?.needs?.()
      return --left < 0 || (needed !== undefined && leadsBack(needed))
    })
    if (!found) path.pop()
    return found
  }
  return leadsBack(first) && left >= 0 && path.length > 0 ? path : null
}
