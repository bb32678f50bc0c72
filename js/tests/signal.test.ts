/** Every wait takes an AbortSignal, which ends it with its reason and without an effect. */
import { ok, rejects, same, test, throws, until } from './harness.ts'
import {
  atomic,
  channel,
  condition,
  deadline,
  each,
  finish,
  future,
  inAtomic,
  mutex,
  once,
  Rendezvous,
  rwlock,
  select,
  semaphore,
  sleep,
  spawn,
  wait,
  waituntil,
  when,
  type Clause,
  type WaitOptions,
} from './lib.ts'
import { use } from '../src/ops.ts'
import { chunks } from '../src/streams.ts'

const after = <T>(ms: number, value: T): Promise<T> => new Promise((done) => setTimeout(() => done(value), ms))

/** The event of a rendezvous that a wait asks; if it were dropped untriggered, the wait would end. */
const kept: unknown[] = []

/** Waits that nothing ends but the signal. */
function endless(): Record<string, (options: WaitOptions) => PromiseLike<unknown> & Iterable<unknown>> {
  const [lock, memory, data, changed] = [mutex(), semaphore(2), rwlock(), condition()]
  lock.tryAcquire()
  memory.tryAcquire(1)
  void data.write()
  const written = data.write()
  written.poll()
  const full = channel<number>(1)
  full.trySend(0)
  const asked = new Rendezvous<string>()
  kept.push(asked.event('never'))
  const never = new Promise<number>(() => {})
  const sleeper = spawn(() => sleep(Infinity))
  const waits: Record<string, (options: WaitOptions) => any> = {
    sleep: (options) => sleep(Infinity, options),
    recv: (options) => channel().recv(options),
    send: (options) => full.send(1, options),
    'each of a channel': (options) => channel().each(() => {}, options),
    acquire: (options) => wait(lock.acquire(), options),
    'acquire several': (options) => wait(memory.acquire(2), options),
    read: (options) => data.read(options),
    write: (options) => data.write(options),
    'a condition': (options) => changed.wait(options),
    get: (options) => future().get(options),
    next: (options) => asked.next(options),
    once: (options) => once(new EventTarget(), 'never', options),
    'a promise': (options) => wait(never, options),
    'a clause': (options) => wait(channel().recv(), options),
    'an activity': (options) => wait(sleeper, options),
    select: (options) => select({ never, message: channel().recv() }, options),
    'waituntil of one': (options) => waituntil(never, options),
    'waituntil with or': (options) => waituntil(channel().recv(), options).or(channel().recv().do(() => {})),
    'waituntil with and': (options) => waituntil(channel().recv(), options).and(never).or(never),
    'a group of waituntil': (options) => waituntil(never).or(waituntil(never, options).and(channel().recv())),
    use: (options) => use({ [Symbol.dispose]() {} }, () => sleep(Infinity), options),
    each: (options) => each([never], () => {}, options),
    'the body of each': (options) => each([1], () => never, options),
    'each over a channel': (options) => each(channel(), () => {}, options),
    chunks: (options) => chunks(new ReadableStream(), () => {}, options),
    deadline: (options) => deadline(99999, () => sleep(Infinity), options),
  }
  return waits
}

/** A signal that counts its listeners. */
function counted(): { controller: AbortController; signal: AbortSignal; listeners: () => number } {
  const controller = new AbortController()
  const { signal } = controller
  let listeners = 0
  const { addEventListener, removeEventListener } = signal
  const held = new Set<unknown>()
  signal.addEventListener = function (this: AbortSignal, ...args: any[]) {
    held.add(args[1])
    listeners = held.size
    return addEventListener.apply(this, args as any)
  }
  signal.removeEventListener = function (this: AbortSignal, ...args: any[]) {
    held.delete(args[1])
    listeners = held.size
    return removeEventListener.apply(this, args as any)
  }
  return { controller, signal, listeners: () => listeners }
}

test('an abort ends every wait that has the signal, with its reason, also in legacy code', async () => {
  for (const [name, start] of Object.entries(endless())) {
    const { controller, signal, listeners } = counted()
    const reason = new Error(`enough of ${name}`)
    const ours = spawn(function* () {
      return yield* start({ signal }) as any
    })
    const theirs = Promise.resolve(start({ signal }))
    for (const outcome of [ours, theirs]) outcome.then(undefined, () => {})
    await until(() => listeners() === 2)
    controller.abort(reason)
    for (const outcome of [ours, theirs]) {
      const got = await outcome.then(
        () => 'an end',
        (error: unknown) => error,
      )
      ok(got === reason, `${name}: ${String(got)}`)
    }
    same([name, listeners()], [name, 0])
  }
})

