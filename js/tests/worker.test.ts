/** Calls to another thread: results, errors and cancel go over, and back. */
import { test, ok, same, rejects, until } from './harness.ts'
import { asyncFn, atomic, Cancelled, sleep, spawn, wait } from './lib.ts'
import { all, race, timeout } from '../src/ops.ts'
import { connect, serve, transfer, type Port, type Remote } from '../src/worker.ts'

interface There {
  add(a: number, b: number): number
  forever(): void
  stopped(): number
  aborts(): void
  fails(): void
  size(bytes: Uint8Array): number
  unclonable(): void
  end(): void
  missing(): void
}

const { process } = globalThis as any
const inNode = process?.versions?.node !== undefined

function start(): Port & { terminate(): unknown } {
  if (!inNode) return new Worker('/worker.js', { type: 'module' })
  const threads = process.getBuiltinModule('node:worker_threads')
  return new threads.Worker(`${process.cwd()}/node_modules/.cache/charcoal/worker.mjs`)
}

async function withWorker(body: (there: Remote<There>) => Promise<void>): Promise<void> {
  const worker = start()
  try {
    using there = connect<There>(worker)
    await body(there)
  } finally {
    await worker.terminate()
  }
}

test('a worker answers calls, with results and with errors', () =>
  withWorker(async (there) => {
    same(await all([there.add(1, 2), there.add(3, 4)]), [3, 7])
    const error = await rejects(there.fails(), /RangeError: too big/)
    same([error.code, /worker\.entry|worker\.(m?js)/.test(error.stack)], ['EBIG', true])
    await rejects(there.missing(), /the worker has no function missing/)
    await rejects(there.unclonable(), /could not be cloned|clone/i)
    const bytes = new Uint8Array(9)
    same([await there.size(transfer(bytes, [bytes.buffer])), bytes.length], [9, 0])
    await rejects(
      asyncFn(function* () {
        yield* (there.size as any)(() => {})
      })(),
      /could not be cloned|clone/i,
    )
  }))

test('a cancel goes over to the worker, and the call ends when it has ended there', () =>
  withWorker(async (there) => {
    same(await there.stopped(), 0)
    const calling = spawn(there.forever())
    await there.add(1, 1) // by now the other call has begun there
    calling.cancel()
    ok((await rejects(calling, /cancelled/)) instanceof Cancelled)
    same(await there.stopped(), 1)
    same(await race([there.forever(), there.add(2, 2)]), 4)
    same(await there.stopped(), 2)
    same(await timeout(30, there.aborts(), () => 'late'), 'late')
  }))

test('calls in an atomic block wait for the worker, and are no deadlock', () =>
  withWorker(async (there) => {
    same(
      await spawn(() =>
        atomic(function* () {
          return yield* all([there.add(1, 1), there.add(2, 2)])
        }),
      ),
      [2, 4],
    )
  }))

test('when the worker is gone its calls fail', async () => {
  const worker = start()
  const there = connect<There>(worker)
  await there.add(1, 1)
  if (inNode) {
    await rejects(there.end(), /the worker has ended: exit code 3/)
    await rejects(there.add(1, 1), /the worker has ended/)
  } else {
    const waiting = spawn(there.forever())
    there[Symbol.dispose]()
    await rejects(waiting, /connection to the worker was closed/)
  }
  await worker.terminate()
})

test('a port serves like a worker, until it serves no longer', async () => {
  const { port1, port2 } = new MessageChannel()
  let begun = false
  const stop = serve(
    {
      *late() {
        begun = true
        yield* sleep(10_000)
      },
    },
    port1,
  )
  const there = connect<{ late(): void }>(port2)
  const waiting = spawn(function* () {
    yield* wait(there.late())
  })
  await until(() => begun)
  stop()
  await rejects(waiting, /serves no longer/)
  port1.close()
})

test('several connections of one port have each the answers to its own calls', async () => {
  const { port1, port2 } = new MessageChannel()
  const stop = serve(
    {
      *echo(text: string, ms: number) {
        yield* sleep(ms)
        return text
      },
    },
    port2,
  )
  try {
    type Echo = { echo(text: string, ms: number): string }
    const [a, b] = [connect<Echo>(port1), connect<Echo>(port1)]
    const late = spawn(a.echo('late', 99_999))
    same(await Promise.all([a.echo('a', 2), b.echo('b', 1)]), ['a', 'b'])
    const cut = spawn(b.echo('cut', 99_999))
    await b.echo('', 1)
    cut.cancel()
    await rejects(cut, /cancelled/)
    same(late.state, 'running', 'a cancel of one is none of the other')
    late.cancel()
    await rejects(late, /cancelled/)
  } finally {
    stop()
    port1.close()
  }
})

test('the modules of a worker may each serve their functions at its port', async () => {
  const { port1, port2 } = new MessageChannel()
  const calls: string[] = []
  const one = serve({ first: () => calls.push('first'), both: () => calls.push('both, first') }, port2)
  const two = serve({ second: () => calls.push('second'), both: () => calls.push('both, second') }, port2)
  try {
    const there = connect<Record<'first' | 'second' | 'both' | 'none', () => number>>(port1)
    same([await there.first(), await there.second(), await there.both()], [1, 2, 3])
    await rejects(there.none(), /the worker has no function none/)
    one()
    same(await there.both(), 4)
    await rejects(there.first(), /the worker has no function first/)
    same(calls, ['first', 'second', 'both, first', 'both, second'])
  } finally {
    two()
    port1.close()
  }
})

test('what a function throws arrives as it was, or the caller learns that it cannot be copied', async () => {
  const { port1, port2 } = new MessageChannel()
  const thrown: Record<string, unknown> = { text: 'no', none: undefined, like: { error: 'no' }, code: () => {} }
  const stop = serve(
    {
      *throws(name: string) {
        throw thrown[name]
      },
    },
    port1,
  )
  const there = connect<{ throws(name: string): void }>(port2)
  for (const name of ['text', 'none', 'like'])
    same(
      await there.throws(name).then(
        () => 'nothing',
        (error: unknown) => [error],
      ),
      [thrown[name]],
      name,
    )
  await rejects(there.throws('code'), /the worker's throws threw \[object Function\], which cannot be copied/)
  stop()
  port1.close()
})

test('whoever writes a connection into a log calls nothing, and closes nothing', async () => {
  const { port1, port2 } = new MessageChannel()
  const called: string[] = []
  const stop = serve({ add: (a: number, b: number) => (called.push('add'), a + b) }, port1)
  const there = connect<{ add(a: number, b: number): number }>(port2)
  for (const look of [
    () => String(there),
    () => `${there as any}`,
    () => JSON.stringify({ there }),
    () => [...(there as any)],
    () => there instanceof Promise,
    () => Object.prototype.toString.call(there),
  ])
    try {
      look()
    } catch (error) {
      ok(error instanceof TypeError, String(error)) // it has no text, and is no list
    }
  same([await there.add(1, 2), called], [3, ['add']])
  stop()
  port1.close()
})
