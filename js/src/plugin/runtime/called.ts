/**
 * What plain code gets from a call of a transformed `async` function: a promise, as natively, whose work is an activity
 * of its own. The first part of that activity has run in the call.
 *
 * Which calls become such promises is known when they are made. A call that is awaited in place belongs to its caller:
 * it is a `Call`, which the caller runs. The plugin says so right before it (`own`), and so does the library before it
 * calls a function whose result it is going to run. Every other call begins at once, because code that keeps the
 * promise of a call, counts the calls that are running, or goes on beside them, relies on that.
 *
 * Structured operations take such a promise over: `timeout(9, p)` cancels its activity, and ends after it.
 *
 * - To the library it is a call that runs as an activity of its own: `activity` is never null, `gen` always is.
 * - `taken` is set when a structured operation has taken it over, until that waits for it.
 */
import type { Activity } from '../../core/activity.ts'
import { NOTHING } from '../../core/call.ts'
import { domain } from '../../core/current.ts'
import { CALL } from '../../core/kind.ts'
import type { Operation } from '../../core/suspension.ts'
import type { AnyIterator, Branch } from '../../core/types.ts'
import { isCancelled } from '../../scope/errors.ts'
import { noncancellable } from '../../scope/finish.ts'
import { disregard } from '../../wait/promise.ts'
import { Join } from '../../wait/join.ts'

export class Called<T> extends Promise<T> {
  readonly #activity: Activity<T>
  #taken = false

  constructor(activity: Activity<T>) {
    super((resolve, reject) => {
      const join = new Join<T>(activity)
      const answered = ({ failed, outcome }: { failed?: boolean; outcome: any }): void =>
        failed ? reject(outcome) : resolve(outcome)
      join.waiter = { answered }
      if (join.poll()) answered(join)
      else join.register()
    })
    this.#activity = activity
  }

  get $charcoal(): number {
    return CALL
  }

  // ---- as a promise: a reaction in a block is told to those that look for what blocks hold back

  override then<A = T, B = never>(
    ok?: ((value: T) => A | PromiseLike<A>) | null,
    bad?: ((error: any) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    const { held, top } = domain
    held.want(this.#activity as never, top)
    return super.then(ok, bad)
  }

  // ---- as a call, whose activity is joined

  get activity(): Activity<T> {
    return this.#activity
  }

  /** Its result is asked for here, so its failure is told here. */
  start(): Activity<T> {
    if (this.#activity.ended !== 1) disregard(this)
    return this.#activity
  }

  /** How it is waited for. It has no iterator, as a promise has none: Node's `Duplex.from`, and React, look for one. */
  operation(): Operation<T> {
    return this.#taken ? (this.take() as Generator<unknown, T, any>) : this.start()
  }

  begin(branch: Branch): boolean {
    return this.start().joinFrom(branch)
  }

  claim(): void {
    this.#taken = true
    disregard(this)
  }

  take(): AnyIterator {
    this.claim()
    this.#taken = false
    return owning(this.#activity)
  }

  get source(): unknown {
    return () => {}
  }
}

/** What a call of the library has besides. The host's promises have none of it, so code may set such properties. */
const CALL_FIELDS = { constructor: Promise, gen: null, inner: NOTHING, done: false }
const field = { configurable: true, writable: true }
for (const [name, value] of Object.entries(CALL_FIELDS))
  Object.defineProperty(Called.prototype, name, { ...field, value })
// React notes the outcome of a promise in its `value`; the run loop then asks the iterator of the call.
Object.defineProperty(Called.prototype, 'value', {
  get(this: unknown) {
    return this
  },
  set(this: unknown, value: unknown) {
    Object.defineProperty(this, 'value', { ...field, enumerable: true, value })
  },
})

/** Waits for an activity, cancels it if the wait is cancelled, and does not end before it. */
function* owning(activity: Activity<any>): Generator<unknown, any, any> {
  try {
    return yield* activity.join()
  } catch (error) {
    if (activity.ended !== 0) throw error
    activity.cancel(isCancelled(error) ? error.cause : error)
    yield* noncancellable(function* () {
      try {
        yield* activity.join()
      } catch {
        // The caller is told of the cancel.
      }
    })
    throw error
  }
}
