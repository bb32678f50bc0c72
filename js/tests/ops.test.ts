/** Structured operations: what they give, what they cancel, and that nothing outlives them. */
import { test, ok, same, rejects } from './harness.ts'
import {
  aborted,
  asyncFn,
  atomic,
  atomicFn,
  Cancelled,
  channel,
  finish,
  inAtomic,
  mutex,
  select,
  sleep,
  spawn,
  wait,
  type Call,
} from './lib.ts'
import { all, allSettled, any, map, race, retry, timeout, use } from '../src/ops.ts'
import type { Operation } from '../src/index.ts'
import { explore, simulate } from '../src/dev/index.ts'

const log: string[] = []
const after = asyncFn(function* (ms: number, name: string) {
  try {
    yield* sleep(ms)
    log.push(`${name} ends`)
    return name
  } catch (error) {
    log.push(`${name} ${error instanceof Cancelled ? 'cancelled' : 'fails'}`)
    throw error
  }
})
const failsAfter = asyncFn(function* (ms: number, name: string): Generator<unknown, never, any> {
  yield* sleep(ms)
  throw new Error(name)
})
function* errorOf(run: () => Operation<unknown>): Generator<unknown, any, any> {
  try {
    yield* run()
  } catch (error) {
    return error
  }
  throw new Error('did not fail')
}
const taken = (): string[] => log.splice(0)

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false
function is<_T extends true>(): void {}

test('all runs its items at the same time and gives their results in order, of a list or an object', async () => {
  await simulate(function* () {
    const list = yield* all([
      after(20, 'a'),
      after(10, 'b'),
      Promise.resolve(3),
      'plain',
      [1, 2],
      () => after(5, 'c'),
      sleep(1),
    ])
    is<Equal<typeof list, [string, string, number, 'plain', readonly [1, 2], string, void]>>()
    same(list, ['a', 'b', 3, 'plain', [1, 2], 'c', undefined])
    same(taken(), ['c ends', 'b ends', 'a ends'])
    const record = yield* all({ x: after(2, 'x'), y: after(1, 'y') })
    same(record, { x: 'x', y: 'y' })
    taken()
    same(yield* all(new Set([after(1, 's')])), ['s'])
    same([yield* all([]), yield* all({})], [[], {}])
    taken()
  })
})

test('all fails with the first error when the others, cancelled, have ended', async () => {
  await simulate(function* () {
    const error = yield* errorOf(() => all([after(50, 'slow'), failsAfter(5, 'broken'), after(1, 'quick')]))
    same(error.message, 'broken')
    same(taken(), ['quick ends', 'slow cancelled'])
    // What has not begun when one fails at once does not begin.
    const error2 = yield* errorOf(() =>
      all([
        () => {
          throw new Error('at once')
        },
        () => after(1, 'never'),
      ]),
    )
    same([error2.message, taken()], ['at once', []])
    const both = yield* errorOf(() =>
      all([
        function* () {
          try {
            yield* sleep(9)
          } finally {
            throw new Error('while cleaning up')
          }
        },
        failsAfter(1, 'first'),
      ]),
    )
    ok(both instanceof AggregateError && both.errors.length === 2, String(both))
  })
})

test('a cancel reaches every item of an operation before the operation ends', async () => {
  await simulate(function* () {
    const waits = [
      () => all([after(50, '1'), after(60, '2')]),
      () => race([after(50, '1'), after(60, '2')]),
      () => any([after(50, '1'), after(60, '2')]),
      () => allSettled([after(50, '1'), after(60, '2')]),
      () => map(['1', '2'], (name) => after(50, name)),
      () => retry(() => all([after(50, '1'), after(60, '2')])),
      () => timeout(99, all([after(50, '1'), after(60, '2')])),
    ]
    for (const start of waits) {
      const activity = spawn<unknown>(start as () => Call<any>)
      yield* sleep(1)
      activity.cancel()
      ok((yield* errorOf(() => activity)) instanceof Cancelled)
      same(taken().sort(), ['1 cancelled', '2 cancelled'])
    }
  })
})

