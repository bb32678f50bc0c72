/** Activities wait for promises, with select and waituntil, and for channels, locks and other objects. */
import { test, ok, reported, same, throws, rejects, until } from './harness.ts'
import {
  each,
  self,
  spawn,
  wait,
  select,
  waituntil,
  when,
  channel,
  sleep,
  mutex,
  semaphore,
  rwlock,
  condition,
  future,
  once,
  aborted,
  rendezvous,
  twait,
  addTimeout,
  finish,
  async,
  Cancelled,
  ClosedError,
  deadline,
  atomic,
  asyncFn,
  Clause,
  ClauseList,
  Rendezvous,
  type Permit,
  type RendezvousEvent,
  count,
  noncancellable,
  type Operation,
} from './lib.ts'
import { check } from '../src/dev/index.ts'
import { Iteration } from '../src/plugin/runtime.ts'

const after = <T>(ms: number, value: T): Promise<T> => new Promise((done) => setTimeout(() => done(value), ms))

test('a loop over a channel that is cancelled takes no value', async () => {
  const loops: ((ch: ReturnType<typeof channel<number>>) => any)[] = [
    (ch) => each(ch, () => {}),
    (ch) => ch.each(() => {}),
    (ch) => new Iteration(ch).step(), // a `for await` that the plugin has transformed
  ]
  for (const loop of loops) {
    const ch = channel<number>()
    const task = spawn(() => loop(ch))
    await sleep(1)
    task.cancel()
    same([ch.trySend(1), ch.tryRecv()], [false, undefined])
    await rejects(task, /Cancelled/)
    same(await Promise.all([ch.recv(), ch.send(7)]), [7, undefined])
  }
})

test('each takes async iterables, channels and iterables of promises, and closes what it leaves early', async () => {
  const log: unknown[] = []
  async function* numbers(): AsyncGenerator<number> {
    try {
      for (let i = 1; ; i++) {
        await Promise.resolve()
        yield i
      }
    } finally {
      log.push('closed')
    }
  }
  await spawn(function* () {
    yield* each([after(2, 'a'), 'b'], (x) => {
      log.push(x)
    })
    const ch = channel<number>(5)
    yield* ch.send(7)
    ch.close()
    yield* each(ch, function* (x) {
      yield* sleep(1)
      log.push(x)
    })
    try {
      yield* each(numbers(), function* (n) {
        log.push(n)
        if (n === 2) throw new Error('enough')
      })
    } catch (error) {
      log.push(String(error))
    }
    const endless = spawn(() =>
      each(numbers(), function* (n) {
        if (n === 3) yield* sleep(10_000)
      }),
    )
    yield* sleep(5)
    endless.cancel()
    try {
      yield* endless
    } catch (error) {
      log.push((error as Error).name)
    }
    yield* wait(after(2, 0))
  })
  // A cancelled loop does not wait for the iterator's end.
  same(
    [...log.slice(0, 7), ...log.slice(7).sort()],
    ['a', 'b', 7, 1, 2, 'closed', 'Error: enough', 'Cancelled', 'closed'],
  )
})

test('wait takes promises, thenables, operations, activities and plain values', async () => {
  const f = asyncFn(function* () {
    return 'call'
  })
  same(
    await spawn(function* () {
      const thenable = { then: (ok: (v: string) => void) => ok('thenable') } as PromiseLike<string>
      const gen = function* () {
        return 'generator'
      }
      return [
        yield* wait(Promise.resolve('promise')),
        yield* wait(thenable),
        yield* wait(f()),
        yield* wait(spawn(f())),
        yield* wait(gen()),
        yield* wait<number>(5),
        yield* wait(null),
      ]
    }),
    ['promise', 'thenable', 'call', 'call', 'generator', 5, null],
  )
})

test('plain yield works as in the papers: promises, calls, activities, generators, values', async () => {
  const f = asyncFn(function* (n: number) {
    return n + 1
  })
  same(
    await spawn(function* (): Generator<unknown, unknown[], any> {
      return [
        yield Promise.resolve(1),
        yield f(1),
        yield spawn(f(2)),
        yield (function* () {
          return 4
        })(),
        yield 5,
        yield { then: (ok: any) => ok(6) },
      ]
    }),
    [1, 2, 3, 4, 5, 6],
  )
})

test('a rejected promise throws at the wait', async () => {
  await rejects(
    spawn(function* () {
      yield* wait(Promise.reject(new Error('no')))
    }),
    /no/,
  )
  await rejects(
    spawn(function* () {
      yield* waituntil(Promise.reject(new Error('no'))).or(sleep(1000))
    }),
    /no/,
  )
})

