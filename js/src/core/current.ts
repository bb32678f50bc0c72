/**
 * The domain that is in use. It stands in a file of its own, which needs no other: so the modules that need the domain when they run do not need it to be loaded, and it
 * does not matter which of them is loaded first. domain.ts sets it; every entry point imports that.
 */
import type { Domain } from './domain.ts'

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
