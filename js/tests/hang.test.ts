/** These tests are about what once stood still, or ended the process, without a message. */
import { test, ok, reported, same, rejects, throws, until } from './harness.ts'
import {
  type Activity,
  asyncFn,
  atomic,
  async,
  channel,
  deadline,
  each,
  finish,
  future,
  mutex,
  type Operation,
  type Permit,
  rendezvous,
  rwlock,
  select,
  type Semaphore,
  semaphore,
  sleep,
  spawn,
  wait,
  waituntil,
} from './lib.ts'
import { explore, type ExploreError } from '../src/dev/index.ts'
import { all, handler } from '../src/ops.ts'
import { Domain } from '../src/core/domain.ts'
import { useDomain } from '../src/core/current.ts'
import { placeOfCaller } from '../src/diagnosis/place.ts'
import { Case } from '../src/wait/case.ts'
import { clauseOf } from '../src/wait/waitable.ts'

/** A call that says when it begins and ends. */
const logged = (log: string[]) =>
  asyncFn(function* (n: number) {
    log.push(`begin ${n}`)
    yield* sleep(1)
    log.push(`end ${n}`)
    return n
  })

/** 'outside' stands behind the loads of the block, or before them, if a slow machine has ended a time slice. */
const isUnbroken = (log: string[]): boolean => {
  const at = log.indexOf('outside')
  return at < log.indexOf('begin 1') || at > log.lastIndexOf('end 2')
}

test('calls that a native combinator joins run inside the block that waits for them', async () => {
  const log: string[] = []
  const load = logged(log)
  const combinators: [string, (calls: Promise<number>[]) => Promise<unknown>, unknown][] = [
    ['all', (c) => Promise.all(c), [1, 2]],
    ['race', (c) => Promise.race(c), 1],
    ['any', (c) => Promise.any(c), 1],
    [
      'allSettled',
      (c) => Promise.allSettled(c),
      [
        { status: 'fulfilled', value: 1 },
        { status: 'fulfilled', value: 2 },
      ],
    ],
    ['a native async function', (c) => (async () => [await c[0], await c[1]])(), [1, 2]],
  ]
  for (const [name, combine, want] of combinators) {
    log.length = 0
    const inside = spawn(function* () {
      const got = yield* atomic(function* () {
        return yield* wait(combine([load(1), load(2)]))
      })
      log.push('block ended')
      return got
    })
    const outside = spawn(function* () {
      log.push('outside')
    })
    same(await inside, want)
    await outside
    ok(isUnbroken(log), `${name}: the block ends after both, and nothing else ran in it: ${log}`)
  }
})

test('a call that nobody asks for is delayed until the block ends, as before', async () => {
  const log: string[] = []
  const note = asyncFn(function* () {
    log.push('note')
  })
  await spawn(function* () {
    yield* atomic(function* () {
      void note()
      yield* wait(Promise.resolve())
      yield* sleep(1)
      log.push('block')
    })
    yield* sleep(1)
  })
  same(log, ['block', 'note'])
})

test('a call that a block keeps, and waits for later, runs inside the block', async () => {
  const log: string[] = []
  const load = logged(log)
  const inside = spawn(function* () {
    const sum = yield* atomic(function* () {
      const [a, b, never] = [load(1), load(2), load(3)]
      never.catch(() => {})
      const inner = yield* atomic(() => a) // a block inside takes it in as well
      return inner + (yield* b)
    })
    log.push('block ended')
    return sum
  })
  const outside = spawn(function* () {
    log.push('outside')
  })
  same(await inside, 3)
  await outside
  ok(isUnbroken(log), `nothing else ran in the block: ${log}`)
  same(log.filter((what) => what !== 'outside').slice(0, 4), ['begin 1', 'end 1', 'begin 2', 'end 2'])
  const task = spawn(sleep(1))
  await rejects(
    spawn(() => atomic(() => task)),
    /deadlock in an atomic block/,
  )
})

test('calls that legacy code waits for do not slip into a block', async () => {
  const log: string[] = []
  const foreign = asyncFn(function* () {
    log.push('foreign')
  })
  let open: () => void = () => {}
  const gate = new Promise<void>((done) => (open = done))
  const block = spawn(function* () {
    yield* atomic(function* () {
      log.push('begin')
      yield* wait(gate)
      log.push('end')
    })
  })
  await until(() => log.includes('begin'))
  const legacy = Promise.all([foreign()])
  await new Promise((done) => setTimeout(done, 1))
  open()
  await Promise.all([block, legacy])
  same(log, ['begin', 'end', 'foreign'])
})

