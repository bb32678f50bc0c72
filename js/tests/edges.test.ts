/** These tests are about what happens seldom, and must be right then too. */
import { test, ok, same, rejects, throws, until } from './harness.ts'
import {
  spawn,
  atomic,
  asyncFn,
  async,
  finish,
  sleep,
  pause,
  channel,
  Cancelled,
  wait,
  waituntil,
  when,
  future,
  semaphore,
  mutex,
  rwlock,
  select,
  once,
  aborted,
  describeActivities,
  Domain,
  useDomain,
  inAtomic,
  atomicFn,
  condition,
  rendezvous,
  self,
  noncancellable,
  deadline,
  ClosedError,
  Suspension,
  Rendezvous,
  count,
} from './lib.ts'
import { check, simulate, explore, enforce, develop, record, Recorder } from '../src/dev/index.ts'
import { all, race } from '../src/ops.ts'
import { channelHop } from '../src/core/host.ts'
import { Queue } from '../src/core/queue.ts'
import { contexts } from '../src/core/asyncContext.ts'
import { emit, enter, leave, leaving } from '../src/plugin/runtime.ts'

const tick = (ms = 0): Promise<void> => new Promise((done) => setTimeout(done, ms))
const id = asyncFn(function* (n: number) {
  return n
})

test('what a body returns is run, waited for, or is the result, whoever calls the body', async () => {
  const five = asyncFn(function* () {
    yield* sleep(1)
    return 5
  })
  const [list, map, headers] = [[1], new Map([[1, 2]]), new Headers([['a', 'b']])]
  const own = { [Symbol.iterator]: () => five()[Symbol.iterator]() }
  const bodyOf = sleep(1).do(() => 1)
  const removed = when(false, sleep(1))
  const returns: Record<string, [() => any, unknown]> = {
    nothing: [() => undefined, undefined],
    null: [() => null, null],
    number: [() => 5, 5],
    text: [() => 'text', 'text'],
    list: [() => list, list],
    map: [() => map, map],
    headers: [() => headers, headers],
    function: [() => five, five],
    'clause with a body': [() => bodyOf, bodyOf],
    'clause without effect': [() => removed, removed],
    promise: [() => Promise.resolve(5), 5],
    thenable: [() => ({ then: (ok: (n: number) => void) => ok(5) }), 5],
    generator: [
      function* () {
        yield* sleep(1)
        return 5
      },
      5,
    ],
    call: [() => five(), 5],
    activity: [() => spawn(five), 5],
    clause: [() => sleep(1), undefined],
    statement: [() => waituntil(sleep(1).do(() => 5)), 5],
    steps: [() => finish(() => 5 as never), 5],
    'wait for a promise': [() => wait(Promise.resolve(5)), 5],
    'wait for a value': [() => wait(5), 5],
    'own operation': [() => own, 5],
    'thenable list': [() => Object.assign(Promise.resolve(5), { [Symbol.iterator]: () => [1].values() }), 5],
  }
  const callers: Record<string, (body: () => any) => any> = {
    spawn: (body) => spawn(body),
    atomic: (body) => atomic(body),
    finish: (body) => finish(body),
    noncancellable: (body) => noncancellable(body),
    deadline: (body) => deadline(9999, body),
    with: (body) => mutex().with(body),
    asyncFn: (body) => asyncFn(body)(),
    atomicFn: (body) => atomicFn(body)(),
    all: function* (body) {
      return (yield* all([body]))[0]
    },
    async: function* (body) {
      let handle: any
      yield* finish(function* () {
        handle = yield* async(body)
      })
      return handle.value
    },
    wait: (body) => wait(body()),
    yield: function* (body): Generator<unknown, unknown, unknown> {
      return yield body()
    },
    waituntil: (body) => waituntil(sleep(0).do(body)),
  }
  for (const [who, call] of Object.entries(callers))
    for (const [what, [body, want]] of Object.entries(returns)) {
      // In a block a spawned activity would wait for the block's end.
      if (/^atomic/.test(who) && what === 'activity') continue
      // A promise is the result of such a body.
      if (who === 'waituntil' && /^(promise|thenable)/.test(what)) continue
      const got = await spawn(function* () {
        return [yield* call(body)] // in a list, so that it is not taken for what the activity runs
      })
      ok((got as unknown[])[0] === want, `${who} of ${what}: got ${String((got as unknown[])[0])}`)
    }
  // An object that has nothing but an iterator is an operation of the program's own; a list is none.
  const runs: ((body: any) => any)[] = [spawn, atomic, finish]
  for (const run of [spawn, atomic, (body: any) => spawn(() => body)] as typeof runs) same(await run(own), 5)
  for (const what of [list, map, headers])
    for (const run of runs) throws(() => run(what), /takes a function or an operation, not/)
})