test('a wait with a signal that was aborted before ends at once, and a cancel leaves no listener', async () => {
  for (const [name, start] of Object.entries(endless())) {
    await rejects(
      Promise.resolve(start({ signal: AbortSignal.abort(new Error(`before ${name}`)) })),
      RegExp(`before ${name}`),
    )
    const { signal, listeners } = counted()
    const task = spawn(function* () {
      return yield* start({ signal }) as any
    })
    await until(() => listeners() === 1)
    task.cancel()
    await rejects(task, /Cancelled/)
    same([name, listeners()], [name, 0])
  }
})

test('an aborted wait has had no effect', async () => {
  const c = new AbortController()
  const { signal } = c
  const ch = channel<number>()
  const lock = mutex()
  const permit = lock.tryAcquire()!
  const received = ch.recv({ signal }).catch(String)
  const first = wait(lock.acquire(), { signal }).then(() => 'mine', String)
  const second = lock.acquire().then((mine) => mine.release())
  c.abort('no')
  same([await received, await first], ['no', 'no'])
  same(ch.trySend(1), false)
  permit.release()
  await second
  same(lock.available, 1)
  const sent = ch.send(2, { signal: AbortSignal.abort('late') }).catch(String)
  same([await sent, ch.tryRecv()], ['late', undefined])
  const ready = channel<number>(1)
  ready.trySend(3)
  same(await ready.recv({ signal }).catch(String), 'no')
  same(ready.tryRecv(), { value: 3 })
})

test('what comes before the abort is the result, and the signal forgets the wait', async () => {
  const { controller, signal, listeners } = counted()
  const ch = channel<string>()
  const lock = mutex()
  const task = spawn(function* () {
    const got = [yield* ch.recv({ signal }), yield* wait(after(1, 'b'), { signal }), yield* wait('c', { signal })]
    yield* sleep(1, { signal })
    const permit = yield* wait(lock.acquire(), { signal })
    permit.release()
    const { key } = yield* select({ never: channel().recv(), soon: sleep(1) }, { signal })
    const either = yield* waituntil(channel<string>().recv({ signal })).or(sleep(1, { signal }).do(() => 'slept'))
    const done = yield* deadline(999, () => sleep(1), { signal, name: 'short' })
    let n = 0
    yield* each([1, 2], (x) => void (n += x), { signal })
    return [...got, key, either, done === undefined, n]
  })
  await until(() => listeners() === 1)
  await ch.send('a')
  same(await task, ['a', 'b', 'c', 'soon', 'slept', true, 3])
  same(listeners(), 0)
  controller.abort()
})

test('a clause with a signal is a clause of a statement like any other', async () => {
  const c = new AbortController()
  const ch = channel<number>(1)
  const log: string[] = []
  const task = spawn(function* () {
    yield* waituntil(ch.recv({ signal: c.signal }).do(() => void log.push('received')))
      .and(sleep(1).do(() => void log.push('slept')))
      .or(sleep(99999))
  })
  await until(() => log.length === 1)
  c.abort(new Error('enough'))
  await rejects(task, /enough/)
  same([log, ch.trySend(1), ch.size], [['slept'], true, 1])
})

test('a signal of select ends it before clauses that are ready', async () => {
  const jobs = channel<number>(Infinity)
  for (let i = 0; i < 9; i++) jobs.trySend(i)
  const c = new AbortController()
  const worker = spawn(function* () {
    for (let n = 0; ; n++) {
      if (n === 3) c.abort(new Error(`after ${n}`))
      yield* select({ job: jobs.recv() }, { signal: c.signal })
    }
  })
  await rejects(worker, /after 3/)
  same(jobs.size, 6)
})

test('an aborted each cancels its body and closes what it goes through', async () => {
  const c = new AbortController()
  const log: string[] = []
  async function* numbers(): AsyncGenerator<number> {
    try {
      yield 1
      yield 2
    } finally {
      log.push('closed')
    }
  }
  const loop = each(
    numbers(),
    function* () {
      try {
        yield* sleep(99999)
      } finally {
        log.push('body ended')
      }
    },
    { signal: c.signal },
  )
  const ended = rejects(loop, /enough/)
  await sleep(2)
  c.abort(new Error('enough'))
  await ended
  same(log, ['body ended', 'closed'])
})

