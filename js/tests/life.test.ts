/** Activities are born, have names and results, are cancelled, and are awaited by legacy code. */
import { test, ok, same, rejects, throws, until } from './harness.ts'
import {
  spawn,
  self,
  signal,
  asyncFn,
  asyncFnX,
  newActivityContext,
  sleep,
  wait,
  atomic,
  atomicFn,
  finish,
  async,
  Cancelled,
  activities,
  describeActivities,
  pause,
  channel,
  inAtomic,
  deadline,
  noncancellable,
  local,
  useDomain,
  Domain,
  type Activity,
  type Call,
} from './lib.ts'
import { realHost, type Host } from '../src/core/host.ts'
import { record, simulate, explore, ExploreError } from '../src/dev/index.ts'
import { decode, encode } from '../src/dev/explore.ts'
import { enter, leave, leaving } from '../src/plugin/runtime.ts'

const add = asyncFn(function* sum(a: number, b: number) {
  return a + b
})
const tick = (ms = 0): Promise<void> => new Promise((done) => setTimeout(done, ms))

test('legacy code awaits calls and activities; a call from legacy code belongs to a fresh activity', async () => {
  same(await add(1, 2), 3)
  const who = asyncFn(function* () {
    return self()!.id
  })
  const [a, b] = await Promise.all([who(), who()])
  ok(a !== b)
  same(self(), undefined)
  const activity = spawn(add(3, 4), { name: 'adder' })
  same([activity.name, activity.state], ['adder', 'spawned'])
  same([await activity, await activity.then((n) => n + 1), activity.state], [7, 8, 'done'])
  same(
    Object.prototype.toString.call(activity) + Object.prototype.toString.call(add(1, 1)),
    '[object Activity][object Call]',
  )
  let ran = 0
  await activity.finally(() => ran++)
  await add(1, 1).finally(() => ran++)
  same(ran, 2)
  const fail = asyncFn(function* () {
    throw new Error('bad')
  })
  same(await fail().catch((e) => String(e)), 'Error: bad')
  same(await spawn(fail()).catch((e) => String(e)), 'Error: bad')
  same(add.name + add.length, 'sum2')
})

test('a call that nobody awaits becomes an activity', function* () {
  const log: string[] = []
  const put = asyncFn(function* (what: string) {
    log.push(what)
  })
  yield* spawn(function* () {
    put('floating')
    put('floating too')
    yield* put('awaited')
    const [x, y] = yield* wait(Promise.all([add(1, 1), add(2, 2)]))
    const c = add(5, 5)
    yield* pause()
    same([x, y, yield* c], [2, 4, 10])
    put('last')
  })
  yield* sleep(1)
  same(log, ['awaited', 'floating', 'floating too', 'last'])
})

test('spawn takes functions, async functions, calls, operations and started calls', async () => {
  same(await spawn(async () => 5), 5)
  same(await spawn(() => add(1, 2)), 3)
  same(await spawn(sleep(1)), undefined)
  const started = add(2, 2)
  same(await spawn(started, { name: 'named' }), 4)
  same(await spawn(() => 7 as any), 7)
  same(
    await spawn({
      [Symbol.iterator]: () =>
        (function* () {
          return 8
        })(),
    }),
    8,
  )
  await rejects(
    spawn(() => {
      throw new Error('at once')
    }),
    /at once/,
  )
})

test('the explicit context: each activity has its own', async () => {
  const log: unknown[] = []
  const inner = asyncFnX(function* (actx, n: number) {
    log.push(actx.activity === self())
    return n + 1
  })
  const main = asyncFnX(function* (actx, n: number) {
    const got: number = yield* actx.atomic(function* () {
      return yield* inner(actx, n)
    })
    return got
  })
  same(await newActivityContext().spawn(main, 1), 2)
  same(log, [true])
  let stolen: any
  await newActivityContext().spawnWith(
    { name: 'thief' },
    asyncFnX(function* (actx) {
      stolen = actx
    }),
  )
  await rejects(
    spawn(() => inner(stolen, 1)),
    /context of thief was used in/,
  )
})

