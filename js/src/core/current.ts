/**
 * The domain that is in use. It stands in a file of its own that needs no other one: the modules that ask for the
 * domain when they run do not need it when they are loaded, so their order does not matter. domain.ts sets it; every
 * entry point imports that.
 */
import type { Domain } from './types.ts'

/** The domain of this realm. */
export let domain: Domain

/** Makes `d` the domain that new activities belong to; returns the one before. For tests. */
export function useDomain(d: Domain): Domain {
  const before = domain
  domain = d
  return before
}

/** Set in development mode: tells the detector that the continuation running now is the library's own. */
export let noteOurs: () => void = () => {}

export function setNoteOurs(f: () => void): void {
  noteOurs = f
}
