/**
 * Every activity has an implicit scope around its body, made when it is first needed: it knows whether the activity is
 * cancelled. Scopes that a program opens have more (see scope.ts), and so have those in which something was started
 * (see members.ts). Programs that do neither do without both files.
 *
 * - `marked` is set by `cancel`, here or in an enclosing scope, and stays.
 * - `origin` is the scope on which cancel was called, set with `marked`.
 * - `members` is what was started inside; null: nothing yet.
 */
import type * as types from '../core/types.ts'
import type { Activity, Branch, Members } from '../core/types.ts'
import { Cancelled, isCancelled } from './errors.ts'

export class RootScope implements types.Scope {
  readonly parent: RootScope | null
  readonly owner: Branch
  /** @internal */ marked: boolean = false
  /** @internal */ origin: types.Scope | null = null
  /** @internal */ reason: unknown = undefined
  /** @internal */ members: Members | null = null
  /** @internal */ controller: AbortController | null = null

  constructor(owner: Branch, parent: RootScope | null) {
    this.owner = owner
    this.parent = parent
  }

  /** See `Scope`. */
  cancel(reason?: unknown): void {
    this.mark(this, reason)
  }

  /** @internal */
  mark(origin: types.Scope, reason: unknown): void {
    if (this.marked) return
    this.members?.mark(origin, reason)
    this.marked = true
    this.origin = origin
    this.reason = reason
    this.interrupt(this.owner)
    this.members?.interrupt()
    const { controller, owner } = this
    if (controller === null) return
    const { context } = owner
    if (context === null) controller.abort(this.error())
    else context.runInAsyncScope(controller.abort, controller, this.error())
  }

  /** @internal */
  interrupt(branch: Branch): void {
    if (branch.scope === this && branch.blocked !== null && branch.blocked.fixed !== true)
      branch.interrupt(this.error())
  }

  /** @internal */
  error(): Cancelled {
    // The error's stack would only show the run loop. Not recording it saves most of the cost of a cancel.
    const limit = Error.stackTraceLimit
    Error.stackTraceLimit = 0
    const error = new Cancelled(this.origin, this.reason)
    Error.stackTraceLimit = limit
    return error
  }

  /** @internal Does the error only say that the scope was cancelled? */
  isTold(error: unknown): boolean {
    return this.marked && isCancelled(error) && error.origin === this.origin
  }

  /** @internal */
  root(): RootScope {
    return this.parent === null ? this : this.parent.root()
  }
}

/** An AbortSignal that is aborted when the scope is cancelled. */
export function signalOf(scope: RootScope): AbortSignal {
  const controller = (scope.controller ??= new AbortController())
  if (scope.marked && !controller.signal.aborted) controller.abort(scope.error())
  return controller.signal
}

export function rootScope(activity: Activity): RootScope {
  activity.scope ??= new RootScope(activity, null)
  return activity.scope.root() as RootScope
}

export function innermostScope(branch: Branch): RootScope {
  return (branch.scope as RootScope | null) ?? rootScope(branch.activity)
}

/**
 * The body of a branch has ended: an activity settles when its branches have ended too; another branch tells its scope.
 */
export function endBranch(branch: Branch, mode: 0 | 1, answer: unknown): void {
  const { activity } = branch
  const members = branch.scope?.members ?? null
  if (branch !== activity) members!.ended(branch, mode, answer)
  else if (members === null) bury(activity, mode, answer)
  else members.drain(activity, mode, answer, bury)
}

function bury(activity: Activity, mode: 0 | 1, answer: unknown): void {
  activity.blocked = null
  const { domain } = activity.home
  activity.settle(mode, answer)
  domain.buried(activity)
}