test('names, states, stacks and waits of all activities', function* () {
  const deep = asyncFn(function* receiver(): Generator<unknown, void, any> {
    yield* channel<number>(0, 'jobs').recv()
  })
  const outer = asyncFn(function* caller() {
    yield* deep()
  })
  const a = spawn(outer(), { name: 'worker' })
  const b = spawn(
    function* () {
      yield* finish(
        function* () {
          yield* async(deep())
        },
        { name: 'all' },
      )
    },
    { name: 'parent' },
  )
  yield* sleep(1)
  const report = activities()
  const worker = report.find((r) => r.activity === 'worker')!
  same([worker.state, worker.waitsFor, worker.stack.slice(0, 2)], ['blocked', 'recv(jobs)', ['receiver', 'caller']])
  ok(/parent.*blocked on finish all: 1 branches/.test(describeActivities()), describeActivities())
  same(report.filter((r) => r.activity === 'parent').length, 2)
  same(report[0].state, 'running')
  a.cancel('enough')
  b.cancel()
  try {
    yield* a
    throw 0
  } catch (error) {
    ok(/cancelled: enough/.test(String(error)))
  }
  try {
    yield* b
  } catch {
    /* cancelled */
  }
  a.cancel()
})

test('an activity that was given no name has that of its function, in messages and after a failure', async () => {
  const jobs = channel(0, 'jobs')
  const stuck = function* worker(): Generator<unknown, unknown, any> {
    return yield* jobs.recv()
  }
  const load = asyncFn(stuck)
  const nameless = (): (() => Generator<unknown, unknown, any>)[] => [
    function* () {
      return yield* jobs.recv()
    },
  ]
  const named: Record<string, () => Activity<any>> = {
    'a generator function': () => spawn(stuck),
    'an activity function': () => spawn(load),
    'a call': () => spawn(load()),
    'an arrow function that gives a call': () => spawn(() => load()),
    'a call of legacy code': () => load().start(),
  }
  for (const [how, make] of Object.entries(named)) {
    const task = make()
    await sleep(1)
    same([how, task.name], [how, 'worker'])
    task.cancel('enough')
    await rejects(task, /worker was cancelled: enough/)
    same([how, task.name, task.state], [how, 'worker', 'cancelled'])
  }
  const failing = spawn(() =>
    atomic(function* update() {
      throw new Error('no')
    }),
  )
  await rejects(failing, /no/)
  same(failing.name, 'update')
  const task = spawn(nameless()[0])
  task.name = 'mine'
  same(task.name, 'mine')
  task.cancel()
  await rejects(task, /mine was cancelled/)
  const other = spawn(nameless()[0])
  await sleep(1)
  same(other.name, `activity ${other.id}`)
  other.cancel()
  await rejects(other, /activity \d+ was cancelled/)
})

test('cancel before the body has begun ends the activity without running it', function* () {
  let ran = false
  const a = spawn(function* () {
    ran = true
  })
  a.cancel(new Error('reason'))
  try {
    yield* a
    ok(false)
  } catch (error) {
    ok(error instanceof Cancelled && error.code === 'ECANCELED' && /reason/.test(error.message))
  }
  ok(!ran)
})

test('cancel runs finally and using', function* () {
  const log: string[] = []
  const a = spawn(function* () {
    using _ = {
      [Symbol.dispose]() {
        log.push('disposed')
      },
    }
    try {
      yield* sleep(100)
    } finally {
      log.push('finally')
    }
  })
  yield* sleep(1)
  a.cancel()
  try {
    yield* a
  } catch {
    /* cancelled */
  }
  same(log, ['finally', 'disposed'])
})

test('AbortSignals both ways', async () => {
  const outer = new AbortController()
  const log: string[] = []
  const a = spawn(
    function* () {
      signal().addEventListener('abort', () => log.push('inner aborted'))
      yield* sleep(1000)
    },
    { signal: outer.signal },
  )
  await until(() => a.state === 'running')
  outer.abort('stop')
  await rejects(a, /stop/)
  same(log, ['inner aborted'])
  ok(!signal().aborted)
  await rejects(
    spawn(
      function* () {
        return 1
      },
      { signal: AbortSignal.abort('early') },
    ),
    /early/,
  )
  const f = new AbortController()
  await spawn(function* () {
    setTimeout(() => f.abort(), 2)
    for (const aborted of ['while it waits', 'before it begins']) {
      const scope = finish(
        function* () {
          yield* sleep(1000)
          return 1
        },
        { signal: f.signal },
      )
      same([aborted, yield* scope], [aborted, undefined])
    }
    yield* finish(function* (scope) {
      scope.cancel()
      scope.cancel()
      ok(scope.cancelled && scope.signal.aborted && signal().aborted)
    })
  })
  const started = add(1, 1)
  spawn(started, { signal: f.signal })
  const slow = asyncFn(function* () {
    yield* sleep(1000)
  })()
  const g = new AbortController()
  spawn(slow, { signal: g.signal })
  await tick()
  g.abort('late')
  await rejects(slow, /late/)
})

