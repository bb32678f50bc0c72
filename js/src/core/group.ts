/**
 * A group is what the run queue holds: the branches of one activity that may run under the same atomic context.
 * An activity is the group of its branches outside atomic blocks; an atomic block is the group of the branches in it.
 *
 * - `running` is the branch that runs, or will run when the group's turn comes.
 * - `conts`: continuations of `async` that have not run yet, innermost last (law 2: they run before `readies`).
 * - `readies`: further ready branches, first in first out.
 * - `queued` holds exactly while the group is on its context's list.
 *
 * A context is a set of groups that may run: the domain's own, or one atomic block's. Only the newest one is served.
 */
import type { Branch } from './branch.ts'
import type { Domain } from './domain.ts'
import { Queue } from './queue.ts'

export interface Group {
  running: Branch | null
  conts: Branch[] | null
  readies: Queue<Branch> | null
  queued: boolean
  link: Group | null
  /** True for the group of a block's own branches: no implicit yields. */
  readonly atomic: boolean
  /** The context that the group is served in. */
  readonly home: Context
  /** An atomic block that has ended: its branches belong to the group around it. */
  readonly over: boolean
}

export class Context {
  readonly domain: Domain
  parent: Context | null
  head: Group | null = null
  tail: Group | null = null

  constructor(domain: Domain, parent: Context | null) {
    this.domain = domain
    this.parent = parent
  }

  push(group: Group): void {
    group.queued = true
    group.link = null
    if (this.tail === null) this.head = group
    else this.tail.link = group
    this.tail = group
  }

  /** Takes a group that is queued here off the list. */
  remove(group: Group): void {
    let before: Group | null = null
    for (let at = this.head; at !== group; at = at!.link) before = at
    if (before === null) this.head = group.link
    else before.link = group.link
    if (this.tail === group) this.tail = before
    group.link = null
    group.queued = false
  }

  shift(): Group | null {
    const group = this.head
    if (group === null) return null
    this.head = group.link
    if (this.head === null) this.tail = null
    group.link = null
    group.queued = false
    return group
  }
}

/** Takes the branch that runs next in `group` when its running branch has blocked or ended (law 2). */
export function nextBranch(group: Group): Branch | null {
  if (group.conts !== null && group.conts.length > 0) return group.conts.pop()!
  if (group.readies !== null && group.readies.size > 0) return group.readies.shift()!
  return null
}

export function pushReady(group: Group, branch: Branch): void {
  ;(group.readies ??= new Queue()).push(branch)
}
