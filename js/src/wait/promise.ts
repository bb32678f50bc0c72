/**
 * Waits for a promise or any thenable: `yield* wait(p)`, typed (see waitFor.ts), or plain `yield p` as in the papers.
 *
 * A promise cannot take back a reaction. So the reaction goes through a cell, which a withdrawn wait leaves behind
 * empty; a branch uses one cell for all its waits in turn, so that an ordinary wait allocates nothing but what `then`
 * needs.
 *
 * - `cell.branch` is who waits for the cell's promise, null after that wait was withdrawn.
 */
import { NEXT, THROW } from '../core/suspension.ts'
import type { Blocker, Branch, Mode } from '../core/types.ts'
import { domain, noteOurs } from '../core/current.ts'
import { NativePromise, then } from '../core/host.ts'
import { kindOf, SUSPENSION } from '../core/kind.ts'
import { Clause } from './clause.ts'

export class PromiseCell implements Blocker {
  branch: Branch | null
  // These are bound functions, because closures would take half as much memory again.
  readonly ok: (value: unknown) => void = fulfilled.bind(this)
  readonly bad: (error: unknown) => void = rejected.bind(this)

  constructor(branch: Branch) {
    this.branch = branch
  }

  withdraw(): void {
    this.branch!.cell = null
    this.branch = null
  }

  describe(): string {
    return 'a promise'
  }

  get outside(): 2 {
    return 2
  }
}

function fulfilled(this: PromiseCell, value: unknown): void {
  settled(this, NEXT, value)
}

function rejected(this: PromiseCell, error: unknown): void {
  settled(this, THROW, error)
}

function settled({ branch }: PromiseCell, mode: Mode, answer: unknown): void {
  noteOurs()
  if (branch === null) return
  const d = branch.group.home.domain
  if (branch === d.alone && mode === NEXT && d.tracer === null) return d.resume(branch, answer)
  branch.blocked = null
  branch.goOn(mode, answer)
  d.readyFromHost(branch)
}

const ignore = (): void => {}

/**
 * The wait that this promise was for is not made, because the scope is cancelled. Its failure must not become an
 * unhandled rejection, which would end a Node process: a wait that is withdrawn later takes it no more seriously.
 */
export function disregard(promise: PromiseLike<unknown>): void {
  react(promise, ignore, ignore)
}

/**
 * If `what` is a promise, or a wait for one, its failure will be told, or nobody will want to know it. What is only
 * like a promise, or of a class of its own, may begin its work when it is asked, so it is left alone.
 */
export function expectFailure(what: unknown): void {
  const promise = kindOf(what) === SUSPENSION ? (what as { promise?: unknown }).promise : what
  if (promise instanceof Promise && promise.constructor === Promise) disregard(promise)
}

/** As `await` does: a promise whose `then` is its own, and what only looks like a promise, is asked by that `then`. */
function react(promise: PromiseLike<unknown>, ok: (value: unknown) => void, bad: (error: unknown) => void): void {
  const isNative = promise.constructor === NativePromise
  then.call(isNative ? (promise as Promise<unknown>) : NativePromise.resolve(asked(promise)), ok, bad)
}

/** What only looks like a promise is asked by a job of the host, which belongs to the block that asks. */
function asked(promise: PromiseLike<unknown>): PromiseLike<unknown> {
  const { belonging } = domain
  const block = promise instanceof Promise || belonging === undefined ? null : belonging.now()
  if (block === null) return promise
  const then: PromiseLike<unknown>['then'] = (ok, bad) => belonging.run(block, () => promise.then(ok, bad))
  return { then }
}

/** Blocks `branch` on `promise`. */
export function blockOnPromise(branch: Branch, promise: PromiseLike<unknown>): boolean {
  if (branch.refused()) {
    disregard(promise)
    return true
  }
  const cell = (branch.cell ??= new PromiseCell(branch)) as PromiseCell
  branch.blocked = cell
  react(promise, cell.ok, cell.bad)
  return false
}

/** What `yield*` hands to the run loop to wait for a promise (see waitFor.ts). */
export interface PromiseWait {
  readonly promise: PromiseLike<unknown>
  begin(branch: Branch): boolean
}

/** The `begin` of such a wait, by which it is known. */
export function beginWait(this: PromiseWait, branch: Branch): boolean {
  return blockOnPromise(branch, this.promise)
}

/**
 * Does the same for a branch that a promise has just answered. False: `op` is no ordinary promise, or the branch is
 * cancelled, and nothing was done.
 */
export function blockAgain(branch: Branch, op: unknown): boolean {
  const { cell, scope } = branch
  if (typeof op !== 'object' || op === null || cell === null || (scope !== null && scope.marked)) return false
  try {
    const promise = ((op as PromiseWait).begin === beginWait ? (op as PromiseWait).promise : op) as Promise<unknown>
    if (promise.constructor !== Promise || promise.then !== then) return false
    // V8 inlines this, because it has just read the method, but not `then.call`.
    promise.then((cell as PromiseCell).ok, (cell as PromiseCell).bad)
  } catch {
    return false // a property of its own throws, or it only looks like a promise
  }
  branch.blocked = cell
  return true
}

/**
 * A promise as a clause of `waituntil`. The promise keeps one reaction however many waits come and go, and has it from
 * the moment the clause is made: so a promise that loses, and fails later, is no unhandled rejection.
 */
export class PromiseClause<T> extends Clause<T> {
  private readonly hub: Hub

  constructor(promise: PromiseLike<T>) {
    super()
    this.hub = hubOf(promise)
  }

  poll(): boolean {
    const { settled } = this.hub
    if (settled === null) return false
    if (settled.failed) this.failed = true
    this.outcome = settled.value
    return true
  }

  override ready(): boolean {
    return this.hub.settled !== null
  }

  override get uncertain(): boolean {
    return !this.hub.asked
  }

  override register(): void {
    this.hub.waits.add(this as PromiseClause<unknown>)
  }

  override withdraw(): void {
    this.hub.waits.delete(this as PromiseClause<unknown>)
  }

  describe(): string {
    return 'a promise'
  }

  override get outside(): 2 {
    return 2
  }
}

/**
 * What is known of a promise, and who waits for it.
 *
 * - `settled` is its outcome, null while it is pending or has not been asked long enough to say.
 * - `asked` is set when a settled promise would have said so: `settled` can be relied on from then.
 */
class Hub {
  readonly waits = new Set<PromiseClause<unknown>>()
  settled: { failed: boolean; value: unknown } | null = null
  asked: boolean = false

  settle(failed: boolean, value: unknown): void {
    this.asked = true
    this.settled = { failed, value }
    noteOurs()
    for (const wait of this.waits) {
      this.waits.delete(wait)
      if (failed) wait.failFromHost(value)
      else wait.fireFromHost(value)
    }
  }
}

const hubs = new WeakMap<object, Hub>()

function hubOf(promise: PromiseLike<unknown>): Hub {
  let hub = hubs.get(promise)
  if (hub === undefined) {
    hub = new Hub()
    hubs.set(promise, hub)
    const made = hub
    react(
      promise,
      (value) => made.settle(false, value),
      (error) => made.settle(true, error),
    )
    // The reaction of a settled promise is in the queue already, so this runs after it.
    queueMicrotask(() => (made.asked = true))
  }
  return hub
}
