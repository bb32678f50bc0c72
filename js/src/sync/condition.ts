/**
 * A condition: `yield* c.wait()` until somebody signals. There is no spurious wake-up. With a mutex's permit,
 * `waitWith(mutex, permit)` gives the permit back while waiting and takes the mutex again before it goes on, also when
 * cancelled.
 */
import { steps, type Steps } from '../core/steps.ts'
import { abortable, type WaitOptions } from '../wait/abortable.ts'
import { Clause } from '../wait/clause.ts'
import { ClauseList, count } from '../wait/list.ts'
import { noncancellable } from '../scope/finish.ts'
import type { Permit, Mutex } from './semaphore.ts'

class Await extends Clause<void> {
  private readonly condition: Condition
  constructor(condition: Condition) {
    super()
    this.condition = condition
  }
  poll(): boolean {
    return false
  }
  override get list(): ClauseList {
    return this.condition.waiters
  }
  describe(): string {
    return `wait(${this.condition.name})`
  }
}

/**
 * What `condition` makes.
 *
 * @example
 * const [lock, changed] = [mutex(), condition()]
 * let full = false
 * const taker = spawn(function* () {
 *   let permit = yield* lock.acquire()
 *   while (!full) permit = yield* changed.waitWith(lock, permit)
 *   permit.release()
 *   console.log('taken')
 * })
 * yield* sleep(1)
 * yield* lock.with(function* () { full = true })
 * console.log(changed.broadcast())    // → 1
 * yield* taker                        // → taken
 */
export class Condition {
  readonly name: string
  /** @internal */ readonly waiters: ClauseList = new ClauseList()

  constructor(name: string) {
    this.name = name
  }

  wait(options?: WaitOptions): Clause<void> {
    return abortable('wait', new Await(this), options)
  }

  /** Waits with `mutex` released; the result is the new permit. */
  waitWith(mutex: Mutex, permit: Permit, options?: WaitOptions): Steps<Permit> {
    return steps(this.run(mutex, permit, options))
  }

  private *run(mutex: Mutex, permit: Permit, options: WaitOptions | undefined): Generator<unknown, Permit, any> {
    permit.release()
    try {
      yield* this.wait(options)
    } catch (error) {
      ;(yield* noncancellable(mutex.acquire())).release()
      throw error
    }
    return yield* noncancellable(mutex.acquire())
  }

  /** Wakes the one who has waited longest; false if nobody waits. */
  signal(): boolean {
    const first = this.waiters.shift()
    first?.fire(undefined)
    return first !== null
  }

  /** Wakes all who wait now; the result is their number. */
  broadcast(): number {
    let n = count(this.waiters)
    for (let i = n; i > 0; i--) this.signal()
    return n
  }
}

/**
 * Makes a condition.
 *
 * @example
 * const ready = condition()
 * const waiter = spawn(function* () { yield* ready.wait(); console.log('woken') })
 * yield* sleep(1)
 * console.log(ready.signal())         // → true
 * yield* waiter                       // → woken
 */
export function condition(name = 'condition'): Condition {
  return new Condition(name)
}
