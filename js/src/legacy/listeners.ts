/**
 * Puts gates before the listeners of events (see gates.ts). A target knows a listener by its identity, so a
 * listener that is registered while there are gates stands for the program's own from then on, for whoever removes it
 * or adds it again. Therefore the two methods of EventTarget stay replaced when the last gate is gone.
 *
 * - `known` has, by the program's listener and the type of the event, the listener that stands for it.
 */
import { belongsTo, gated, hasGates, isGated, siteOf, type Continuation } from './gates.ts'
import { Late } from './late.ts'
import { isOurs, pass } from './pass.ts'
import { patch } from './patch.ts'

interface Standing {
  readonly listener: (event: Event) => unknown
  readonly continuation: Continuation
  /** By the target. */
  readonly late: Late<unknown>
}

const known = new WeakMap<object, Map<string, Standing>>()

function call(listener: any, target: unknown, event: Event): unknown {
  return typeof listener === 'function' ? listener.call(target, event) : listener.handleEvent(event)
}

/** What stands for `listener`, which is registered now. */
function standingFor(listener: any, type: string): Standing {
  let types = known.get(listener)
  if (types === undefined) known.set(listener, (types = new Map()))
  let standing = types.get(type)
  if (standing === undefined) {
    const kind = `event ${type}`
    const continuation: Continuation = { kind, site: siteOf(kind), block: null }
    const late = new Late<unknown>()
    standing = {
      continuation,
      late,
      // An event that a script dispatches is part of that script, so only events of the host are held back.
      listener(this: unknown, event: Event): unknown {
        const run = (): unknown => call(listener, this, event)
        if (!event.isTrusted && event.type !== 'message') return run()
        return gated(continuation, isGated(continuation) ? late.add(this, run) : run)
      },
    }
    types.set(type, standing)
  }
  standing.continuation.block = belongsTo()
  return standing
}

let isInterposed = false

export function interposeListeners(): void {
  if (isInterposed) return
  isInterposed = true
  const prototype = (globalThis as any).EventTarget?.prototype
  const remove = prototype?.removeEventListener
  patch(prototype, 'addEventListener', (original) => {
    return function (this: EventTarget, type: string, listener: any, options?: any): void {
      if (Object(listener) !== listener || isOurs(listener)) return original.call(this, type, listener, options)
      if (!hasGates() && !known.get(listener)?.has(`${type}`)) return original.call(this, type, listener, options)
      // One that was registered without a gate is not to be called twice.
      remove.call(this, type, listener, options)
      const standing = standingFor(listener, `${type}`)
      original.call(this, type, standing.listener, options)
      const removed = pass(() => standing.late.clear(this))
      if (options?.signal) original.call(options.signal, 'abort', removed, { once: true })
    }
  })
  patch(prototype, 'removeEventListener', (original) => {
    return function (this: EventTarget, type: string, listener: any, options?: any): void {
      const standing = Object(listener) === listener ? known.get(listener)?.get(`${type}`) : undefined
      standing?.late.clear(this)
      if (standing !== undefined) original.call(this, type, standing.listener, options)
      return original.call(this, type, listener, options)
    }
  })
}
