/**
 * An activity: the unit of identity and of automatic interleaving. It is its own first branch, and the group of its
 * branches outside atomic blocks.
 *
 * - `state` goes spawned -> running -> ended, where ended is done, failed or cancelled; then `answer` is its result for
 *   good.
 * - `home` is the context it belongs to: the domain's own, or the atomic block it was spawned `contained` in.
 * - `source` is what it was made of, from which it has its name unless it was given one. After a failure it is that
 *   name, after success null, because to ask every function for its name would cost too much.
 * - `joiners` are the clauses that wait for its end; after a failure that nobody has asked about, the rejected promise
 *   that makes the host report it.
 */
import type * as types from './types.ts'
import type { ActivityInfo, Context, Group } from './types.ts'
import { Branch } from './branch.ts'
import { ACTIVITY, kindOf } from './kind.ts'
import { nameOf } from './names.ts'
import { NEXT, START, type Operation } from './suspension.ts'
import { ClauseList } from '../wait/list.ts'
import { Join } from '../wait/join.ts'
import { promiseOf } from '../wait/promiseOf.ts'
import { cancelActivity } from '../scope/cancel.ts'
import { ASYNC_DISPOSE } from './dispose.ts'

/** What has become of an activity. */
export type State = 'spawned' | 'running' | 'done' | 'failed' | 'cancelled'

let counter = 0

/**
 * A task with a name, a state and a result. `spawn` makes one; `yield*` or `await` waits for its end.
 *
 * @example
 * const task = spawn(function* () { yield* sleep(1); return 5 }, { name: 'five' })
 * console.log(task.name, task.state)  // → five spawned
 * console.log(yield* task, task.state)  // → 5 done
 */
export class Activity<T> extends Branch implements types.Activity, Operation<T>, Promise<T>, AsyncDisposable {
  /** @internal */ running: types.Branch | null
  /** @internal */ others: types.Others | null = null
  /** @internal */ link: Group | null | undefined = undefined
  /** @internal */ home: Context
  /** Counts up from 1. */
  id: number
  /** @internal */ joiners: ClauseList<Join<T>> | Promise<T> | null = null
  /** @internal */ source: unknown
  /** @internal */ info: ActivityInfo | null = null
  /** @internal */ prev: types.Activity | null = null
  /** @internal */ next: types.Activity | null = null

  constructor(home: Context, body: unknown) {
    super(null, null)
    this.home = home
    this.running = this
    this.mode = START
    this.answer = this.source = body
    this.id = ++counter
  }

  /** @internal */ get $charcoal(): number {
    return ACTIVITY
  }

  /** @internal */
  get atomic(): boolean {
    return false
  }

  /** @internal */
  get queued(): boolean {
    return this.link !== undefined
  }

  /** @internal 0: it lives, 1: done, 2: failed, 3: cancelled */
  get ended(): 0 | 1 | 2 | 3 {
    return Math.max(0, this.mode - START) as 0 | 1 | 2 | 3
  }

  /** @internal */
  get over(): boolean {
    return false
  }

  /** @internal */
  survivor(): Group {
    return this
  }

  /**
   * The name it was given. Without one it is that of its function, until the activity has succeeded, or `activity 5` if
   * that has none.
   */
  get name(): string {
    return this.info?.name || nameOf(this.source) || `activity ${this.id}`
  }

  set name(name: string) {
    ;(this.info ??= {}).name = name
  }

  /** What the activity has come to. */
  get state(): State {
    if (this.ended === 0) return this.mode === START ? 'spawned' : 'running'
    return this.ended === 1 ? 'done' : this.ended === 2 ? 'failed' : 'cancelled'
  }

  /** Waits for the end: `yield* activity.join()` or `yield* activity`. The result is the activity's. */
  join(): Join<T> {
    return new Join<T>(this)
  }

  [Symbol.iterator](): Iterator<unknown, T, any> {
    return this.join()[Symbol.iterator]()
  }

  /** Marks everything the activity is in; its blocking operations end with `Cancelled`. Returns at once. */
  cancel(reason?: unknown): void {
    cancelActivity(this, reason)
  }

  then<A = T, B = never>(
    ok?: ((value: T) => A | PromiseLike<A>) | null,
    bad?: ((error: any) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    return this.asked((promise) => promise.then(ok, bad))
  }

  catch<B = never>(bad?: ((error: any) => B | PromiseLike<B>) | null): Promise<T | B> {
    return this.asked((promise) => promise.catch(bad))
  }

  finally(run?: (() => void) | null): Promise<T> {
    return this.asked((promise) => promise.finally(run))
  }

  /** `await using task = spawn(…)`: cancels the activity and waits for its end. What it fails with is thrown. */
  [ASYNC_DISPOSE](): Promise<void> {
    this.cancel()
    return this.then(
      () => {},
      (error) => {
        if (this.ended !== 3) throw error
      },
    )
  }

  get [Symbol.toStringTag](): string {
    return 'Activity'
  }

  /** @internal */
  joinFrom(branch: types.Branch): boolean {
    return new Join<T>(this).begin(branch)
  }

  /** A promise of the result, for legacy code. */
  promise(): Promise<T> {
    return this.asked((promise) => promise)
  }

  /** Legacy code wants a promise of the result, to which it reacts. */
  private asked<R>(react: (promise: Promise<T>) => R): R {
    const { belonging, held, top } = this.home.domain
    held.want(this, top) // what waits for the promise waits for the activity
    const join = new Join<T>(this)
    const block = belonging.now()
    if (block === null) return react(promiseOf(join))
    if (this.ended !== 0) return belonging.settle(block, () => react(promiseOf(join)))
    const promise = promiseOf(join)
    const waiter = join.waiter!
    join.waiter = { answered: (clause) => belonging.settle(block, () => waiter.answered(clause)) }
    return react(promise)
  }

  /** @internal Somebody has asked for the result: an error is theirs now. */
  handled(): void {
    if (this.joiners !== null) (this.joiners as Promise<T>).catch(() => {})
    this.joiners = null
  }

  /** @internal The body has ended and so have all branches. */
  settle(mode: 0 | 1, answer: unknown): void {
    // Cancelled is who was cancelled: an error of that kind that came from somebody else is a failure like any other.
    this.mode = mode === NEXT ? 3 : this.scope?.isTold(answer) ? 5 : 4
    this.source = mode === NEXT ? null : nameOf(this.source) // a function would keep what it uses
    this.answer = answer
    this.gen = null
    this.scope = null
    this.cell = null
    this.info?.ended?.()
    const joiners = this.joiners as ClauseList<Join<T>> | null
    const asked = joiners !== null && joiners.head !== null
    if (asked) for (let join = joiners.shift(); join !== null; join = joiners.shift()) join.settle()
    this.joiners = this.ended === 2 && !asked ? (this.home.domain.host.unhandled(answer) as Promise<T>) : null
  }
}

export function isActivity(what: unknown): what is Activity<any> {
  return kindOf(what) === ACTIVITY
}
