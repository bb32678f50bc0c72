/** `group` gives code that is no activity a scope to start work in, which nothing that is started there outlives. */
import type { Activity } from '../core/activity.ts'
import { contexts } from '../core/asyncContext.ts'
import { claimed } from '../core/call.ts'
import { domain } from '../core/current.ts'
import { ASYNC_DISPOSE } from '../core/dispose.ts'
import { spawn } from '../core/spawn.ts'
import { async } from '../scope/async.ts'
import { ClosedError } from '../scope/errors.ts'
import { channel } from '../sync/channel.ts'
import { operationOf, type ItemResult } from './items.ts'
import { scoped, type OperationOptions } from '../scope/scoped.ts'

/**
 * What `group` gives.
 *
 * @example
 * const tasks: Group = group()
 * tasks.start(sleep(1))
 * await tasks.done()
 */
export class Group implements AsyncDisposable {
  private readonly jobs = channel<() => Generator<unknown, void, any>>(Infinity, 'group')
  private readonly activity: Activity<void>
  private told = false
  /** Rejects the promises of the items that have not begun. */
  private readonly waiting = new Set<(error: unknown) => void>()

  /** @internal */
  constructor(options: OperationOptions) {
    const { jobs } = this
    const run = function* (): Generator<unknown, () => void, any> {
      yield* jobs.each(function* (job) {
        yield* async(job)
      })
      return () => {}
    }
    this.activity = spawn(() => scoped('group', options, run), { name: 'group', contained: true })
    // Failures are reported by done(), or at the end of `await using`.
    this.activity.then(undefined, (error) => {
      jobs.close()
      for (const reject of this.waiting) reject(error)
    })
  }

  /**
   * Starts an item in the group, with the stores of AsyncLocalStorage that there are here. The promise is of its
   * result; an error ends the group too, so it need not be looked at.
   */
  start<I>(item: I): Promise<ItemResult<I>> {
    if (this.jobs.closed) throw new ClosedError('the group')
    const mine = claimed(item)
    const work = (function* () {
      return yield* operationOf(mine)
    })()
    const context = contexts?.present()
    const result = new Promise<ItemResult<I>>((resolve, reject) => {
      const { waiting } = this
      waiting.add(reject)
      this.jobs.trySend(function* () {
        waiting.delete(reject)
        try {
          resolve(yield* context === undefined ? work : domain.within!(work, context))
        } catch (error) {
          reject(error)
          throw error
        }
      })
    })
    result.catch(() => {})
    return result
  }

  /** Takes no more, and ends when everything in it has ended. Throws what has failed. */
  async done(): Promise<void> {
    this.jobs.close()
    this.told = true
    await this.activity
  }

  /** Cancels everything in it. */
  cancel(reason?: unknown): void {
    this.jobs.close()
    this.activity.cancel(reason)
  }

  /** Cancels what still runs, and waits for its end; throws what has failed, unless `done` has told it. */
  async [ASYNC_DISPOSE](): Promise<void> {
    this.jobs.close()
    try {
      await this.activity[ASYNC_DISPOSE]()
    } catch (error) {
      if (!this.told) throw error
    }
  }
}

/**
 * A group of things that run at the same time, for code that is no activity; inside activities there is `finish`. If
 * one fails the others are cancelled. With `await using`, or a call of its `[Symbol.asyncDispose]`, nothing in it
 * outlives the block.
 *
 * @example
 * const tasks = group()
 * const page = tasks.start(async () => 'the page')
 * tasks.start(function* () { yield* sleep(1); console.log('logged') })
 * await tasks.done()       // → logged
 * console.log(await page)  // → the page
 */
export function group(options: OperationOptions = {}): Group {
  return new Group(options)
}
