/**
 * Operations that legacy code awaits in a program that starts no activities: a lock alone takes along no scheduler.
 * There is nobody to run anything beside them, nor to cancel them.
 */
import { promiseOf } from './promiseOf.ts'

/** The outcome of a clause, of a wait for a promise or a value, or of an operation of several steps. */
export function alone(op: any): Promise<any> {
  return 'poll' in op ? promiseOf(op) : run(asOperation(op.promise ?? op))
}

async function run(gen: Iterator<unknown>): Promise<unknown> {
  let how: 'next' | 'throw' = 'next'
  let answer: unknown
  for (;;) {
    const { done, value } = gen[how]!(answer)
    if (done) return value
    try {
      answer = await value
      how = 'next'
    } catch (error) {
      answer = error
      how = 'throw'
    }
  }
}

/** Whatever a body has returned, for `yield*`. */
export function* asOperation(what: any): Generator<unknown, any, any> {
  return what?.throw && Symbol.iterator in what ? yield* what : yield what
}
