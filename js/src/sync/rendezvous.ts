/**
 * Events and rendezvous (Tame, section 3). An event stands for one future occurrence; triggering it hands its typed id
 * and its values to its rendezvous, in trigger order. A rendezvous takes events that many callbacks will trigger, and
 * one activity at a time collects them with `yield* r.next()`.
 *
 * - An event is triggered at most once; later triggers are ignored (or throw, with `strict`).
 * - `outstanding` counts the events that are neither triggered nor cancelled. Leaving the `rendezvous` body cancels
 *   those; a trigger of a cancelled event is ignored, and who waits for the next one gets a `DeadlockError`.
 * - An event that is dropped untriggered while its rendezvous lives is reported with the place that made it, when the
 *   garbage collector finds it.
 *
 * @example
 * yield* rendezvous<string>(function* (r) {
 *   for (const name of names) lookup(name, r.event(name))
 *   while (r.outstanding > 0 || r.triggered > 0) {
 *     const { id, value } = yield* r.next()
 *   }
 * })
 */
import { abortable, type WaitOptions } from '../wait/abortable.ts'
import { Clause } from '../wait/clause.ts'
import { ClauseList } from '../wait/list.ts'
import { Queue } from '../core/queue.ts'
import { THROW, type Operation, type Returned } from '../core/suspension.ts'
import type { Branch } from '../core/branch.ts'
import { DeadlockError } from '../scope/errors.ts'
import { checkFunction, checkTime } from '../core/arguments.ts'
import { generatorOf } from '../core/call.ts'
import { asCall } from '../core/asCall.ts'
import { domain } from '../core/current.ts'
import { steps, type Steps } from '../core/steps.ts'
import { spawn } from '../core/spawn.ts'
import type { Activity } from '../core/activity.ts'
import { select } from '../wait/select.ts'
import { sleep } from './sleep.ts'

/** What `next()` of a rendezvous gives: the id of the event, and what it was triggered with. */
export interface Triggered<I, V> {
  id: I
  value: V
}

/** Options of `rendezvous`. */
export interface RendezvousOptions {
  name?: string | undefined
  /** A second trigger throws instead of being ignored. */
  strict?: boolean | undefined
  /** Told about every event that was dropped untriggered. Default: a warning on the console. */
  onLeak?: ((leak: { id: unknown; site: string }) => void) | undefined
}

/**
 * A function to call once with the value: `e(value)` is `e.trigger(value)`, so that it can stand where a callback is
 * wanted.
 */
export interface RendezvousEvent<V> {
  (value: V): boolean
  trigger(value: V): boolean
  readonly state: 'outstanding' | 'triggered' | 'cancelled'
}

class Next<I, V> extends Clause<Triggered<I, V>> {
  private readonly rendezvous: Rendezvous<I, V>
  constructor(rendezvous: Rendezvous<I, V>) {
    super()
    this.rendezvous = rendezvous
  }
  poll(): boolean {
    const t = this.rendezvous.shift()
    this.outcome = t
    return t !== undefined
  }
  override ready(earlier: number): boolean {
    return this.rendezvous.triggered > earlier
  }
  override get resource(): unknown {
    return this.rendezvous
  }
  override get list(): ClauseList {
    return this.rendezvous.waiters
  }
  override begin(branch: Branch): boolean {
    const { outstanding, triggered } = this.rendezvous
    return outstanding > 0 || triggered > 0 ? super.begin(branch) : branch.goOn(THROW, this.rendezvous.vain())
  }
  describe(): string {
    return `next(${this.rendezvous.name})`
  }
}

/**
 * Collects events that callbacks trigger. `rendezvous(body)` makes one and cancels at its end what is outstanding.
 *
 * @example
 * const r = new Rendezvous<string, number>()
 * const event = r.event('answer')
 * event(42)
 * console.log(yield* r.next())  // → { id: 'answer', value: 42 }
 */
export class Rendezvous<I, V = unknown> {
  readonly name: string
  /** @internal */ readonly waiters: ClauseList = new ClauseList()
  private readonly queue = new Queue<Triggered<I, V>>()
  private readonly strict: boolean
  private readonly watch: FinalizationRegistry<{ id: unknown; site: string }>
  private over = false
  /** Events not yet triggered. */
  outstanding: number = 0

  constructor(options: RendezvousOptions = {}) {
    this.name = options.name ?? 'rendezvous'
    this.strict = options.strict ?? false
    const report =
      options.onLeak ??
      ((leak) =>
        console.warn(`charcoal: ${this.name}: event ${String(leak.id)} was dropped untriggered; made${leak.site}`))
    this.watch = new FinalizationRegistry((leak) => {
      if (this.over) return
      this.outstanding--
      report(leak)
      if (this.outstanding === 0) this.giveUp()
    })
  }

  /** Nothing will come any more for those who wait. */
  private giveUp(): void {
    for (let waiter = this.waiters.shift(); waiter !== null; waiter = this.waiters.shift()) waiter.fail(this.vain())
  }

  /** @internal What is wrong with a wait for the next event when none is left. */
  vain(): DeadlockError {
    const why = `${this.name}: next() would wait for ever, for no event is outstanding and none was triggered`
    return new DeadlockError(`${why}.\nRemedy: make the events before, and ask only while outstanding + triggered > 0.`)
  }

  /** Triggered events that nobody has collected. */
  get triggered(): number {
    return this.queue.size
  }

