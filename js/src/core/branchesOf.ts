/** The branches of an activity, for reports and for the search of what somebody waits for. */
import type { Activity, Branch } from './types.ts'

/** Does `f` hold for a branch of the activity? It is asked of no further one then, because there may be many. */
export function someBranch(activity: Activity, f: (branch: Branch) => boolean): boolean {
  return f(activity) || activity.scope?.root().members?.some(f) === true
}

/** All branches of an activity, itself first. */
export function branchesOf(activity: Activity): Branch[] {
  const found: Branch[] = []
  someBranch(activity, (branch) => found.push(branch) === 0)
  return found
}
