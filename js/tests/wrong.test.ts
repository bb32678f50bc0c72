/** What is easily written wrong is told at once: where, and what to write instead. Nothing is ignored in silence. */
import { test, ok, same, rejects, throws } from './harness.ts'
import {
  type Activity,
  aborted,
  addTimeout,
  async,
  asyncFn,
  atomic,
  atomicFn,
  channel,
  condition,
  deadline,
  Domain,
  each,
  finish,
  mutex,
  noncancellable,
  once,
  pause,
  rendezvous,
  select,
  semaphore,
  sleep,
  spawn,
  twait,
  useDomain,
  wait,
  waituntil,
} from './lib.ts'
import { domain } from '../src/core/current.ts'
import { explore, simulate } from '../src/dev/index.ts'
import { all, allSettled, any, handler, map, race, retry, timeout, use } from '../src/ops.ts'
import { chunks } from '../src/streams.ts'
import { connect, serve } from '../src/worker.ts'

const five = function* (): Generator<unknown, number, any> {
  yield* sleep(0)
  return 5
}

test('legacy code may await every operation', async () => {
  const lock = mutex()
  const jobs = channel<number>(2)
  jobs.trySend(1)
  jobs.trySend(2)
  jobs.close()
  const got: number[] = []
  const note = (n: number): void => void got.push(n)
  same(await finish(five), 5)
  same(await noncancellable(five), 5)
  same(await deadline(9999, five), 5)
  same(await lock.with(five), 5)
  same(lock.locked, false)
  await jobs.each(note)
  await each([3, Promise.resolve(4)], note)
  await chunks(new Response('text').body!, (bytes) => note(bytes.length))
  same(got, [1, 2, 3, 4, 4])
  same((await select({ a: sleep(0), b: sleep(99999) })).key, 'a')
  same(await waituntil(sleep(0).do(() => 'a')).or(sleep(99999)), 'a')
  same(await waituntil(channel().recv()).else(() => 'else'), 'else')
  same(await waituntil(sleep(0)).or(sleep(9999)), undefined)
  same(await wait(Promise.resolve(6)), 6)
  same(await pause(), undefined)
  same(await twait((make) => void setTimeout(make(note), 0, 7)), undefined)
  await rendezvous<string>(function* (r) {
    setTimeout(r.event('b'), 0)
    same((yield* r.next()).id, 'b')
  })
  same(got.at(-1), 7)
  const changed = condition()
  const permit = await lock.acquire()
  const waiter = changed.waitWith(lock, permit).then((again) => again.release())
  while (!changed.signal()) await sleep(0)
  await waiter
  same(lock.locked, false)
})

test('legacy code may catch what every operation fails with, and tidy up behind it, as with a promise', async () => {
  const fails = (): never => {
    throw new Error('no')
  }
  const lock = mutex()
  const closed = channel<number>()
  closed.close()
  const made = [
    () => finish(fails),
    () => noncancellable(fails),
    () => deadline(99_999, fails),
    () => lock.with(fails),
    () => each([1], fails),
    () => rendezvous(fails),
    () => closed.recv(),
    () => select({ a: closed.recv() }),
    () => waituntil(closed.recv().do(() => 1)),
    () => wait(Promise.reject(new Error('no'))),
    () => atomic(fails),
    () => all([fails]),
  ]
  let tidied = 0
  for (const make of made) {
    same(await make().catch(() => 'caught'), 'caught', String(make))
    await rejects(make().finally(() => void tidied++), /no|closed/)
  }
  same([tidied, await sleep(0).finally(() => {}), lock.locked], [made.length, undefined, false])
})

test('a failed promise ends no process although what waits for it begins after a turn of the host', async () => {
  const before = useDomain(new Domain({ slice: -1 }))
  const makes = [
    () => wait(Promise.reject(new Error('no'))),
    () => each([Promise.reject(new Error('no'))], () => {}),
    () => map([Promise.reject(new Error('no'))], () => {}),
  ]
  try {
    for (const make of makes) {
      domain.steps = 1
      await spawn(function* () {}) // its slice is over, so the host has its turn before anything else begins
      await rejects(make(), /no/)
    }
  } finally {
    useDomain(before)
  }
})