test('the hop through a MessageChannel, where there is no setImmediate', async () => {
  const hop = channelHop()
  const log: number[] = []
  await new Promise<void>((done) => {
    hop(() => log.push(1))
    hop(() => {
      log.push(2)
      done()
    })
  })
  same(log, [1, 2])
})

test('a queue grows and stays first in, first out', () => {
  const q = new Queue<number>()
  const out: (number | undefined)[] = []
  for (let i = 0; i < 3; i++) q.push(i)
  out.push(q.shift())
  for (let i = 3; i < 20; i++) q.push(i)
  while (q.size > 0) out.push(q.shift())
  same(
    out,
    Array.from({ length: 20 }, (_, i) => i),
  )
  same(q.shift(), undefined)
})

test('a call that failed is not run again: who asks once more has the same error', async () => {
  let runs = 0
  const f = asyncFn(function* () {
    runs++
    throw new Error('x')
  })
  await spawn(function* () {
    const call = f()
    const messages: string[] = []
    for (let i = 0; i < 3; i++)
      try {
        yield* call
      } catch (error) {
        messages.push((error as Error).message)
      }
    messages.push(
      yield* wait(
        call.then(
          () => 'nothing',
          (error) => error.message,
        ),
      ),
    )
    same(messages, ['x', 'x', 'x', 'x'])
  })
  same(runs, 1)
})

test('a branch started in a block wakes in the block, in order, and outlives it', function* () {
  const log: string[] = []
  const f = future<void>()
  yield* finish(function* () {
    yield* atomic(function* () {
      for (const n of [1, 2, 3])
        yield* async(function* () {
          yield* f.get()
          log.push(`woke ${n}`)
          yield* sleep(1)
          log.push(`end ${n}`)
        })
      f.set()
      log.push('block ends')
    })
    log.push('after')
  })
  same(log, ['block ends', 'after', 'woke 1', 'woke 2', 'woke 3', 'end 1', 'end 2', 'end 3'])
})

test('a branch whose block is over when it wakes goes on in the group around it', function* () {
  const log: string[] = []
  const f = future<void>()
  yield* finish(function* () {
    yield* atomic(function* () {
      yield* atomic(function* () {
        yield* async(function* () {
          yield* f.get()
          log.push(inAtomic() ? 'in' : 'out')
        })
      })
    })
    yield* sleep(1)
    f.set()
    log.push('set')
  })
  same(log, ['set', 'out'])
})

