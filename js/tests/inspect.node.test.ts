/** What `console.log` shows in Node. */
import { inspect } from 'node:util'
import { test, ok, same } from './harness.ts'
import '../src/node/inspect.ts'
import { asyncFn, channel, mutex, sleep, spawn } from './lib.ts'

test('an activity, a call and an operation are shown by name and state, not as the scheduler behind them', async () => {
  const body = function* (): Generator<unknown, { n: number }, any> {
    yield* sleep(1)
    return { n: 5 }
  }
  Object.defineProperty(body, 'name', { value: 'five' }) // a bundler may have given it another one
  const five = asyncFn(body)
  const task = spawn(five, { name: 'task' })
  same(inspect(task), "Activity { name: 'task', state: 'spawned' }")
  await task
  same(inspect({ task }), "{ task: Activity { name: 'task', state: 'done', result: { n: 5 } } }")
  same(inspect({ a: { b: { task } } }), '{ a: { b: { task: [Activity] } } }')
  const failing = spawn(function* () {
    throw 'no'
  }, { name: 'failing' })
  await failing.catch(() => {})
  same(inspect(failing), "Activity { name: 'failing', state: 'failed', error: 'no' }")
  await spawn(function* () {
    const call = five()
    same(inspect(call), "Call { name: 'five', state: 'called' }")
    yield* call
    same(inspect(call), "Call { state: 'done', result: { n: 5 } }")
  })
  same(inspect(sleep(10)), "Operation { waits: 'sleep(10)' }")
})

test('what activities wait on is shown without them', async () => {
  const lock = mutex('lock')
  const jobs = channel<number>()
  const permit = await lock.acquire()
  const waiting = [spawn(() => lock.acquire()), spawn(() => jobs.recv())]
  await sleep(0)
  for (const text of [inspect(lock, { depth: 9 }), inspect(jobs, { depth: 9 })]) ok(text.length < 2000, text)
  ok(/waiters: ClauseList \{ waiting: 1 \}/.test(inspect(lock)), inspect(lock))
  ok(/receivers: ClauseList \{ waiting: 1 \}/.test(inspect(jobs)), inspect(jobs))
  permit.release()
  for (const task of waiting) task.cancel()
  await Promise.allSettled(waiting)
})