test('a block that waits long for a promise says so, with what it holds back', async () => {
  const before = useDomain(new Domain({ grace: 1 }))
  const { warn } = console
  const told: string[] = []
  console.warn = (text: string) => void told.push(text)
  try {
    let open: (value: number) => void = () => {}
    const late = new Promise<number>((done) => (open = done))
    const held = spawn(
      function* () {
        return 1
      },
      { name: 'held' },
    )
    const block = spawn(
      function* () {
        return yield* atomic(function* () {
          return yield* wait(late)
        })
      },
      { name: 'owner' },
    )
    const behind = spawn(
      function* () {
        return 3
      },
      { name: 'behind' },
    )
    await until(() => told.length > 0)
    open(2)
    same([await held, await block, await behind], [1, 2, 3])
    ok(/owner has waited .* for a promise, and holds back 1: behind\./.test(told[0]), told[0])
  } finally {
    console.warn = warn
    useDomain(before)
  }
})

test('a promise whose wait is refused, withdrawn or lost ends no process', async () => {
  const fail = (message: string): Promise<never> => new Promise((_, no) => setTimeout(no, 1, new Error(message)))
  same(
    await reported(async () => {
      const refused = spawn(function* () {
        yield* finish(function* (scope) {
          scope.cancel()
          yield* wait(Promise.reject(new Error('refused')))
        })
        yield* finish(function* (scope) {
          scope.cancel()
          yield Promise.reject(new Error('refused, plain yield'))
        })
      })
      const lost = spawn(function* () {
        const jobs = channel<string>(2)
        jobs.trySend('a')
        jobs.trySend('b')
        yield* select({ job: jobs.recv(), late: fail('lost a select') })
        yield* waituntil(jobs.recv()).or(fail('lost a waituntil'))
        yield* waituntil(sleep(0)).or(fail('lost while waiting'))
      })
      const refusedChoice = spawn(function* () {
        yield* finish(function* (scope) {
          scope.cancel()
          yield* waituntil(Promise.reject(new Error('refused choice'))).or(sleep(1))
        })
      })
      const withdrawn = spawn(function* () {
        yield* wait(fail('withdrawn'))
      })
      setTimeout(() => withdrawn.cancel())
      await Promise.allSettled([refused, lost, refusedChoice, withdrawn])
    }),
    [],
  )
})

test('a settled promise is ready: it wins in front of a channel, and loses behind one', function* () {
  const jobs = channel<string>(4)
  for (let i = 0; i < 4; i++) jobs.trySend('job')
  const settled = Promise.resolve('settled')
  same(yield* waituntil(settled).or(jobs.recv()), 'settled')
  same(yield* waituntil(Promise.resolve('new')).or(jobs.recv()), 'new')
  same(yield* waituntil(jobs.recv()).or(settled), 'job')
  same(yield* waituntil(new Promise(() => {})).or(jobs.recv()), 'job')
  same(yield* waituntil(settled).else(() => 'else'), 'settled')
  same(yield* waituntil(Promise.resolve('also new').then((x) => x)).or(sleep(1000)), 'also new')
  const got: unknown[] = []
  yield* waituntil(
    new Case(clauseOf(settled), (x: unknown) => {
      got.push(x)
    }),
  )
    .and(
      jobs.recv().do((x) => {
        got.push(x)
      }),
    )
    .or(jobs.recv())
  same(got, ['settled', 'job'])
  same(jobs.tryRecv() !== undefined && jobs.tryRecv() === undefined, true)
})

