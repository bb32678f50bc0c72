/** What is left behind: errors while cleaning up, promises that fail when nobody waits, late resources. */
import { ok, rejects, reported, same, test } from './harness.ts'
import { async, asyncFn, atomic, channel, count, deadline, Domain, each, finish, mutex, noncancellable } from './lib.ts'
import { select, sleep, spawn, useDomain, wait, waituntil, type Operation } from './lib.ts'
import { transform } from '../src/plugin/transform.ts'
import * as runtime from '../src/plugin/runtime.ts'
import { all, any, group, map, race, timeout, use } from '../src/ops.ts'
import { iterable } from '../src/streams.ts'

const later = (ms: number): Promise<void> => new Promise((done) => setTimeout(done, ms))
const fails = (message: string) => async (): Promise<never> => {
  throw new Error(message)
}
const messageOf = async (what: PromiseLike<unknown>): Promise<string> => {
  try {
    return `gave ${JSON.stringify(await what)}`
  } catch (error) {
    return (error as Error).message
  }
}

/** An iterable of ones, which closes with `close`. */
const ones = (close: () => any): AsyncIterable<number> => ({
  [Symbol.asyncIterator]: () => ({ next: async () => ({ done: false, value: 1 }), return: close }),
})
const closesBadly = (): never => {
  throw new Error('closing')
}

test('anything may be thrown, and given as the reason of a cancel, also what has no text', async () => {
  const bare = Object.create(null) as object
  const loud = { toString: closesBadly }
  for (const reason of [bare, loud, Symbol('why'), null, '', Object.assign(new Error(), { message: bare })]) {
    const task = spawn(() => sleep(99_999))
    await later(1)
    task.cancel(reason)
    const error: any = await task.catch((e) => e)
    same([task.state, error.code, error.cause === reason], ['cancelled', 'ECANCELED', true])
    const failing = (): Generator<unknown, never, any> =>
      (function* () {
        yield* sleep(1)
        throw reason
      })()
    const both: any = await all([failing, () => sleep(99_999)]).then(ok, (e) => e)
    ok(both === reason)
  }
  const cleaning = function* (): Generator<unknown, void, any> {
    try {
      yield* sleep(99_999)
    } finally {
      throw bare
    }
  }
  await rejects(all([cleaning, fails('first'), cleaning]), /3 branches failed: first; object; object/)
})

test('an error that several branches, or a branch and the body, pass on is told once', async () => {
  const passedOn = function* (): Generator<unknown, unknown, any> {
    const handle = yield* async((): never => {
      throw new Error('of the branch')
    })
    return handle.value
  }
  same(await messageOf(spawn(() => finish(passedOn))), 'of the branch')
  const page = fails('of the page')()
  same(await messageOf(all([wait(page), () => wait(page), page])), 'of the page')
})

test('a loop that fails says why, although its iterator does not close; a cancelled one says that', async () => {
  for (const close of [closesBadly, fails('closing')]) {
    same(await messageOf(spawn(() => each(ones(close), () => closesBody()))), 'body')
    const task = spawn(() => each(ones(close), () => sleep(99_999)))
    await later(1)
    task.cancel()
    same(await messageOf(task), 'closing')
    const never = { [Symbol.asyncIterator]: () => ({ next: () => new Promise<never>(() => {}), return: close }) }
    const asking = spawn(() => each(never, () => {}))
    await later(1)
    asking.cancel()
    same([await messageOf(asking), asking.state], [`${asking.name} was cancelled`, 'cancelled'])
  }
})
const closesBody = (): never => {
  throw new Error('body')
}

