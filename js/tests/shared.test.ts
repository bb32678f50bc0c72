/** One call, operation or promise that several wait for; promises that are promises by their `then` alone. */
import {
  asyncFn,
  atomic,
  channel,
  deadline,
  finish,
  mutex,
  pause,
  select,
  self,
  sleep,
  spawn,
  wait,
  type Operation,
} from '../src/index.ts'
import { all, race, timeout } from '../src/ops.ts'
import { ok, rejects, same, test } from './harness.ts'

const load = asyncFn(function* (result: string) {
  yield* sleep(2)
  if (result === '') throw new Error('nothing')
  return result
})

/** Two activities ask for what `make` gives; the results, or messages of errors. */
function* asked(make: () => any): Generator<unknown, unknown[], any> {
  const ask = function* (): Generator<unknown, unknown, any> {
    try {
      return yield* wait(make())
    } catch (error) {
      return (error as Error).message
    }
  }
  const [a, b] = [spawn(ask), spawn(ask)]
  const found = [yield* a, yield* b, yield* ask()]
  return found
}

for (const [what, result, want] of [
  ['result', 'page', 'page'],
  ['error', '', 'nothing'],
]) {
  test(`a call kept for others has one ${what} for all who ask, whoever ran it`, function* () {
    const cache: { page?: unknown } = {}
    same(yield* asked(() => (cache.page ??= load(result))), [want, want, want], 'run by the first who asked')
    const call = load(result)
    same(yield* asked(() => call), [want, want, want], 'made before')
    cache.page = undefined
    same(yield* asked(() => (cache.page ??= atomic(load(result)))), [want, want, want], 'atomic')
  })
}

test('a call that runs in an activity can be awaited from legacy code, and spawned', async () => {
  const call = load('page')
  const kept: Promise<string>[] = []
  const runner = spawn(function* () {
    const inner = load('inner')
    kept.push(wait(sleep(1)) as never)
    spawn(function* () {
      kept[0] = inner.then((text) => `${text}, awaited`)
      kept[1] = spawn(inner)
    })
    return yield* inner
  })
  same(
    [await call, await call, await runner, ...(await Promise.all(kept))],
    ['page', 'page', 'inner', 'inner, awaited', 'inner'],
  )
})

test('an operation other than a call is of one branch: another that waits with it is told', function* () {
  const tick = sleep(2)
  const first = spawn(() => tick)
  yield* sleep(1)
  let message = ''
  try {
    yield* tick
  } catch (error) {
    message = (error as Error).message
  }
  same(message, 'another branch waits with this operation already: make one for each')
  yield* first
})

test('a generator is run once: who is given it again is told, and the first is not disturbed', function* () {
  const call = asyncFn(function* () {
    yield* sleep(2)
    return 'called'
  })
  const other = channel<string>()
  const bodies: Record<string, (log: unknown[]) => Generator<unknown, string, any>> = {
    *'without a wait'(log) {
      log.push('once')
      return 'end'
    },
    *sleep(log) {
      for (let i = 0; i < 2; i++) log.push(yield* sleep(2))
      return 'end'
    },
    *call(log) {
      for (let i = 0; i < 2; i++) log.push(yield* call())
      return 'end'
    },
    *promise(log) {
      for (let i = 0; i < 2; i++) log.push(yield* wait(call()))
      return 'end'
    },
    *choice(log) {
      for (let i = 0; i < 2; i++) log.push((yield* select({ late: sleep(2), other: other.recv() })).key)
      return 'end'
    },
    *finish() {
      return yield* finish(function* () {
        yield* sleep(1)
        return 'end'
      })
    },
  }
  const runners: Record<string, (gen: Generator<unknown, string, any>) => PromiseLike<unknown>> = {
    spawn: (gen) => spawn(gen),
    atomic: (gen) => spawn(() => atomic(gen)),
    finish: (gen) => spawn(() => finish(gen)),
    all: (gen) => spawn(() => all([gen])),
    race: (gen) => spawn(() => race([gen])),
    timeout: (gen) => spawn(() => timeout(99, gen)),
    yield: (gen) =>
      spawn(function* () {
        return (yield gen) as unknown
      }),
  }
  const outcome = (what: PromiseLike<unknown>): PromiseLike<unknown> => what.then(String, String)
  const told = 'Error: this call has been run already: call the function again'
  for (const [name, body] of Object.entries(bodies))
    for (const [first, run] of Object.entries(runners))
      for (const [second, runAgain] of Object.entries(runners)) {
        const [alone, log]: unknown[][] = [[], []]
        yield* wait(outcome(run(body(alone))))
        const gen = body(log)
        const both = Promise.all([outcome(run(gen)), outcome(runAgain(gen))])
        const text = `${name}, ${first}, ${second}`
        same(yield* wait(both), ['end', told], text)
        same(log, alone, text)
        same(yield* wait(outcome(runAgain(gen))), told, text)
      }
})

