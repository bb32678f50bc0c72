/**
 * `select` waits for one of several named clauses; its answer says which one it was, in a type that `switch`
 * understands.
 */
import '../core/domain.ts'
import { NOTHING_TO_SELECT, say } from '../core/say.ts'
import type { Steps } from '../core/steps.ts'
import { interruptsOf, type WaitOptions } from './abortable.ts'
import { Choice } from './choice.ts'
import type { Choosable } from './case.ts'
import { clauseOf, type Awaited1, type Waitable } from './waitable.ts'

/** What `select` answers: which clause it was, and its value. */
export type Selected<M> = { [K in keyof M]-?: { key: K; value: Awaited1<M[K]> } }[keyof M]

/** Names in their order. A place in the program has the same ones each time, so those that wait there share them. */
let names: string[] = []

/**
 * Waits for the first of the clauses; the losers have had no effect.
 *
 * @example
 * const jobs = channel<string>(1)
 * yield* jobs.send('sweep')
 * const got = yield* select({ job: jobs.recv(), late: sleep(99999) })
 * if (got.key === 'job') console.log(got.value)  // → sweep
 */
export function select<M extends Record<string, Waitable<any>>>(clauses: M, options?: WaitOptions): Steps<Selected<M>> {
  const keys = Object.keys(clauses ?? {})
  if (keys.length === 0) throw new TypeError(say(NOTHING_TO_SELECT))
  if (keys.some((key, i) => key !== names[i])) names = keys
  const all = keys.map((key) => clauseOf(clauses[key], `select: ${key}`))
  const interrupts = interruptsOf('select', options)
  return new Selection<M>([...interrupts, ...all], interrupts.length > 0 ? ['', ...names] : names)
}

class Selection<M> extends Choice<Selected<M>> {
  private readonly names: string[]
  constructor(clauses: Choosable[], names: string[]) {
    super(clauses)
    this.names = names
  }

  protected override answer(winner: Choosable, at: number): unknown {
    return { key: this.names[at], value: winner.outcome }
  }
}
