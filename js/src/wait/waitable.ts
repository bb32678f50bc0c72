/** `clauseOf` makes a clause of what `waituntil` and `select` can wait for: activities, promises and AbortSignals. */
import { isActivity, type Activity } from '../core/activity.ts'
import { refuse } from '../core/arguments.ts'
import { isCall } from '../core/call.ts'
import { NO_WAITABLE } from '../core/say.ts'
import { isClause, type Clause } from './clause.ts'
import { PromiseClause } from './promise.ts'
import { aborted } from '../legacy/abort.ts'

/** What `waituntil`, `select` and the operations of `charcoal-js/ops` can wait for. */
export type Waitable<T> = Clause<T> | Activity<T> | PromiseLike<T> | AbortSignal
export type Awaited1<W> = W extends Clause<infer T> | Activity<infer T> | PromiseLike<infer T> ? T : unknown

/** The clause that `what` stands for; `who` asks for it. */
export function clauseOf(what: unknown, who = 'waituntil'): Clause<any> {
  if (isClause(what)) return what
  if (isActivity(what)) return what.join()
  if (isCall(what)) return what.start().join()
  if (what instanceof AbortSignal) return aborted(what)
  if (typeof (what as PromiseLike<unknown> | null)?.then === 'function')
    return new PromiseClause(what as PromiseLike<unknown>)
  refuse(NO_WAITABLE, who, what)
}