test('legacy code may ask an operation for its outcome several times, as a promise, and it runs once', async () => {
  let runs = 0
  const five = async (): Promise<number> => {
    runs++
    await new Promise((done) => setTimeout(done, 0))
    return 5
  }
  const ch = channel<number>(2)
  ch.trySend(5)
  ch.trySend(6)
  const made: Record<string, PromiseLike<unknown> & { catch(f: () => void): unknown }> = {
    finish: finish(five),
    deadline: deadline(99_999, five),
    'lock.with': mutex().with(five),
    recv: ch.recv(),
    waituntil: waituntil(sleep(0).do(() => 5)),
    wait: wait(five()),
  }
  for (const [name, operation] of Object.entries(made)) {
    operation.catch(() => {})
    same([name, await Promise.all([operation, operation]), await operation], [name, [5, 5], 5])
  }
  same([runs, ch.size], [4, 1])
})

test('an operation or a promise that a body returns is waited for, and nothing else is run', async () => {
  const log: unknown[] = []
  const later = (n: number) => new Promise<void>((done) => setTimeout(() => done(void log.push(n)), 1))
  const jobs = (): any => {
    const made = channel<number>(2)
    made.trySend(1)
    made.trySend(2)
    made.close()
    return made
  }
  const bodies: ((n: any) => unknown)[] = [
    async (n) => void (await later(n)),
    (n) => log.push(n), // a number
    (n) => (log.push(n), [sleep(99_999)]), // a list has an iterator, too
    (n) => (log.push(n), 'text'),
    function* (n) {
      log.push(yield* wait(n))
    },
  ]
  for (const body of bodies)
    await spawn(function* () {
      yield* each([1, 2], body)
      yield* jobs().each(body)
      yield* chunks(new ReadableStream({ start: (c) => (c.enqueue(1), c.enqueue(2), c.close()) }), body)
      same(log.splice(0), [1, 2, 1, 2, 1, 2], String(body))
    })
  same(await rendezvous(async () => 6), 6)
})

test('activities, calls and locks as JSON show nothing of the scheduler', async () => {
  const lock = mutex('door')
  const permit = await lock.acquire()
  const task = spawn(() => lock.with(five), { name: 'visitor' })
  const call = asyncFn(five)()
  await sleep(0)
  same(JSON.parse(JSON.stringify({ task, call })), { task: { name: 'visitor', state: 'running' }, call: {} })
  ok(JSON.stringify(lock).length < 200, JSON.stringify(lock))
  permit.release()
  same([await task, await call], [5, 5])
})

test('operations of several steps run inside those that take operations, and are cancelled with them', async () => {
  const ended: string[] = []
  const long = (name: string) =>
    finish(function* () {
      try {
        yield* sleep(99999)
      } finally {
        ended.push(name)
      }
    })
  const statement = (): any => waituntil(sleep(0).do(() => 'done'))
  same(await race([long('race'), sleep(1)]), undefined)
  same(await timeout(1, long('timeout'), () => 'late'), 'late')
  same(await all([statement(), finish(five)]), ['done', 5])
  same(await spawn(() => atomic(() => statement())), 'done')
  same(ended, ['race', 'timeout'])
  await spawn(function* () {
    same(yield statement(), 'done') // plain yield, as in the papers
    same(yield finish(five), 5)
    same(yield* wait(statement()), 'done')
  })
})

test('async in legacy code is an error, and so is to await it', async () => {
  throws(() => async(five), /async\(…\) starts a branch of an activity.*Remedy: yield\* async/)
  const native = spawn(function* () {
    yield* wait((async () => void (await async(five)))())
  })
  await rejects(native, /async\(…\) starts a branch of an activity/)
})

test('activities that wait for one another in a circle are told, with their names', async () => {
  const ring: Activity<void>[] = []
  for (const name of ['a', 'b', 'c'])
    ring.push(
      spawn(
        function* () {
          const at = ring.findIndex((one) => one.name === name)
          yield* finish(function* () {
            if (name !== 'b') yield* ring[(at + 1) % 3]
            // A branch keeps its activity from ending, too.
            else
              yield* async(function* () {
                yield* ring[2]
              })
          })
        },
        { name },
      ),
    )
  // Whoever comes last closes the circle.
  await rejects(
    ring[0],
    /: ([abc]) waits for [abc] waits for [abc] waits for \1, so none of them can go on. Remedy: let one of them not/,
  )
  await Promise.allSettled(ring)
  // A chain is no circle, nor is one that another can break.
  const first = spawn(five)
  const chain = spawn(function* () {
    return yield* spawn(() => first.join())
  })
  same(await chain, 5)
})