test('an aborted signal cancels an operation, and its reason is thrown when all has ended', async () => {
  await simulate(function* () {
    for (const start of [all, race, any, allSettled] as const) {
      const controller = new AbortController()
      const activity = spawn(() =>
        (start as typeof all)([after(50, '1'), after(60, '2')], { signal: controller.signal }),
      )
      yield* sleep(1)
      controller.abort(new Error('no longer wanted'))
      same((yield* errorOf(() => activity)).message, 'no longer wanted')
      same(taken().sort(), ['1 cancelled', '2 cancelled'])
      const before = yield* errorOf(() => (start as typeof all)([after(50, '1')], { signal: controller.signal }) as any)
      same([before.message, taken()], ['no longer wanted', []])
    }
    const signal = AbortSignal.abort('x')
    same(yield* errorOf(() => timeout(9, () => after(1, 't'), { signal })), 'x')
    same(yield* errorOf(() => map([1], () => after(1, 'm'), { signal }) as any), 'x')
    same(yield* errorOf(() => retry(() => after(1, 'r'), { signal }) as any), 'x')
    same(taken(), [])
  })
})

test('race gives the first result or error, and the others are cancelled before it ends', async () => {
  await simulate(function* () {
    const first = yield* race([after(20, 'slow'), after(5, 'quick'), sleep(30)])
    is<Equal<typeof first, string | void>>()
    same([first, taken()], ['quick', ['quick ends', 'slow cancelled']])
    same((yield* errorOf(() => race([after(20, 'slow'), failsAfter(1, 'broken')]))).message, 'broken')
    same(taken(), ['slow cancelled'])
    same(
      (yield* errorOf(function* () {
        yield* race([])
      })).message,
      'race: a race of nothing would never end; give it at least one item',
    )
    const activity = spawn(after(10, 'not mine'))
    same(yield* race([activity, sleep(1)]), undefined)
    same([activity.state, yield* activity, taken()], ['running', 'not mine', ['not mine ends']])
  })
})

test('of what is ready the first in the list wins a race, and what stands behind it does not begin', async () => {
  await simulate(function* () {
    const ch = channel<number>(4)
    yield* ch.send(1)
    same(yield* race([Promise.resolve('promise'), ch.recv(), after(0, 'call')]), 'promise')
    same(yield* race([ch.recv(), Promise.resolve('promise'), after(0, 'call')]), 1)
    yield* ch.send(2)
    same(
      yield* race([
        function* () {
          return 'at once'
        },
        ch.recv(),
        () => after(0, 'call'),
      ]),
      'at once',
    )
    same([ch.size, taken()], [1, []])
    same(yield* race([AbortSignal.abort('why'), ch.recv()]), 'why')
  })
})

test('a clause that loses a race or a timeout has had no effect, under every schedule', async () => {
  const { outcomes } = await explore(
    function* () {
      const a = channel<number>()
      const b = channel<number>()
      const seen: number[] = []
      const sent: number[] = []
      for (const [ch, n] of [
        [a, 1],
        [b, 2],
      ] as const)
        spawn(function* () {
          yield* ch.send(n)
          sent.push(n)
        })
      seen.push(yield* race([a.recv(), b.recv()]))
      const second = yield* timeout(5, race([a.recv(), b.recv()]), () => 0)
      seen.push(second)
      const third = yield* timeout(5, a.recv(), () => 0)
      same(seen.slice(0, 2).sort(), sent.sort())
      return third
    },
    { schedules: 200 },
  )
  same([...outcomes.keys()], ['0'])
})

test('any gives the first success, or all the errors in order', async () => {
  await simulate(function* () {
    same(yield* any([failsAfter(1, 'x'), after(5, 'good'), after(9, 'later')]), 'good')
    same(taken(), ['good ends', 'later cancelled'])
    const error = yield* errorOf(() => any([failsAfter(5, 'x'), failsAfter(1, 'y')]))
    same([error.message, error.errors.map((e: Error) => e.message)], ['any: all 2 items failed', ['x', 'y']])
    same((yield* errorOf(() => any([]))).errors, [])
    // That what it joins was cancelled is a failure like any other.
    const gone = spawn(after(9, 'gone'))
    gone.cancel()
    same(yield* any([gone, after(1, 'here')]), 'here')
    taken()
  })
})

test('allSettled tells what became of each', async () => {
  await simulate(function* () {
    const [a, b] = yield* allSettled([failsAfter(2, 'x'), after(1, 'good')])
    ok(a.status === 'rejected' && (a.reason as Error).message === 'x')
    same(b, { status: 'fulfilled', value: 'good' })
    taken()
  })
})

