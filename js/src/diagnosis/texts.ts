/** Each mistake has its sentence here. What its parts are stands where the mistake is found (see core/say.ts). */
import type { Branch } from '../core/types.ts'
import * as mistakes from '../core/say.ts'
import { deadlockMessage } from './deadlock.ts'

/** On one line, also what has no text of its own, or the text of a whole function. */
function shown(given: unknown): string {
  if (typeof given === 'string') return `"${given}"`
  if (/^\[object Async/.test(Object.prototype.toString.call(given))) return 'an async function*: write function*'
  if (typeof given === 'bigint') return `${given}n`
  return Object(given) === given ? `this ${typeof given}` : String(given)
}

const takes =
  (wanted: string) =>
  (who: string, given: unknown): string =>
    `${who} takes ${wanted}, not ${shown(given)}`

const ASYNC_GENERATOR: unknown = Object.getPrototypeOf(async function* () {})

/** An `async function*` cannot wait for operations, and nothing would run what it returns. */
export function checkFunction(who: string, body: unknown): void {
  if (typeof body !== 'function' || Object.getPrototypeOf(body) === ASYNC_GENERATOR)
    throw new TypeError(TEXTS[mistakes.NO_FUNCTION](who, body))
}

export const TEXTS: Readonly<Record<number, (...parts: any[]) => string>> = {
  [mistakes.NO_FUNCTION]: takes('a function'),
  [mistakes.NO_BODY]: takes('a function or an operation'),
  [mistakes.NO_COUNT]: (who: string, given: unknown, least: number) =>
    takes(`a whole number from ${least} on, or Infinity`)(who, given),
  [mistakes.NO_TIME]: takes('a number of milliseconds'),
  [mistakes.NO_ITEMS]: takes('an iterable of items'),
  [mistakes.NO_SIGNAL]: takes('an AbortSignal'),
  [mistakes.NO_WAITABLE]: takes('clauses, activities, promises and AbortSignals'),
  [mistakes.NO_SUCH_WORD]: (who: string, given: unknown, words: string[]) => takes(words.join(', '))(who, given),
  [mistakes.NO_SUCH_METHOD]: (who: string, given: unknown, wanted: string) => takes(wanted)(who, given),
  [mistakes.WAITS_ALREADY]: () => 'another branch waits with this operation already: make one for each',
  [mistakes.RUN_ALREADY]: () => 'this call has been run already: call the function again',
  [mistakes.OTHER_VERSION]: () => 'this operation is of another version of charcoal-js: npm dedupe',
  [mistakes.TWO_VERSIONS]: () =>
    'charcoal: two versions of charcoal-js cannot share a domain; atomic blocks of one do not exclude activities ' +
    'of the other. Remedy: npm dedupe',
  [mistakes.SPAWN_IN_BLOCK]: () => "spawn in a block with spawns: 'error'; spawn before or after it",
  [mistakes.NEEDS_ENFORCE]: () => "atomic: continuations: 'wait' needs enforce() of charcoal-js/dev",
  [mistakes.BLOCK_ORDER]: () => 'an atomic block cannot end before a block inside it',
  [mistakes.DEADLOCK]: (_who: string, _what: string, branch: Branch, stuck: Branch[]) =>
    deadlockMessage(branch, stuck),
  [mistakes.OWN_END]: (name: string) => `${name} waits for its own end`,
  [mistakes.CIRCLE]: (...names: string[]) =>
    `${names.join(' waits for ')}, so none of them can go on. Remedy: let one of them not wait, or cancel one.`,
  [mistakes.HELD_ALREADY]: (lock: string, name: string) =>
    `${lock} is held by this branch of ${name} already: release it first`,
  [mistakes.TOO_MANY_PERMITS]: (name: string, want: unknown, permits: number) =>
    Object(want) === want
      ? `${name}: this takes a number of permits; with a signal write wait(lock.acquire(), { signal })`
      : `${name}: ${shown(want)} of ${permits} permits cannot be acquired`,
  [mistakes.NOTHING_TO_SELECT]: () => 'a select of nothing would never end; give it at least one clause',
  [mistakes.NOT_ENDED]: () => 'this branch has not ended: read its value after the finish around it',
  [mistakes.NO_SIGNAL_HERE]: (who: string) =>
    `${who}: a signal ends the wait for a promise, a clause or an activity, and no other operation. ` +
    'Remedy: finish(operation, { signal })',
  [mistakes.OUTSIDE_ACTIVITY]: () =>
    'async(…) starts a branch of an activity, so legacy code can neither call nor await it. Remedy: yield* async(…) ' +
    'in an activity; in legacy code spawn(…), or group() of charcoal-js/ops',
}
