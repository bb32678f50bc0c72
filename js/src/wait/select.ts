/** A wait over named clauses; the answer says which one it was, in a type that `switch` understands. */
import { steps, type Steps } from '../core/steps.ts'
import { Case } from './case.ts'
import { Choice } from './waituntil.ts'
import { clauseOf, type Awaited1, type Waitable } from './waitable.ts'

/** What `select` answers: which clause it was, and its value. */
export type Selected<M> = { [K in keyof M]-?: { key: K; value: Awaited1<M[K]> } }[keyof M]

/**
 * Waits for the first of the clauses; the losers have had no effect.
 *
 * @example
 * const jobs = channel<string>(1)
 * yield* jobs.send('sweep')
 * const got = yield* select({ job: jobs.recv(), late: sleep(99999) })
 * if (got.key === 'job') console.log(got.value)  // → sweep
 */
export function select<M extends Record<string, Waitable<any>>>(clauses: M): Steps<Selected<M>> {
  const keys = Object.keys(clauses)
  if (keys.length === 0) throw new TypeError('a select of nothing would never end; give it at least one clause')
  const cases = keys.map((key) => new Case<any, any>(clauseOf(clauses[key], `select: ${key}`), null))
  return steps(choose(keys, cases)) as Steps<Selected<M>>
}

function* choose(keys: string[], cases: Case<any, any>[]): Generator<unknown, Selected<Record<string, any>>, any> {
  const at = yield* new Choice(cases, false)
  return { key: keys[at], value: cases[at].clause.outcome }
}