test('a deadlock among several inside the block names them all, and legacy code may still help in time', async () => {
  const error = await rejects(
    simulate(function* () {
      const outside = spawn(
        function* () {
          yield* channel<number>().recv()
        },
        { name: 'outside' },
      )
      yield* sleep(1)
      try {
        yield* atomic(function* () {
          const inner = spawn(
            function* () {
              yield* outside
            },
            { contained: true, name: 'inner' },
          )
          yield* waituntil(inner).or(channel<number>(0, 'c').recv())
        })
      } finally {
        outside.cancel()
      }
    }),
    /deadlock in an atomic block: inner waits for join\(outside\)/,
  )
  ok(
    /also main waits for join\(inner\) or recv\(c\)/.test(error.message) &&
      /outside is kept from running/.test(error.message),
    error.message,
  )
  const before = useDomain(new Domain({ grace: 30 }))
  try {
    const ch = channel<number>()
    setTimeout(() => ch.trySend(5), 5)
    same(
      await spawn(() =>
        atomic(function* () {
          return yield* ch.recv()
        }),
      ),
      5,
    )
    setTimeout(() => ch.trySend(5), 5)
    const later = spawn(() =>
      atomic(function* () {
        yield* ch.recv()
        yield* sleep(60)
        return yield* wait(Promise.resolve(1))
      }),
    )
    same(await later, 1)
    await rejects(
      spawn(() =>
        atomic(function* () {
          yield* ch.recv()
        }),
      ),
      /DeadlockError/,
    )
    const stop = develop(() => {})
    await rejects(
      spawn(() =>
        atomic(function* () {
          yield* spawn(function* child() {})
        }),
      ),
      /child is delayed until its end, spawned at .*\d/,
    )
    stop()
  } finally {
    useDomain(before)
  }
})

test('a contained activity that yields lets only its fellows run', async () => {
  const seen = await explore(
    function* () {
      const log: string[] = []
      const o = spawn(function* () {
        log.push('o')
      })
      yield* pause()
      yield* atomic(function* () {
        for (const n of ['a', 'b'])
          spawn(
            function* () {
              log.push(n)
              yield* id(1)
              yield* pause()
              log.push(n)
            },
            { contained: true },
          )
      })
      yield* o
      return log.join('')
    },
    { schedules: 'all' },
  )
  ok(seen.outcomes.has('"oabab"') && seen.outcomes.has('"oaabb"'), [...seen.outcomes.keys()].join())
  for (const log of seen.outcomes.keys()) ok(/^"o?[ab]{4}o?"$/.test(log), log)
})

test('every wait sees the mark of its scope: waituntil, promises, and operations that were ready', async () => {
  await simulate(function* () {
    const ch = channel<number>(1)
    yield* ch.send(1)
    const tries: (() => Generator<unknown, unknown, any>)[] = [
      function* () {
        return yield* ch.recv()
      },
      function* () {
        return yield* waituntil(ch.recv())
      },
      function* () {
        return yield* waituntil(ch.recv().do((n) => n))
      },
      function* () {
        return yield* waituntil(ch.recv()).and(sleep(-1))
      },
      function* () {
        return yield* wait(Promise.resolve(1))
      },
    ]
    for (const body of tries) {
      let seen: unknown
      yield* finish(function* (scope) {
        scope.cancel()
        try {
          yield* body()
        } catch (error) {
          seen = error
        }
      })
      ok(seen instanceof Cancelled, String(body))
    }
    same(ch.size, 1)
  })
})

test('withdrawal of everything that can be waited for', async () => {
  const controller = new AbortController()
  const target = new EventTarget()
  const s = semaphore(1)
  const m = mutex()
  const l = rwlock()
  const c = condition()
  const f = future<number>()
  const ch = channel<number>()
  const full = channel<number>(0)
  const task = spawn(function* () {
    yield* sleep(50)
  })
  await spawn(function* () {
    const p = [yield* s.acquire(), yield* m.acquire(), yield* l.write()]
    yield* waituntil(s.acquire())
      .or(m.acquire())
      .or(l.read())
      .or(l.write())
      .or(c.wait())
      .or(f.get())
      .or(ch.recv())
      .or(full.send(1))
      .or(task)
      .or(aborted(controller.signal))
      .or(once(target, 'x'))
      .or(sleep(1))
      .or(sleep(100))
      .or(new Promise(() => {}))
    yield* rendezvous<number>(function* (r) {
      yield* waituntil(r.next()).or(sleep(1))
    })
    for (const permit of p) permit.release()
    same(
      [s.waiters, m.waiters, l.waiters, c.waiters, f.waiters, ch.receivers, full.senders].map((x) => count(x)),
      [0, 0, 0, 0, 0, 0, 0],
    )
  })
  task.cancel()
  try {
    await task
  } catch {
    /* cancelled */
  }
})