test('select says which clause it was', function* () {
  const ch = channel<number>()
  const got = yield* select({ job: ch.recv(), late: sleep(10) })
  same(got, { key: 'late', value: undefined })
  same(count(ch.receivers), 0)
  spawn(function* () {
    yield* ch.send(4)
  })
  const next = yield* select({ job: ch.recv(), late: sleep(10) })
  same(next.key === 'job' ? next.value + 1 : 0, 5)
})

test('waituntil over promises, activities and signals; a promise keeps one reaction for all waits', async () => {
  const never = new Promise<string>(() => {})
  const controller = new AbortController()
  const abort = new AbortController()
  abort.abort('why')
  const slow = after(30, 'slow')
  same(
    await spawn(function* () {
      const log: unknown[] = []
      for (let i = 0; i < 3; i++) log.push(yield* waituntil(never).or(controller.signal).or(sleep(1)))
      log.push(yield* waituntil(never).or(abort.signal))
      log.push(yield* waituntil(slow).or(sleep(500)))
      log.push(yield* waituntil(slow).or(sleep(500)))
      log.push(
        yield* waituntil(
          spawn(function* () {
            return 'activity'
          }),
        ).or(never),
      )
      setTimeout(() => controller.abort('later'), 1)
      log.push(yield* aborted(controller.signal))
      log.push(yield* aborted(controller.signal))
      log.push(yield* waituntil(controller.signal).else(() => 'else'))
      return log
    }),
    [undefined, undefined, undefined, 'why', 'slow', 'slow', 'activity', 'later', 'later', 'later'],
  )
  throws(() => [...(waituntil(5 as any) as any)], /waituntil takes clauses/)
})

test('events of an EventTarget and of an emitter; the listener exists only while the wait does', async () => {
  const target = new EventTarget()
  const listeners: Record<string, Function[]> = {}
  const emitter = {
    on: (name: string, f: Function) => void (listeners[name] ??= []).push(f),
    off: (name: string, f: Function) => void (listeners[name] = listeners[name].filter((g) => g !== f)),
    emit: (name: string, ...args: unknown[]) => [...listeners[name]].forEach((f) => f(...args)),
  }
  same(
    await spawn(function* () {
      setTimeout(() => target.dispatchEvent(new Event('hello')), 1)
      const e = yield* once(target, 'hello')
      setTimeout(() => emitter.emit('data', 1, 2), 1)
      const d = yield* once(emitter, 'data')
      yield* waituntil(once(emitter, 'data')).or(once(target, 'x')).or(sleep(1))
      setTimeout(() => emitter.emit('error', new Error('broken')), 1)
      let error
      try {
        yield* once(emitter, 'data')
      } catch (caught) {
        error = String(caught)
      }
      setTimeout(() => emitter.emit('error', 'an event like others'), 1)
      return [e.type, d, error, yield* once(emitter, 'error'), listeners.data.length, listeners.error.length]
    }),
    ['hello', [1, 2], 'Error: broken', ['an event like others'], 0, 0],
  )
})

test('an event that wakes one activity does not reach a wait that this takes back', async () => {
  let listeners: (() => void)[] = []
  const emitter = {
    on: (name: string, f: () => void) => void (name === 'go' && listeners.push(f)),
    off: (_: string, f: () => void) => void (listeners = listeners.filter((other) => other !== f)),
  }
  const first = spawn(function* () {
    yield* once(emitter, 'go')
    second.cancel()
  })
  let steps = 0
  const second = spawn(function* () {
    try {
      yield* once(emitter, 'go')
    } finally {
      steps++
      yield* noncancellable(sleep(5))
      steps++
    }
  })
  await until(() => listeners.length === 2)
  for (const f of listeners) f() // as an emitter does, whatever is taken off meanwhile
  same(steps, 1)
  await rejects(second, /cancelled/)
  await first
  same(steps, 2)
})

test('and: all clauses, as they come, over mixed objects', function* () {
  const ch = channel<string>(0, 'ch')
  const f = future<string>('f')
  const log: unknown[] = []
  const w = spawn(function* () {
    yield* waituntil(
      ch.recv().do(function* (v) {
        log.push(v)
        yield* sleep(5)
        log.push('body ends')
      }),
    )
      .and(f.get().do((v) => void log.push(v)))
      .and(sleep(1).do(() => void log.push('slept')))
  })
  yield* sleep(2)
  ok(f.set('future'))
  ok(!f.set('again'))
  yield* sleep(1)
  ok(ch.trySend('channel'))
  yield* w
  same(log, ['slept', 'future', 'channel', 'body ends'])
})

