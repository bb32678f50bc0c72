/**
 * A suspension is one request of a branch to the run loop: call this, wait for that, enter an atomic block.
 *
 * It is the iterable, the iterator *and* the iterator result of `yield*`, so that a call allocates one object:
 * the first `next()` hands the suspension itself to the run loop, the second one delivers the run loop's answer.
 *
 * - `value === this` holds from when the run loop was asked until it has answered. While a branch waits for a clause
 *   together with others, `value` is an object of that wait instead (see wait/choice.ts and wait/waituntil.ts).
 * - `done` is set by the answer, once; an answered suspension answers the same again.
 */
import type { Branch, Mode } from './types.ts'
import { domain } from './current.ts'
import { SUSPENSION } from './kind.ts'
import { say, WAITS_ALREADY } from './say.ts'
import { promiseOf } from '../wait/promiseOf.ts'

/** What can be run with `yield*` inside an activity and ends with a `T`. */
export interface Operation<T> {
  [Symbol.iterator](): Iterator<unknown, T, any>
}

/** What the function of a body may return: an operation that ends with a `T`, or a promise of one. */
export type Returned<T> = Operation<T> | PromiseLike<T>

/** What legacy code may await, and react to like a promise. */
export interface Awaitable<T> extends PromiseLike<T> {
  catch<B = never>(bad?: ((error: any) => B | PromiseLike<B>) | null): Promise<T | B>
  finally(run?: (() => void) | null): Promise<T>
}

/** How a branch goes on: with `gen.next(value)`, with `gen.throw(value)`, or by starting the body in `value`. */
export const NEXT = 0
export const THROW = 1
export const START = 2
export type { Mode }

/**
 * The base of what `yield*` asks the run loop for. Waits of your own are made from `Clause`.
 *
 * @example
 * console.log(sleep(1) instanceof Suspension)  // → true
 */
export abstract class Suspension<T> implements Operation<T>, Awaitable<T> {
  /** @internal */ get $charcoal(): number {
    return SUSPENSION
  }
  done: boolean = false
  value: any = undefined
  /** @internal What legacy code waits for; it may ask for the outcome several times, as of a promise. */
  declare adopted?: PromiseLike<T>;

  [Symbol.iterator](): Iterator<unknown, T, any> {
    if (this.value && !this.done) throw new Error(say(WAITS_ALREADY))
    return this as unknown as Iterator<unknown, T, any>
  }

  next(answer?: unknown): this {
    if (this.done) return this
    return this.value === this ? this.finished(answer) : this.asked()
  }

  /** The run loop is to be asked. */
  protected asked(): this {
    return (this.value = this)
  }

  /** The answer is there. */
  protected finished(answer: unknown): this {
    this.done = true
    this.value = answer
    return this
  }

  throw(error: unknown): never {
    this.value = undefined
    throw error
  }

  return(value: unknown): { done: true; value: unknown } {
    this.value = undefined
    return { done: true, value }
  }

  /** For legacy code: `await pause()`. What it waits with is an activity of its own. */
  then<A = T, B = never>(
    ok?: ((value: T) => A | PromiseLike<A>) | null,
    bad?: ((error: any) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    this.adopted ??= domain.adopt?.(this, this.describe?.()) ?? this.unscheduled()
    return this.adopted.then(ok, bad) as Promise<A | B>
  }

  /** @internal The outcome in a program that starts no activities. */
  unscheduled(): Promise<T> {
    return promiseOf(this as never)
  }

  /** For legacy code, as of a promise. */
  catch<B = never>(bad?: ((error: any) => B | PromiseLike<B>) | null): Promise<T | B> {
    return this.then(undefined, bad)
  }

  /** For legacy code, as of a promise. */
  finally(run?: (() => void) | null): Promise<T> {
    return this.then().finally(run)
  }

  /** @internal As JSON it is empty, as a promise is. */
  toJSON(): object {
    return {}
  }

  /** What it waits for, as reports name it. */
  describe?(): string

  /**
   * Run by the run loop on the branch that asks. True: answered, the branch goes on with `branch.mode` and
   * `branch.answer`, or another branch of the domain runs first. False: the branch is blocked.
   */
  abstract begin(branch: Branch): boolean
}