test('map works on at most limit items at a time, and gives results in the order of the items', async () => {
  await simulate(function* () {
    for (const limit of [1, 2, 3, undefined]) {
      let now = 0
      let most = 0
      const got = yield* map(
        [5, 1, 3, 2, 4],
        function* (n, index) {
          most = Math.max(most, ++now)
          yield* sleep(n)
          now--
          return n * 10 + index
        },
        { limit },
      )
      same([got, most], [[50, 11, 32, 23, 44], limit ?? 5])
    }
    same(yield* map([1, Promise.resolve(2)], (n) => n + 1), [2, 3])
    same(
      (yield* errorOf(function* () {
        yield* map([1], () => 1, { limit: 0 })
      })).message,
      'map: limit takes a whole number from 1 on, or Infinity, not 0',
    )
  })
})

test('map asks its source for no more than it works on, and closes it when an item fails', async () => {
  await simulate(function* () {
    let asked = 0
    let closed = false
    async function* source(): AsyncGenerator<number> {
      try {
        for (;;) yield ++asked
      } finally {
        closed = true
      }
    }
    const error = yield* errorOf(() =>
      map(source(), (n) => (n === 4 ? failsAfter(1, 'fourth') : after(5, `${n}`)), { limit: 2 }),
    )
    same([error.message, closed, asked], ['fourth', true, 4])
    taken()
  })
})

test('retry runs its body again until it succeeds, with delays that grow', async () => {
  await simulate(function* () {
    const delays: number[] = []
    const flaky = (times: number) =>
      function* (attempt: number) {
        yield* sleep(0)
        if (attempt < times) throw new Error(`attempt ${attempt}`)
        return attempt
      }
    same(yield* retry(flaky(3)), 3)
    same((yield* errorOf(() => retry(flaky(9)))).message, 'attempt 3')
    same((yield* errorOf(() => retry(flaky(9), { attempts: 5, when: (_, n) => n < 2 }))).message, 'attempt 2')
    same(yield* retry(flaky(4), { attempts: 9, delay: (n) => (delays.push(n), 1) }), 4)
    same(delays, [1, 2, 3])
    // Delays 10, 20, 25, 25.
    const late = yield* timeout(79, retry(flaky(5), { attempts: 5, delay: 10, factor: 2, longest: 25 }), () => 'late')
    same(late, 'late')
    same(yield* timeout(81, retry(flaky(5), { attempts: 5, delay: 10, factor: 2, longest: 25 }), () => 'late'), 5)
    same(
      (yield* errorOf(function* () {
        yield* retry(5 as any)
      })).message,
      'retry takes a function, not 5',
    )
    taken()
  })
})

test('a cancelled body is not tried again, whatever error it makes of the cancel', async () => {
  await simulate(function* () {
    let attempts = 0
    const activity = spawn(() =>
      retry(
        function* () {
          attempts++
          try {
            yield* sleep(50)
          } catch {
            throw new Error('something else')
          }
        },
        { attempts: 9 },
      ),
    )
    yield* sleep(1)
    activity.cancel()
    same((yield* errorOf(() => activity)).message, 'something else')
    same(attempts, 1)
  })
})

test('timeout gives the result, or what stands for it, when the body has ended', async () => {
  await simulate(function* () {
    same(yield* timeout(10, after(5, 'in time')), 'in time')
    const error = yield* errorOf(() => timeout(5, after(10, 'late')))
    same([error.name, error.code, taken()], ['DeadlineError', 'ETIMEDOUT', ['in time ends', 'late cancelled']])
    same(yield* timeout(5, after(10, 'late'), () => 'instead'), 'instead')
    same(
      yield* timeout(5, new Promise(() => {}), function* () {
        yield* sleep(1)
        return 'instead'
      }),
      'instead',
    )
    const controller = new AbortController()
    const options = { signal: controller.signal, otherwise: () => 'instead' }
    const either = yield* timeout(5, after(10, 'late'), options)
    is<Equal<typeof either, string>>()
    same([either, yield* timeout(5, sleep(9), options)], ['instead', 'instead'])
    same([yield* timeout(5, after(3, 'in time'), options), taken().length > 0], ['in time', true])
    for (const item of [after(9, 'aborted'), sleep(9)]) {
      const aborted = new AbortController()
      const activity = spawn(() => timeout(99, item, { signal: aborted.signal }))
      yield* sleep(1)
      aborted.abort(new Error('no longer wanted'))
      same((yield* errorOf(() => activity)).message, 'no longer wanted')
    }
    same(taken(), ['aborted cancelled'])
    let signal: AbortSignal | undefined
    same(
      yield* timeout(
        5,
        (scope) => {
          signal = scope.signal
          return after(10, 'late')
        },
        () => 1,
      ),
      1,
    )
    ok(signal!.aborted)
    // An inner deadline is not mistaken for the outer one.
    same(
      (yield* errorOf(() =>
        timeout(
          50,
          () => timeout(5, sleep(9)),
          () => 'outer',
        ),
      )).message,
      'the body did not end within 5 ms',
    )
    taken()
  })
})

