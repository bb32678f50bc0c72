/**
 * A lock for many readers or one writer. First come, first served: readers behind a waiting writer wait, so that it is
 * not starved.
 *
 * - `readers > 0` and `writing` exclude each other.
 * - The first one who waits could not be let in now.
 */
import { domain } from '../core/current.ts'
import { HELD_ALREADY, say } from '../core/say.ts'
import { THROW } from '../core/suspension.ts'
import type { Branch } from '../core/types.ts'
import { DeadlockError } from '../scope/errors.ts'
import { abortable, type WaitOptions } from '../wait/abortable.ts'
import { Clause } from '../wait/clause.ts'
import { ClauseList } from '../wait/list.ts'
import { Permit } from './semaphore.ts'

class Enter extends Clause<Permit> {
  readonly lock: RwLock
  /** Who writes takes the lock whole. */
  override readonly amount: number
  constructor(lock: RwLock, writes: boolean) {
    super()
    this.lock = lock
    this.amount = writes ? Infinity : 1
  }
  get writes(): boolean {
    return this.amount > 1
  }
  poll(): boolean {
    if (!this.ready(0)) return false
    this.outcome = this.lock.admit(this.writes, domain.current)
    return true
  }
  override ready(earlier: number): boolean {
    return this.lock.waiters.head === null && this.lock.admits(this.writes) && earlier < (this.writes ? 1 : Infinity)
  }
  override begin(branch: Branch): boolean {
    if (!this.lock.holders.has(branch) || this.ready(0)) return super.begin(branch)
    return branch.goOn(THROW, new DeadlockError(say(HELD_ALREADY, this.lock.name, branch.activity.name)))
  }
  override get resource(): unknown {
    return this.lock
  }
  override get list(): ClauseList {
    return this.lock.waiters
  }
  override withdraw(): void {
    super.withdraw()
    this.lock.serve()
  }
  describe(): string {
    return `${this.writes ? 'write' : 'read'}(${this.lock.name})`
  }
}

/**
 * What `rwlock` makes.
 *
 * @example
 * const lock = rwlock()
 * const reader = yield* lock.read()
 * const late = yield* select({ written: lock.write(), late: sleep(1) })
 * console.log(late.key)             // → late
 * reader.release()
 */
export class RwLock {
  readonly name: string
  /** @internal */ readonly waiters: ClauseList = new ClauseList()
  /** @internal */ readers: number = 0
  /** @internal */ writing: boolean = false
  /** @internal How many permits each branch has that has any. */ readonly holders: Map<unknown, number> = new Map()

  constructor(name: string) {
    this.name = name
  }

  /** Waits to read; others may read meanwhile. Who would wait for a permit of its own gets a `DeadlockError`. */
  read(options?: WaitOptions): Clause<Permit> {
    return abortable('read', new Enter(this, false), options)
  }

  /** Waits to write, alone. Who reads must give that permit back first: it would wait for itself. */
  write(options?: WaitOptions): Clause<Permit> {
    return abortable('write', new Enter(this, true), options)
  }

  /** @internal */
  admits(writes: boolean): boolean {
    return !this.writing && (!writes || this.readers === 0)
  }

  /** @internal */
  admit(writes: boolean, to: unknown): Permit {
    if (writes) this.writing = true
    else this.readers++
    this.holders.set(to, (this.holders.get(to) ?? 0) + 1)
    return new Permit(() => {
      const left = this.holders.get(to)! - 1
      if (left > 0) this.holders.set(to, left)
      else this.holders.delete(to)
      if (writes) this.writing = false
      else this.readers--
      this.serve()
    })
  }

  /** @internal */
  serve(): void {
    for (let first: Enter | null; (first = this.waiters.head) && this.admits(first.writes);) {
      this.waiters.remove(first)
      first.fire(this.admit(first.writes, first.waiter!.branch))
    }
  }
}

/**
 * Makes a lock for many readers or one writer.
 *
 * @example
 * const lock = rwlock()
 * const [one, two] = [yield* lock.read(), yield* lock.read()]  // readers beside each other
 * one.release()
 * two.release()
 * const permit = yield* lock.write()                           // a writer alone
 * permit.release()
 */
export function rwlock(name = 'rwlock'): RwLock {
  return new RwLock(name)
}

/** Asserts the invariants above. */
export function checkRwLock(lock: RwLock): void {
  if (lock.writing && lock.readers > 0) throw new Error('rwlock: a reader beside a writer')
  const first = lock.waiters.head as Enter | null
  if (first !== null && lock.admits(first.writes))
    throw new Error('rwlock: somebody waits although the lock would admit them')
}
