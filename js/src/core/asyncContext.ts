/**
 * What the host keeps for a chain of calls, and would lose between a wait and what follows it: Node's
 * AsyncLocalStorage. The core only carries it about; node/asyncContext.ts knows what it is. In browsers there is none,
 * and nothing is carried.
 *
 * - A branch has the context that its code runs in; null: whichever the run loop finds.
 * - A call that was made in another context than its caller's has that one until it ends.
 */
import { domain } from './current.ts'
import type { AsyncContext, Block, Branch } from './types.ts'

export type { AsyncContext }

export interface AsyncContexts {
  /** The present context, for a new activity. */
  present(): AsyncContext
  /** Gives `owner`, which shares one, a context of its own, because what a branch enters stays in its context. */
  unshare(owner: { context: AsyncContext | null | undefined }): void
  /** A call that the running branch has made, in no other context, is in that of the branch from now on. */
  inherit(call: { context: AsyncContext | null | undefined }): void
  /** The present context if it may be another than that of the running branch: while `isElsewhere` holds. */
  entered(): AsyncContext | undefined
  /** A block was opened on `branch`, whose code runs, or goes on later. What it sets in motion belongs to the block. */
  opened(branch: Branch, block: Block, runs: boolean): void
  /** The last block that was opened in the present context. It may have ended. */
  block(): Block | null
}

/** Null while the program keeps nothing. */
export let contexts: AsyncContexts | null = null

/** Code runs that has entered another context than that of the running branch. Each call asks this first. */
export let isElsewhere = false

export function setElsewhere(elsewhere: boolean): void {
  isElsewhere = elsewhere
}

export function useContexts(host: AsyncContexts): void {
  contexts = host
}

/** The running code has changed its context for good. */
export function contextChanged(): void {
  if (domain.current !== null && contexts !== null) domain.current.context = contexts.present()
}
