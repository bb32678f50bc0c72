/**
 * Operations that legacy code awaits in a program that starts no activities: a lock alone takes along no scheduler.
 * There is nobody to run anything beside them, nor to cancel them.
 */
import { promiseOf } from './promiseOf.ts'

/** The outcome of a clause, of a wait for a promise or a value, or of an operation of several steps. */
export function alone(op: any): Promise<any> {
  return 'poll' in op ? promiseOf(op) : run('promise' in op || 'plain' in op ? asOperation(op.promise ?? op.plain) : op)
}

async function run(gen: Iterator<unknown>): Promise<unknown> {
  let step = gen.next()
  while (!step.done) {
    let answer: unknown
    try {
      answer = await step.value
    } catch (error) {
      step = gen.throw!(error)
      continue
    }
    step = gen.next(answer)
  }
  return step.value
}

/** Whatever a body has returned, for `yield*`. */
export function* asOperation(what: any): Generator<unknown, any, any> {
  return typeof what?.throw === 'function' && Symbol.iterator in what ? yield* what : yield what
}
