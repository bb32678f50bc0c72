/**
 * `spawn` makes an activity; `self` and `signal` tell code which activity it belongs to, and `pause` sets that aside.
 */
import './domain.ts'
import { checkBody, checkOptions, checkSignal } from './arguments.ts'
import type { Activity } from './activity.ts'
import { blockOf } from './atomicBlock.ts'
import { isCall, type Call } from './call.ts'
import { domain } from './current.ts'
import { say, SPAWN_IN_BLOCK } from './say.ts'
import { innermostScope, signalOf } from '../scope/root.ts'
import { NEXT, Suspension, type Operation } from './suspension.ts'
import type { AsyncContext, Branch } from './types.ts'
import { expectFailure } from '../wait/promise.ts'

/** Options of `spawn`. */
export interface SpawnOptions {
  name?: string | undefined
  /**
   * Inside an atomic block: run within it; the block does not end before the activity does. False: delayed until its
   * end. Default: what the block's policy says. Elsewhere without effect.
   */
  contained?: boolean | undefined
  /** Cancels the activity when aborted. */
  signal?: AbortSignal | undefined
}

const NONE: SpawnOptions = {}

/**
 * Queues a new activity that runs `body`. The body never runs before the spawner has gone on (law 7); arguments of a
 * call are evaluated by the spawner. Inside an atomic block the activity is delayed until the outermost block has
 * ended, or runs inside it if `contained`.
 *
 * @example
 * const task = spawn(function* () { yield* sleep(1); return 'page' }, { name: 'load' })
 * console.log('goes on')    // → goes on
 * console.log(yield* task)  // → page
 */
export function spawn<T>(
  body: (() => Operation<T>) | (() => PromiseLike<T>) | Operation<T>,
  options: SpawnOptions = NONE,
): Activity<T> {
  let what: unknown = body
  let context: AsyncContext | null | undefined
  if (options !== NONE) checkOptions('spawn', options)
  const { signal } = options
  checkBody('spawn', body)
  if (signal !== undefined) checkSignal('spawn', signal)
  if (isCall(body)) {
    if (body.activity === null || signal !== undefined) body.claim()
    if (body.activity !== null) {
      // A call that was made in legacy code has its activity already.
      const activity = body.activity as Activity<T>
      if (options.name !== undefined) activity.name = options.name
      if (signal !== undefined) endWith(activity, signal)
      return activity
    }
    context = body.takeContext()
    if (body.gen !== null) what = body.runs()
  } else expectFailure(body)
  if (domain.current !== null && blockOf(domain.current)?.spawns === 'error') throw new Error(say(SPAWN_IN_BLOCK))
  const activity = domain.spawn(what, options.contained, options.name, context) as Activity<T>
  if (signal !== undefined) {
    if (what !== body) (body as Call<T>).activity = activity
    endWith(activity, signal)
  }
  return activity
}

/** Cancels the activity when the signal is aborted; the signal forgets it when it has ended. */
function endWith(activity: Activity<any>, signal: AbortSignal): void {
  if (signal.aborted) return activity.cancel(signal.reason)
  if (activity.ended !== 0) return
  const abort = (): void => activity.cancel(signal.reason)
  signal.addEventListener('abort', abort)
  ;(activity.info ??= {}).ended = () => signal.removeEventListener('abort', abort)
}

/**
 * The activity that the caller's code belongs to; undefined in legacy code.
 *
 * @example
 * console.log(yield* spawn(function* () { return self()!.name }, { name: 'anna' }))  // → anna
 */
export function self(): Activity<unknown> | undefined {
  return domain.current?.activity as Activity<unknown> | undefined
}

/**
 * An AbortSignal that is aborted when the caller's scope is cancelled. In legacy code: one that never is.
 *
 * @example
 * const task = spawn(function* () {
 *   signal().addEventListener('abort', () => console.log('aborted'))
 *   yield* sleep(99999)
 * })
 * yield* sleep(1)
 * task.cancel()                     // → aborted
 * yield* wait(task.catch(() => {}))
 */
export function signal(): AbortSignal {
  return domain.current === null ? new AbortController().signal : signalOf(innermostScope(domain.current))
}

class Yield extends Suspension<void> {
  begin(branch: Branch): boolean {
    branch.mode = NEXT
    branch.answer = undefined
    if (!branch.group.atomic) branch.group.home.domain.aside = true
    return true
  }
}

/**
 * Sets the activity aside until the other ready ones have had a turn. Never needed for fairness; of no effect in an
 * atomic block.
 *
 * @example
 * const other = spawn(function* () { console.log('other') })
 * yield* pause()                    // → other
 * console.log('back')               // → back
 */
export function pause(): Suspension<void> {
  return new Yield()
}
