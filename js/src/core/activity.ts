/**
 * An activity: the unit of identity and of automatic interleaving. It is its own first branch, and the group of its
 * branches outside atomic blocks.
 *
 * - `state` goes spawned -> running -> ended, where ended is done, failed or cancelled; then `answer` is its result for good.
 * - `home` is the context it belongs to: the domain's own, or the atomic block it was spawned `contained` in.
 * - `joiners` are the clauses that wait for its end; after a failure that nobody has asked about, the rejected promise that
 *   makes the host report it. `prev`/`next` link all live activities of the domain.
 */
import { Branch } from './branch.ts'
import type { Context, Group } from './group.ts'
import { NEXT, START, type Operation } from './suspension.ts'
import type { Queue } from './queue.ts'
import { ClauseList } from '../wait/list.ts'
import { Join } from '../wait/join.ts'
import { cancelActivity } from '../scope/cancel.ts'
import { Cancelled } from '../scope/errors.ts'

export type State = 'spawned' | 'running' | 'done' | 'failed' | 'cancelled'

export interface ActivityInfo {
  name?: string
  /** The place of the spawn, in development mode. */
  site?: string
  /** Called when the activity has ended. */
  ended?: () => void
}

let counter = 0

export class Activity<T> extends Branch implements Group, Operation<T>, Promise<T> {
  /** @internal */ running: Branch | null
  /** @internal */ conts: Branch[] | null = null
  /** @internal */ readies: Queue<Branch> | null = null
  /** @internal */ queued: boolean = false
  /** @internal */ link: Group | null = null
  /** @internal */ home: Context
  /** Counts up from 1. */
  id: number
  /** @internal 0: it lives, 1: done, 2: failed, 3: cancelled */ ended: 0 | 1 | 2 | 3 = 0
  /** @internal */ joiners: ClauseList | Promise<T> | null = null
  /** @internal */ info: ActivityInfo | null = null
  /** @internal The values of `local` variables; never changed, but replaced. */ locals: ReadonlyMap<object, unknown> | null = null
  /** @internal */ prev: Activity<any> | null = null
  /** @internal */ next: Activity<any> | null = null

  constructor(home: Context, body: unknown) {
    super(null, null)
    this.home = home
    this.running = this
    this.mode = START
    this.answer = body
    this.id = ++counter
  }

  /** @internal */
  get atomic(): boolean {
    return false
  }

  /** @internal */
  get over(): boolean {
    return false
  }

  get name(): string {
    return this.info?.name ?? `activity ${this.id}`
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

  then<A = T, B = never>(ok?: ((value: T) => A | PromiseLike<A>) | null, bad?: ((error: any) => B | PromiseLike<B>) | null): Promise<A | B> {
    return this.promise().then(ok, bad)
  }

  catch<B = never>(bad?: ((error: any) => B | PromiseLike<B>) | null): Promise<T | B> {
    return this.promise().catch(bad)
  }

  finally(run?: (() => void) | null): Promise<T> {
    return this.promise().finally(run)
  }

  get [Symbol.toStringTag](): string {
    return 'Activity'
  }

  /** @internal */
  joinFrom(branch: Branch): boolean {
    return new Join<T>(this).begin(branch)
  }

  /** A promise of the result, for legacy code. */
  promise(): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const join = new Join<T>(this)
      join.waiter = {
        answered: (clause) => (clause.failed ? reject(clause.outcome) : resolve(clause.outcome as T)),
      }
      if (join.poll()) join.waiter.answered(join)
      else join.register()
    })
  }

  /** @internal Somebody has asked for the result: an error is theirs now. */
  handled(): void {
    if (this.joiners !== null) (this.joiners as Promise<T>).catch(() => {})
    this.joiners = null
  }

  /** @internal The body has ended and so have all branches. */
  settle(mode: 0 | 1, answer: unknown): void {
    // Cancelled is who was cancelled: an error of that kind that came from somebody else is a failure like any other.
    const cancelled = answer instanceof Cancelled && this.scope !== null && this.scope.marked && answer.origin === this.scope.origin
    this.ended = mode === NEXT ? 1 : cancelled ? 3 : 2
    this.answer = answer
    this.gen = null
    this.mode = NEXT
    this.scope = null
    this.cell = null
    if (this.info?.ended !== undefined) this.info.ended()
    const joiners = this.joiners as ClauseList | null
    this.joiners = null
    if (joiners !== null && !joiners.empty) {
      for (let join = joiners.shift() as Join<T> | null; join !== null; join = joiners.shift() as Join<T> | null) join.settle()
    } else if (this.ended === 2) {
      this.joiners = this.home.domain.unhandled(answer) as Promise<T>
    }
  }
}
