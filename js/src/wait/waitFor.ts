/**
 * An operation of whatever can be awaited: a promise becomes a wait, what can be run is itself, anything else is the
 * result.
 */
import { domain } from '../core/current.ts'
import { isOperation, runnable } from '../core/generators.ts'
import { kindOf } from '../core/kind.ts'
import { NEXT, Suspension, type Awaitable, type Operation } from '../core/suspension.ts'
import type { Branch } from '../core/types.ts'
import { beginWait, type PromiseWait } from './promise.ts'

/**
 * Avoids `super()`: V8 does not inline derived constructors inside `try`, where a wait would cost a fifth more. Its
 * prototype makes it a suspension.
 */
class Wait<T> implements PromiseWait {
  done: boolean
  value: any
  readonly promise: PromiseLike<T>
  constructor(promise: PromiseLike<T>) {
    this.done = false
    this.value = undefined
    this.promise = promise
  }
  /** @internal */
  unscheduled(): Promise<T> {
    return Promise.resolve(this.promise)
  }
}
interface Wait<T> extends Suspension<T> {}
Object.setPrototypeOf(Wait.prototype, Suspension.prototype)
Wait.prototype.begin = beginWait

class Plain<T> extends Suspension<T> {
  readonly plain: T
  constructor(plain: T) {
    super()
    this.plain = plain
  }
  override next(answer?: unknown): this {
    if (this.value === this || this.done || --domain.steps <= 0) return super.next(answer)
    if (domain.pending !== null) domain.startPending()
    return this.finished(this.plain)
  }
  begin(branch: Branch): boolean {
    return branch.goOn(NEXT, this.plain)
  }
  override unscheduled(): Promise<T> {
    return Promise.resolve(this.plain)
  }
}

/** An operation of whatever can be awaited; `wait` of wait.ts is what programs use. */
export function waitFor<T>(what: Operation<T>): Operation<T> & Awaitable<T>
export function waitFor<T>(what: T | PromiseLike<T>): Operation<T> & Awaitable<T>
export function waitFor(what: unknown): unknown {
  if (what instanceof Promise && kindOf(what) === undefined) return new Wait(what)
  if (isOperation(what)) return runnable(what)
  if (typeof what === 'object' && typeof (what as PromiseLike<unknown> | null)?.then === 'function')
    return new Wait(what as PromiseLike<unknown>)
  return new Plain(what)
}
