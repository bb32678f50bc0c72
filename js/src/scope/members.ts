/**
 * What was started in a scope: branches, and the scopes opened inside it. A scope has it from the first of them on.
 *
 * - `pending` counts the branches that have not ended; the scope's owner does not leave before it is 0 (law 3).
 * - `drained` is set while the owner waits for that, or by the end of the activity's body.
 */
import type * as types from '../core/types.ts'
import type { Activity, Branch } from '../core/types.ts'
import { THROW } from '../core/suspension.ts'
import { textOf } from './errors.ts'
import type { RootScope } from './root.ts'

/** Told the result of a branch. */
interface Handle {
  settle(mode: 0 | 1, answer: unknown): void
}

type Bury = (activity: Activity, mode: 0 | 1, answer: unknown) => void

export class Members implements types.Members {
  /** The scopes opened inside it. */
  readonly scopes: Set<RootScope & { readonly shield: boolean }> = new Set()
  pending: number = 0
  errors: unknown[] | null = null
  drained: (() => void) | null = null
  private readonly of: RootScope
  private readonly branches: Map<Branch, Handle> = new Map()

  constructor(of: RootScope) {
    this.of = of
  }

  mark(origin: types.Scope, reason: unknown): void {
    for (const scope of this.scopes) if (!scope.shield) scope.mark(origin, reason)
  }

  interrupt(): void {
    for (const branch of this.branches.keys()) this.of.interrupt(branch)
  }

  some(f: (branch: Branch) => boolean): boolean {
    for (const branch of this.branches.keys()) if (f(branch)) return true
    for (const { members } of this.scopes) if (members?.some(f)) return true
    return false
  }

  add(branch: Branch, handle: Handle): void {
    this.pending++
    this.branches.set(branch, handle)
  }

  ended(branch: Branch, mode: 0 | 1, answer: unknown): void {
    const handle = this.branches.get(branch)!
    this.branches.delete(branch)
    this.pending--
    handle.settle(mode, answer)
    if (mode === THROW) this.fail(answer)
    if (this.pending === 0 && this.drained !== null) {
      const { drained } = this
      this.drained = null
      drained()
    }
  }

  /**
   * Something in the scope has thrown: the rest is cancelled, and the scope will throw it; once, if others have passed
   * on the error of a branch that they have waited for.
   */
  fail(error: unknown): void {
    if (this.of.isTold(error)) return
    const errors = (this.errors ??= [])
    if (!(error instanceof Error && errors.includes(error))) errors.push(error)
    this.of.cancel(error)
  }

  /** The body of the activity has ended, whose own scope this is. */
  drain(activity: Activity, mode: 0 | 1, answer: unknown, bury: Bury): void {
    if (mode === THROW) this.fail(answer)
    const end = (): void => {
      if (this.errors !== null) bury(activity, THROW, combined(this.errors))
      else bury(activity, mode, answer)
    }
    if (this.pending === 0) return end()
    this.drained = end
    activity.blocked = { withdraw() {}, fixed: true, describe: () => `the end of ${this.pending} branches` }
  }
}

export function membersOf(scope: RootScope): Members {
  return (scope.members ??= new Members(scope)) as Members
}

/** The error that a scope with these errors throws. */
export function combined(errors: unknown[]): unknown {
  if (errors.length === 1) return errors[0]
  return new AggregateError(errors, `${errors.length} branches failed: ${errors.map(textOf).join('; ')}`)
}