test('a for await that is cancelled in plain syntax closes its iterator, and waits for that where it can', async () => {
  const log: string[] = []
  const source = (next: () => Promise<unknown>): unknown => ({
    [Symbol.asyncIterator]: () => ({
      next,
      return: async () => {
        log.push('closing')
        await later(2)
        log.push('closed')
      },
    }),
  })
  const { code } = transform(
    `async function loop(items, wait) { for await (const item of items) await wait() }
    async function* inner(items) { yield* items }
    return { loop, inner }`,
    { file: 'x.js', all: true },
  )!
  const text = code.replace(/const charcoal\$ = require\(.*?\);|import \* as charcoal\$ from .*?;/, '')
  const { loop, inner } = new Function('charcoal$', text)(runtime)
  const one = async (): Promise<unknown> => ({ done: false, value: 1 })
  const never = (): Promise<never> => new Promise(() => {})
  for (const [make, want] of [
    [() => loop(source(one), never), ['closing', 'closed', 'end']],
    [() => loop(source(never), never), ['closing', 'end', 'closed']],
    [() => loop(inner(source(one)), never), ['closing', 'closed', 'end']],
  ] as [() => any, string[]][]) {
    const task = spawn(make)
    await later(5)
    task.cancel()
    same(await messageOf(task), `${task.name} was cancelled`)
    log.push('end')
    await later(10)
    same(log.splice(0), want)
  }
})

test('an iterable that is closed while an item is asked for has no more items, and tells an error once', async () => {
  const idle = iterable<number>(() => sleep(99_999))[Symbol.asyncIterator]()
  const asked = idle.next()
  await later(1)
  same(await idle.return!(7), { done: true, value: 7 })
  same([await asked, await idle.next()], [{ done: true }, { done: true }])
  const broken = iterable<number>(function* (emit) {
    yield* emit(1)
    throw new Error('source')
  })[Symbol.asyncIterator]()
  const got = [broken.next(), broken.next(), broken.next()].map(messageOf)
  same(await Promise.all(got), ['gave {"done":false,"value":1}', 'source', 'gave {"done":true}'])
  same(await messageOf(broken.next()), 'gave {"done":true}')
})

test('a promise that an operation does not come to wait for ends no process when it fails', async () => {
  const unhandled: string[] = []
  const inNode = (reason: any): unknown => unhandled.push(reason.message)
  const inPage = (event: any): void => {
    event.preventDefault()
    inNode(event.reason)
  }
  const { process } = globalThis as { process?: any }
  const listens = typeof process?.on === 'function'
  if (listens) process.on('unhandledRejection', inNode)
  else addEventListener('unhandledrejection', inPage)
  try {
    same(await race([Promise.resolve(1), fails('loses')()]), 1)
    same(await race([async () => 2, fails('loses')()]), 2)
    same(await any([Promise.resolve(3), fails('loses')()]), 3)
    same(await messageOf(all([fails('a')], { signal: AbortSignal.abort(new Error('stop')) })), 'stop')
    same(await messageOf(all([fails('a')()], { signal: AbortSignal.abort(new Error('stop')) })), 'stop')
    same(await messageOf(map([fails('a')(), fails('b')()], (x) => x)), 'a')
    same(await messageOf(map([sleep(1).then(), fails('b')()], (x) => x, { limit: 1 })), 'b')
    same(await messageOf(spawn(() => each([later(1), fails('c')()], () => {}))), 'c')
    let refuse!: (error: Error) => void
    const refused = new Promise((_, no) => (refuse = no))
    same(await timeout(1, refused, () => 'in time'), 'in time')
    refuse(new Error('late'))
    const task = group()
    void task.start(fails('d')())
    same(await messageOf(task.done()), 'd')
    await later(10)
    same(unhandled, [])
  } finally {
    if (listens) process.off('unhandledRejection', inNode)
    else removeEventListener('unhandledrejection', inPage)
  }
})

test('a resource that a promise brings after a cancel is disposed of when it comes', async () => {
  const log: string[] = []
  const file = (name: string): object => ({
    [Symbol.asyncDispose ?? Symbol.for('Symbol.asyncDispose')]: async () => {
      await later(1)
      log.push(`${name} closed`)
    },
  })
  const open = (name: string): Promise<object> => later(5).then(() => file(name))
  const inActivity = asyncFn(function* (name: string) {
    yield* sleep(5)
    return file(name)
  })
  for (const make of [() => open('late'), () => spawn(inActivity('late'))]) {
    const task = spawn(() => use(make, () => sleep(99_999)))
    await later(1)
    task.cancel()
    same([await messageOf(task), log.splice(0)], [`${task.name} was cancelled`, []])
    while (log.length === 0) await later(1)
    same(log.splice(0), ['late closed'])
  }
  // A call is a part of the operation: it is cancelled itself, and there is no resource.
  const task = spawn(() => use(inActivity('none'), () => sleep(99_999)))
  await later(1)
  task.cancel()
  same(await messageOf(task), `${task.name} was cancelled`)
  await later(20)
  same(log, [])
  // What cannot be disposed of is told before the body begins, as with `using`.
  same(await messageOf(use({}, () => log.push('body'))), await messageOf(use(async () => ({}), () => log.push('body'))))
  same(log, [])
  same(await use(null, () => 5), 5)
})