test('who gets a lock beside a promise that was never asked is known to hold it', function* () {
  const [lock, shared] = [mutex('lock'), rwlock('shared')]
  const never = (): Promise<never> => new Promise(() => {})
  const waits: [string, () => Operation<unknown>, () => Operation<unknown>][] = [
    ['select', () => select({ never: never(), permit: lock.acquire() }), () => lock.acquire()],
    ['or', () => waituntil(never()).or(lock.acquire()), () => lock.acquire()],
    [
      'else',
      () =>
        waituntil(never())
          .or(lock.acquire())
          .else(() => ok(false)),
      () => lock.acquire(),
    ],
    ['rwlock', () => select({ never: never(), permit: shared.write() }), () => shared.read()],
  ]
  for (const [name, first, second] of waits) {
    const waiter = spawn(function* () {
      const got = (yield* first()) as Permit | { value: Permit }
      const permit = 'value' in got ? got.value : got
      try {
        yield* second()
        return 'got it twice'
      } catch (error) {
        return (error as Error).message
      } finally {
        permit.release()
      }
    })
    ok(/is held by this branch of activity \d+ already/.test(yield* waiter), name)
  }
})

test('a block in which everything waits looks at none of the activities outside it', async () => {
  const end = future<void>()
  const outside = Array.from({ length: 50 }, () => spawn(end.get()))
  await until(() => outside.every((activity) => activity.state === 'running'))
  let looked = 0
  for (const activity of outside)
    for (const field of ['home', 'scope'] as const) {
      const value = activity[field]
      const get = (): unknown => (looked++, value)
      Object.defineProperty(activity, field, { get, set: () => {}, configurable: true })
    }
  const work = function* () {
    for (let i = 0; i < 5; i++) yield* wait(new Promise((done) => setTimeout(done)))
  }
  await atomic(() => all([work, work, sleep(1)]))
  await atomic(
    function* () {
      yield* all([spawn(work), spawn(work)])
    },
    { spawns: 'contained' },
  )
  same(looked, 0)
  for (const activity of outside) {
    const { home } = activity
    for (const [field, value] of Object.entries({ home, scope: null }))
      Object.defineProperty(activity, field, { value, writable: true, configurable: true, enumerable: true })
  }
  end.set()
  await Promise.all(outside)
})

test('waits of any length: beyond the timers of the host, and without end', async () => {
  let late = false
  const long = spawn(function* () {
    yield* sleep(2 ** 31)
    late = true
  })
  const never = spawn(function* () {
    yield* sleep(Infinity)
    late = true
  })
  same(
    await spawn(function* () {
      return yield* deadline(Infinity, function* () {
        yield* sleep(1)
        return 'ended'
      })
    }),
    'ended',
  )
  await new Promise((done) => setTimeout(done, 5))
  same(late, false)
  long.cancel()
  never.cancel()
  same(
    (await Promise.allSettled([long, never])).map((r) => r.status),
    ['rejected', 'rejected'],
  )
  await rejects(
    spawn(function* () {
      yield* sleep(NaN)
    }),
    /takes a number of milliseconds, not NaN/,
  )
})

test('who joins a cancelled activity has failed, and is reported', async () => {
  let parent: Activity<void> | undefined
  const found = await reported(async () => {
    parent = spawn(function* () {
      const child = spawn(
        function* () {
          yield* sleep(Infinity)
        },
        { name: 'child' },
      )
      yield* sleep(1)
      child.cancel('enough')
      yield* child
    })
    await until(() => parent!.state === 'failed')
  })
  same([parent!.state, found], ['failed', ['child was cancelled: enough']])
  const cancelled = spawn(function* () {
    yield* sleep(Infinity)
  })
  await until(() => cancelled.state === 'running')
  same(await reported(async () => cancelled.cancel()), [])
  same(cancelled.state, 'cancelled')
})

test('each closes its iterator also when it is cancelled while it waits for the next item', async () => {
  let closed = 0
  let asked = false
  const endless = {
    [Symbol.asyncIterator]: () => ({
      next: () => ((asked = true), new Promise<never>(() => {})),
      return: async () => (closed++, { done: true as const, value: undefined }),
    }),
  }
  const loop = spawn(() => each(endless, () => {}))
  await until(() => asked)
  loop.cancel()
  await loop.catch(() => {})
  same([loop.state, closed], ['cancelled', 1])
  // One that fails by itself is at its end.
  const broken = {
    [Symbol.asyncIterator]: () => ({
      next: () => Promise.reject(new Error('broken')),
      return: async () => (closed++, { done: true as const, value: undefined }),
    }),
  }
  await rejects(
    spawn(() => each(broken, () => {})),
    /broken/,
  )
  same(closed, 1)
})