test('a circle through a lock is warned of, and goes on if somebody else releases it', async () => {
  const lock = mutex('ledger')
  const told: string[] = []
  const { warn } = console
  console.warn = (text: string) => void told.push(text)
  try {
    const permit = lock.tryAcquire()!
    permit.release()
    const main = spawn(
      function* () {
        const mine = yield* lock.acquire()
        const helper = spawn(
          function* () {
            const theirs = yield* lock.acquire()
            theirs.release()
          },
          { name: 'helper' },
        )
        spawn(function* () {
          while (told.length === 0) yield* sleep(1)
          mine.release()
        })
        yield* helper
      },
      { name: 'main' },
    )
    await main
  } finally {
    console.warn = warn
  }
  same(told.length, 1)
  ok(/at acquire\(ledger\) helper waits for main waits for helper, so none of them can go on/.test(told[0]), told[0])
})

test('an option that a function does not have is told once, with those that it has', async () => {
  const told: string[] = []
  const { warn } = console
  console.warn = (text: string) => void told.push(text)
  try {
    const f = (): number => 1
    const wrong: ((options: any) => unknown)[] = [
      (o) => map([1], f, o),
      (o) => retry(f, o),
      (o) => all([f], o),
      (o) => spawn(five, o),
      (o) => atomic(five, o),
      (o) => finish(five, o),
      (o) => explore(five, o),
    ]
    for (const call of wrong) for (let i = 0; i < 2; i++) await call({ concurrency: 5 })
    await map([1], f, 5 as any)
    await map([1], f, { limit: 2, signal: undefined })
    await spawn(five, { name: 'five', contained: false, signal: undefined })
    await retry(f, { attempts: 1, delay: 1, factor: 1, longest: 1, jitter: true, when: () => true })
    await handler(five, { when: 'all', name: 'five' })()
    await atomic(five, { spawns: 'free', continuations: 'ignore' })
    await finish(five, { name: 'five' })
  } finally {
    console.warn = warn
  }
  same(told.length, 8, told.join('\n'))
  same(told[0], 'charcoal: map has no option concurrency; it takes { limit, signal }')
  same(told[7], 'charcoal: map has no option 5; it takes { limit, signal }')
})

