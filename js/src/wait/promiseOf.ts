/** The outcome of a clause as a native promise, without any activity. */
import type { Choosable } from './case.ts'

export function promiseOf(clause: Choosable): Promise<any> {
  return new Promise((resolve, reject) => {
    clause.waiter = { answered: ({ failed, outcome }) => (failed ? reject(outcome) : resolve(outcome)) }
    if (clause.poll()) clause.waiter.answered(clause)
    else clause.register()
  })
}
