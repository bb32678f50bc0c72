/** `using` and `await using`: activities, scopes, locks and groups end with the block that holds them. */
import { test, ok, same, rejects } from './harness.ts'
import { async, asyncFn, Cancelled, channel, finish, mutex, noncancellable, sleep, spawn } from './lib.ts'
import { group, type Group } from '../src/ops.ts'
import { simulate } from '../src/dev/index.ts'

test('await using an activity cancels it and waits for its end', async () => {
  const log: string[] = []
  {
    await using task = spawn(function* () {
      try {
        yield* sleep(Infinity)
      } finally {
        yield* noncancellable(sleep(1))
        log.push('cleaned up')
      }
    })
    await sleep(1)
    same(task.state, 'running')
  }
  same(log, ['cleaned up'])
  const use = async (body: () => Generator<unknown, void, any>): Promise<void> => {
    await using _ = spawn(body)
    await sleep(1)
  }
  await use(function* () {})
  await rejects(
    use(function* () {
      try {
        yield* sleep(Infinity)
      } finally {
        throw new Error('while cleaning up')
      }
    }),
    /while cleaning up/,
  )
})

test('using a scope cancels what its body leaves behind, and the result of the body stays', async () => {
  await simulate(function* () {
    const log: string[] = []
    const result = yield* finish(function* (scope) {
      using _ = scope
      yield* async(function* () {
        try {
          yield* sleep(Infinity)
        } catch (error) {
          log.push(String(error instanceof Cancelled))
        }
      })
      yield* sleep(1)
      return 'result'
    })
    same([result, log], ['result', ['true']])
  })
})

test('legacy code awaits clauses, and holds a lock with using', async () => {
  const lock = mutex()
  const order: string[] = []
  const work = async (name: string): Promise<void> => {
    using _ = await lock.acquire()
    order.push(`${name} begins`)
    await sleep(1)
    order.push(`${name} ends`)
  }
  await Promise.all([work('a'), work('b')])
  same([order, lock.locked], [['a begins', 'a ends', 'b begins', 'b ends'], false])
  const ch = channel<number>()
  same(await Promise.all([ch.recv(), ch.send(5)]), [5, undefined])
  ch.close()
  await rejects(ch.recv(), /closed/)
})

test('nothing in a group outlives the block that uses it', async () => {
  const log: string[] = []
  const task = asyncFn(function* (ms: number, name: string): Generator<unknown, string, any> {
    try {
      yield* sleep(ms)
    } catch (error) {
      log.push(`${name} cancelled`)
      throw error
    }
    log.push(name)
    return name
  })
  {
    await using tasks = group()
    const quick = tasks.start(task(1, 'quick'))
    tasks.start(task(10_000, 'slow'))
    same(await quick, 'quick')
    same(await tasks.start(async () => 7), 7)
  }
  same(log.splice(0), ['quick', 'slow cancelled'])
  let kept: Group | undefined
  const failing = async (wait: boolean): Promise<void> => {
    await using tasks = (kept = group())
    tasks.start(task(10_000, 'other'))
    tasks.start(function* () {
      yield* sleep(1)
      throw new Error('broken')
    })
    if (wait) await tasks.done()
    else await sleep(20)
  }
  await rejects(failing(true), /^Error: broken/)
  await rejects(failing(false), /^Error: broken/)
  same(log.splice(0), ['other cancelled', 'other cancelled'])
  ok(kept !== undefined)
  try {
    kept.start(1)
    ok(false)
  } catch (error) {
    ok(/the group is closed/.test(String(error)))
  }
  const tasks = group()
  const never = tasks.start(task(10_000, 'never'))
  tasks.cancel('enough')
  await rejects(never, /cancelled: enough/)
  const controller = new AbortController()
  const signalled = group({ signal: controller.signal })
  signalled.start(task(10_000, 'x'))
  await sleep(1)
  controller.abort(new Error('stop'))
  await rejects(signalled.done(), /^Error: stop/)
})