test('cancel of a wait for a promise leaves the promise alone, and later waits of the branch are sound', async () => {
  let release: (v: string) => void = () => {}
  const p = new Promise<string>((done) => (release = done))
  same(
    await spawn(function* () {
      const got = yield* finish(function* (scope) {
        setTimeout(() => scope.cancel(), 1)
        return yield* wait(p)
      })
      release('late')
      return [got, yield* wait(Promise.resolve('next')), yield* wait(p)]
    }),
    [undefined, 'next', 'late'],
  )
})

test('a deadline throws when its body is over; noncancellable work inside ends first', function* () {
  const log: string[] = []
  try {
    yield* deadline(
      5,
      function* () {
        yield* noncancellable(function* () {
          yield* sleep(10)
          log.push('whole')
        })
        yield* sleep(1)
        log.push('never')
      },
      'load',
    )
    ok(false)
  } catch (error) {
    ok(/load did not end within 5 ms/.test(String(error)))
  }
  same(log, ['whole'])
  same(yield* deadline(5, add(1, 2)), 3)
  same(yield* noncancellable(add(1, 2)), 3)
  same(yield* finish(add(1, 2)), 3)
  const inner = yield* noncancellable(function* () {
    return yield* finish(function* (scope) {
      scope.cancel()
      yield* sleep(1)
      return 1
    })
  })
  same(inner, undefined)
})

test('an inner scope that is cancelled from outside ends its finish with Cancelled', function* () {
  const log: string[] = []
  const got = yield* finish(function* (outer) {
    yield* async(function* () {
      try {
        yield* finish(function* () {
          yield* sleep(100)
        })
        log.push('went on')
      } catch (error) {
        log.push((error as Error).name)
      }
    })
    outer.cancel()
  })
  same(got, undefined)
  same(log, ['Cancelled'])
})

test('the value of a branch is there after the finish, and says so before', function* () {
  let h: any
  let bad: any
  yield* finish(function* () {
    h = yield* async(function* () {
      yield* sleep(1)
      return 5
    })
    throws(() => h.value, /has not ended/)
    const t = yield* async(add(1, 1))
    same(t.value, 2)
  })
  same(h.value, 5)
  try {
    yield* finish(function* () {
      bad = yield* async(function* () {
        throw new Error('x')
      })
    })
  } catch {
    /* told below */
  }
  throws(() => bad.value, /x/)
})

test('errors of root branches end the activity', function* () {
  const a = spawn(function* () {
    yield* async(function* () {
      yield* sleep(1)
      throw new Error('branch')
    })
    yield* sleep(10)
    return 1
  })
  try {
    yield* a
    ok(false)
  } catch (error) {
    same(String(error), 'Error: branch')
  }
  const b = spawn(function* () {
    yield* async(function* () {
      try {
        yield* sleep(50)
      } finally {
        yield* noncancellable(sleep(1))
      }
    })
    throw new Error('body')
  })
  try {
    yield* b
    ok(false)
  } catch (error) {
    same(String(error), 'Error: body')
  }
  same([a.state, b.state], ['failed', 'failed'])
  const together = spawn(function* () {
    yield* async(function* () {
      try {
        yield* sleep(50)
      } finally {
        throw new Error('branch')
      }
    })
    throw new Error('body')
  })
  yield* wait(rejects(together, /2 branches failed: body; branch/))
  const c = spawn(function* () {
    yield* async(function* () {
      yield* sleep(1)
      throw new Error('after the body')
    })
    return 1
  })
  try {
    yield* c
    ok(false)
  } catch (error) {
    same(String(error), 'Error: after the body')
  }
})

