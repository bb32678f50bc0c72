/** Streams and async iterables: made and read by activities, one item at a time, cancelled both ways. */
import { test, ok, same, rejects, until } from './harness.ts'
import { asyncFn, Cancelled, sleep, spawn } from './lib.ts'
import { chunks, iterable, readable, through, writable } from '../src/streams.ts'

const log: string[] = []
const taken = (): string[] => log.splice(0)
const counting = (end = Infinity) =>
  function* (emit: (n: number) => any): Generator<unknown, void, any> {
    try {
      for (let i = 1; i <= end; i++) {
        yield* emit(i)
        log.push(`made ${i}`)
      }
    } finally {
      log.push('ended')
    }
  }

test('chunks reads a web stream to its end', async () => {
  await spawn(function* () {
    const seen: number[] = []
    yield* chunks(readable(counting(3)), (n) => void seen.push(n))
    same(seen, [1, 2, 3])
  })
  taken()
})

test('a cancel reaches the source of a stream at once, although a chunk is awaited', async () => {
  let cancelled: unknown
  const silent = new ReadableStream({
    cancel: (reason) => {
      cancelled = reason
    },
  })
  const reading = spawn(function* () {
    yield* chunks(silent, () => {})
  })
  await sleep(1)
  reading.cancel('enough')
  await rejects(reading, /cancelled: enough/)
  ok(cancelled instanceof Cancelled)
  same(silent.locked, false)
  let destroyed = false
  const socket = {
    [Symbol.asyncIterator]: () => ({ next: () => new Promise<never>(() => {}) }),
    destroy: () => {
      destroyed = true
    },
  }
  const waiting = spawn(function* () {
    yield* chunks(socket, () => {})
  })
  await sleep(1)
  waiting.cancel()
  await rejects(waiting, /cancelled/)
  ok(destroyed)
})

test('a body that fails cancels the stream, and a stream that fails ends the loop', async () => {
  await rejects(
    spawn(() =>
      chunks(readable(counting()), (n) => {
        if (n === 2) throw new Error('body')
      }),
    ),
    /^Error: body/,
  )
  same(taken().at(-1), 'ended')
  const failing = readable(function* (emit) {
    yield* emit(1)
    throw new Error('source')
  })
  await rejects(
    spawn(() => chunks(failing, () => {})),
    /^Error: source/,
  )
})

test('what is emitted waits until it is wanted', async () => {
  const stream = readable(counting(3), { highWaterMark: 0 })
  const reader = stream.getReader()
  await sleep(5)
  same(taken(), [])
  same((await reader.read()).value, 1)
  await sleep(5)
  same(taken(), ['made 1'])
  await reader.cancel()
  same(taken(), ['ended'])
})

test('for await over an iterable ends its activity when the loop is left', async () => {
  const numbers = iterable(counting())
  for await (const n of numbers) if (n === 3) break
  same(taken(), ['made 1', 'made 2', 'made 3', 'ended'])
  const seen: number[] = []
  for await (const n of iterable(counting(2))) seen.push(n)
  same(
    [seen, taken()],
    [
      [1, 2],
      ['made 1', 'made 2', 'ended'],
    ],
  )
  const failing = async (): Promise<void> => {
    for await (const _ of iterable(function* (emit) {
      yield* emit(1)
      throw new Error('source')
    }))
      void 0
  }
  await rejects(failing(), /^Error: source/)
  const iterator = iterable(counting())[Symbol.asyncIterator]()
  await iterator.return!()
  same([await iterator.next(), taken()], [{ done: true, value: undefined }, []])
})

test('a writable hands its chunks to an activity, and both ends see failure and abort', async () => {
  const seen: string[] = []
  const collect = asyncFn(function* (items: any): Generator<unknown, void, any> {
    try {
      yield* items.each((item: string) => {
        if (item === 'bad') throw new Error('refused')
        seen.push(item)
      })
      seen.push('end')
    } catch (error) {
      seen.push(error instanceof Cancelled ? 'cancelled' : 'failed')
      throw error
    }
  })
  const one = writable<string>(collect).getWriter()
  await one.write('a')
  await one.write('b')
  await one.close()
  same(seen.splice(0), ['a', 'b', 'end'])
  const two = writable<string>(collect).getWriter()
  two.closed.catch(() => {})
  await two.write('a')
  await two.abort('stop')
  same(seen.splice(0), ['a', 'cancelled'])
  const three = writable<string>(collect).getWriter()
  three.closed.catch(() => {})
  await three.write('bad').catch(() => {})
  await rejects(three.write('more'), /refused|closed/)
  same(seen.splice(0), ['failed'])
})