  /** Makes an event with an id. */
  event(id: I): RendezvousEvent<V> {
    let state: RendezvousEvent<V>['state'] = 'outstanding'
    const key = {}
    const trigger = (value: V): boolean => {
      if (state === 'outstanding' && this.over) state = 'cancelled'
      if (state !== 'outstanding') {
        if (this.strict && state === 'triggered')
          throw new Error(`${this.name}: event ${String(id)} was triggered twice`)
        return false
      }
      state = 'triggered'
      this.watch.unregister(key)
      this.outstanding--
      const waiter = this.waiters.shift()
      if (waiter !== null) waiter.fire({ id, value })
      else this.queue.push({ id, value })
      return true
    }
    const event = Object.assign((value: V) => trigger(value), { trigger }) as unknown as RendezvousEvent<V>
    Object.defineProperty(event, 'state', { get: () => (state === 'outstanding' && this.over ? 'cancelled' : state) })
    this.outstanding++
    // Whoever has the event has its trigger: when that is collected, nobody can trigger the event any more.
    this.watch.register(trigger, { id, site: (new Error().stack ?? '').split('\n')[2] ?? '' }, key)
    return event
  }

  /** Waits for a triggered event and takes it; trigger order. */
  next(options?: WaitOptions): Clause<Triggered<I, V>> {
    return abortable('next', new Next(this), options)
  }

  /** Runs `body` as an activity whose end triggers an event with `id` (Tame, section 4, tfork). */
  fork(id: I, body: (() => Operation<V>) | Operation<V>): Activity<void> {
    const event = this.event(id)
    return spawn(function* () {
      event(yield* generatorOf(body) as Generator<unknown, V, any>)
    })
  }

  /** Cancels all outstanding events and forgets the triggered ones. Who waits for the next one fails. */
  cancel(): void {
    this.over = true
    this.outstanding = 0
    while (this.queue.shift() !== undefined);
    this.giveUp()
  }

  /** @internal */
  shift(): Triggered<I, V> | undefined {
    return this.queue.shift()
  }
}

/**
 * Runs `body` with a rendezvous; what is outstanding when the body ends is cancelled.
 *
 * @example
 * yield* rendezvous<string, number>(function* (r) {
 *   setTimeout(r.event('a'), 1, 1)
 *   setTimeout(r.event('b'), 9, 2)
 *   while (r.outstanding > 0 || r.triggered > 0) {
 *     const { id, value } = yield* r.next()
 *     console.log(id, value)
 *   }
 * })
 * // → a 1
 * // → b 2
 */
export function rendezvous<I, V = any, T = void>(
  body: (r: Rendezvous<I, V>) => Returned<T>,
  options?: RendezvousOptions,
): Steps<T> {
  checkFunction('rendezvous', body)
  return steps(collect(body, options))
}

function* collect<I, V, T>(
  body: (r: Rendezvous<I, V>) => Returned<T>,
  options: RendezvousOptions | undefined,
): Generator<unknown, T, any> {
  const r = new Rendezvous<I, V>(options)
  try {
    domain.own = true
    return yield* asCall(body(r))
  } finally {
    r.cancel()
  }
}

/**
 * Waits until all events made in `body` are triggered (Tame's `twait { }`). The result is the body's.
 *
 * @example
 * const found: string[] = []
 * const lookup = (name: string, done: (address: string) => void) => setTimeout(done, 1, `${name}:80`)
 * yield* twait((make) => ['a', 'b'].forEach((name, i) => lookup(name, make((address) => (found[i] = address)))))
 * console.log(found)  // → [ 'a:80', 'b:80' ]
 */
export function twait<T>(body: (make: MakeEvent) => T, options?: RendezvousOptions): Steps<T> {
  checkFunction('twait', body)
  return steps(waitForAll(body, options))
}

/** Makes an event; `store` is given what it is triggered with. */
type MakeEvent = <V>(store?: (value: V) => void) => RendezvousEvent<V>

function* waitForAll<T>(
  body: (make: MakeEvent) => T,
  options: RendezvousOptions | undefined,
): Generator<unknown, T, any> {
  const r = new Rendezvous<(value: any) => void, any>(options)
  try {
    const result = body((store) => r.event(store ?? (() => {})))
    while (r.outstanding > 0 || r.triggered > 0) {
      const { id, value } = yield* r.next()
      id(value)
    }
    return result
  } finally {
    r.cancel()
  }
}

/**
 * An event that hands `value` on to `event` as `{ ok: true, value }`, or `{ ok: false }` if it was not triggered within
 * `ms` (Tame, section 3.3).
 *
 * @example
 * yield* rendezvous<string>(function* (r) {
 *   addTimeout(1, r.event('late'))
 *   console.log((yield* r.next()).id)  // → late
 * })
 */
export function addTimeout<V>(ms: number, event: RendezvousEvent<{ ok: boolean; value?: V }>): RendezvousEvent<V> {
  checkTime('addTimeout', ms)
  const r = new Rendezvous<boolean, any>({ name: 'addTimeout' })
  const inner = r.event(true) as RendezvousEvent<V>
  spawn(function* () {
    const { id, value } = yield* waitOr(r, ms)
    event.trigger(id ? { ok: true, value } : { ok: false })
    r.cancel()
    return inner // kept meanwhile: one that the caller drops is triggered by the time
  })
  return inner
}

function* waitOr(r: Rendezvous<boolean, any>, ms: number): Generator<unknown, Triggered<boolean, any>, any> {
  const got = yield* select({ event: r.next(), late: sleep(ms) })
  return got.key === 'event' ? got.value : { id: false, value: undefined }
}
