/**
 * What the library says of mistakes. Each has a number; its sentence stands in diagnosis/texts.ts, which browsers load
 * in development only. Without the sentences an error shows its number and the names that belong to it, and
 * docs/errors.md says what the number means.
 */
import type { Activity, Block, Branch } from './types.ts'

export const NO_FUNCTION = 1
export const NO_BODY = 2
export const NO_COUNT = 3
export const NO_TIME = 4
export const NO_ITEMS = 5
export const NO_SIGNAL = 6
export const NO_WAITABLE = 7
export const NO_SUCH_WORD = 8
export const NO_SUCH_METHOD = 9
export const WAITS_ALREADY = 10
export const RUN_ALREADY = 11
export const OTHER_VERSION = 12
export const TWO_VERSIONS = 13
export const SPAWN_IN_BLOCK = 14
export const NEEDS_ENFORCE = 15
export const BLOCK_ORDER = 16
export const DEADLOCK = 17
export const OWN_END = 18
export const CIRCLE = 19
export const HELD_ALREADY = 20
export const TOO_MANY_PERMITS = 21
export const NOTHING_TO_SELECT = 22
export const NOT_ENDED = 23
export const OUTSIDE_ACTIVITY = 24
export const NO_SIGNAL_HERE = 25

/** What is known of an operation (see suspension.ts). */
export interface Asked {
  readonly done: boolean
  readonly value: unknown
}

/** What explains mistakes and warns of what may be one. */
export interface Diagnosis {
  /** The sentence of each mistake, by its number. */
  readonly texts: Readonly<Record<number, (...parts: any[]) => string>>
  /** Everything in the block waits, for a promise among others. */
  waitsForPromise(block: Block): void
  /** `block` holds `activity` back, which legacy code has made that belongs to no block, or waits for. */
  heldBack(activity: Activity, block: Block): void
  /** The branch has begun to wait for a lock. */
  waitsForLock(branch: Branch): void
  /** `body` is to be called by the public function `who`: throws if nothing would run what it returns. */
  body(who: string, body: unknown): void
  /** `options` were given to the public function `who`. */
  options(who: string, options: object): void
  /** Code of an activity has thrown this, and not caught it where it was thrown. */
  thrown(error: unknown): void
  /** A branch is about to wait for these at once: throws if somebody waits with one of them already. */
  free(clauses: readonly Asked[]): void
}

export let diagnosis: Diagnosis | null = null

export function useDiagnosis(d: Diagnosis): void {
  diagnosis = d
}

/** The sentence of a mistake. `parts` are names, and values that the sentence is made of. */
export function say(mistake: number, ...parts: unknown[]): string {
  const names = parts.filter((part) => Object(part) !== part).map(String)
  return diagnosis?.texts[mistake](...parts) ?? `charcoal-js error ${mistake} (${names.join(', ')}): see docs/errors.md`
}
