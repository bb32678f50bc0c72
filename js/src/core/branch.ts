/** A branch is a chain of calls inside an activity that blocks on its own. What its fields mean stands in types.ts. */
import type * as types from './types.ts'
import type { Activity, AnyIterator, AsyncContext, Blocker, Frame, Group, Mode, Scope } from './types.ts'
import { say, WAITS_ALREADY } from './say.ts'
import { NEXT, THROW } from './suspension.ts'
import { withdrawn } from './withdrawn.ts'

export class Branch implements types.Branch {
  /** @internal */ gen: AnyIterator | null = null
  /** @internal */ frame: Frame | null = null
  /** @internal */ mode: Mode = NEXT
  /** @internal */ answer: unknown = undefined
  /** @internal */ blocked: Blocker | null = null
  /** @internal */ scope: Scope | null = null
  /** @internal */ cell: Blocker | null = null
  /** @internal */ context: AsyncContext | null = null
  /** @internal */ group: Group
  /** @internal */ activity: Activity

  /** A branch of `activity`; with null, the branch is an activity itself. */
  constructor(activity: Activity | null, group: Group | null) {
    this.activity = activity ?? (this as unknown as Activity)
    this.group = group ?? (this as unknown as Group)
  }

  /** @internal */
  goOn(mode: Mode, answer: unknown): true {
    this.mode = mode
    this.answer = answer
    return true
  }

  /** @internal */
  refused(): boolean {
    const { scope } = this
    return scope !== null && scope.marked && this.goOn(THROW, scope.error())
  }

  /** @internal An activity as JSON; without this JSON would go through the whole scheduler, and meet circles. */
  toJSON(): object {
    const { name, state } = this.activity
    return { name, state }
  }

  /** @internal */
  get branch(): this {
    return this
  }

  /** @internal */
  answered(clause: { readonly failed?: boolean; readonly outcome: unknown }): void {
    this.wake(clause.failed ? THROW : NEXT, clause.outcome)
  }

  /** @internal */
  goesOn(): void {
    if (this.group.home.domain.current !== this) throw new Error(say(WAITS_ALREADY))
  }

  /** @internal */
  wake(mode: Mode, answer: unknown): void {
    this.blocked = null
    this.goOn(mode, answer)
    this.group.home.domain.ready(this)
  }

  /** @internal */
  interrupt(error: unknown): void {
    withdrawn(this.blocked!)
    this.wake(THROW, error)
  }
}
