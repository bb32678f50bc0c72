/** Cancelling an activity marks its implicit scope. One whose body has not begun ends without running it. */
import type { Activity } from '../core/types.ts'
import { START } from '../core/suspension.ts'
import { rootScope } from './root.ts'

export function cancelActivity(activity: Activity, reason: unknown): void {
  if (activity.ended !== 0) return
  const scope = rootScope(activity)
  scope.cancel(reason)
  if (activity.mode === START)
    activity.answer = () => {
      throw scope.error()
    }
}