test('and with else: decided only if every needed clause is ready, counting clauses on one object', function* () {
  const ch = channel<number>(4)
  const two = () => waituntil(ch.recv()).and(ch.recv())
  same(yield* two().else(() => 'else'), 'else')
  yield* ch.send(1)
  same(yield* two().else(() => 'else'), 'else')
  same(ch.size, 1, 'nothing was taken')
  yield* ch.send(2)
  same(yield* two().else(() => 'else'), 2)
  same(ch.size, 0)
  const m = mutex()
  same(
    yield* waituntil(m.acquire())
      .and(m.acquire())
      .else(() => 'else'),
    'else',
  )
  const l = rwlock()
  yield* waituntil(l.read())
    .and(l.read())
    .else(() => ok(false))
  same(
    yield* waituntil(l.write())
      .and(future().get())
      .or(ch.send(1))
      .else(() => 'else'),
    undefined,
  )
  same(ch.size, 1)
  same(
    yield* waituntil(future().get())
      .and(sleep(5))
      .or(sleep(7))
      .else(() => 'else'),
    'else',
  )
  const r = new Rendezvous<number>()
  r.event(1)('x')
  same(
    yield* waituntil(r.next())
      .and(r.next())
      .else(() => 'else'),
    'else',
  )
})

test('and with else: counts how much the clauses before would have taken', function* () {
  const l = rwlock()
  const written = l.write()
  const both = [() => waituntil(l.write()).and(l.read()), () => waituntil(l.read()).and(l.write())]
  for (const statement of both) same(yield* statement().else(() => 'else'), 'else')
  ;(yield* written).release() // nothing was taken
  const s = semaphore(4)
  const permits: Permit[] = []
  const note = (permit: Permit): void => void permits.push(permit)
  const take = (first: number, second: number) =>
    waituntil(s.acquire(first).do(note))
      .and(s.acquire(second).do(note))
      .else(() => 'else')
  same(yield* take(4, 1), 'else')
  same(s.available, 4)
  same(yield* take(1, 3), undefined)
  same([s.available, permits.length], [0, 2])
})

test('and: an error of one clause withdraws the others; so does cancel', function* () {
  const a = channel<number>(0, 'a')
  const b = channel<number>(0, 'b')
  const w = spawn(function* () {
    yield* waituntil(a.recv()).and(b.recv())
  })
  yield* sleep(1)
  a.close()
  try {
    yield* w
    ok(false)
  } catch (error) {
    ok(error instanceof ClosedError)
  }
  same(count(b.receivers), 0)
  const c = spawn(function* () {
    yield* waituntil(channel().recv()).and(b.recv())
  })
  yield* sleep(1)
  same(count(b.receivers), 1)
  c.cancel()
  try {
    yield* c
    ok(false)
  } catch (error) {
    ok(error instanceof Cancelled)
  }
  same(count(b.receivers), 0)
})

test('and: what has had its effect before a cancel is told', function* () {
  const a = channel<number>(1, 'a')
  const b = channel<number>(1, 'b')
  const log: number[] = []
  const w = spawn(function* () {
    yield* waituntil(
      a.recv().do(function* (v) {
        log.push(v)
        yield* sleep(5)
      }),
    )
      .and(b.recv().do((v) => void log.push(v)))
      .and(channel().recv())
  })
  yield* sleep(1)
  ok(a.trySend(1))
  yield* sleep(1)
  ok(b.trySend(2))
  w.cancel()
  try {
    yield* w
    ok(false)
  } catch (error) {
    ok(error instanceof Cancelled)
  }
  same(log, [1])
})

test('when takes clauses, cases, groups and bare waitables', function* () {
  const ch = channel<number>(2)
  yield* ch.send(1)
  yield* ch.send(2)
  same(yield* waituntil(when(true, ch.recv())), 1)
  same(
    yield* waituntil(
      when(
        true,
        ch.recv().do((n) => n * 10),
      ),
    ),
    20,
  )
  same(yield* waituntil(when(true, waituntil(sleep(1)))).or(when(false, waituntil(sleep(0)))), undefined)
  same(yield* waituntil(waituntil(when(false, sleep(1)))).or(sleep(2).do(() => 'two')), 'two')
})