test('what each wait says about itself', async () => {
  const lines = await simulate(function* () {
    const target = new EventTarget()
    const l = rwlock('l')
    const held = yield* l.write()
    const all = [
      spawn(function* () {
        yield* once(target, 'click')
      }),
      spawn(function* () {
        yield* aborted(new AbortController().signal)
      }),
      spawn(function* () {
        yield* wait(new Promise(() => {}))
      }),
      spawn(function* () {
        yield* l.read()
      }),
      spawn(function* () {
        yield* l.write()
      }),
      spawn(function* () {
        yield* condition('c').wait()
      }),
      spawn(function* () {
        yield* future('f').get()
      }),
      spawn(function* () {
        yield* channel(0, 'ch').send(1)
      }),
      spawn(function* () {
        yield* waituntil(channel(0, 'x').recv())
          .and(channel(0, 'y').recv())
          .or(new Promise(() => {}))
      }),
      spawn(function* () {
        yield* waituntil(new Promise(() => {}))
      }),
      spawn(function* () {
        yield* rendezvous(function* (r) {
          const e = r.event('e')
          yield* r.next()
          e(0)
        })
      }),
      spawn(function* () {
        yield* async(sleep(1e6))
      }),
      spawn(function* () {
        yield* finish(async(sleep(1e6)))
      }),
      spawn(function* () {
        yield* once({ on() {}, off() {} }, 'data')
      }),
      spawn(function* () {
        yield* atomic(function* () {
          spawn(
            function* () {
              yield* sleep(5)
            },
            { contained: true },
          )
        })
      }),
    ]
    yield* sleep(2)
    const text = describeActivities()
    yield* sleep(10)
    held.release()
    for (const a of all) a.cancel()
    for (const a of all)
      try {
        yield* a
      } catch {
        /* cancelled */
      }
    return text
  })
  for (const want of [
    'event click',
    'an AbortSignal',
    'a promise',
    'read(l)',
    'write(l)',
    'wait(c)',
    'get(f)',
    'send(ch)',
    'recv(x) and/or recv(y)',
    'next(rendezvous)',
    'the end of 1 branches',
    'finish: 1 branches',
    'event data',
  ])
    ok(lines.includes(`blocked on ${want}`), `${want} in\n${lines}`)
})

test('`with` holds as many permits as it is asked for, and gives them back, also if its body throws', async () => {
  const s = semaphore(3)
  const inside = await s.with(async () => s.available, 2)
  same([inside, s.available], [1, 3])
  const failing = s.with(async () => {
    throw new Error(`${s.available} left`)
  }, 3)
  await rejects(failing, /0 left/)
  same(s.available, 3)
  await rejects(
    s.with(async () => 1, 4),
    /4 of 3 permits/,
  )
})

test('else asks every kind of clause', function* () {
  const c = new AbortController()
  const s = semaphore(2)
  const l = rwlock()
  const f = future<number>()
  const done = spawn(function* () {
    return 1
  })
  yield* done
  const target = new EventTarget()
  const yes = () => waituntil(sleep(-1)).and(s.acquire()).and(l.write()).and(done).and(channel<number>(1).send(1))
  same(yield* yes().else(() => 'else'), undefined)
  c.abort('r')
  f.set(3)
  same(
    yield* waituntil(waituntil(aborted(c.signal)).or(once(target, 'x')))
      .and(f.get())
      .else(() => 'else'),
    3,
  )
  same(
    yield* waituntil(once(target, 'x'))
      .and(f.get())
      .else(function* () {
        yield* sleep(1)
        return 'else'
      }),
    'else',
  )
  const closed = channel<number>()
  closed.close()
  try {
    yield* waituntil(closed.recv())
      .and(f.get())
      .else(() => 1)
    ok(false)
  } catch (error) {
    ok(error instanceof ClosedError)
  }
  try {
    yield* waituntil(closed.recv().do(() => 1)).else(() => 1)
    ok(false)
  } catch (error) {
    ok(error instanceof ClosedError)
  }
  try {
    yield* waituntil(closed.recv()).or(f.get())
    ok(false)
  } catch (error) {
    ok(error instanceof ClosedError)
  }
  same(yield* waituntil(when(false, f.get())).and(f.get()), 3)
  const got = yield* select({ f: f.get(), call: id(4) as PromiseLike<number>, signal: c.signal })
  same(got.key, 'f')
})

