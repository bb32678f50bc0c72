/**
 * Puts gates before the callbacks of legacy code: timers, microtasks, animation frames, host events, messages, and
 * reactions added with `then`. What cannot be reached from a library is listed in docs/limits.md; above all the
 * continuations of native `await`.
 *
 * The functions of the host are replaced once, however many gates there are, from the first to the last.
 */
import { then as nativeThen } from '../core/host.ts'
import { belongsTo, gated, hasGates, isGated, place, runAs, siteOf } from './gates.ts'
import type { Continuation, Gate } from './gates.ts'
import { interposeListeners } from './listeners.ts'
import { Late } from './late.ts'
import { CLEARS, keyOf, Outstanding, registeredIn } from './outstanding.ts'
import { isOurs } from './pass.ts'
import { patch, restore, type Patched } from './patch.ts'

const passOn = (value: unknown): unknown => value
const throwOn = (error: unknown): never => {
  throw error
}

let patches: Patched[] = []

/** Places the gate, and replaces the functions of the host for the first one; the result takes both back. */
export function interpose(gate: Gate, withSites: boolean): () => void {
  if (!hasGates()) patches = [...interposeCallbacks(), ...interposeReactions()]
  interposeListeners()
  const takeAway = place(gate, withSites)
  return () => {
    takeAway()
    if (hasGates()) return
    restore(patches)
    patches = []
  }
}

const timers = new Late<unknown>()
/** What registers callbacks, with those that are held back. clearTimeout clears both kinds of timers. */
const REGISTER: Record<string, Late<unknown>> = {
  setTimeout: timers,
  setInterval: timers,
  setImmediate: new Late(),
  queueMicrotask: new Late(),
  requestAnimationFrame: new Late(),
  requestIdleCallback: new Late(),
}

/** Timers, microtasks and frames. */
function interposeCallbacks(): Patched[] {
  const g = globalThis as any
  const outstanding = new Outstanding()
  const registering = Object.entries(REGISTER).flatMap(([name, late]) =>
    patch(g, name, (original) => {
      const replaced = function (this: unknown, f: unknown, ...rest: unknown[]): unknown {
        const register = (callback: unknown): unknown => original.call(this ?? g, callback, ...rest)
        if (typeof f !== 'function') return register(f)
        const callback = f as (...args: unknown[]) => unknown
        const continuation: Continuation = { kind: name, site: siteOf(name), block: belongsTo() }
        let handle: unknown
        const run = function (this: unknown, ...args: unknown[]): unknown {
          const call = (): unknown => callback.apply(this, args)
          return gated(continuation, isGated(continuation) ? late.add(keyOf(handle), call) : call)
        }
        const end = name === 'setInterval' ? undefined : registeredIn(continuation.block)
        handle = end === undefined ? register(run) : outstanding.add(name, end, run, register)
        return handle
      }
      return Object.assign(replaced, original) // util.promisify's hooks
    }),
  )
  const clearing = CLEARS.flatMap(([clear, name]) =>
    patch(g, clear, (original) => {
      return function (this: unknown, handle: unknown): unknown {
        outstanding.cleared(name, handle)
        REGISTER[name].clear(keyOf(handle))
        return original.call(this ?? g, handle)
      }
    }),
  )
  return [...registering, ...clearing]
}

function interposeReactions(): Patched[] {
  return patch(Promise.prototype, 'then', () => {
    const hold = (f: unknown): unknown => {
      if (typeof f !== 'function' || isOurs(f)) return f
      const continuation: Continuation = { kind: 'then', site: siteOf('then'), block: belongsTo() }
      return (value: unknown): unknown => {
        if (!isGated(continuation)) return runAs(continuation, () => f(value))
        return new Promise((resolve, reject) =>
          gated(continuation, () => {
            try {
              resolve(f(value))
            } catch (error) {
              reject(error)
            }
          }),
        )
      }
    }
    return function (this: Promise<unknown>, ok: unknown, bad: unknown): unknown {
      const end = registeredIn(belongsTo())
      if (end === undefined) return nativeThen.call(this, hold(ok) as any, hold(bad) as any)
      // One of the two functions runs even if the caller gives none, because a block that waits has to be told.
      const ending =
        (f: unknown, otherwise: (value: unknown) => unknown) =>
        (value: unknown): unknown => {
          try {
            return (typeof f === 'function' ? f : otherwise)(value)
          } finally {
            end()
          }
        }
      return nativeThen.call(this, ending(hold(ok), passOn) as any, ending(hold(bad), throwOn) as any)
    }
  })
}