test('a signal forgets the activities that have ended', async () => {
  const controller = new AbortController()
  const { signal } = controller
  let listeners = 0
  const add = signal.addEventListener.bind(signal)
  const remove = signal.removeEventListener.bind(signal)
  signal.addEventListener = ((...args: Parameters<typeof add>) => (listeners++, add(...args))) as typeof add
  signal.removeEventListener = ((...args: Parameters<typeof remove>) => (listeners--, remove(...args))) as typeof remove
  const call = asyncFn(function* () {})
  const failing = spawn(
    function* () {
      throw new Error('failing')
    },
    { signal },
  )
  const early = spawn(function* () {}, { signal })
  early.cancel()
  const all = [failing, early, spawn(call(), { signal }), spawn(function* () {}, { signal })]
  same(listeners, 4)
  await Promise.allSettled(all)
  same(listeners, 0)
  const live = spawn(
    function* () {
      yield* sleep(Infinity)
    },
    { signal },
  )
  controller.abort('over')
  await live.catch(() => {})
  same([live.state, listeners], ['cancelled', 0])
})

test('a wait for what only the waiter could give is told, not kept', function* () {
  const m = mutex('ledger')
  const permit = yield* m.acquire()
  let text = ''
  try {
    yield* m.acquire()
  } catch (error) {
    text = String(error)
  }
  ok(/DeadlockError: ledger is held by this branch/.test(text), text)
  // Another branch may wait, and who gives up after a while may try.
  yield* finish(function* () {
    yield* async(m.with(function* () {}))
    same(yield* waituntil(m.acquire().do(() => 'got')).or(sleep(1).do(() => 'gave up')), 'gave up')
    permit.release()
  })
  text = ''
  try {
    yield* rendezvous(function* (r) {
      yield* r.next()
    })
  } catch (error) {
    text = String(error)
  }
  ok(/next\(\) would wait for ever/.test(text), text)
})

test('a body that has permits of a semaphore, and waits for more than it leaves, is told', function* () {
  const [pool, single] = [semaphore(3, 'pool'), semaphore(1, 'single')]
  const told = (lock: Semaphore, first: number, second: () => any): Promise<void> =>
    rejects(
      spawn(() => lock.with(second, first)),
      new RegExp(`DeadlockError: ${lock.name} is held by this branch`),
    )
  yield wait(told(single, 1, () => single.acquire()))
  yield wait(told(pool, 2, () => pool.acquire(2)))
  yield wait(told(pool, 1, () => pool.with(() => pool.acquire(2))))
  yield wait(told(pool, 1, () => pool.with(function* () {}, 3)))
  same([pool.available, single.available], [3, 1])
  // What it leaves is enough, now or later, and is no more its own when the body has ended.
  const other = yield* pool.acquire()
  const log: string[] = []
  yield* finish(function* () {
    yield* async(function* () {
      yield* pool.with(() =>
        pool.with(function* () {
          log.push('both')
        }, 2),
      )
      yield* pool.with(function* () {}, 3)
      log.push('all')
    })
    log.push('released')
    other.release()
  })
  same(log, ['released', 'both', 'all'])
  // Permits that `acquire` has given may be released by others.
  const [one, two] = [yield* single.acquire(), yield* pool.acquire(3)]
  yield* finish(function* () {
    yield* async(function* () {
      yield* sleep(1)
      one.release()
      two.release()
    })
    ;(yield* single.acquire()).release()
    ;(yield* pool.acquire()).release()
  })
})

test('who waits for the next event when its rendezvous ends is told, whoever it is', async () => {
  let waiter: Activity<unknown> | undefined
  await rendezvous(function* (r) {
    r.event('never')
    waiter = spawn(function* () {
      yield* r.next()
    })
    yield* sleep(1)
  })
  await rejects(waiter!, /next\(\) would wait for ever/)
})

