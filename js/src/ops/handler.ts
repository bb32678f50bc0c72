/**
 * `handler` makes an event handler whose body is an activity, and decides what becomes of events that come meanwhile.
 */
import '../core/domain.ts'
import { checkFunction, checkOptions, checkWord } from '../core/arguments.ts'
import type { Activity } from '../core/activity.ts'
import { domain } from '../core/current.ts'
import { start } from '../core/start.ts'
import { DISPOSE } from '../core/dispose.ts'
import { mutex } from '../sync/semaphore.ts'
import { operationOf, type Result } from './items.ts'

/** Options of `handler`. */
export interface HandlerOptions {
  /**
   * When an event comes while an earlier one is being handled: `all` handles both at the same time (the default),
   * `latest` cancels the earlier one, `first` ignores the new one, `queue` handles one after the other.
   */
  when?: 'all' | 'latest' | 'first' | 'queue' | undefined
  name?: string | undefined
}

const WHEN = ['all', 'latest', 'first', 'queue']

/** What `handler` gives: a function to be called with each event. */
export interface Handler<A extends unknown[], T> extends Disposable {
  (...args: A): Activity<T> | undefined
  /** How many events are being handled. */
  readonly busy: number
  /** Cancels what is being handled. Further events are handled. */
  cancel(reason?: unknown): void
}

/**
 * An event handler whose body is an activity. What stands before its first wait runs within the event, so that it can
 * call `preventDefault`. An error is reported, unless the caller asks for the result.
 *
 * @example
 * const search = handler(function* (text: string) {
 *   yield* sleep(5)                 // wait until the typing pauses; then ask the server
 *   console.log(`results for ${text}`)
 * }, { when: 'latest' })
 * search('c')
 * search('ch')
 * await search('char')              // → results for char
 */
export function handler<A extends unknown[], R>(
  body: (...args: A) => R,
  options: HandlerOptions = {},
): Handler<A, Result<R>> {
  const { when = 'all', name = body?.name || 'handler' } = options
  checkOptions('handler', options)
  checkFunction('handler', body)
  checkWord('handler: when', when, WHEN)
  const running = new Set<Activity<any>>()
  const turn = mutex(name)
  const cancel = (reason?: unknown): void => {
    for (const activity of running) activity.cancel(reason)
  }
  const begins = (activity: Activity<any>): void => {
    running.add(activity)
    activity.name = name
    activity.info!.ended = () => running.delete(activity)
  }
  const call = (...args: A): Activity<any> | undefined => {
    if (when === 'first' && running.size > 0) return undefined
    if (when === 'latest') cancel('a later event')
    const handle = (): any => operationOf(() => body(...args))
    // Nobody joins it here, so an error is reported unless the caller asks for it. Being replaced is no failure.
    const activity = start<any>(() => {
      begins(domain.current!.activity as Activity<any>) // its first part may dispatch an event of its own
      return when === 'queue' ? turn.with(handle) : handle()
    })
    if (activity.ended === 0) begins(activity)
    return activity
  }
  const busy = { get: () => running.size }
  return Object.defineProperties(Object.assign(call, { cancel, [DISPOSE]: cancel }), { busy }) as any
}