class Counter {
  n = 0;
  @atomic
  *add(by: number): Generator<unknown, number, any> {
    const before = this.n
    yield* sleep(1)
    return (this.n = before + by)
  }
}

test('atomic as a decorator, as a wrapper, of a call, from legacy code, and by hand', async () => {
  same(
    await simulate(function* () {
      const c = new Counter()
      const all = [1, 2, 3].map((n) => spawn(() => c.add(n)))
      for (const a of all) yield* a
      return c.n
    }),
    6,
  )
  const log: boolean[] = []
  const f = atomicFn(function* (n: number) {
    log.push(inAtomic())
    yield* sleep(1)
    return n
  })
  same(await f(5), 5)
  same(await atomic(add(1, 2)), 3)
  same(
    await atomic(function* () {
      log.push(inAtomic())
      return 1
    }),
    1,
  )
  const call = atomic(function* () {
    return 9
  })
  same([await call, await call], [9, 9])
  await spawn(function* () {
    enter()
    try {
      log.push(inAtomic())
      yield* sleep(1)
      log.push(inAtomic())
    } finally {
      if (leave()) yield* leaving()
    }
    log.push(!inAtomic())
    try {
      if (leave()) yield* leaving()
      ok(false)
    } catch (error) {
      ok(/left outside of it/.test(String(error)))
    }
    same([yield* f(6), yield* atomic(f(7))], [6, 7])
    try {
      yield* atomic(() => {
        throw new Error('no body')
      })
      ok(false)
    } catch (error) {
      ok(/no body/.test(String(error)))
    }
    ok(!inAtomic())
    same(
      yield atomic(function* () {
        return 3
      }),
      3,
    )
    try {
      yield atomic(() => {
        throw new Error('no body')
      })
      ok(false)
    } catch (error) {
      ok(/no body/.test(String(error)))
    }
    ok(!inAtomic())
    f(8)
  } as () => Generator<unknown, void, any>)
  ok(log.every(Boolean))
})

test('contained activities keep a block open however it is left', async () => {
  for (const how of ['return', 'throw', 'block', 'hand'] as const) {
    const log: string[] = []
    await simulate(function* () {
      const other = spawn(function* () {
        log.push('other')
      })
      const body = function* () {
        spawn(
          function* () {
            yield* sleep(1)
            log.push('contained')
          },
          { contained: true },
        )
        if (how === 'throw') throw new Error('thrown')
        if (how === 'block') yield* sleep(5)
        return 1
      }
      try {
        if (how === 'hand') {
          enter()
          try {
            yield* body()
          } finally {
            if (leave()) yield* leaving()
          }
        } else same(yield* atomic(body), 1)
      } catch (error) {
        same(String(error), 'Error: thrown')
      }
      log.push('after')
      yield* other
    })
    same([how, log.join(' ')], [how, log[1] === 'other' ? 'contained other after' : 'contained after other'])
  }
})

test('branches that outlive the block they were started in go on outside it', function* () {
  const log: string[] = []
  const other = spawn(function* () {
    log.push('other')
  })
  yield* finish(function* () {
    yield* atomic(function* () {
      yield* async(function* () {
        log.push('in')
        yield* sleep(5)
        log.push('out')
      })
      log.push('block ends')
    })
    log.push('after')
    yield* other
  })
  same(log, ['in', 'block ends', 'after', 'other', 'out'])
})

test('an activity that calls for long is set aside, and the host gets its turn', async () => {
  const before = useDomain(new Domain({ slice: 2 }))
  try {
    const order: string[] = []
    let timer = false // a timer of the host has run
    const spin = (name: string, enough: () => boolean) =>
      function* () {
        for (let i = 0; !enough(); i++) {
          yield* add(i, 1)
          if (order[order.length - 1] !== name) order.push(name)
        }
      }
    // Until all has happened that has to, which takes as long as the machine likes; and 20 s if it never does.
    let until = performance.now() + 20_000
    const all = (): boolean => (order.length > 3 && timer) || performance.now() > until
    setTimeout(() => (timer = true), 1)
    await Promise.all([spawn(spin('a', all)), spawn(spin('b', all))])
    ok(performance.now() < until, `they took turns with each other (${order}) and with a timer of the host (${timer})`)
    // In an atomic block no other activity runs in between, but the host gets its turn.
    order.length = 0
    timer = false
    until = performance.now() + 20_000
    const atomically = function* () {
      yield* atomic(spin('a', () => timer || performance.now() > until))
    }
    setTimeout(() => (timer = true), 1)
    let i = 0
    await Promise.all([spawn(atomically), spawn(spin('b', () => i++ > 3))])
    same([order, timer], [['a', 'b'], true])
    let deep = 0
    const down = asyncFn(function* (n: number): Generator<unknown, number, any> {
      deep = Math.max(deep, n)
      return n === 5000 ? n : yield* down(n + 1)
    })
    same(await down(0), 5000)
  } finally {
    useDomain(before)
  }
})

