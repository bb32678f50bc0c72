/** `tabLock` is a lock for all tabs and workers of an origin: `navigator.locks` as a clause. */
import { asCall } from '../core/asCall.ts'
import { domain } from '../core/current.ts'
import { steps, type Steps } from '../core/steps.ts'
import type { Branch } from '../core/branch.ts'
import { THROW, type Operation } from '../core/suspension.ts'
import { DeadlockError } from '../scope/errors.ts'
import { Permit } from '../sync/semaphore.ts'
import { abortable, type WaitOptions } from '../wait/abortable.ts'
import { Clause } from '../wait/clause.ts'

/** A permit that a branch has. Of one name there may be several objects, each with its own permits. */
interface Held {
  readonly name: string
  readonly manager: LockManager
  readonly shares: boolean
}

const heldBy = new WeakMap<Branch, Held[]>()

class Acquire extends Clause<Permit> {
  private readonly lock: TabLock
  private readonly mode: LockMode
  private controller: AbortController | null = null

  constructor(lock: TabLock, mode: LockMode) {
    super()
    this.lock = lock
    this.mode = mode
  }

  override begin(branch: Branch): boolean {
    const { lock, mode } = this
    // Those who share it do not wait for one another, as long as nobody waits who does not share.
    const isOwn = ({ name, manager, shares }: Held): boolean =>
      name === lock.name && manager === lock.manager && !(shares && mode === 'shared')
    if (heldBy.get(branch)?.some(isOwn)) {
      const held = `this branch of ${branch.activity.name} holds the lock already`
      return branch.goOn(THROW, new DeadlockError(`${this.describe()}: ${held}; release it first`))
    }
    return super.begin(branch)
  }

  poll(): boolean {
    return false // the browser says only later that it has the lock
  }

  override register(): void {
    const controller = (this.controller = new AbortController())
    const { mode } = this
    const granted = (): Promise<void> | undefined => {
      if (this.controller !== controller) return undefined // withdrawn meanwhile: the lock is given back at once
      this.controller = null
      return new Promise<void>((done) => this.fireFromHost(this.lock.permit(this.holder, this.mode === 'shared', done)))
    }
    this.lock.manager.request(this.lock.name, { mode, signal: controller.signal }, granted).catch((error: unknown) => {
      if (this.controller !== controller) return // withdrawn
      this.controller = null
      this.failFromHost(error)
    })
  }

  private get holder(): Branch | undefined {
    const { waiter } = this as { waiter: unknown }
    return (waiter as { branch?: Branch }).branch ?? ('gen' in (waiter as object) ? (waiter as Branch) : undefined)
  }

  override withdraw(): void {
    const { controller } = this
    this.controller = null
    controller?.abort()
  }

  override get outside(): 2 {
    return 2
  }

  describe(): string {
    return `${this.mode === 'shared' ? 'share' : 'acquire'}(${this.lock.name}) of all tabs`
  }
}

/**
 * What `tabLock` gives.
 *
 * @example
 * // not run here: it needs navigator.locks
 * console.log(tabLock('list') instanceof TabLock)  // → true
 */
export class TabLock {
  readonly name: string
  /** @internal */ readonly manager: LockManager

  /** @internal */
  constructor(name: string, manager: LockManager) {
    this.name = name
    this.manager = manager
  }

  /** Waits until no other tab, worker or activity holds the lock. Cancelled: it was not acquired. */
  acquire(options?: WaitOptions): Clause<Permit> {
    return abortable('acquire', new Acquire(this, 'exclusive'), options)
  }

  /** Waits until nobody holds it exclusively; several may share it. */
  share(options?: WaitOptions): Clause<Permit> {
    return abortable('share', new Acquire(this, 'shared'), options)
  }

  /** Runs `body` while holding the lock. A signal ends the wait for the lock, not the body. */
  with<T>(body: () => Operation<T>, options?: WaitOptions): Steps<T> {
    return steps(this.run(body, options))
  }

  private *run<T>(body: () => Operation<T>, options: WaitOptions | undefined): Generator<unknown, T, any> {
    const permit = yield* this.acquire(options)
    try {
      domain.own = true
      return yield* asCall(body())
    } finally {
      permit.release()
    }
  }

  /** @internal */
  permit(holder: Branch | undefined, shares: boolean, release: () => void): Permit {
    if (holder === undefined) return new Permit(release)
    const { name, manager } = this
    const held: Held = { name, manager, shares }
    const all = heldBy.get(holder) ?? []
    heldBy.set(holder, all)
    all.push(held)
    return new Permit(() => {
      all.splice(all.indexOf(held), 1)
      release()
    })
  }
}

/**
 * A lock that all tabs and workers of the origin share (Web Locks). `atomic` and `mutex` are for one realm alone. If
 * a tab is closed, its locks are free. To acquire one twice, which Web Locks wait for without an end, is reported.
 *
 * @example
 * // not run: needs navigator.locks
 * const permit = yield* tabLock('cart').acquire()
 * try {
 *   localStorage.cart = JSON.stringify([...JSON.parse(localStorage.cart), item])
 * } finally {
 *   permit.release()
 * }
 */
export function tabLock(name: string, manager: LockManager | undefined = globalThis.navigator?.locks): TabLock {
  if (manager === undefined) throw new Error('tabLock: there is no navigator.locks here (pages need https, Node 24)')
  return new TabLock(name, manager)
}
