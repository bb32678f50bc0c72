/**
 * A scope knows the branches started in it and whether it is cancelled. `finish`, `deadline` and `noncancellable` open
 * one; every activity has an implicit one around its body, made when it is first needed.
 *
 * - `pending` counts the branches started in the scope that have not ended; the scope's owner does not leave before it
 *   is 0 (law 3).
 * - `marked` is set by `cancel`, here or in an enclosing scope, and stays. Scopes opened inside inherit it, except
 *   behind a `shield`.
 * - `origin` is the scope on which cancel was called, set with `marked`.
 * - `drained` is set while the owner waits for `pending` to become 0, or by the end of the activity's body.
 */
import type * as types from '../core/types.ts'
import type { Activity, Branch } from '../core/types.ts'
import { THROW } from '../core/suspension.ts'
import { Cancelled, isCancelled, textOf } from './errors.ts'
import { DISPOSE } from '../core/dispose.ts'

/** Told the result of a branch. */
interface Handle {
  settle(mode: 0 | 1, answer: unknown): void
}

/**
 * What `finish` and `deadline` give their bodies: cancels what was started in it, and says whether that was done.
 *
 * @example
 * yield* finish(function* (scope: Scope) {
 *   yield* async(function* () { try { yield* sleep(99999) } finally { console.log(scope.cancelled) } })
 *   scope.cancel()
 * })
 * // → true
 */
export class Scope implements types.Scope, Disposable {
  readonly parent: Scope | null
  readonly owner: Branch
  readonly name: string
  readonly shield: boolean
  marked: boolean = false
  origin: types.Scope | null = null
  reason: unknown = undefined
  pending: number = 0
  errors: unknown[] | null = null
  drained: (() => void) | null = null
  private children: Set<Scope> | null = null
  private branches: Map<Branch, Handle> | null = null
  private controller: AbortController | null = null

  constructor(owner: Branch, parent: Scope | null, name: string, shield: boolean) {
    this.owner = owner
    this.parent = parent
    this.name = name
    this.shield = shield
    if (parent !== null) {
      ;(parent.children ??= new Set()).add(this)
      if (parent.marked && !shield) this.take(parent)
    }
  }

  private take(from: Scope): void {
    this.marked = true
    this.origin = from.origin
    this.reason = from.reason
  }

  /** True once the scope, or one around it, was cancelled. */
  get cancelled(): boolean {
    return this.marked
  }

  /** An AbortSignal that is aborted when the scope is cancelled: pass it to `fetch` and its like. */
  get signal(): AbortSignal {
    const controller = (this.controller ??= new AbortController())
    if (this.marked && !controller.signal.aborted) controller.abort(this.error())
    return controller.signal
  }

  /**
   * Cancels everything that is blocked or will block in this scope, innermost first: the operations throw `Cancelled`
   * and have had no effect. Returns at once; the scope still ends only when all its branches have. May be called from
   * anywhere.
   */
  cancel(reason?: unknown): void {
    if (this.marked) return
    this.mark(this, reason)
  }

  /** `using _ = scope`: what the body leaves behind when it ends is cancelled. */
  [DISPOSE](): void {
    this.cancel()
  }

  private mark(origin: types.Scope, reason: unknown): void {
    if (this.marked) return
    if (this.children !== null) for (const child of this.children) if (!child.shield) child.mark(origin, reason)
    this.marked = true
    this.origin = origin
    this.reason = reason
    this.interrupt(this.owner)
    if (this.branches !== null) for (const branch of this.branches.keys()) this.interrupt(branch)
    this.controller?.abort(this.error())
  }

  private interrupt(branch: Branch): void {
    if (branch.scope === this && branch.blocked !== null && branch.blocked.fixed !== true)
      branch.interrupt(this.error())
  }

  error(): Cancelled {
    // The error's stack would only show the run loop. Not recording it saves most of the cost of a cancel.
    const limit = Error.stackTraceLimit
    Error.stackTraceLimit = 0
    const error = new Cancelled(this.origin, this.reason)
    Error.stackTraceLimit = limit
    return error
  }

  root(): Scope {
    let scope: Scope = this
    while (scope.parent !== null) scope = scope.parent
    return scope
  }

  /** Calls `f` for every branch in the scope and the scopes inside it. */
  each(f: (branch: Branch) => void): void {
    if (this.branches !== null) for (const branch of this.branches.keys()) f(branch)
    if (this.children !== null) for (const child of this.children) child.each(f)
  }

  add(branch: Branch, handle: Handle): void {
    this.pending++
    ;(this.branches ??= new Map()).set(branch, handle)
  }

  /** A branch of mine has ended. */
  ended(branch: Branch, mode: 0 | 1, answer: unknown): void {
    const handle = this.branches!.get(branch)!
    this.branches!.delete(branch)
    this.pending--
    handle.settle(mode, answer)
    if (mode === THROW) this.fail(answer)
    if (this.pending === 0 && this.drained !== null) {
      const drained = this.drained
      this.drained = null
      drained()
    }
  }

  /** Something in the scope has thrown: the rest is cancelled, and the scope will throw it. */
  fail(error: unknown): void {
    if (isCancelled(error) && this.marked && error.origin === this.origin) return
    ;(this.errors ??= []).push(error)
    this.cancel(error)
  }

  close(): void {
    this.parent!.children!.delete(this)
    this.owner.scope = this.parent
  }
}

/** The implicit scope around an activity's body. */
export function rootScope(activity: Activity): Scope {
  activity.scope ??= new Scope(activity, null, '', false)
  return activity.scope.root() as Scope
}

export function innermostScope(branch: Branch): Scope {
  return (branch.scope as Scope | null) ?? rootScope(branch.activity)
}

/** The error that a scope with these errors throws. */
export function combined(errors: unknown[]): unknown {
  if (errors.length === 1) return errors[0]
  return new AggregateError(errors, `${errors.length} branches failed: ${errors.map(textOf).join('; ')}`)
}

/**
 * The body of a branch has ended: an activity settles when its branches have ended too; another branch tells its scope.
 */
export function endBranch(branch: Branch, mode: 0 | 1, answer: unknown): void {
  const { activity } = branch
  if (branch !== activity) {
    ;(branch.scope as Scope).ended(branch, mode, answer)
    return
  }
  const root = activity.scope as Scope | null
  if (root === null) return bury(activity, mode, answer)
  if (mode === THROW && root.pending > 0) root.cancel(answer)
  const end = (): void => {
    const ownCancel = isCancelled(answer) && answer.origin === root
    if (root.errors !== null && (mode !== THROW || ownCancel)) {
      mode = THROW
      answer = combined(root.errors)
    }
    bury(activity, mode, answer)
  }
  if (root.pending === 0) return end()
  root.drained = end
  activity.blocked = { withdraw() {}, fixed: true, describe: () => `the end of ${root.pending} branches` }
}

function bury(activity: Activity, mode: 0 | 1, answer: unknown): void {
  activity.blocked = null
  const { domain } = activity.home
  activity.settle(mode, answer)
  domain.buried(activity)
}