test('a signal of waituntil is an alternative before all others, with else, too', async () => {
  const aborted = { signal: AbortSignal.abort(new Error('enough')) }
  const open = { signal: new AbortController().signal }
  const [a, b] = [channel<number>(1), channel<number>(1)]
  a.trySend(1)
  b.trySend(2)
  await rejects(waituntil(a.recv(), aborted), /enough/)
  await rejects(
    waituntil(a.recv().do(String), aborted).else(() => 0),
    /enough/,
  )
  await rejects(
    waituntil(a.recv(), aborted)
      .and(b.recv())
      .else(() => 0),
    /enough/,
  )
  await rejects(
    waituntil(a.recv(aborted))
      .and(b.recv())
      .else(() => 0),
    /enough/,
  )
  await rejects(waituntil(waituntil(a.recv(), aborted).and(b.recv())).or(waituntil(a.recv()).and(b.recv())), /enough/)
  same([a.size, b.size], [1, 1])
  const nothing = await waituntil(when(false, a.recv()), open).else(() => 'nothing')
  same([nothing, await waituntil(when(false, a.recv()), open)], ['nothing', undefined])
  const removed = waituntil(when(false, a.recv()), open)
  same(await waituntil(removed).or(sleep(1).do(() => 'slept')), 'slept')
  const both = await waituntil(a.recv(), open)
    .and(b.recv())
    .else(() => 0)
  same([both, a.size, b.size], [2, 0, 0])
})

test('what a clause of waituntil has had as its effect before an abort has its body run', async () => {
  const c = new AbortController()
  const [a, b] = [channel<string>(), channel<string>()]
  const log: string[] = []
  const task = spawn(function* () {
    yield* waituntil(
      a.recv().do(function* (x) {
        yield* sleep(2)
        log.push(x)
      }),
      { signal: c.signal },
    )
      .and(b.recv().do((x) => void log.push(x)))
      .and(channel().recv())
  })
  await a.send('a')
  await b.send('b')
  c.abort(new Error('enough'))
  await rejects(task, /enough/)
  same(log, ['a', 'b'])
})

test('a clause of waituntil that fails leaves no other without its body or its effect', async () => {
  const [a, b, closed] = [channel<string>(1), channel<string>(1), channel<string>()]
  const log: string[] = []
  const note = (x: string): void => void log.push(x)
  closed.close()
  a.trySend('a')
  b.trySend('b')
  const statement = (): PromiseLike<unknown> =>
    waituntil(a.recv().do(note))
      .and(closed.recv())
      .and(b.recv().do(note))
  await rejects(statement(), /closed/)
  same([log.join(), a.size, b.size], ['a', 0, 1])
  const late = channel<string>()
  const task = spawn(function* () {
    yield* waituntil(late.recv())
      .and(a.recv().do(function* (x) {
        yield* sleep(2)
        note(x)
      }))
      .and(channel<string>().recv())
      .and(future<string>().get())
  })
  await a.send('a')
  late.close()
  await rejects(task, /closed/)
  same(log, ['a', 'a'])
})

test('an abort ends finish around an atomic block, and the block is left', async () => {
  const c = new AbortController()
  let isInside = false
  const block = (): unknown =>
    atomic(function* () {
      isInside = inAtomic()
      yield* sleep(Infinity)
    })
  const task = spawn(() => finish(block as any, { signal: c.signal }))
  await until(() => isInside)
  c.abort()
  same([await task, inAtomic()], [undefined, false])
  await spawn(function* () {}) // no block holds it back
})

test('what takes no signal says so, and what is no signal is refused', async () => {
  const { signal } = new AbortController()
  const five = function* (): Generator<unknown, number> {
    return 5
  }
  for (const op of [finish(five), waituntil(sleep(1)), five()])
    throws(() => wait(op as any, { signal }), /wait: a signal ends the wait for a promise.*finish/)
  throws(() => atomic(five, { signal } as any), /atomic: a signal ends the wait for a promise.*finish/)
  const wrong = { signal: 5 as any }
  const starts: (() => unknown)[] = [
    () => sleep(1, wrong),
    () => channel().recv(wrong),
    () => wait(after(1, 1), wrong),
    () => select({ a: sleep(1) }, wrong),
    () => each([1], () => {}, wrong),
    () => deadline(1, five, wrong),
    () => waituntil(sleep(1), wrong),
  ]
  for (const start of starts) throws(start, /takes an AbortSignal, not 5/)
  const lock = mutex()
  throws(() => lock.acquire({ signal } as any), /takes a number of permits; with a signal write wait\(lock.acquire/)
  await rejects(lock.with(five, { signal } as any), /takes a number of permits/)
  const { warn } = console
  const told: string[] = []
  console.warn = (text: string) => void told.push(text)
  try {
    await sleep(1, signal as any)
    await sleep(1, { ref: false } as any)
    await Promise.all([1, 2].map(sleep as (ms: number) => Clause<void>))
  } finally {
    console.warn = warn
  }
  ok(/^charcoal: sleep has no option .*aborted/.test(told[0]), told[0])
  same(told.slice(1), ['charcoal: sleep has no option ref; it takes { signal }'])
})