test('every public function says what it takes when it is given something else', () => {
  const no = undefined as any
  const lock = mutex()
  const wrong: [() => unknown, RegExp][] = [
    [() => channel(1.5), /channel takes a whole number from 0 on, or Infinity, not 1.5/],
    [() => channel(-1), /not -1/],
    [() => channel(NaN), /not NaN/],
    [() => channel('jobs' as any), /not "jobs"/],
    [() => channel('5' as any), /not "5"/],
    [() => semaphore('5' as any), /semaphore takes a whole number from 1 on, or Infinity, not "5"/],
    [() => semaphore(2).acquire('1' as any), /"1" of 2 permits cannot be acquired/],
    [() => semaphore(1.5), /semaphore takes a whole number from 1 on/],
    [() => semaphore(2).acquire(1.5), /1.5 of 2 permits cannot be acquired/],
    [() => semaphore(2).acquire(3), /3 of 2 permits cannot be acquired/],
    [() => semaphore(2).tryAcquire(0), /0 of 2 permits cannot be acquired/],
    [() => semaphore(2).tryAcquire(3), /3 of 2 permits cannot be acquired/],
    [() => sleep('10' as any), /sleep takes a number of milliseconds, not "10"/],
    [() => sleep(10n as any), /sleep takes a number of milliseconds, not 10n/],
    [() => deadline('10' as any, five), /deadline takes a number of milliseconds/],
    [() => deadline(10, no), /deadline takes a function or an operation, not undefined/],
    [() => timeout(NaN, five), /timeout takes a number of milliseconds, not NaN/],
    [() => timeout(9, five, { otherwise: 5 as any }), /timeout: otherwise takes a function, not 5/],
    [() => addTimeout(no, no), /addTimeout takes a number of milliseconds/],
    [() => asyncFn(no), /asyncFn takes a function, not undefined/],
    [() => atomicFn(5 as any), /atomicFn takes a function, not 5/],
    [() => atomic(no), /atomic takes a function or an operation/],
    [() => atomic(five, { spawns: 'later' as any }), /spawns takes delay, contained, free, error, not "later"/],
    [() => spawn(no), /spawn takes a function or an operation, not undefined/],
    [() => spawn(five, { signal: 5 as any }), /spawn takes an AbortSignal, not 5/],
    [() => finish(5 as any), /finish takes a function or an operation/],
    [() => finish(five, { signal: {} as any }), /finish takes an AbortSignal/],
    [() => noncancellable(no), /noncancellable takes a function or an operation/],
    [() => async(no), /async takes a function or an operation/],
    [() => aborted(no), /aborted takes an AbortSignal, not undefined/],
    [() => each(5 as any, five), /each takes an iterable of items, not 5/],
    [() => each(sleep(1) as any, five), /each takes an iterable of items, not this object/],
    [() => all(sleep(1) as any, sleep(2) as any), /all takes an iterable of items, not this object/],
    [() => map(lock.with(five) as any, five), /map takes an iterable of items, not this object/],
    [() => select(no), /a select of nothing would never end/],
    [() => each([], no), /each takes a function/],
    [() => each(five as any, [] as any), /each takes an iterable of items, not this function/],
    [() => each([], Object.create(null)), /each takes a function, not this object/],
    [() => waituntil(5 as any), /waituntil takes clauses, activities, promises and AbortSignals, not 5/],
    [() => waituntil(sleep(1)).or(no), /waituntil takes clauses/],
    [() => waituntil(sleep(1)).and('x' as any), /waituntil takes clauses/],
    [() => waituntil(sleep(1)).else(no), /else takes a function/],
    [() => select({}), /a select of nothing/],
    [() => select({ a: 5 as any }), /select: a takes clauses, activities, promises and AbortSignals, not 5/],
    [() => once(no, 'click'), /once takes an EventTarget or an EventEmitter, not undefined/],
    [() => once({} as any, 'click'), /once takes an EventTarget/],
    [() => rendezvous(no), /rendezvous takes a function/],
    [() => twait(no), /twait takes a function/],
    [() => all(5 as any), /all takes an iterable of items, not 5/],
    [() => any(no), /any takes an iterable/],
    [() => allSettled(no), /allSettled takes an iterable/],
    [() => race(no), /race takes an iterable/],
    [() => map(no, five), /map takes an iterable/],
    [() => map([], no), /map takes a function/],
    [() => map([], five, { limit: 1.5 }), /map: limit takes a whole number from 1 on/],
    [() => map([], five, { limit: '5' as any }), /map: limit takes a whole number from 1 on, or Infinity, not "5"/],
    [() => retry(five() as any), /retry takes a function/],
    [() => retry(five, { attempts: 0 }), /retry: attempts takes a whole number from 1 on/],
    [() => retry(five, { delay: NaN }), /retry: delay takes a number of milliseconds/],
    [() => use(five, no), /use takes a function/],
    [() => handler(no), /handler takes a function/],
    [() => handler(five, { when: 'last' as any }), /when takes all, latest, first, queue, not "last"/],
    [() => connect(no), /connect takes a Worker or a MessagePort, not undefined/],
    [() => serve({}, {} as any), /serve takes a Worker or a MessagePort/],
    [() => chunks(new Response('x').body!, no), /chunks takes a function/],
    [() => mutex('door').with(5 as any), /door: with takes a function, not 5/],
    [() => channel(0, 'jobs').each(5 as any), /jobs: each takes a function, not 5/],
    [() => sleep(1).do(5 as any), /do takes a function, not 5/],
  ]
  for (const [call, message] of wrong) throws(call, message)
})

test('simulate and explore refuse what is no test', async () => {
  await rejects(simulate(five() as any), /simulate takes a function/)
  await rejects(explore(undefined as any), /explore takes a function/)
  await rejects(explore(five, { schedules: 0 }), /schedules takes a whole number from 1 on/)
})
