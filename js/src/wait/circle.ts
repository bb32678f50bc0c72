/**
 * Circles of activities that wait for one another. An activity cannot end before each of its branches has, so one
 * branch that waits for the circle is enough.
 */
import { branchesOf } from '../core/branchesOf.ts'
import type { Activity, Branch } from '../core/types.ts'

/** A circle through more activities than this is not looked for: the search is a part of every wait for an activity. */
const MOST = 100

/** The other activities of a circle that `branch` has closed by its present wait, in order; null if there is none. */
export function circleOf(branch: Branch): Activity[] | null {
  const first = branch.blocked!.needs!()
  if (first === undefined || (first.blocked === null && first.scope === null)) return null
  const path: Activity[] = []
  const seen = new Set<Activity>()
  const leadsBack = (activity: Activity): boolean => {
    if (activity === branch.activity) return true
    if (seen.has(activity) || seen.size === MOST) return false
    seen.add(activity)
    path.push(activity)
    for (const { blocked } of branchesOf(activity)) {
      const needed = blocked?.needs?.()
      if (needed !== undefined && leadsBack(needed)) return true
    }
    path.pop()
    return false
  }
  return leadsBack(first) && path.length > 0 ? path : null
}
