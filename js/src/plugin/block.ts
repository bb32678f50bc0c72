/**
 * The edges of an atomic block as the build plugin writes them:
 *
 *     enter(); try { ... } finally { if (leave()) yield* leaving() }
 *
 * To enter needs no step of the run loop, to leave mostly none. The object that asks the run loop has no state, so
 * there is one: it is its own request (`value` is always itself), and the answer `LEFT` tells it that the block is
 * over.
 */
import { contexts } from '../core/asyncContext.ts'
import { openBlock } from '../core/atomic.ts'
import type { AtomicBlock } from '../core/atomicBlock.ts'
import type { Branch } from '../core/types.ts'
import { domain } from '../core/current.ts'
import { NEXT, Suspension, type Operation } from '../core/suspension.ts'

/** The first part of a call, on the stack of another activity: a block opens only when the call has its own turn. */
export function mustWait(): boolean {
  return domain.nested > 0
}

/** Opens a block on the running branch; `name` is the function's it stands in, for traces. */
export function enter(name?: string): void {
  const d = domain
  const branch = d.current
  if (branch === null) throw new Error('an atomic block was entered outside any activity')
  if (d.pending !== null) d.startPending()
  const block = openBlock(branch, name)
  if (contexts !== null) contexts.opened(branch, block, true)
}

/**
 * Ends the block. True: the run loop must be asked to, with `leaving()`, because contained activities have not ended or
 * it is time to look at the clock.
 */
export function leave(): boolean {
  const d = domain
  const block = d.top as AtomicBlock // not null, because `enter` has opened it
  if (block.owner !== d.current || block.contained > 0 || --d.steps <= 0) return true
  if (d.pending !== null) d.startPending()
  return !block.leaveNow()
}

const LEFT = { done: true, value: undefined }

class Leaving extends Suspension<void> {
  constructor() {
    super()
    this.value = this
  }
  override [Symbol.iterator](): Iterator<unknown, void, any> {
    return this as unknown as Iterator<unknown, void, any>
  }
  override next(answer?: unknown): this {
    return answer === LEFT ? (LEFT as unknown as this) : this
  }
  override throw(error: unknown): never {
    throw error
  }
  begin(branch: Branch): boolean {
    const block = branch.group as AtomicBlock
    if (!block.atomic) throw new Error('an atomic block was left outside of it')
    branch.goOn(NEXT, LEFT)
    return block.leave(NEXT, LEFT)
  }
}

const ask = new Leaving()

export function leaving(): Operation<void> {
  return ask
}