test('channels: rendezvous, buffer, close, each, for await, try', async () => {
  const ch = channel<number>(2, 'numbers')
  const rest: number[] = []
  spawn(function* () {
    for (let i = 0; i < 6; i++) yield* ch.send(i)
    ch.close()
    ch.close()
  })
  for await (const n of ch) {
    rest.push(n)
    check(ch)
    if (n === 2) break
  }
  await spawn(ch.each((n) => void rest.push(n)))
  same(rest, [0, 1, 2, 3, 4, 5])
  ok(ch.closed)
  throws(() => ch.trySend(1), /numbers is closed/)
  throws(() => ch.tryRecv(), /numbers is closed/)
  await rejects(
    spawn(function* () {
      yield* ch.send(1)
    }),
    /ClosedError/,
  )
  const open = channel<number>(1)
  same(open.tryRecv(), undefined)
  ok(open.trySend(1) && !open.trySend(2))
  same(open.tryRecv(), { value: 1 })
  throws(() => channel(-1), /channel takes a whole number/)
  const waiting = channel<number>()
  const s = spawn(function* () {
    yield* waiting.send(1)
  })
  const e = channel<number>()
  const r = spawn(function* () {
    yield* e.each(function* () {})
  })
  const e2 = channel<number>(1)
  const bad = rejects(
    spawn(function* () {
      yield* e2.each(() => {
        throw new Error('body')
      })
    }),
    /body/,
  )
  e2.trySend(1)
  await until(() => [s, r].every(({ state }) => state === 'running'))
  same(waiting.tryRecv(), { value: 1 })
  await s
  e.close()
  await r
  await bad
})

test('mutex: first come, first served; using releases; cancel while waiting takes nothing', function* () {
  const m = mutex('m')
  const log: number[] = []
  const p = yield* m.acquire()
  ok(m.locked && m.tryAcquire() === undefined)
  const all = [1, 2, 3].map((n) =>
    spawn(function* () {
      yield* m.with(function* () {
        log.push(n)
        yield* sleep(1)
      })
    }),
  )
  yield* sleep(1)
  all[1].cancel()
  p.release()
  p.release()
  for (const a of all)
    try {
      yield* a
    } catch (error) {
      ok(error instanceof Cancelled)
    }
  same(log, [1, 3])
  check(m)
  ok(!m.locked)
  const q = m.tryAcquire()!
  q[Symbol.dispose]()
  ok(!m.locked)
})

test('semaphore: counts, in order; a withdrawn first waiter lets the next ones in', function* () {
  const s = semaphore(3, 's')
  const one = yield* s.acquire()
  const big = spawn(function* () {
    return yield* s.acquire(3)
  })
  const small = spawn(function* () {
    return yield* s.acquire(1)
  })
  yield* sleep(1)
  same(s.available, 0, 'nobody overtakes')
  big.cancel()
  const p = yield* small
  one.release()
  p.release()
  same(s.available, 3)
  check(s)
  throws(() => s.acquire(4), /4 of 3/)
  throws(() => semaphore(0), /a whole number from 1 on/)
})

test('rwlock: many readers or one writer, and a waiting writer is not starved', function* () {
  const l = rwlock('l')
  const log: string[] = []
  const reader = (n: number) =>
    function* () {
      const p = yield* l.read()
      log.push(`r${n}`)
      yield* sleep(2)
      check(l)
      p.release()
    }
  const writer = function* () {
    const p = yield* l.write()
    log.push('w')
    yield* sleep(2)
    check(l)
    p.release()
  }
  const all = [spawn(reader(1)), spawn(reader(2)), spawn(writer), spawn(reader(3))]
  yield* sleep(1)
  same(log, ['r1', 'r2'])
  const impatient = spawn(function* () {
    yield* deadline(0.5, function* () {
      yield* l.write()
    })
  })
  try {
    yield* impatient
  } catch (error) {
    same((error as Error).name, 'DeadlineError')
  }
  for (const a of all) yield* a
  same(log, ['r1', 'r2', 'w', 'r3'])
})

