/** The queue of the run loop: a context is one of groups (see types.ts). */
import type { Context, Domain, Group } from './types.ts'

/** A domain's own context, and what an atomic block's has in common with it: a queue of groups. */
export class BaseContext implements Context {
  readonly domain: Domain
  parent: Context | null = null
  head: Group | null = null
  private tail: Group | null = null

  constructor(domain: Domain) {
    this.domain = domain
  }

  push(group: Group): void {
    group.link = null
    if (this.head === null) this.head = group
    else this.tail!.link = group
    this.tail = group
  }

  shift(): Group | null {
    const group = this.head
    if (group === null) return null
    this.head = group.link!
    group.link = undefined
    return group
  }

  /** Takes a group that is queued here off the queue. */
  remove(group: Group): void {
    let before: Group | null = null
    for (let at = this.head; at !== group; at = at!.link!) before = at
    if (before === null) this.head = group.link!
    else before.link = group.link
    if (this.tail === group) this.tail = before
    group.link = undefined
  }

  idle(): void {}
  ended(): void {}
}
