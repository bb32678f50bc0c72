/**
 * Atomic blocks that foreign continuations enter. A continuation that runs while a block is open belongs to it if an
 * activity ran in it, or if a continuation that belongs registered it after the block was entered; every other one is
 * foreign.
 */
import type { Interruption } from '../format/types.ts'

interface Block {
  id: number
  entered: number
  members: Set<number>
}

export class Blocks {
  private readonly open: Block[] = []

  /** No block is open. */
  get none(): boolean {
    return this.open.length === 0
  }

  /** An atomic block was entered in `continuation`. */
  enter(id: number, time: number, continuation: number): void {
    this.open.push({ id, entered: time, members: new Set([continuation]) })
  }

  leave(id: number): void {
    const at = this.open.findIndex((b) => b.id === id)
    if (at !== -1) this.open.splice(at, 1)
  }

  /** An activity ran in `continuation`. */
  step(continuation: number): void {
    for (const block of this.open) block.members.add(continuation)
  }

  /** To be called for each continuation when it has ended. */
  ended(c: { id: number; start: number; end: number; parent: number | null; registered?: number }): Interruption[] {
    const found: Interruption[] = []
    for (const { id, entered, members } of this.open) {
      if (c.start < entered || members.has(c.id)) continue
      if (c.parent !== null && members.has(c.parent) && (c.registered === undefined || c.registered >= entered))
        members.add(c.id)
      else found.push({ type: 'interruption', atomic: id, continuation: c.id, start: c.start, end: c.end })
    }
    return found
  }
}