test('condition: signal, broadcast, and waitWith takes the mutex again, cancelled or not', function* () {
  const c = condition('c')
  const m = mutex()
  const log: string[] = []
  ok(!c.signal())
  const make = (n: string) =>
    spawn(function* () {
      let p = yield* m.acquire()
      try {
        p = yield* c.waitWith(m, p)
        ok(m.locked)
        log.push(n)
      } finally {
        p.release()
      }
    })
  const all = ['a', 'b', 'c', 'd'].map(make)
  yield* sleep(1)
  c.signal()
  yield* sleep(1)
  same(log, ['a'])
  all[1].cancel()
  yield* sleep(1)
  same(c.broadcast(), 2)
  for (const a of all)
    try {
      yield* a
    } catch (error) {
      ok(error instanceof Cancelled)
    }
  same(log, ['a', 'c', 'd'])
  ok(!m.locked)
})

test('future: set once, failed once, taken by many', function* () {
  const f = future<number>()
  const all = [1, 2].map(() =>
    spawn(function* () {
      return yield* f.get()
    }),
  )
  yield* sleep(1)
  f.set(5)
  same([yield* all[0], yield* all[1], yield* f.get()], [5, 5, 5])
  const g = future<number>('g')
  const w = spawn(function* () {
    return yield* g.get()
  })
  yield* sleep(1)
  ok(g.fail(new Error('bad')))
  try {
    yield* w
    ok(false)
  } catch (error) {
    same(String(error), 'Error: bad')
  }
  try {
    yield* g.get()
    ok(false)
  } catch (error) {
    same(String(error), 'Error: bad')
  }
  const late = spawn(function* () {
    yield* waituntil(future().get()).or(sleep(1))
  })
  yield* late
})

test('rendezvous: fork, windowed flow, strict, leak report', async () => {
  const seen: string[] = []
  await spawn(function* () {
    yield* rendezvous<number, string>(function* (r) {
      let sent = 0
      let running = 0
      for (let done = 0; done < 6;)
        if (sent < 6 && running < 2) {
          const n = sent++
          running++
          r.fork(n, function* () {
            yield* sleep(1)
            return `v${n}`
          })
        } else {
          const { id, value } = yield* r.next()
          running--
          done++
          seen.push(`${id}${value}`)
          ok(running <= 2)
        }
    })
  })
  same(seen.sort().join(), '0v0,1v1,2v2,3v3,4v4,5v5')
  const strict = new Rendezvous<string>({ strict: true, name: 'strict' })
  const e = strict.event('e')
  same(e.state, 'outstanding')
  e(1)
  same(e.state, 'triggered')
  throws(() => e(2), /event e was triggered twice/)
  if (typeof (globalThis as any).gc === 'function') {
    const leaks: unknown[] = []
    const r = new Rendezvous<string>({ onLeak: (leak) => leaks.push(leak.id) })
    ;(() => void r.event('lost'))()
    for (let i = 0; i < 50 && leaks.length === 0; i++) {
      ;(globalThis as any).gc()
      await after(2, 0)
    }
    same(leaks, ['lost'])
    same(r.outstanding, 0)
  }
})

test('an event is not lost while only its trigger is kept', async () => {
  const gc: (() => void) | undefined = (globalThis as any).gc
  if (gc === undefined) return
  const leaks: unknown[] = []
  const r = new Rendezvous<string, number>({ onLeak: (leak) => leaks.push(leak.id) })
  const trigger = (() => r.event('kept').trigger)()
  ;(() => void r.event('lost'))()
  for (let i = 0; i < 50 && leaks.length === 0; i++) {
    gc()
    await after(2, 0)
  }
  same(leaks, ['lost'])
  ok(trigger(7))
  same(await spawn(() => r.next()), { id: 'kept', value: 7 })
})

test('twait waits for all events made in it; addTimeout composes', async () => {
  const lookup = (name: string, done: RendezvousEvent<string>) => void setTimeout(() => done(`${name}!`), 1)
  await spawn(function* () {
    const slots: string[] = []
    same(
      yield* twait((make) => {
        ;['a', 'b'].forEach((n, i) =>
          lookup(
            n,
            make<string>((v) => (slots[i] = v)),
          ),
        )
        return 'result'
      }),
      'result',
    )
    same(slots, ['a!', 'b!'])
    const got: unknown[] = []
    yield* twait((make) => {
      lookup(
        'c',
        addTimeout(
          500,
          make((v) => got.push(v)),
        ),
      )
      addTimeout(
        5,
        make((v) => got.push(v)),
      )
      make()(undefined as never)
    })
    same(got, [{ ok: true, value: 'c!' }, { ok: false }])
  })
})

