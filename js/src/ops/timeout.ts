/** `timeout` gives an operation a time limit, and says what happens when that is over. */
import { checkFunction, checkOptions, checkTime } from '../core/arguments.ts'
import { asyncFn } from '../core/asyncFn.ts'
import { claimed, type Call } from '../core/call.ts'
import { domain } from '../core/current.ts'
import { DeadlineError } from '../scope/errors.ts'
import { finish } from '../scope/finish.ts'
import { membersOf } from '../scope/members.ts'
import type { Scope } from '../scope/scope.ts'
import { after } from '../sync/alarm.ts'
import { sleep } from '../sync/sleep.ts'
import { isClause, type Clause } from '../wait/clause.ts'
import { Choice } from '../wait/choice.ts'
import { operationOf, type ItemResult, type Result } from './items.ts'
import { scoped, type OperationOptions } from '../scope/scoped.ts'

/** Options of `timeout`. */
export interface TimeoutOptions extends OperationOptions {
  /** Gives the result when the time is over. */
  otherwise?: (() => unknown) | undefined
}

type InTime = { value: unknown } | null

const run = asyncFn(function* timeout(ms: number, item: unknown, { otherwise, signal }: TimeoutOptions) {
  if (signal === undefined) return yield* limited(ms, item, otherwise)
  return yield* scoped('timeout', { signal }, function* (scope) {
    if (scope.cancelled) throw scope.error()
    const result = yield* limited(ms, item, otherwise)
    return () => result
  })
})

function* limited(ms: number, item: unknown, otherwise: TimeoutOptions['otherwise']): Generator<unknown, unknown, any> {
  const ended = yield* isClause(item) ? clauseInTime(ms, item) : bodyInTime(ms, item)
  if (ended !== null) return ended.value
  if (otherwise === undefined) throw new DeadlineError(ms, '')
  return yield* operationOf(otherwise)
}

/** One wait for both: the clause has had its effect, or none. */
function* clauseInTime(ms: number, clause: Clause<unknown>): Generator<unknown, InTime, any> {
  const at: number = yield* new Choice([clause, sleep(ms)])
  return at === 0 ? { value: clause.outcome } : null
}

function* bodyInTime(ms: number, item: unknown): Generator<unknown, InTime, any> {
  let result: InTime = null
  let cut = false // branches that the body has left behind were cancelled
  const { host } = domain
  let clear: (() => void) | undefined
  try {
    yield* finish(function* (scope) {
      const late = (): void => {
        cut = membersOf(scope).pending > 0
        scope.cancel(new DeadlineError(ms, ''))
      }
      clear = after(host, ms, () => domain.fromHost(late))
      result = { value: yield* operationOf(typeof item === 'function' ? () => item(scope) : item) }
    })
  } finally {
    clear?.()
  }
  return cut ? null : result
}

/**
 * Runs an operation for at most `ms` milliseconds. If it has not ended then it is cancelled, and when it has ended,
 * `otherwise` gives the result; without that a `DeadlineError` is thrown. A function gets its scope, whose `signal`
 * is for `fetch` and its like. What has its result in time, even in the very last moment, gives it. Instead of
 * `otherwise`, `{ otherwise, signal }` may be given.
 *
 * @example
 * const slow = function* () { yield* sleep(1000); return 'late' }
 * console.log(yield* timeout(1, slow, () => 'nothing'))  // → nothing
 */
export function timeout<I>(ms: number, item: I | ((scope: Scope) => I)): Call<ItemResult<I>>
export function timeout<I, O>(
  ms: number,
  item: I | ((scope: Scope) => I),
  otherwise: () => O,
): Call<ItemResult<I> | Result<O>>
export function timeout<I>(
  ms: number,
  item: I | ((scope: Scope) => I),
  options: OperationOptions & { otherwise?: undefined },
): Call<ItemResult<I>>
export function timeout<I, O>(
  ms: number,
  item: I | ((scope: Scope) => I),
  options: TimeoutOptions & { otherwise: () => O },
): Call<ItemResult<I> | Result<O>>
export function timeout(ms: number, item: unknown, last: (() => unknown) | TimeoutOptions = {}): Call<any> {
  checkTime('timeout', ms)
  const options = typeof last === 'function' ? { otherwise: last } : last
  checkOptions('timeout', options)
  if (options.otherwise !== undefined) checkFunction('timeout: otherwise', options.otherwise)
  return run(ms, claimed(item), options)
}
