/**
 * The branches of a group that are ready while another one of it runs. Only `async` starts further branches, so a group
 * in which it was never called has none of this, and neither has a bundle that does without `async`.
 *
 * - `conts` are continuations of `async` that have not run yet, innermost last. They run before `readies` (law 2).
 * - `readies` are the others, first in first out; null: there was none yet.
 */
import type * as types from './types.ts'
import type { Branch, Group } from './types.ts'
import { Queue } from './queue.ts'

export class Others implements types.Others {
  private readonly conts: Branch[] = []
  private readies: Queue<Branch> | null = null

  /** `branch` has called `async`; what it has started runs first. */
  suspend(branch: Branch): void {
    this.conts.push(branch)
  }

  push(branch: Branch): void {
    ;(this.readies ??= new Queue()).push(branch)
  }

  next(): Branch | null {
    return this.conts.pop() ?? this.readies?.shift() ?? null
  }

  handOver(running: Branch | null, group: Group): void {
    // Those that still wait find their group through that of the block, which must not be reused: so it gets `others`.
    const others = othersOf(group)
    for (const branch of this.conts) {
      branch.group = group
      others.suspend(branch)
    }
    this.conts.length = 0
    // After the continuations, what became ready first comes first.
    for (let branch = running ?? this.next(); branch !== null; branch = this.next()) {
      branch.group = group
      others.push(branch)
    }
  }
}

export function othersOf(group: Group): Others {
  return (group.others ??= new Others()) as Others
}
