/**
 * `abortable` gives a clause an AbortSignal: an abort ends the wait with the signal's reason, and the clause has had no
 * effect. What lists, locks and statements know of the clause stays as it was, so it is the clause itself that changes.
 *
 * - The signal has a listener exactly while the clause is registered.
 */
import { noteOurs } from '../core/current.ts'
import { diagnosis } from '../core/say.ts'
import { pass } from '../legacy/pass.ts'
import { Clause } from './clause.ts'

/** Options of a wait. */
export interface WaitOptions {
  /** Ends the wait when aborted: it throws the signal's reason, and has had no effect. */
  signal?: AbortSignal | undefined
}

/** `who` was called with these options, and has made this clause. */
export function abortable<C extends Clause<any>>(who: string, clause: C, options: WaitOptions | undefined): C {
  const signal = options?.signal
  if (typeof options === 'object') diagnosis?.options(who, options) // it is no object in `times.map(sleep)`
  if (signal === undefined) return clause
  const { poll, ready, register, withdraw, fire, fail } = clause
  const leave = (): void => signal.removeEventListener('abort', abort)
  const abort = pass((): void => {
    noteOurs()
    clause.withdraw()
    clause.failFromHost(signal.reason)
  })
  // Whoever has the signal can end the wait, so that it is no deadlock and no circle.
  Object.defineProperty(clause, 'outside', { value: 2 })
  return Object.assign(clause, {
    poll() {
      if (!signal.aborted) return poll.call(clause)
      clause.outcome = signal.reason
      return (clause.failed = true)
    },
    ready: (earlier: number) => signal.aborted || ready.call(clause, earlier),
    needs() {},
    register() {
      signal.addEventListener('abort', abort)
      register.call(clause)
    },
    withdraw() {
      leave()
      withdraw.call(clause)
    },
    fire(value: unknown) {
      leave()
      fire.call(clause, value)
    },
    fail(error: unknown) {
      leave()
      fail.call(clause, error)
    },
  })
}

/** Nothing that comes by itself. */
class Never extends Clause<never> {
  poll(): boolean {
    return false
  }
  override register(): void {}
  override withdraw(): void {}
  describe(): string {
    return 'an abort'
  }
}

/** A clause that only an abort of the signal in these options ends, if there is one. */
export function interruptsOf(who: string, options: WaitOptions | undefined): Clause<never>[] {
  const never = abortable(who, new Never(), options)
  return options?.signal === undefined ? [] : [never]
}