test('a generator that two activities run with yield* is told at the wait of the first', function* () {
  const call = asyncFn(function* () {
    yield* sleep(2)
  })
  const jobs = channel<number>()
  const waits: Record<string, () => Operation<unknown>> = {
    sleep: () => sleep(2),
    call: () => call(),
    recv: () => jobs.recv(),
    'a call of a generator function': () =>
      (function* () {
        yield* sleep(2)
      })(),
  }
  for (const [name, make] of Object.entries(waits)) {
    const gen = (function* () {
      yield* make()
      yield* make()
    })()
    const run = () =>
      spawn(function* () {
        yield* gen
      })
    const first = run()
    const text = yield* wait(run().then(String, String))
    ok(/another branch waits with this operation already/.test(text), `${name}: ${text}`)
    first.cancel()
    yield* wait(first.catch(() => {}))
  }
})

class Lazy extends Promise<string> {
  static override get [Symbol.species](): PromiseConstructor {
    return Promise
  }
  override then(...reactions: any[]): Promise<any> {
    return Promise.resolve('lazy').then(...reactions)
  }
}

/** A promise for `instanceof` alone, as p-cancelable makes it. */
class Imitation {
  then(ok: (value: string) => void): void {
    ok('imitation')
  }
}
Object.setPrototypeOf(Imitation.prototype, Promise.prototype)

test('what looks like a promise is asked by its own `then`, as `await` does', function* () {
  for (const [make, want] of [
    [() => new Lazy(() => {}), 'lazy'],
    [() => new Imitation(), 'imitation'],
  ] as [() => Promise<string>, string][]) {
    same(yield* wait(make()), want)
    same(yield make(), want)
    same((yield* select({ it: make(), late: sleep(5) })).value, want)
  }
})

test('who waits for its own end is told, and a select of nothing as well', async () => {
  await rejects(
    spawn(function* () {
      yield* self()!
    }),
    /waits for its own end/,
  )
  await rejects(
    spawn(() => select({})),
    /a select of nothing would never end/,
  )
})

test('a promise made of a call inside a block runs the call inside it', async () => {
  const length = await spawn(() => atomic(() => wait(load('page').then((text) => text.length))))
  same(length, 4)
})

test('who only gives way leaves the host its turns', async () => {
  let turns = 0
  const timer = setInterval(() => turns++, 1)
  await spawn(function* () {
    while (turns < 3) yield* pause()
  })
  clearInterval(timer)
})

test('an error of a cancel tells no more than its message', async () => {
  const task = spawn(sleep(99999))
  await sleep(1)
  task.cancel('enough')
  const error = await rejects(task, /cancelled: enough/)
  same(JSON.parse(JSON.stringify(error)), { name: 'Cancelled', code: 'ECANCELED' })
})

test('the body of finish, deadline and with may be an async function', function* () {
  const five = async (): Promise<number> => 5
  same(
    [yield* finish(five as never), yield* deadline(99, five as never), yield* mutex().with(five as never)],
    [5, 5, 5],
  )
})