test('a new kind of object joins by three methods', function* () {
  class Bell extends Clause<string> {
    static waiting = new ClauseList()
    poll() {
      return false
    }
    override register() {
      Bell.waiting.push(this)
    }
    override withdraw() {
      Bell.waiting.remove(this)
    }
    describe() {
      return 'bell'
    }
  }
  const w = spawn(function* () {
    return yield* waituntil(new Bell()).or(sleep(100))
  })
  yield* sleep(1)
  Bell.waiting.shift()!.fire('ding')
  same(yield* w, 'ding')
  same(yield* waituntil(new Bell()).else(() => 'else'), 'else')
  same(
    yield* waituntil(new Bell())
      .and(sleep(1))
      .else(() => 'else'),
    'else',
  )
  const b = new Bell()
  b.withdraw()
})

/** A clause that throws in one of its methods. */
class Broken extends Clause<never> {
  private readonly method: 'register' | 'withdraw'
  constructor(method: 'register' | 'withdraw') {
    super()
    this.method = method
  }
  poll() {
    return false
  }
  override register() {
    if (this.method === 'register') throw new Error('no register')
  }
  override withdraw() {
    if (this.method === 'withdraw') throw new Error('no withdraw')
  }
  describe() {
    return 'broken'
  }
}

test('a clause that throws when it is to wait ends the wait, and the clauses beside it take nothing', function* () {
  const ch = channel<number>()
  const statements = [
    () => select({ item: ch.recv(), broken: new Broken('register') }),
    () => waituntil(ch.recv()).or(new Broken('register')),
    () => waituntil(ch.recv()).and(new Broken('register')),
    () => new Broken('register'),
  ]
  for (const statement of statements) {
    const seen: string[] = []
    const waiter = spawn(function* () {
      try {
        yield* statement() as Operation<unknown>
      } catch (error) {
        seen.push((error as Error).message)
      }
      seen.push(String(ch.trySend(1)))
      yield* sleep(1)
      seen.push('goes on')
    })
    yield* waiter
    same(seen, ['no register', 'false', 'goes on'])
  }
  const cancelled = spawn(function* () {
    try {
      yield* new Broken('register')
    } finally {
      cancelled.cancel() // it waits for nothing
      yield* noncancellable(sleep(1))
      yield* ch.send(1)
    }
  })
  yield* wait(rejects(cancelled, /cancelled/))
})

test('a clause that throws when it is taken back is reported, and nobody else is harmed', async () => {
  const ch = channel<string>()
  const waits = [
    () => select({ item: ch.recv(), broken: new Broken('withdraw') }),
    () => waituntil(ch.recv()).or(new Broken('withdraw')),
    () => waituntil(ch.recv().do((item) => item)).or(new Broken('withdraw').do(() => 'broken')),
    () => waituntil(ch.recv()).or(waituntil(new Broken('withdraw')).and(sleep(9999))),
  ]
  const said = await reported(async () => {
    for (const statement of waits) {
      const waiter = spawn(statement as () => Operation<unknown>)
      const sender = spawn(ch.send('item'))
      await sender
      const got = await waiter
      same(typeof got === 'object' ? (got as { value: string }).value : got, 'item')
    }
    const late = spawn(select({ late: sleep(1), broken: new Broken('withdraw') }))
    same((await late).key, 'late')
    const ended = spawn(function* () {
      yield* sleep(1)
    })
    same((await spawn(select({ ended, broken: new Broken('withdraw') }))).key, 'ended')
    const waiter = spawn(new Broken('withdraw'))
    await sleep(1)
    waiter.cancel()
    await rejects(waiter, /cancelled/)
  })
  same(new Set(said), new Set(['no withdraw']))
  same(said.length, waits.length + 3)
})

test('to join an activity of many branches does not look at all of them', function* () {
  let asked = 0
  class Idle extends Clause<void> {
    static waiting = new ClauseList()
    poll() {
      return false
    }
    override get list() {
      return Idle.waiting
    }
    override needs() {
      asked++
      return undefined
    }
    describe() {
      return 'idle'
    }
  }
  const many = spawn(function* () {
    for (let i = 0; i < 5000; i++) yield* async(new Idle())
  })
  yield* sleep(1)
  const joiner = spawn(many.join())
  yield* sleep(1)
  ok(asked > 100 && asked < 2000, `${asked} branches`)
  many.cancel()
  yield* joiner
})

test('an answered operation answers the same again', function* () {
  const ch = channel<number>(1)
  yield* ch.send(1)
  const op = ch.recv()
  same([yield* op, yield* op], [1, 1])
  const f = asyncFn(function* () {
    return 2
  })
  const call = f()
  same([yield* call, yield* call], [2, 2])
  const s = sleep(1)
  yield* s
  yield* s
  yield* atomic(function* () {})
})

