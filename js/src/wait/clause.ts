/**
 * A clause is one thing that a branch can wait for. Every blocking operation is one (law 8): `yield* ch.recv()` is a
 * wait of one clause, `waituntil(ch.recv()).or(timeout(10))` of two. A new kind of object joins by writing three
 * methods:
 *
 * - `poll`: do the operation now if that is possible without waiting, and say so. The result is left in `outcome`.
 * - `register` / `withdraw`: put the clause on the object's list, take it off. A withdrawn clause has had no effect. If
 *   there is such a list, `list` is enough.
 * - on selection the object calls `fire(value)` or `fail(error)`, after it has taken the clause off its list.
 *
 * `waiter` is who gets the answer: a branch, or a `waituntil` of several clauses. It is set while the clause is
 * registered.
 */
import { diagnosis } from '../core/say.ts'
import { NEXT, Suspension, THROW } from '../core/suspension.ts'
import type { Activity, Branch } from '../core/types.ts'
import type { ClauseList } from './list.ts'
import { Case, type Body, type Choosable, type Result, type Waiter } from './case.ts'
import { domain } from '../core/current.ts'
import { CLAUSE, kindOf } from '../core/kind.ts'

export type { Waiter }

/**
 * Something that can be waited for, alone or in `waituntil`. A new kind is a class with `poll` and `describe`, and with
 * `register` and `withdraw` if it may have to wait.
 *
 * @example
 * class Ready extends Clause<string> {
 *   poll() { this.outcome = 'at once'; return true }
 *   describe() { return 'ready' }
 * }
 * console.log(yield* waituntil(new Ready()).or(sleep(5)))  // → at once
 */
export abstract class Clause<T> extends Suspension<T> implements Choosable {
  /** @internal */ before: Clause<any> | null = null
  /** @internal */ after: Clause<any> | null = null
  waiter: Waiter | null = null
  /** Is there only when the clause has failed: it would take memory of each that waits. */
  declare failed?: boolean
  /** How much of its resource the clause takes, for `ready`; 1 if it does not say. */
  declare readonly amount?: number
  outcome: any = undefined

  /** @internal */ override get $charcoal(): number {
    return CLAUSE
  }

  abstract poll(): boolean
  abstract override describe(): string

  /** Where the clause waits, if its object keeps a list. */
  get list(): ClauseList | null {
    return null
  }

  register(): void {
    this.list!.push(this)
  }

  withdraw(): void {
    this.list!.remove(this)
  }

  get outside(): 0 | 1 | 2 {
    return 0
  }

  needs(): Activity | undefined {
    return undefined
  }

  /**
   * Would `poll` succeed if other clauses had taken `earlier` of the same resource before? Asked by `else`, changes
   * nothing. Clauses that cannot know (promises, events of the host) say no.
   */
  ready(_earlier: number): boolean {
    return false
  }

  /** True while `poll` cannot know yet whether the clause is ready; a microtask later it can. Only promises are so. */
  get uncertain(): boolean {
    return false
  }

  /** The object and direction that `ready` counts `earlier` on. */
  get resource(): unknown {
    return this
  }

  /** Names a body for `waituntil`: `ch.recv().do(v => ...)`, or with a generator function. */
  do<Q>(body: Body<T, Q>): Case<Result<Q>> {
    diagnosis?.body('do', body)
    return new Case<Result<Q>>(this, body as Body<T, any>)
  }

  /** What can be done at once is done on the spot, without passing through the run loop. */
  override next(answer?: unknown): this {
    const d = domain
    const branch = d.current
    const asks = !this.done && this.value !== this && branch !== null
    if (asks && --d.steps > 0 && (branch.scope === null || !branch.scope.marked)) {
      if (d.pending !== null) d.startPending()
      if (this.poll()) {
        if (this.failed) throw this.outcome
        return this.finished(this.outcome)
      }
    }
    // A generator that two activities run as it is goes on with either, and its wait may be the other's.
    if (this.value === this) this.waiter?.goesOn?.()
    return super.next(answer)
  }

  override begin(branch: Branch): boolean {
    if (branch.refused()) return true
    if (this.poll()) return branch.goOn(this.failed ? THROW : NEXT, this.outcome)
    this.waiter = branch
    branch.blocked = this
    this.register()
    return false
  }

  fire(value: T): void {
    this.outcome = value
    this.waiter!.answered(this)
  }

  fail(error: unknown): void {
    this.failed = true
    this.outcome = error
    this.waiter!.answered(this)
  }

  /**
   * `fire` from a callback of the host (timer, promise, event): goes on in the same callback if nothing else is to run
   * before.
   */
  fireFromHost(value: T): void {
    domain.fromHost(() => this.fire(value))
  }

  /** The same for `fail`. */
  failFromHost(error: unknown): void {
    domain.fromHost(() => this.fail(error))
  }
}

export function isClause(what: unknown): what is Clause<any> {
  return kindOf(what) === CLAUSE
}
