/**
 * `assertYields` and `assertNoYield` make `atomic` testable in a line: did anything else of the domain run while the
 * body did?
 */
import { domain } from '../core/current.ts'
import { steps, type Steps } from '../core/steps.ts'
import { claimed, generatorOf } from '../core/call.ts'
import type { Activity } from '../core/activity.ts'
import type { Body } from '../core/atomic.ts'

function* othersRan<T>(body: Body<T>): Generator<unknown, { value: T; ran: boolean }, any> {
  // This activity is ready from the start, so it runs at the first opportunity.
  let ran = false
  const watcher = domain.spawn(() => (ran = true), false, 'watcher') as Activity<unknown>
  const value = (yield* generatorOf(body) as Generator<unknown, T, any>) as T
  const seen = ran
  watcher.cancel()
  return { value, ran: seen }
}

/**
 * Runs `body` and throws unless other activities could run in between.
 *
 * @example
 * yield* assertYields(function* () { yield* sleep(1) })
 */
export function assertYields<T>(body: Body<T>): Steps<T> {
  return steps(expectOthers(claimed(body)))
}

function* expectOthers<T>(body: Body<T>): Generator<unknown, T, any> {
  const { value, ran } = yield* othersRan(body)
  if (!ran) throw new Error('assertYields: nothing else could run while the body did')
  return value
}

/**
 * Runs `body` and throws if any other activity ran in between.
 *
 * @example
 * console.log(yield* assertNoYield(function* () { return 5 }))  // → 5
 */
export function assertNoYield<T>(body: Body<T>): Steps<T> {
  return steps(expectNoOthers(claimed(body)))
}

function* expectNoOthers<T>(body: Body<T>): Generator<unknown, T, any> {
  const { value, ran } = yield* othersRan(body)
  if (ran) throw new Error('assertNoYield: another activity ran while the body did')
  return value
}
