/**
 * The callbacks that atomic blocks with `continuations: 'wait'` wait for: registered by the block, and neither run nor
 * cleared yet.
 */
import type { AtomicBlock } from '../core/atomicBlock.ts'

/** What clears the callbacks of each function of the host. */
export const CLEARS: readonly (readonly [clear: string, name: string])[] = [
  ['clearTimeout', 'setTimeout'],
  ['clearInterval', 'setTimeout'], // clearTimeout clears both kinds
  ['clearImmediate', 'setImmediate'],
  ['cancelAnimationFrame', 'requestAnimationFrame'],
  ['cancelIdleCallback', 'requestIdleCallback'],
]

/**
 * A continuation of legacy code was registered in `block`. If the block waits for it, the result is to be called when
 * it has run or was cleared.
 */
export function registeredIn(block: AtomicBlock | null): (() => void) | undefined {
  if (block === null || !block.waits || block.over) return undefined
  const { domain } = block
  block.contained++
  let isOpen = true
  return () => {
    if (isOpen) domain.host.soon(() => domain.fromHost(() => block.ended()))
    isOpen = false
  }
}

/** A timer of Node is cleared by itself or by its number. */
export function keyOf(handle: unknown): unknown {
  return typeof handle === 'object' && handle !== null && Symbol.toPrimitive in handle ? Number(handle) : handle
}

export class Outstanding {
  /** By the function that has registered the callback, and by handle: tells the block. */
  private readonly ends = new Map<string, Map<unknown, () => void>>()

  /** Hands `run` to `register`; `end` is called when it has run, or was cleared. */
  add(name: string, end: () => void, run: (...args: any[]) => unknown, register: (f: unknown) => unknown): unknown {
    const ends = this.ends.get(name) ?? new Map<unknown, () => void>()
    this.ends.set(name, ends)
    let key: unknown
    const handle = register(function (this: unknown, ...args: unknown[]) {
      ends.delete(key)
      try {
        return run.apply(this, args)
      } finally {
        end()
      }
    })
    key = keyOf(handle)
    if (key !== undefined) ends.set(key, end)
    return handle
  }

  cleared(name: string, handle: unknown): void {
    const ends = this.ends.get(name)
    const key = keyOf(handle)
    ends?.get(key)?.()
    ends?.delete(key)
  }
}