test('a transform stream is one activity, from both ends', async () => {
  const double = through<number, number>(function* (items, emit) {
    yield* items.each(function* (n) {
      yield* emit(n)
      yield* emit(n * 2)
    })
  })
  const out: number[] = []
  await readable(counting(2))
    .pipeThrough(double)
    .pipeTo(new WritableStream({ write: (n) => void out.push(n) }))
  same(out, [1, 2, 2, 4])
  taken()
  const broken = through<number, number>(function* () {
    yield* sleep(1)
    throw new Error('in the middle')
  })
  await rejects(readable(counting()).pipeThrough(broken).pipeTo(new WritableStream()), /in the middle/)
  await until(() => log.at(-1) === 'ended')
})

/** How a promise ends, in words. */
const outcome = (promise: PromiseLike<unknown>): Promise<string> =>
  Promise.resolve(promise).then(
    (value) => JSON.stringify(value) ?? 'done',
    (error) => (error as Error).message,
  )

test('a transform stream fails, and is cancelled, with the reasons that the host gives its own', async () => {
  const upper = () =>
    through<string, string>(function* (items, emit) {
      yield* items.each(function* (item) {
        yield* emit(item.toUpperCase())
      })
    })
  const native = (): TransformStream<string, string> =>
    new TransformStream({ transform: (item, out) => out.enqueue(item.toUpperCase()) })
  const seen: string[][] = []
  for (const make of [native, upper]) {
    const said: string[] = []
    seen.push(said)
    const say = async (...what: PromiseLike<unknown>[]): Promise<unknown> =>
      said.push(...(await Promise.all(what.map(outcome))))
    // A source that fails: the rest is missing, which is no end.
    let made = 0
    const source = new ReadableStream<string>({
      pull: (out) => (++made < 3 ? out.enqueue('a') : out.error(new Error('the source has failed'))),
    })
    const failing = source.pipeThrough(make()).getReader()
    let last = ''
    while (last === '' || /"done":false/.test(last)) last = await outcome(failing.read()) // some come first
    said.push(last)
    // A writer that gives up.
    const given = make()
    const writer = given.writable.getWriter()
    const reader = given.readable.getReader()
    await say(writer.write('b'), reader.read())
    await say(writer.abort(new Error('given up')), reader.read(), reader.closed)
    // A reader that needs no more.
    let told: any
    const endless = new ReadableStream<string>({
      pull: (out) => out.enqueue('c'),
      cancel: (reason) => void (told = reason),
    })
    const enough = endless.pipeThrough(make()).getReader()
    await say(enough.read())
    await enough.cancel(new Error('enough'))
    await until(() => told !== undefined)
    said.push(told.message)
    const left = make()
    const late = left.writable.getWriter()
    await left.readable.cancel(new Error('no more'))
    await say(late.write('d'), late.closed)
  }
  same(seen[1], seen[0])
})

test('an abort ends an activity that reads no more, and the write that waits for it', async () => {
  taken()
  const busy = function* (): Generator<unknown, void, any> {
    try {
      yield* sleep(Infinity)
    } finally {
      log.push('cleaned up')
    }
  }
  for (const stream of [writable<string>(busy), through<string, string>(busy).writable]) {
    const writer = stream.getWriter()
    const closed = outcome(writer.closed)
    const written = outcome(writer.write('a'))
    await sleep(1)
    await writer.abort(new Error('too slow'))
    same([await written, await closed, ...taken()], ['too slow', 'too slow', 'cleaned up'])
  }
})

test('a write that waits fails with what the activity has failed with', async () => {
  const stream = writable<string>(function* (items) {
    yield* items.recv()
    yield* sleep(5)
    throw new Error('the disk is full')
  })
  const writer = stream.getWriter()
  const closed = outcome(writer.closed)
  same(await Promise.all([writer.write('a'), writer.write('b')].map(outcome)), ['done', 'the disk is full'])
  same(await closed, 'the disk is full')
  // A body that wants no more is no failure of its own.
  const short = writable<string>(function* (items) {
    yield* items.recv()
    items.close()
    yield* sleep(1)
  }).getWriter()
  short.closed.catch(() => {})
  same(await Promise.all([short.write('a'), short.write('b')].map(outcome)), ['done', 'chunks is closed'])
})
