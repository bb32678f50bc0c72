/** `branchesOf` lists the branches of an activity, for reports and for the search of what a block waits for. */
import type { Activity, Branch } from './types.ts'

/** All branches of an activity, itself first. */
export function branchesOf(activity: Activity): Branch[] {
  const found: Branch[] = [activity]
  activity.scope?.root().members?.each((branch) => branch !== activity && found.push(branch))
  return found
}