/** As a window of another origin: it answers what `await` asks of it, and otherwise throws an error. */
function foreignWindow(): object {
  if (typeof document === 'object') {
    const frame = document.createElement('iframe')
    frame.sandbox.add('allow-scripts') // without 'allow-same-origin'
    document.body.append(frame)
    return frame.contentWindow!
  }
  const get = (_: object, key: PropertyKey): undefined => {
    if (key !== 'then' && key !== Symbol.toStringTag) throw new Error('another origin')
  }
  const has = (_: object, key: PropertyKey): boolean => Boolean(get(_, key))
  return new Proxy({}, { get, has, getPrototypeOf: () => null })
}

test('a value that may not be asked for anything is a value like any other', async () => {
  const value = foreignWindow()
  ok((await spawn(() => value as never)) === value)
  ok((await spawn(() => Promise.resolve(value))) === value)
  ok((await atomic(() => value as never)) === value)
  ok((await finish(() => value as never)) === value)
  ok((await mutex().with(() => value as never)) === value)
  ok((await all([value]))[0] === value)
  ok((await race([value])) === value)
  await spawn(function* () {
    ok((yield value) === value)
    ok((yield* wait(value)) === value)
    ok((yield* waituntil(sleep(0).do(() => value))) === value)
    yield* sleep(0) // the run loop goes on
  })
})

test('invariants of a channel, a semaphore and a lock are checked', () => {
  const fake = { listed: false, before: null, after: null, amount: 1, writes: false } as any
  const ch = channel<number>(1)
  ch.senders.push(fake)
  throws(() => check(ch), /a sender waits although there is room/)
  ch.receivers.push({ ...fake, listed: false })
  throws(() => check(ch), /a receiver waits although/)
  ch.receivers.shift()
  ch.trySend(1)
  ;(ch as any).closed = true
  throws(() => check(ch), /closed channel/)
  const s = semaphore(1)
  s.waiters.push({ ...fake, listed: false })
  throws(() => check(s), /although permits are free/)
  ;(s as any).free = 2
  throws(() => check(s), /out of range/)
  const l = rwlock()
  l.waiters.push({ ...fake, listed: false })
  throws(() => check(l), /would admit/)
  ;(l as any).writing = true
  ;(l as any).readers = 1
  throws(() => check(l), /beside a writer/)
})

test('a suspension leaves a generator that is closed or thrown into', () => {
  class Never extends Suspension<number> {
    begin() {
      return false
    }
  }
  const g = (function* () {
    yield* new Never()
  })()
  g.next()
  same(g.return(undefined as never), { done: true })
  const h = (function* () {
    yield* new Never()
  })()
  h.next()
  throws(() => h.throw(new Error('in')), /in/)
  const op = new Never()
  op.next()
  op.next(5)
  same(op.next().value, 5)
})