test('a group keeps nothing of items that have ended', async () => {
  const tasks = group()
  const waiting = (): number => (tasks as any).waiting.size
  const got = [1, 2, 3].map((n) => tasks.start(async () => n))
  same([waiting(), await Promise.all(got), waiting()], [3, [1, 2, 3], 0])
  same(count((tasks as any).activity.joiners), 1)
  const idle = group()
  const never = idle.start(() => 1)
  idle.cancel('enough')
  same(await messageOf(never), 'group was cancelled: enough')
})

test('a promise that was handed over and fails before anybody waits for it ends no process', async () => {
  const d = new Domain({ slice: -1 })
  const before = useDomain(d)
  const fails = async (): Promise<never> => {
    d.steps = 1 // at the next step the slice is over, and the host has a turn
    throw new Error('no')
  }
  const operations: Record<string, () => Operation<unknown>> = {
    finish: () => finish(wait(fails())),
    deadline: () => deadline(99_999, wait(fails())),
    noncancellable: () => noncancellable(wait(fails())),
    'finish of finish': () => finish(finish(wait(fails()))),
    atomic: () => atomic(wait(fails())),
    spawn: () => spawn(wait(fails())),
    timeout: () => timeout(99_999, wait(fails())),
    all: () => all([sleep(1), wait(fails())]),
    race: () => race([wait(fails()), sleep(99_999)]),
    'finish of a promise': () => finish(fails() as never),
    waituntil: () => waituntil(fails()).and(sleep(99_999)),
    'deadline of waituntil': () => deadline(99_999, waituntil(sleep(99_999)).or(fails())),
    select: () => select({ fails: fails(), late: sleep(99_999) }),
    with: () => mutex().with(() => fails()),
  }
  try {
    for (const [name, make] of Object.entries(operations)) {
      const lost = await reported(async () => {
        await rejects(
          spawn(function* () {
            yield* make()
          }),
          /no/,
        )
      })
      same(lost, [], name)
    }
    same(
      await reported(async () => {
        await spawn(function* () {
          const late = new Promise((_, refuse) => setTimeout(() => refuse(new Error('late')), 5))
          yield* finish(wait(late), { signal: AbortSignal.abort() })
          const never = race([asyncFn(function* () {}), wait(fails())])
          yield* never
          yield* atomic(function* () {
            const delayed = spawn(wait(fails()))
            yield* sleep(2)
            void delayed.catch(() => {})
          })
          yield* sleep(10)
        })
      }),
      [],
    )
  } finally {
    useDomain(before)
  }
})

test('what legacy code begins keeps its order, and begins before the host has its turn', async () => {
  const d = new Domain({ slice: -1 })
  const before = useDomain(d)
  try {
    const sent = channel<number>(Infinity)
    const send = asyncFn(function* (n: number) {
      d.steps = 1 // at the next step the slice is over, and the host has a turn
      yield* sent.send(n)
    })
    const waits = asyncFn(function* (p: Promise<unknown>) {
      yield* wait(p)
    })
    const lost = await reported(async () => {
      d.steps = 1
      await spawn(function* () {})
      await rejects(waits(Promise.reject(new Error('no'))), /no/) // nothing is queued, but the host's turn is due
      const ends = [1, 2, 3].map((n) => send(n).then(() => n))
      await null
      ends.push(send(4).then(() => 4), sent.send(5).then(() => 5))
      same(await Promise.all(ends), [1, 2, 3, 4, 5])
    })
    const got: number[] = []
    for (let item = sent.tryRecv(); item !== undefined; item = sent.tryRecv()) got.push(item.value)
    same([got, lost], [[1, 2, 3, 4, 5], []])
  } finally {
    useDomain(before)
  }
})
