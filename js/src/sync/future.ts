/**
 * A value that is set once, by anybody, and waited for by many. Unlike a promise it can be asked and taken at once,
 * without a turn of the event loop.
 */
import { abortable, type WaitOptions } from '../wait/abortable.ts'
import { Clause } from '../wait/clause.ts'
import { ClauseList } from '../wait/list.ts'

class Get<T> extends Clause<T> {
  private readonly future: Future<T>
  constructor(future: Future<T>) {
    super()
    this.future = future
  }
  poll(): boolean {
    if (!this.future.settled) return false
    if (this.future.failed) this.failed = true
    this.outcome = this.future.result
    return true
  }
  override ready(): boolean {
    return this.future.settled
  }
  override get list(): ClauseList {
    return this.future.waiters
  }
  describe(): string {
    return `get(${this.future.name})`
  }
}

/**
 * What `future` makes: a value that is set once.
 *
 * @example
 * const f = future<number>()
 * console.log(f.set(1), f.set(2), yield* f.get())  // → true false 1
 */
export class Future<T> {
  readonly name: string
  /** @internal */ readonly waiters: ClauseList = new ClauseList()
  settled: boolean = false
  /** @internal */ failed: boolean = false
  /** @internal */ result: unknown = undefined

  constructor(name: string) {
    this.name = name
  }

  /** Waits for the value; throws the error if it was set to one. */
  get(options?: WaitOptions): Clause<T> {
    return abortable('get', new Get<T>(this), options)
  }

  /** Sets the value; false, and no effect, if it was set before. */
  set(value: T): boolean {
    return this.settle(false, value)
  }

  /** Sets an error instead of a value. */
  fail(error: unknown): boolean {
    return this.settle(true, error)
  }

  private settle(failed: boolean, result: unknown): boolean {
    if (this.settled) return false
    this.settled = true
    this.failed = failed
    this.result = result
    for (let c = this.waiters.shift(); c !== null; c = this.waiters.shift()) failed ? c.fail(result) : c.fire(result)
    return true
  }
}

/**
 * Makes a future that is not set.
 *
 * @example
 * const answer = future<number>()
 * const asker = spawn(function* () { return yield* answer.get() })
 * answer.set(42)
 * console.log(yield* asker)  // → 42
 */
export function future<T>(name = 'future'): Future<T> {
  return new Future<T>(name)
}