test('atomic calls on the stack: suspended, failing, left late, and awaited again', async () => {
  await simulate(function* () {
    const call = atomic(function* () {
      return yield* id(1)
    })
    same([yield* call, yield* call], [1, 1])
    const failing = atomicFn(function* () {
      yield* id(1)
      throw new Error('late')
    })
    try {
      yield* failing()
      ok(false)
    } catch (error) {
      ok(/late/.test(String(error)))
    }
    same(yield* atomic(atomic(id(3))), 3)
    same(yield* atomic(() => 4 as any), 4)
  })
  await spawn(function* () {
    const f = atomicFn(function* (n: number) {
      id(0)
      return n
    })
    let sum = 0
    for (let i = 0; i < 3000; i++) sum += yield* f(1)
    same(sum, 3000)
    const g = atomicFn(function* () {
      throw new Error('x')
    })
    try {
      yield* g()
      ok(false)
    } catch (error) {
      ok(/x/.test(String(error)))
    }
    const c = atomicFn(function* (how: boolean) {
      spawn(id(1), { contained: true })
      id(2)
      if (how) throw new Error('y')
      return 5
    })
    same(yield* c(false), 5)
    try {
      yield* c(true)
      ok(false)
    } catch (error) {
      ok(/y/.test(String(error)))
    }
    for (let i = 0; i < 600; i++) {
      id(2)
      enter()
      id(3)
      if (leave()) yield* leaving()
    }
    ok(!inAtomic())
    try {
      yield* emit(1)
      ok(false)
    } catch (error) {
      ok(/outside an async generator/.test(String(error)))
    }
    const started = id(9)
    started.then(() => {})
    same(yield* started, 9)
    same(yield* wait(started), 9)
    for (let i = 0; i < 600; i++) {
      id(4)
      yield* wait(i)
    }
    yield* waituntil(started)
  })
})

test('errors held by enforce are reported, and undo leaves what is registered working', async () => {
  const e = enforce()
  const log: string[] = []
  const target = new EventTarget()
  target.removeEventListener('x', () => {})
  target.addEventListener('m', { handleEvent: () => log.push('object') } as EventListenerObject)
  target.dispatchEvent(new Event('m'))
  setTimeout(() => log.push('one'), 1)
  setTimeout(() => log.push('two'), 1)
  Promise.reject(new Error('z')).then(undefined, () => log.push('rejected'))
  await spawn(() =>
    atomic(function* () {
      yield* sleep(10)
    }),
  )
  await spawn(() =>
    atomic(function* () {
      yield* sleep(1)
    }),
  )
  await tick(10)
  e.undo()
  same(log.sort(), ['object', 'one', 'rejected', 'two'])
})

test('a domain can be simulated while legacy code goes on', async () => {
  same(
    await simulate(async () => {
      await tick(1)
      return 'async'
    }),
    'async',
  )
  await rejects(
    simulate(
      function* () {
        yield* wait(new Promise(() => {}))
      },
      { idleTimeout: 5 },
    ),
    /nothing can run any more/,
  )
  const settled = await simulate(
    function* () {
      return (yield* wait(tick(3).then(() => 1))) + (yield* wait(tick(1).then(() => 1)))
    },
    { settle: 20 },
  )
  same(settled, 2)
  const left = await simulate(function* () {
    spawn(function* () {
      yield* sleep(3)
    })
    return self()!.name
  })
  same(left, 'main')
  await rejects(
    explore(
      function* () {
        throw 'a string'
      },
      { schedules: 1 },
    ),
    /a string/,
  )
  await rejects(
    explore(
      async () => {
        throw new Error('always')
      },
      { seed: 5, schedules: 3 },
    ),
    /0 unusual choices/,
  )
  same(
    await simulate(function* () {
      return yield* noncancellable(deadline(5, sleep(1)))
    }),
    undefined,
  )
})

test('a block that waits for its contained activities says so, and cannot be cancelled out of them', async () => {
  const lines: string[] = []
  await simulate(
    function* () {
      const owner = spawn(
        function* () {
          yield* atomic(function* () {
            spawn(
              function* () {
                yield* sleep(5)
                lines.push(describeActivities())
              },
              { contained: true },
            )
          })
          lines.push('left')
        },
        { name: 'owner' },
      )
      setTimeout(() => owner.cancel(), 0)
      yield* sleep(1)
      yield* wait(tick(2))
      yield* owner
    },
    { idleTimeout: 50 },
  )
  ok(/owner.*blocked on the end of 1 contained activity/.test(lines[0]), lines[0])
  same(lines[1], 'left')
})