test('the branches of a finish fail together: the rest is cancelled, all errors are told', function* () {
  const log: string[] = []
  try {
    yield* finish(function* () {
      yield* async(function* () {
        try {
          yield* sleep(100)
        } finally {
          log.push('cancelled')
        }
      })
      yield* async(function* () {
        yield* sleep(1)
        throw new Error('one')
      })
      yield* sleep(50)
    })
    ok(false)
  } catch (error) {
    same(String(error), 'Error: one')
  }
  same(log, ['cancelled'])
  try {
    yield* finish(function* () {
      yield* async(function* () {
        try {
          yield* sleep(100)
        } finally {
          throw new Error('two')
        }
      })
      yield* sleep(1)
      throw new Error('one')
    })
    ok(false)
  } catch (error) {
    ok(error instanceof AggregateError && /one; two/.test(error.message), String(error))
  }
})

test('a statement that names one activity twice is answered once', function* () {
  const a = spawn(function* () {
    yield* sleep(1)
    return 7
  })
  same(yield* waituntil(a).or(a), 7)
  const b = spawn(function* () {
    yield* sleep(1)
    throw new Error('once')
  })
  let failures = 0
  try {
    yield* waituntil(b).or(b).or(sleep(100))
  } catch {
    failures++
  }
  same(failures, 1)
  yield* sleep(1000)
})

test('an operation waits for one branch at a time, and once: alone, in select, and in waituntil', function* () {
  const [ch, other] = [channel<number>(), channel<number>()]
  const uses: Record<string, (clause: ReturnType<typeof ch.recv>) => Operation<unknown>> = {
    alone: (clause) => clause,
    select: (clause) => select({ other: other.recv(), clause }),
    or: (clause) => waituntil(other.recv()).or(clause),
    and: (clause) => waituntil(other.recv()).and(clause),
  }
  const use = (how: string, clause: ReturnType<typeof ch.recv>) => spawn(() => uses[how](clause))
  for (const first of Object.keys(uses))
    for (const second of Object.keys(uses)) {
      const clause = ch.recv()
      const waits = use(first, clause)
      yield* sleep(1)
      const text = yield* wait(use(second, clause).then(String, String))
      ok(/waits with this operation already/.test(text), `${first}, ${second}: ${text}`)
      same([ch.trySend(1), ch.trySend(2)], [true, false], `${first}, ${second}`)
      if (first === 'and') other.trySend(0)
      yield* waits
      // It is free now, and so is one whose wait was cancelled.
      for (const how of [first, second]) {
        const cancelled = use(how, clause)
        yield* sleep(1)
        cancelled.cancel()
        yield* wait(cancelled.catch(() => {}))
        same([ch.trySend(3), other.trySend(3)], [false, false], how)
      }
    }
  const twice: ((clause: ReturnType<typeof ch.recv>) => Operation<unknown>)[] = [
    (clause) => select({ a: clause, b: clause }),
    (clause) =>
      waituntil(clause)
        .or(other.recv())
        .or(clause.do(() => 0)),
    (clause) => waituntil(clause).and(clause),
  ]
  for (const make of twice) {
    const text = yield* wait(spawn(() => make(ch.recv())).then(String, String))
    ok(/waits with this operation already/.test(text), text)
    same([ch.trySend(1), other.trySend(1)], [false, false])
  }
})

test('a statement that was cancelled may be asked again, with all its clauses', function* () {
  const [a, b] = [channel<number>(), channel<number>()]
  const either = select({ a: a.recv(), b: b.recv() })
  let got: unknown
  const task = spawn(function* () {
    try {
      yield* either
    } catch {
      got = yield* noncancellable(either)
    }
  })
  yield* sleep(1)
  task.cancel()
  yield* sleep(1)
  b.trySend(2)
  yield* wait(task.catch(() => {}))
  same(got, { key: 'b', value: 2 })
})

test('selects with names that begin alike answer with their own', function* () {
  const ch = channel<number>()
  const waits = [
    spawn(() => select({ a: ch.recv(), b: sleep(9999), c: sleep(9999) })),
    spawn(() => select({ a: sleep(9999), b: ch.recv() })),
    spawn(() => select({ a: ch.recv() })),
    spawn(() => select({ 'a,b': sleep(9999), c: ch.recv() })),
  ]
  yield* sleep(1)
  for (let i = 0; i < 4; i++) ch.trySend(i)
  const keys: string[] = []
  for (const task of waits) keys.push((yield* task).key)
  same(keys, ['a', 'b', 'a', 'c'])
})

