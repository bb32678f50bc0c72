/**
 * A counting semaphore, and the mutex that is one with a single permit. First come, first served: an acquire never
 * overtakes one that waits.
 *
 * - `free` is never negative; while somebody waits, `free` is smaller than what the first one in the list wants.
 * - A permit that was handed over belongs to its receiver from the moment of the hand-over.
 */
import { checkCount } from '../core/arguments.ts'
import { Clause } from '../wait/clause.ts'
import { ClauseList } from '../wait/list.ts'
import { THROW, type Returned } from '../core/suspension.ts'
import { DISPOSE } from '../core/dispose.ts'
import { DeadlockError } from '../scope/errors.ts'
import type * as types from '../core/types.ts'
import type { Branch } from '../core/types.ts'
import type { Activity } from '../core/activity.ts'
import { asCall } from '../core/asCall.ts'
import { domain } from '../core/current.ts'
import { diagnosis, HELD_ALREADY, say, TOO_MANY_PERMITS } from '../core/say.ts'
import { steps, type Steps } from '../core/steps.ts'

/**
 * What `acquire` gives: `release()` it once, or let `using` do that.
 *
 * @example
 * const lock = mutex()
 * const permit: Permit = yield* lock.acquire()
 * permit.release()
 * permit.release()                  // a second time does nothing
 * console.log(lock.available)       // → 1
 */
export class Permit implements Disposable {
  private giveBack: (() => void) | null
  constructor(giveBack: () => void) {
    this.giveBack = giveBack
  }
  /** Gives the permit back; a second call does nothing. */
  release(): void {
    const { giveBack } = this
    this.giveBack = null
    giveBack?.()
  }
  [DISPOSE](): void {
    this.release()
  }
}

class Acquire extends Clause<Permit> {
  readonly semaphore: Semaphore
  override readonly amount: number
  constructor(semaphore: Semaphore, want: number) {
    super()
    this.semaphore = semaphore
    this.amount = want
  }
  poll(): boolean {
    if (!this.ready(0)) return false
    this.outcome = this.semaphore.permit(this.amount, domain.current)
    return true
  }
  override ready(earlier: number): boolean {
    return this.semaphore.available >= this.amount + earlier
  }
  override get resource(): unknown {
    return this.semaphore
  }
  override get list(): ClauseList {
    return this.semaphore.waiters
  }
  override begin(branch: Branch): boolean {
    const { semaphore } = this
    if (semaphore.kept(branch) + this.amount > semaphore.permits)
      return branch.goOn(THROW, new DeadlockError(say(HELD_ALREADY, semaphore.name, branch.activity.name)))
    if (super.begin(branch)) return true
    diagnosis?.waitsForLock(branch)
    return false
  }
  override withdraw(): void {
    super.withdraw()
    this.semaphore.serve()
  }
  describe(): string {
    return `acquire(${this.semaphore.name})`
  }
  override needs(): types.Activity | undefined {
    return this.semaphore.holder
  }
}

/**
 * What `semaphore` makes: permits, given to who waits longest.
 *
 * @example
 * const memory = semaphore(10)
 * const permit = yield* memory.acquire(7)
 * console.log(memory.available, memory.tryAcquire(4))  // → 3 undefined
 * permit.release()
 */
export class Semaphore {
  readonly name: string
  readonly permits: number
  /** @internal */ readonly waiters: ClauseList = new ClauseList()
  /** @internal */ free: number
  /** The branch that holds the only permit, if it was acquired inside an activity. */
  owner: Branch | null | undefined = null

  constructor(permits: number, name: string) {
    this.permits = this.free = permits
    this.name = name
  }

  /** The activity that holds the only permit, if it was acquired inside one. */
  get holder(): Activity<any> | undefined {
    return this.owner?.activity as Activity<any> | undefined
  }

  /** Permits that could be acquired now without waiting. */
  get available(): number {
    return this.waiters.head ? 0 : this.free
  }

  /** Waits for `want` permits. Cancelled: none were taken. With a signal: `wait(memory.acquire(7), { signal })`. */
  acquire(want = 1): Clause<Permit> {
    // Whole, and a number: a text would be put behind the permits when it is given back.
    if (want !== want - (want % 1) || want < 1 || want > this.permits)
      throw new RangeError(say(TOO_MANY_PERMITS, this.name, want, this.permits))
    return new Acquire(this, want)
  }

