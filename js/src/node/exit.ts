/**
 * A block that waits for a promise when Node has nothing left to do waits for ever, and the process would end without
 * a word: the wait ends with a `DeadlockError` instead.
 */
import type { AtomicBlock } from '../core/atomicBlock.ts'
import { domain } from '../core/current.ts'

const host = (globalThis as { process?: { on?: (event: string, f: () => void) => void } }).process

host?.on?.('beforeExit', () => {
  const { base, top } = domain
  if (top !== undefined && top !== base) (top as AtomicBlock).reportIfStuck()
})