test('time in which nothing ran belongs to nobody, so it ends no slice', async () => {
  let clock = 0
  const host: Host = { ...realHost, now: () => clock }
  const before = useDomain(new Domain({ host, slice: 10 }))
  try {
    for (const idle of [0, 9, 11, 1e6]) {
      await new Promise<void>((done) => realHost.later(done))
      clock += idle
      const log: string[] = []
      const calls = (name: string, cost: number) =>
        function* () {
          for (let i = 0; i < 1000; i++) {
            yield* add(i, 1)
            clock += cost
            if (log[log.length - 1] !== name) log.push(name)
          }
        }
      await Promise.all([spawn(calls('a', 0)), spawn(calls('b', 0))])
      same(log, ['a', 'b'], `after ${idle} ms`)
      await Promise.all([spawn(calls('c', 1)), spawn(calls('d', 1))])
      ok(log.length > 20, `activities that run for long take turns: ${log}`)
    }
  } finally {
    useDomain(before)
  }
})

test('errors nobody asks for are reported as unhandled', async () => {
  await rejects(
    simulate(function* () {
      spawn(function* () {
        throw new Error('lost')
      })
    }),
    /lost/,
  )
  await simulate(function* () {
    const a = spawn(function* () {
      throw new Error('asked for later')
    })
    yield* sleep(1)
    try {
      yield* a
    } catch {
      /* asked */
    }
  })
})

test('a signal cancels what legacy code calls, also when it was aborted before, and keeps no listener', async () => {
  const forever = asyncFn(function* () {
    yield* sleep(1e6)
  })
  const guarded = atomicFn(function* () {
    yield* sleep(1e6)
  })
  const short = asyncFn(function* (n: number) {
    yield* sleep(1)
    return n
  })
  const aborted = AbortSignal.abort('before')
  await rejects(spawn(forever(), { signal: aborted }), /Cancelled: activity \d+ was cancelled: before/)
  await rejects(spawn(guarded(), { signal: aborted }), /before/)
  const begun = forever()
  await until(() => begun.activity!.state === 'running')
  await rejects(spawn(begun, { signal: aborted, name: 'begun' }), /before/)
  const c = new AbortController()
  let listeners = 0
  const { addEventListener, removeEventListener } = c.signal
  c.signal.addEventListener = function (this: AbortSignal, ...args: any[]) {
    listeners++
    return (addEventListener as any).apply(this, args)
  }
  c.signal.removeEventListener = function (this: AbortSignal, ...args: any[]) {
    listeners--
    return (removeEventListener as any).apply(this, args)
  }
  same([await spawn(short(5), { signal: c.signal }), listeners], [5, 0])
  const late = spawn(forever(), { signal: c.signal })
  const other = forever()
  await tick()
  const joined = spawn(other, { signal: c.signal })
  c.abort('after')
  await rejects(late, /after/)
  await rejects(joined, /after/)
})

