/**
 * `finish`, `deadline` and `noncancellable` open a scope. Scopes opened inside inherit its cancel, except behind a
 * `shield`.
 */
import type { Branch } from '../core/types.ts'
import { DISPOSE } from '../core/dispose.ts'
import { membersOf } from './members.ts'
import { RootScope, signalOf } from './root.ts'

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
export class Scope extends RootScope implements Disposable {
  readonly name: string
  /** @internal */ readonly shield: boolean

  /** @internal */
  constructor(owner: Branch, parent: RootScope, name: string, shield: boolean) {
    super(owner, parent)
    this.name = name
    this.shield = shield
    membersOf(parent).scopes.add(this)
    if (!parent.marked || shield) return
    this.marked = true
    this.origin = parent.origin
    this.reason = parent.reason
  }

  /** True once the scope, or one around it, was cancelled. */
  get cancelled(): boolean {
    return this.marked
  }

  /** An AbortSignal that is aborted when the scope is cancelled: pass it to `fetch` and its like. */
  get signal(): AbortSignal {
    return signalOf(this)
  }

  /**
   * Cancels everything that is blocked or will block in this scope, innermost first: the operations throw `Cancelled`
   * and have had no effect. Returns at once; the scope still ends only when all its branches have. May be called from
   * anywhere.
   */
  override cancel(reason?: unknown): void {
    super.cancel(reason)
  }

  /** `using _ = scope`: what the body leaves behind when it ends is cancelled. */
  [DISPOSE](): void {
    this.cancel()
  }
}