  /** Acquires without waiting, from anywhere; undefined if that is not possible now. */
  tryAcquire(want = 1): Permit | undefined {
    const acquire = this.acquire(want)
    acquire.poll()
    return acquire.outcome
  }

  /**
   * Runs `body` with `want` permits. A body that waits for more than those of its own `with` leave would wait for
   * itself, and gets a `DeadlockError`.
   */
  with<T>(body: () => Returned<T>, want?: number): Steps<T> {
    diagnosis?.body(`${this.name}: with`, body)
    return steps(this.run(body, want))
  }

  /** @internal */
  protected *run<T>(body: () => Returned<T>, want: number | undefined): Generator<unknown, T, any> {
    const permit: Permit = yield* this.acquire(want)
    try {
      domain.own = true
      return yield* asCall(body())
    } finally {
      permit.release()
    }
  }

  /** @internal How many permits nobody can give back while `branch` waits: one that it has alone is its own. */
  kept(branch: Branch): number {
    return this.owner === branch ? 1 : 0
  }

  /** @internal */
  permit(want: number, to: Branch | null | undefined): Permit {
    this.free -= want
    if (this.permits === 1) this.owner = to
    return new Permit(() => {
      this.free += want
      this.owner = null
      this.serve()
    })
  }

  /** @internal Hands free permits to those who wait, in order. */
  serve(): void {
    for (let first: Acquire | null; (first = this.waiters.head) && first.amount <= this.free; ) {
      this.waiters.remove(first)
      first.fire(this.permit(first.amount, first.waiter!.branch))
    }
  }
}

/**
 * What `mutex` makes: a semaphore with one permit.
 *
 * @example
 * const lock = mutex()
 * const permit = lock.tryAcquire()!
 * console.log(lock.locked, lock.tryAcquire())  // → true undefined
 * permit.release()
 * console.log(lock.locked)                     // → false
 */
export class Mutex extends Semaphore {
  constructor(name: string) {
    super(1, name)
  }
  get locked(): boolean {
    return !this.available
  }
}

/** What `acquire` has given may be released by others; only what `with` has taken is its branch's to give back. */
class Counting extends Semaphore {
  private readonly held: Map<Branch | null, number> = new Map()

  protected override *run<T>(body: () => Returned<T>, want = 1): Generator<unknown, T, any> {
    const { held } = this
    return yield* super.run(function* () {
      const branch = domain.current
      const before = held.get(branch) ?? 0
      held.set(branch, before + want)
      try {
        domain.own = true
        return (yield* asCall(body())) as T
      } finally {
        if (before > 0) held.set(branch, before)
        else held.delete(branch)
      }
    }, want)
  }

  override kept(branch: Branch): number {
    return this.held.get(branch) ?? 0
  }
}

/**
 * Makes a semaphore with that many permits.
 *
 * @example
 * const connections = semaphore(2)
 * const permit = yield* connections.acquire()
 * console.log(connections.available)  // → 1
 * permit.release()
 */
export function semaphore(permits: number, name = 'semaphore'): Semaphore {
  checkCount('semaphore', permits, 1)
  return new Counting(permits, name)
}

/**
 * A lock for data that must be kept over a *long* time. For short stretches prefer `atomic`: it needs no agreement on
 * which lock.
 *
 * @example
 * const lock = mutex()
 * let n = 0
 * const add = function* () { yield* lock.with(function* () { const was = n; yield* sleep(1); n = was + 1 }) }
 * const [a, b] = [spawn(add), spawn(add)]
 * yield* a
 * yield* b
 * console.log(n)  // → 2
 */
export function mutex(name = 'mutex'): Mutex {
  return new Mutex(name)
}

/** Asserts the invariants above. */
export function checkSemaphore(s: Semaphore): void {
  if (s.free < 0 || s.free > s.permits) throw new Error('semaphore: permits out of range')
  const first = s.waiters.head as Acquire | null
  if (first !== null && first.amount <= s.free) throw new Error('semaphore: somebody waits although permits are free')
}
