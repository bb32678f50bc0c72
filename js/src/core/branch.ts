/**
 * A branch is a call chain inside an activity that blocks on its own.
 *
 * - `gen` is the innermost generator, `frame` the call it belongs to (null: the branch's own body).
 * - `mode` and `answer` say how it goes on; they mean something while it is ready or paused, not while it runs.
 * - `blocked` is what it waits for, null while it is ready, paused or running. A blocked branch is on no queue.
 * - `context` is what the host keeps for its code (see asyncContext.ts); null where the host keeps nothing.
 * - `scope` is its innermost finish scope (null: the activity's own, which is made when first needed).
 */
import { NEXT, THROW, type Mode } from './suspension.ts'
import type { Call } from './call.ts'
import type { Activity } from './activity.ts'
import type { Group } from './group.ts'
import type { Scope } from '../scope/scope.ts'
import type { AsyncContext } from './asyncContext.ts'
import type { PromiseCell } from '../wait/promise.ts'

/** What a branch can be blocked on. */
export interface Blocker {
  /** Takes the wait back; afterwards it has had no effect and never answers. */
  withdraw(): void
  /** Readable, for reports: `recv(jobs)`. */
  describe(): string
  /** Can something outside the library end the wait? 1: a timer of ours alone, 2: a promise, an event; nothing or 0: no. */
  readonly outside?: 0 | 1 | 2
  /** The activity without which the wait cannot end, if there is exactly one. */
  needs?(): Activity<any> | undefined
  /** True if the wait cannot be interrupted: the end of a scope or of an atomic block. */
  readonly fixed?: boolean
}

export type AnyIterator = Iterator<unknown, unknown, any>

export class Branch {
  gen: AnyIterator | null = null
  frame: Call<any> | null = null
  mode: Mode = NEXT
  answer: unknown = undefined
  blocked: Blocker | null = null
  scope: Scope | null = null
  cell: PromiseCell | null = null
  context: AsyncContext | null = null
  group: Group
  activity: Activity<any>

  constructor(activity: Activity<any> | null, group: Group | null) {
    this.activity = activity ?? (this as unknown as Activity<any>)
    this.group = group ?? (this as unknown as Group)
  }

  /** Answers what the branch has asked for; the `true` is for `begin` to return. */
  goOn(mode: Mode, answer: unknown): true {
    this.mode = mode
    this.answer = answer
    return true
  }

  /** Is the scope cancelled? Then the answer is the error. */
  refused(): boolean {
    const { scope } = this
    return scope !== null && scope.marked && this.goOn(THROW, scope.error())
  }

  /** A clause of mine was answered (see wait/clause.ts). */
  answered(clause: { failed: boolean; outcome: unknown }): void {
    this.wake(clause.failed ? THROW : NEXT, clause.outcome)
  }

  /** Leaves the blocked state with an answer and queues the branch. */
  wake(mode: Mode, answer: unknown): void {
    this.blocked = null
    this.goOn(mode, answer)
    this.group.home.domain.ready(this)
  }

  /** Withdraws what the branch waits for and makes it go on with `error`. */
  interrupt(error: unknown): void {
    this.blocked!.withdraw()
    this.wake(THROW, error)
  }
}
