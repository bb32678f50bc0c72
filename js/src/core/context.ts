/**
 * The papers' other style: an explicit context instead of the implicit one. `actx` says which activity a call belongs
 * to (Charcoal, Figure 7).
 *
 * @example
 * const main = asyncFnX(function* (actx, url: string) {
 *   yield* actx.atomic(function* () { ... yield* other(actx, 42) ... })
 * })
 * newActivityContext().spawn(main, 'localhost/foo')
 */
import './domain.ts'
import type { Activity } from './activity.ts'
import { Call } from './call.ts'
import { remember } from './names.ts'
import { atomic, type Body } from './atomic.ts'
import { domain } from './current.ts'
import { spawn, type SpawnOptions } from './spawn.ts'

/**
 * Says which activity a call belongs to.
 *
 * @example
 * const name = asyncFnX(function* (actx: ActivityContext) { return actx.activity!.name })
 * const actx = newActivityContext()
 * console.log(yield* actx.spawnWith({ name: 'explicit' }, name))  // → explicit
 */
export class ActivityContext {
  /** The activity that this context stands for; undefined for a fresh one. */
  activity: Activity<any> | undefined

  constructor(activity?: Activity<any>) {
    this.activity = activity
  }

  /** Runs `f(actx, ...args)` as a new activity, where `actx` is the new activity's context. */
  spawn<A extends unknown[], T>(f: (actx: ActivityContext, ...args: A) => Call<T>, ...args: A): Activity<T> {
    return this.spawnWith({}, f, ...args)
  }

  spawnWith<A extends unknown[], T>(
    options: SpawnOptions,
    f: (actx: ActivityContext, ...args: A) => Call<T>,
    ...args: A
  ): Activity<T> {
    const actx = new ActivityContext()
    const activity = spawn<T>(() => f(actx, ...args), options)
    actx.activity = activity
    return activity
  }

  /**
   * Atomic in this context's activity. Throws if another one is running: the context was passed on to the wrong
   * activity.
   */
  atomic<T>(body: Body<T>): Call<T> {
    this.check()
    return atomic(body)
  }

  /** @internal */
  check(): void {
    const now = domain.current?.activity
    if (this.activity === undefined || now === undefined || now === this.activity) return
    throw new Error(`the context of ${this.activity.name} was used in ${now.name}: pass each activity its own`)
  }
}

/**
 * A context that stands for no activity yet: `spawn` with it.
 *
 * @example
 * console.log(newActivityContext().activity)  // → undefined
 */
export function newActivityContext(): ActivityContext {
  return new ActivityContext()
}

/**
 * `asyncFn` with the context as an explicit first parameter.
 *
 * @example
 * const add = asyncFnX(function* (actx, a: number, b: number) {
 *   return yield* actx.atomic(function* () { return a + b })
 * })
 * console.log(yield* newActivityContext().spawn(add, 1, 2))  // → 3
 */
export function asyncFnX<A extends unknown[], T>(
  body: (actx: ActivityContext, ...args: A) => Generator<unknown, T, any>,
): (actx: ActivityContext, ...args: A) => Call<T> {
  remember(body)
  return (actx, ...args) => {
    actx.check()
    return new Call<T>(body(actx, ...args))
  }
}
