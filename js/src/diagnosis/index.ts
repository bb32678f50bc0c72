/**
 * What explains mistakes, and warns of what may be one. It is loaded in Node, with charcoal-js/dev, and in browsers in
 * development; a page in production does without, and shows numbers (see core/say.ts).
 *
 * It needs no part of the library that may find a mistake when it is loaded, so that it can be loaded before them.
 */
import type { Branch } from '../core/types.ts'
import { useMade } from '../core/steps.ts'
import { say, useDiagnosis, WAITS_ALREADY, type Asked } from '../core/say.ts'
import { tellRemedy } from './iterable.ts'
import { checkOptions } from './options.ts'
import { remind, suspect } from './reminder.ts'
import { checkFunction, TEXTS } from './texts.ts'
import { made } from './unwaited.ts'

/** Another activity may end the wait for a lock, so that a circle is no error: it may release the lock. */
function warnOfCircle(branch: Branch): void {
  const circle = branch.group.home.domain.circle(branch)
  if (circle !== null) console.warn(`charcoal: at ${branch.blocked!.describe()} ${circle}`)
}

/** Somebody waits with a clause whose `value` is an object, if it has not been answered. */
function checkFree(clauses: readonly Asked[]): void {
  for (let i = 0; i < clauses.length; i++) {
    const clause = clauses[i]
    const waits = !clause.done && clause.value !== undefined
    if (waits || clauses.indexOf(clause) < i) throw new Error(say(WAITS_ALREADY))
  }
}

useDiagnosis({
  texts: TEXTS,
  waitsForPromise: remind,
  heldBack: suspect,
  waitsForLock: warnOfCircle,
  body: checkFunction,
  options: checkOptions,
  free: checkFree,
  thrown: tellRemedy,
})
useMade(made)