test('a branch that a promise has answered may do anything next', async () => {
  const p = Promise.resolve(1)
  const seen: string[] = []
  const note = asyncFn(function* (text: string) {
    seen.push(text)
    yield* wait(p)
  })
  class Own extends Promise<number> {}
  const patched = Promise.resolve(4)
  patched.then = ((ok: (n: number) => void) => Promise.resolve().then(() => ok(5))) as never
  const ends: Record<string, () => Generator<unknown, unknown, any>> = {
    *'a call that nobody awaits runs'() {
      note('called')
      yield* wait(p)
      yield* wait(p)
      return seen.pop()
    },
    *'an error'() {
      throw new Error('thrown')
    },
    *'a promise that fails'() {
      try {
        yield* wait(Promise.reject(new Error('refused')))
      } catch (error) {
        return (yield* wait(p)) + (error as Error).message
      }
    },
    *'a promise of a class of its own'() {
      return yield* wait(Own.resolve(3))
    },
    *'a promise with a `then` of its own, which a native await does not ask'() {
      return yield* wait(patched)
    },
    *'a promise with a property that throws'() {
      const bad = Promise.resolve(7)
      Object.defineProperty(bad, 'then', { get: () => fail('then was read') })
      return yield* wait(bad)
    },
    *'what only looks like a promise'() {
      return yield* wait({ then: (ok: any) => void ok(6) })
    },
    *'cancels itself'() {
      self()!.cancel('enough')
      return yield* wait(p)
    },
    *'a sibling that becomes ready runs'() {
      const done = future<string>()
      yield* finish(function* () {
        yield* async(function* () {
          seen.push(yield* done.get())
        })
        yield* wait(p)
        done.set('woken')
        yield* wait(p)
        yield* wait(p)
      })
      return seen.pop()
    },
    *'a block'() {
      return yield* atomic(function* () {
        spawn(function* () {
          seen.push('delayed')
        })
        for (let i = 0; i < 5; i++) yield* wait(p)
        return seen.length
      })
    },
    *'another activity'() {
      const other = spawn(function* () {
        yield* wait(p)
        return 'other'
      })
      yield* wait(p)
      return yield* other
    },
  }
  const fail = (why: string) => {
    throw new Error(why)
  }
  const outcomes: unknown[] = []
  for (const end of Object.values(ends)) {
    const activity = spawn(function* () {
      for (let i = 0; i < 3; i++) yield* wait(p)
      return yield* end()
    })
    activity.name = 'one'
    outcomes.push(await activity.then(undefined, (error: Error) => error.message))
  }
  same(outcomes, ['called', 'thrown', '1refused', 3, 4, 7, 6, 'one was cancelled: enough', 'woken', 0, 'other'])
  same(seen, ['delayed'])
})

test('what a body returns to be run is run: a generator, a call, an activity, a clause, a statement', function* () {
  const ch = channel<number>(9)
  for (let i = 1; i < 9; i++) ch.trySend(i)
  const call = asyncFn(function* () {
    return yield* ch.recv()
  })
  const bodies: (() => Operation<number>)[] = [
    function* () {
      return yield* ch.recv()
    },
    () => call(),
    () => spawn(call()),
    () => ch.recv(),
    () => waituntil(ch.recv().do((n) => n)),
    () => waituntil(ch.recv()),
  ]
  const got: unknown[] = []
  for (const body of bodies) got.push(yield* waituntil(sleep(1).do(body)))
  got.push(yield* waituntil(channel<number>().recv()).else(() => waituntil(ch.recv()).or(sleep(1))))
  got.push(yield* waituntil(sleep(1).do(() => spawn(call()))).and(sleep(0)))
  same(got, [1, 2, 3, 4, 5, 6, 7, 8])
})

test('a statement may be asked for its outcome several times by legacy code, as a promise', async () => {
  const ch = channel<string>(2)
  ch.trySend('first')
  ch.trySend('second')
  const statement = waituntil(ch.recv()).or(sleep(1))
  same(
    [await statement, await statement.catch(() => 'failed'), await statement.finally(() => {})],
    Array(3).fill('first'),
  )
  same(await rejects(waituntil(sleep(0).do(() => failing())), /failing/).then(String), 'Error: failing')
})

function failing(): never {
  throw new Error('failing')
}