test('a branch that waits for a read-write lock which it has itself is told', async () => {
  const lock = rwlock('ledger')
  const told = (first: 'read' | 'write', second: 'read' | 'write') =>
    rejects(
      spawn(function* () {
        const permit = yield* lock[first]()
        try {
          yield* lock[second]()
        } finally {
          permit.release()
        }
      }),
      /DeadlockError: ledger is held by this branch/,
    )
  await told('write', 'write')
  await told('write', 'read')
  await told('read', 'write')
  // With one permit left of two.
  await rejects(
    spawn(function* () {
      const [one, two] = [yield* lock.read(), yield* lock.read()]
      one.release()
      try {
        yield* lock.write()
      } finally {
        two.release()
      }
    }),
    /DeadlockError: ledger is held by this branch/,
  )
  // Behind a writer that waits: two reads at the same time are otherwise no mistake.
  let writer: Activity<unknown> | undefined
  await rejects(
    spawn(function* () {
      const [one, two] = [yield* lock.read(), yield* lock.read()]
      two.release()
      const again = yield* lock.read()
      writer = spawn(lock.write())
      yield* sleep(1)
      try {
        yield* lock.read()
      } finally {
        one.release()
        again.release()
      }
    }),
    /DeadlockError: ledger is held by this branch/,
  )
  // Somebody else's permit is waited for, and who gives up after a while may try.
  const permit = (await writer) as Permit
  await spawn(function* () {
    same((yield* select({ read: lock.read(), late: sleep(1) })).key, 'late')
    yield* finish(function* () {
      yield* async(lock.write())
      permit.release()
    })
  })
})

test('a branch that waits on after its block has ended is seen by the block around it', async () => {
  const before = useDomain(new Domain({ grace: 1 }))
  try {
    const beyondItsBlock = (body: () => Generator) =>
      spawn(
        atomic(function* () {
          yield* finish(function* () {
            yield* atomic(function* () {
              yield* atomic(function* () {
                yield* async(body)
              })
            })
          })
        }),
      )
    // It waits for ever, and that is a deadlock like any other.
    const never = future<void>('never')
    const stuck = beyondItsBlock(function* () {
      yield* never.get()
    })
    await rejects(stuck, /DeadlockError: .* waits for get\(never\)/)
    // It waits for a call that was made in the block, so the call runs inside.
    const call = asyncFn(function* () {
      yield* sleep(1)
      return 5
    })
    let got = 0
    const served = beyondItsBlock(function* () {
      ;[got] = yield* wait(Promise.all([call()]))
    })
    await served
    same(got, 5)
  } finally {
    useDomain(before)
  }
})

test('atomic(...) alone is a call like any other: it runs by itself', async () => {
  let ran = 0
  await spawn(function* () {
    void atomic(function* () {
      ran++
    })
    yield* sleep(1)
  })
  void atomic(function* () {
    ran++
  })
  await until(() => ran >= 2)
  same(ran, 2)
})

test('a seed that is told has failed again; of a test that fails by chance that is said', async () => {
  const update = function* () {
    let n = 0
    const add = function* () {
      const was = n
      yield* sleep(1)
      n = was + 1
    }
    const a = spawn(add)
    const b = spawn(add)
    yield* a
    yield* b
    if (n !== 2) throw new Error('lost')
  }
  const failed = (await explore(update).catch((error) => error as ExploreError)) as ExploreError
  for (let i = 0; i < 3; i++) await rejects(explore(update, { seed: failed.seed }), /lost/)
  let run = 0
  const byChance = (await explore(function* () {
    if (++run === 7) throw new Error('flaky')
  }).catch((error) => error as ExploreError)) as ExploreError
  ok(
    /does not fail each time: the test depends on something besides the order/.test(byChance.message) &&
      !/replay/.test(byChance.message),
    byChance.message,
  )
})

test('an async generator is a value, which nobody runs, and its function is no body', async () => {
  const numbers = async function* () {
    yield 1
  }
  for (const made of [await spawn((() => numbers()) as never), await atomic((() => numbers()) as never)])
    same(await (made as AsyncGenerator).next(), { value: 1, done: false })
  const bodies: ((body: any) => unknown)[] = [spawn, atomic, asyncFn, finish, handler]
  for (const take of bodies) throws(() => take(numbers), /takes a function, not an async function\*: write function\*/)
})

test("a message names a place in the user's code also where Vite serves the packages in bundles of its own", () => {
  const page = new Function('dep', 'f', 'return dep(f)\n//# sourceURL=http://x/src/page.js')
  for (const file of ['charcoal-js_runtime.js', 'chunk-2.js']) {
    const dep = new Function('f', `return f(0)\n//# sourceURL=http://x/node_modules/.vite/deps/${file}?v=1`)
    const place = page(dep, placeOfCaller) as string
    ok(/x\/src\/page\.js:/.test(place), place)
  }
})
