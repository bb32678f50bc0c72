/**
 * The first part of a call of a transformed `async` function runs in the call, up to its first wait, as natively. That
 * wait ends it even if it could be answered at once: what follows an `await` natively never runs before its caller has
 * gone on.
 *
 * While an atomic block is open, or the run loop is on the stack of legacy code, the activity is queued like any other.
 */
import type { Activity } from './activity.ts'
import { domain } from './current.ts'
import type { Domain } from './domain.ts'
import type { Branch } from './types.ts'

/** A new activity, the first part of which has run; `source` is what it has its name from. */
export function start<T>(body: unknown, source: unknown = body): Activity<T> {
  const d = domain as Domain
  const activity = d.make<T>(body)
  activity.source = source
  if (d.belonging.now() !== null) d.held.note(activity)
  const { current, starting } = d
  d.starting = true
  if (current !== null) nest(d, activity, current)
  else if (d.pumping || d.top !== d.base) d.enqueue(activity)
  else {
    d.turn(activity)
    d.rest()
  }
  d.starting = starting
  return activity
}

/** Runs the first part of an activity on the stack of another, which goes on afterwards as if nothing had been. */
function nest(d: Domain, activity: Activity<any>, outer: Branch): void {
  if (d.top !== d.base) return d.enqueue(activity)
  const { depth, steps, tracer } = d
  if (d.pending !== null) d.startPending()
  tracer?.stopped(outer)
  d.nested++
  d.run(activity, null)
  d.nested--
  d.current = outer
  d.depth = depth
  d.steps = steps
  tracer?.started(outer)
}
