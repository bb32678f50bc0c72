/** `retry` does an operation again until it succeeds, or has failed often enough. */
import { checkCount, checkFunction, checkTime } from '../core/arguments.ts'
import { asyncFn } from '../core/asyncFn.ts'
import type { Call } from '../core/call.ts'
import { sleep } from '../sync/sleep.ts'
import { operationOf, type Result } from './items.ts'
import { scoped, type OperationOptions } from '../scope/scoped.ts'

/** Options of `retry`. */
export interface RetryOptions extends OperationOptions {
  /** How often the body is run at most. Default 3. */
  attempts?: number | undefined
  /**
   * Milliseconds before the second attempt, or a function of the number of failures so far and the last error.
   * Default 0.
   */
  delay?: number | ((failures: number, error: unknown) => number) | undefined
  /** By what each further delay is longer than the one before. Default 1. */
  factor?: number | undefined
  /** No delay is longer than this. */
  longest?: number | undefined
  /** Each delay is between half of it and all of it, at random, so that many clients do not come back at once. */
  jitter?: boolean | undefined
  /** Is another attempt worth it? By default always. */
  when?: ((error: unknown, failures: number) => boolean) | undefined
}

type Attempt<R> = (attempt: number) => R

const run = asyncFn(function* retry(body: Attempt<unknown>, options: RetryOptions) {
  const { attempts = 3, when = () => true } = options
  return yield* scoped('retry', options, function* (scope) {
    for (let attempt = 1; ; attempt++) {
      if (scope.cancelled) throw scope.error()
      try {
        const result = yield* operationOf(() => body(attempt))
        return () => result
      } catch (error) {
        // A cancelled caller does not try again, whatever the body has made of the cancel.
        if (scope.cancelled || attempt >= attempts || !when(error, attempt)) throw error
        yield* sleep(delayAfter(attempt, error, options))
      }
    }
  })
})

function delayAfter(failures: number, error: unknown, options: RetryOptions): number {
  const { delay = 0, factor = 1, longest = Infinity, jitter = false } = options
  const ms = typeof delay === 'function' ? delay(failures, error) : delay * factor ** (failures - 1)
  return Math.min(ms, longest) * (jitter ? 0.5 + Math.random() / 2 : 1)
}

/**
 * Runs `body` until it succeeds, at most `attempts` times, and gives its result; fails with the error of the last
 * attempt. A cancel ends it at once, also between two attempts.
 *
 * @example
 * const flaky = function* (attempt: number) {
 *   yield* sleep(1)
 *   if (attempt < 3) throw new Error('not yet')
 *   return `attempt ${attempt}`
 * }
 * console.log(yield* retry(flaky, { attempts: 5, delay: 1, factor: 2 }))  // → attempt 3
 */
export function retry<R>(body: Attempt<R>, options: RetryOptions = {}): Call<Result<R>> {
  // An operation that has run once cannot be run again.
  checkFunction('retry', body)
  if (options.attempts !== undefined) checkCount('retry: attempts', options.attempts, 1)
  if (typeof options.delay === 'number') checkTime('retry: delay', options.delay)
  return run(body, options) as Call<any>
}
