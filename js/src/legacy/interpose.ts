/**
 * Puts a gate before the callbacks of legacy code: timers, microtasks, animation frames, host events, messages, and
 * reactions added with `then`. What cannot be reached from a library is listed in docs/limits.md; above all the
 * continuations of native `await`.
 *
 * A continuation belongs to an atomic block if it was registered by the block's own code, or by a continuation that
 * belongs to it. It passes the gate always.
 */
import { blockOf, type AtomicBlock } from '../core/atomicBlock.ts'
import { domain } from '../core/current.ts'
import { then as nativeThen } from '../core/host.ts'
import { CLEARS, Outstanding, registeredIn } from './outstanding.ts'
import { isOurs } from './pass.ts'

/** Asked for every callback that runs while a block it does not belong to lasts. Calls `run` now or later. */
export type Gate = (kind: string, site: string | undefined, run: () => void) => void

let owner: AtomicBlock | null = null

/** The block whose continuation is registering now. */
function belongsTo(): AtomicBlock | null {
  const block = domain.current === null ? owner : blockOf(domain.current)
  if (block !== null) block.noted = true
  return block
}

function foreignTo(block: AtomicBlock | null): boolean {
  return (
    domain.top !== domain.base &&
    (block === null || block.over || domain.current === null) &&
    block !== (domain.top as unknown)
  )
}

interface Patched {
  object: any
  name: string
  original: PropertyDescriptor
}

const passOn = (value: unknown): unknown => value
const throwOn = (error: unknown): never => {
  throw error
}

/** Installs the gate; the result takes it out again. */
export function interpose(gate: Gate, withSites: boolean): () => void {
  const patches: Patched[] = []
  const patch = (object: any, name: string, make: (original: any) => unknown): void => {
    const original = object === undefined ? undefined : Object.getOwnPropertyDescriptor(object, name)
    // Deno has getters for its timers.
    const held: unknown = original?.value ?? original?.get?.call(object)
    if (original === undefined || typeof held !== 'function') return
    patches.push({ object, name, original })
    const { enumerable } = original
    Object.defineProperty(object, name, { value: make(held), writable: true, configurable: true, enumerable })
  }
  const gated = (kind: string, f: (...args: any[]) => any): ((...args: any[]) => any) => {
    const block = belongsTo()
    const site = withSites ? new Error(kind).stack : undefined
    return function (this: unknown, ...args: unknown[]): unknown {
      const run = (): unknown => {
        const before = owner
        owner = block
        try {
          return f.apply(this, args)
        } finally {
          owner = before
        }
      }
      if (!foreignTo(block)) return run()
      let value: unknown
      gate(kind, site, () => {
        value = run()
      })
      return value
    }
  }

  const g = globalThis as any
  const outstanding = new Outstanding()
  for (const name of [
    'setTimeout',
    'setInterval',
    'setImmediate',
    'queueMicrotask',
    'requestAnimationFrame',
    'requestIdleCallback',
  ])
    patch(g, name, (original) => {
      const wrapped = function (this: unknown, f: unknown, ...rest: unknown[]): unknown {
        const register = (callback: unknown): unknown => original.call(this ?? g, callback, ...rest)
        if (typeof f !== 'function') return register(f)
        const run = gated(name, f as () => void)
        const end = name === 'setInterval' ? undefined : registeredIn(belongsTo())
        return end === undefined ? register(run) : outstanding.add(name, end, run, register)
      }
      return Object.assign(wrapped, original) // util.promisify's hooks
    })
  for (const [clear, name] of CLEARS)
    patch(g, clear, (original) => {
      return function (this: unknown, handle: unknown): unknown {
        outstanding.cleared(name, handle)
        return original.call(this ?? g, handle)
      }
    })

  const listeners = new WeakMap<object, Map<string, any>>()
  const isHandler = (f: unknown): f is { handleEvent(e: Event): void } => typeof f === 'object' && f !== null
  patch(g.EventTarget?.prototype, 'addEventListener', (original) => {
    return function (this: EventTarget, type: string, listener: any, options?: any): void {
      if (listener === null || listener === undefined || isOurs(listener))
        return original.call(this, type, listener, options)
      const known = listeners.get(listener) ?? new Map<string, any>()
      listeners.set(listener, known)
      const call = gated(`event ${type}`, function (this: unknown, e: Event) {
        return isHandler(listener) ? listener.handleEvent(e) : listener.call(this, e)
      })
      // An event that a script dispatches is part of that script, so only events of the host are held back.
      const wrapped =
        known.get(type) ??
        function (this: unknown, e: Event) {
          return e.isTrusted || e.type === 'message'
            ? call.call(this, e)
            : isHandler(listener)
              ? listener.handleEvent(e)
              : listener.call(this, e)
        }
      known.set(type, wrapped)
      return original.call(this, type, wrapped, options)
    }
  })
  patch(g.EventTarget?.prototype, 'removeEventListener', (original) => {
    return function (this: EventTarget, type: string, listener: any, options?: any): void {
      return original.call(this, type, (listener && listeners.get(listener)?.get(type)) ?? listener, options)
    }
  })

  patch(Promise.prototype, 'then', () => {
    const hold = (f: unknown): unknown => {
      if (typeof f !== 'function' || isOurs(f)) return f
      const block = belongsTo()
      const site = withSites ? new Error('then').stack : undefined
      return (value: unknown): unknown => {
        const run = (): unknown => {
          const before = owner
          owner = block
          try {
            return f(value)
          } finally {
            owner = before
          }
        }
        if (!foreignTo(block)) return run()
        return new Promise((resolve, reject) =>
          gate('then', site, () => {
            try {
              resolve(run())
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
      const ending = (f: unknown, otherwise: (value: unknown) => unknown) => (value: unknown): unknown => {
        try {
          return (typeof f === 'function' ? f : otherwise)(value)
        } finally {
          end()
        }
      }
      return nativeThen.call(this, ending(hold(ok), passOn) as any, ending(hold(bad), throwOn) as any)
    }
  })

  return () => {
    for (const { object, name, original } of patches) Object.defineProperty(object, name, original)
  }
}