test('floating calls before each kind of request become activities', async () => {
  const log: number[] = []
  const put = asyncFn(function* (n: number) {
    log.push(n)
  })
  const inner = asyncFn(function* () {
    put(1)
    yield* id(0)
    put(2)
  })
  const block = atomicFn(function* () {
    put(3)
  })
  await spawn(function* () {
    yield* inner()
    put(4)
    yield* block()
    put(5)
    enter()
    put(6)
    if (leave()) yield* leaving()
    put(7)
    yield* atomic(function* () {})
    put(8)
    yield* waituntil(sleep(-1))
    const ch = channel<number>(1)
    put(9)
    yield* ch.send(1)
    put(10)
    throw new Error('end')
  }).catch(() => {})
  await until(() => log.length >= 10)
  same(
    log.sort((a, b) => a - b),
    [1, 2, 3, 4, 5, 6, 7, 8, 9, 10],
  )
})

test('asyncFn takes functions that return operations', async () => {
  const f = asyncFn((() => id(5)) as any)
  same(await f(), 5)
  same(
    await spawn(function* () {
      return yield* f() as any
    }),
    5,
  )
})

test('development mode without async_hooks watches callbacks, and warns on the console by default', async () => {
  const p = (globalThis as any).process
  const original = p?.getBuiltinModule
  if (p !== undefined) p.getBuiltinModule = undefined
  const { warn } = console
  const warned: string[] = []
  console.warn = (text: string) => void warned.push(text)
  const stop = develop()
  try {
    setTimeout(function outsider() {}, 2)
    await spawn(() => atomic(sleep(15)), { name: 'watched' })
  } finally {
    stop()
    console.warn = warn
    if (p !== undefined) p.getBuiltinModule = original
  }
  ok(
    warned.some((w) => /legacy continuation \(setTimeout\) ran inside the atomic block of watched/.test(w)),
    warned.join(),
  )
})

test('a leak is told on the console by default, and not after the rendezvous has ended', async () => {
  if (typeof (globalThis as any).gc !== 'function') return
  const { warn } = console
  const warned: string[] = []
  console.warn = (text: string) => void warned.push(text)
  try {
    const r = new Rendezvous<string>({ name: 'leaky' })
    const over = new Rendezvous<string>({ name: 'over' })
    ;(() => {
      r.event('lost')
      over.event('fine')
    })()
    over.cancel()
    for (let i = 0; i < 50 && warned.length === 0; i++) {
      ;(globalThis as any).gc()
      await tick(2)
    }
  } finally {
    console.warn = warn
  }
  ok(warned.length === 1 && /leaky: event lost was dropped untriggered; made/.test(warned[0]), warned.join())
  const r = new Rendezvous<number>()
  r.event(1)(1)
  r.cancel()
  same(r.triggered, 0)
})

test('a recording of a real domain', async () => {
  const recording = record()
  await spawn(
    function* () {
      for (let i = 0; i < 3000; i++) yield* id(i)
      yield* pause()
      id(1)
    },
    { name: 'recorded' },
  )
  await finish.length
  recording.stop()
  const recorded = recording.records.find((r) => r.type === 'activity-start' && r.name === 'recorded') as any
  ok(recording.continuations.filter((c) => c.activity === recorded.id).length >= 2)
  ok(new Recorder().continuations.length === 0)
})