test('use disposes of its resource when the body has ended, failed or was cancelled, and may wait for it', async () => {
  await simulate(function* () {
    const resource = (name: string) => ({
      name,
      async [Symbol.asyncDispose]() {
        await Promise.resolve()
        log.push(`${name} closed`)
      },
    })
    same(
      yield* use(
        () => Promise.resolve(resource('a')),
        (r) => r.name,
      ),
      'a',
    )
    same((yield* errorOf(() => use(resource('b'), () => failsAfter(1, 'x')))).message, 'x')
    const activity = spawn(() => use(resource('c'), () => sleep(50)))
    yield* sleep(1)
    activity.cancel()
    ok((yield* errorOf(() => activity)) instanceof Cancelled)
    same(taken(), ['a closed', 'b closed', 'c closed'])
    same(yield* use(null, () => 1), 1)
    same(yield* use({ [Symbol.dispose]: () => void log.push('sync') }, () => 2), 2)
    same(taken(), ['sync'])
    const bad = {
      [Symbol.dispose]: () => {
        throw new Error('disposal')
      },
    }
    same((yield* errorOf(() => use(bad, () => 1))).message, 'disposal')
    const two = yield* errorOf(() => use(bad, () => failsAfter(1, 'body')))
    same([two.name, two.error.message, two.suppressed.message], ['SuppressedError', 'disposal', 'body'])
    ok(/neither/.test((yield* errorOf(() => use({} as any, () => 1))).message))
    const lock = mutex()
    yield* use(lock.acquire(), () => same(lock.locked, true))
    same(lock.locked, false)
  })
})

test('in an atomic block the items belong to the block, and an atomic item excludes the others', async () => {
  await simulate(function* () {
    const outside = spawn(after(1, 'outside'))
    yield* atomic(function* () {
      yield* sleep(5)
      same(yield* all([after(10, 'a'), after(5, 'b')]), ['a', 'b'])
      same(
        yield* map([1, 2], function* (n) {
          yield* sleep(n)
          return inAtomic()
        }),
        [true, true],
      )
      same(yield* race([after(10, 'c'), after(3, 'd')]), 'd')
    })
    same(taken(), ['b ends', 'a ends', 'd ends', 'c cancelled'])
    yield* outside
    taken()
    let n = 0
    const bump = atomicFn(function* () {
      const was = n
      yield* sleep(1)
      n = was + 1
    })
    yield* all([bump(), bump(), bump()])
    same(n, 3)
  })
})

test('legacy code awaits them, and an operation that nobody awaits runs like an async function', async () => {
  same(await all([after(2, 'a'), after(1, 'b')]), ['a', 'b'])
  same(await race([after(200, 'a'), after(1, 'b')]), 'b')
  taken()
  await rejects(
    timeout(1, () => new Promise(() => {})),
    /did not end within 1 ms/,
  )
  void map([1, 2], (n) => after(n, `${n}`))
  while (log.length < 2) await new Promise((done) => setTimeout(done, 1))
  same(taken(), ['1 ends', '2 ends'])
  const lock = mutex('held')
  same(
    await all(
      [1, 2].map((n) =>
        lock.with(function* () {
          yield* sleep(1)
          return n
        }),
      ),
    ),
    [1, 2],
  )
  const works = await finishLegacy()
  same(works, 'job')
})
const finishLegacy = asyncFn(function* () {
  const ch = channel<string>()
  return yield* finish(function* () {
    const got = yield* all([
      ch.recv(),
      ch.send('job'),
      select({ x: sleep(1), y: aborted(new AbortController().signal) }),
      wait(1),
    ])
    is<Equal<(typeof got)[0], string>>()
    return got[0]
  })
})