test('tracing: continuations with parents, named activities and blocks, as the measuring tool reads them', async () => {
  const inner = asyncFn(function* traceInner() {
    yield* sleep(1)
  })
  const recording = await simulate(function* () {
    const recording = record()
    const a = spawn(
      function* () {
        yield* sleep(1)
        yield* atomic(function* traceGuarded() {
          yield* pause()
          yield* sleep(1)
          spawn(inner(), { contained: true })
          yield* atomic(inner())
        })
        yield* async(function* () {
          yield* sleep(2)
        })
        yield* pause()
      },
      { name: 'traced' },
    )
    const b = spawn(
      function* () {
        yield* sleep(1000)
      },
      { name: 'stopped' },
    )
    yield* a
    b.cancel()
    try {
      yield* b
    } catch {
      /* cancelled */
    }
    const c = spawn(function* traceFails() {
      throw new Error('x')
    })
    try {
      yield* c
    } catch {
      /* failed */
    }
    recording.stop()
    recording.stop()
    spawn(function* () {})
    return recording
  })
  const records = recording
    .lines()
    .trimEnd()
    .split('\n')
    .map((l) => JSON.parse(l))
  const of = (type: string): any[] => records.filter((r) => r.type === type)
  same(
    [records[0].type, records[0].version, records[0].source, records[1].type, records[records.length - 1].type],
    ['charcoal-trace', 1, 'js', 'thread', 'end'],
  )
  const names = new Map(of('activity-start').map((r) => [r.id, r.name]))
  for (const name of ['traced', 'stopped', 'traceFails', 'traceInner'])
    ok([...names.values()].includes(name), `${name} is in ${[...names.values()]}`)
  const outcome = (name: string): string => of('activity-end').find((r) => names.get(r.id) === name)?.outcome
  same(
    [outcome('traced'), outcome('traceInner'), outcome('stopped'), outcome('traceFails')],
    ['returned', 'returned', 'cancelled', 'failed'],
  )
  const [guarded, nested] = of('atomic-enter')
  same([guarded.name, guarded.outer, nested.name, nested.outer], ['traceGuarded', undefined, 'traceInner', guarded.id])
  same(
    of('atomic-leave').map((r) => r.id),
    [nested.id, guarded.id],
  )
  const mine = of('continuation').filter((r) => names.get(r.activity) === 'traced')
  // Up to the sleep; into the block; the nested block; its end; the rest up to async; the branch; the owner; and so on,
  // each from the one before.
  same(mine[0].atomic, undefined)
  same(mine[1].atomic, guarded.id)
  for (let i = 1; i < mine.length; i++)
    ok(
      mine.slice(0, i).some((c) => c.id === mine[i].parent),
      `continuation ${i} has a parent of the same activity`,
    )
  const contained = of('continuation').find((r) => names.get(r.activity) === 'traceInner')
  ok(
    contained.atomic !== undefined && mine.some((c) => c.id === contained.parent),
    'a contained activity belongs to the block, and comes from its spawner',
  )
  same(records[records.length - 1].continuations, of('continuation').length)
})

test('explore finds a lost update, shrinks it, and its seed replays it', async () => {
  const program = function* () {
    let balance = 100
    const withdraw = asyncFn(function* () {
      const before = balance
      yield* add(0, 0)
      balance = before - 10
    })
    const all = [1, 2, 3].map(() => spawn(withdraw()))
    for (const a of all) yield* a
    if (balance !== 70) throw new Error(`balance ${balance}`)
  }
  const error: ExploreError = await rejects(explore(program, { schedules: 500 }), /replay it with/)
  ok(error instanceof ExploreError && / 1 unusual choices/.test(error.message), error.message)
  const again: ExploreError = await rejects(explore(program, { seed: error.seed }), /balance/)
  same(String(again.cause), String(error.cause))
  await rejects(explore(program, { schedules: 'all' }), /balance/)
  await explore(
    () =>
      atomic(function* () {
        yield* add(1, 1)
      }),
    { seed: 'x' },
  )
  same(decode(encode([0, 0, 3, 1, 0, 35])), [0, 0, 3, 1, 0, 35])
  await rejects(
    simulate(function* () {
      yield* channel<number>(0, 'never').recv()
    }),
    /nothing can run any more:\nactivity|recv\(never\)/,
  )
  await rejects(
    simulate(
      function* () {
        for (;;) yield* pause()
      },
      { maxSteps: 100 },
    ),
    /still running after/,
  )
})

test('locals belong to the activity', async () => {
  const l = local('initial')
  l.value = 'legacy'
  same(
    await spawn(function* () {
      const a = l.value
      l.value = 'mine'
      yield* sleep(1)
      return [a, l.value]
    }),
    ['initial', 'mine'],
  )
  same(l.value, 'legacy')
})

export type Check = Call<number>