test('legacy code resumes, dispatches and animates while enforce is on', async () => {
  const e = enforce()
  const log: string[] = []
  const g = globalThis as any
  try {
    if (g.requestAnimationFrame) await new Promise((done) => g.requestAnimationFrame(done))
    const target = new EventTarget()
    const twice = (): void => void log.push('x')
    target.addEventListener('x', twice)
    target.addEventListener('x', twice)
    target.dispatchEvent(new Event('x'))
    const { port1, port2 } = new MessageChannel()
    const got = new Promise<void>((done) => port1.addEventListener('message', () => done()))
    port1.start()
    port2.postMessage(1)
    await got
    port1.close()
    await Promise.resolve(1).then(null as any)
    setTimeout(() => {
      throw new Error('thrown by held code')
    }, 1)
    const caught = new Promise<string>((done) => {
      const seen = (error: any): void => done(String(error?.reason ?? error))
      if (g.process?.once) g.process.once('unhandledRejection', seen)
      else
        g.addEventListener(
          'unhandledrejection',
          (event: any) => {
            event.preventDefault()
            seen(event)
          },
          { once: true },
        )
    })
    await spawn(() => atomic(sleep(10)))
    ok(/thrown by held code/.test(await caught))
  } finally {
    e.undo()
  }
  same(log, ['x'])
})

test('explore counts, and refuses what is too much', async () => {
  const { schedules, last } = await explore(function* () {
    return 1
  })
  same([schedules, last], [1000, 1])
  let runs = 0
  await rejects(
    explore(
      function* () {
        runs++
        for (let i = 0; i < 3; i++) {
          const a = spawn(function* () {})
          yield* a
        }
        if (runs > 3) throw new Error('later')
      },
      { schedules: 50, shrink: 0 },
    ),
    /later/,
  )
})

test('an activity that goes on by itself is found by a cancel, by others that are ready, and by a block', async () => {
  const d = new Domain()
  const before = useDomain(d)
  const log: string[] = []
  let open!: () => void
  const gate = new Promise<void>((done) => (open = done))
  try {
    const waits = function* (name: string, last: PromiseLike<unknown>): Generator<unknown, void, any> {
      try {
        for (let i = 0; i < 3; i++) {
          yield Promise.resolve()
          log.push(`${name}${i}`)
        }
        yield last
        log.push(`${name} goes on`)
      } catch (error) {
        log.push(`${name} ${(error as Error).name}`)
      }
    }
    const a = spawn(() => waits('a', new Promise(() => {})))
    // Where the program has used AsyncLocalStorage, as other tests do, each step has a context to run in.
    const goesOn = (branch: unknown): boolean => d.alone === (contexts === null ? branch : null)
    await until(() => log.includes('a2') && goesOn(a))
    a.cancel()
    ok(d.alone === null)
    await until(() => log.includes('a Cancelled'))
    const b = spawn(() => waits('b', gate))
    await until(() => log.includes('b2') && goesOn(b))
    const held = spawn(function* () {
      enter()
      try {
        open()
        yield tick(1)
        log.push('block')
      } finally {
        if (leave()) yield* leaving()
      }
    })
    ok(d.alone === null, 'another is ready')
    await b
    await held
    same(log, ['a0', 'a1', 'a2', 'a Cancelled', 'b0', 'b1', 'b2', 'block', 'b goes on'])
  } finally {
    useDomain(before)
  }
})

test('promises of a class that was put in the place of Promise after the load are waited for', async () => {
  const Native = Promise
  /** As zone.js has it: what the class makes is no promise of the host. */
  class Other<T> {
    readonly #inner: Promise<T>
    constructor(run: (ok: (value: T) => void, bad: (error: unknown) => void) => void) {
      this.#inner = new Native(run)
    }
    then(ok?: (value: T) => unknown, bad?: (error: unknown) => unknown): Other<unknown> {
      return new Other((done) => done(this.#inner.then(ok, bad)))
    }
    static resolve(value: unknown): Other<unknown> {
      return new Other((done) => done(value))
    }
  }
  await null // the harness needs the host's own
  globalThis.Promise = Other as never
  try {
    const task = spawn(function* () {
      const other: number = yield* wait(new Other<number>((done) => done(2)) as unknown as Promise<number>)
      return other + (yield* wait((async () => 3)()))
    })
    for (let i = 0; i < 20 && task.state !== 'done'; i++) await null
    same(task.state, 'done')
  } finally {
    globalThis.Promise = Native
  }
})
