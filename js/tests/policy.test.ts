/** What becomes of what is begun in an atomic block: the policies of the block, and of the single spawn. */
import { test, ok, same, throws } from './harness.ts'
import { asyncFn, atomic, describeActivities, sleep, spawn, type Activity } from './lib.ts'
import { enforce, explore, simulate } from '../src/dev/index.ts'
import { all } from '../src/ops.ts'

/** What runs, in order, when a block with this policy spawns one that waits, beside one that is outside. */
function* story(spawns: 'delay' | 'contained' | 'free', contained?: boolean): Generator<unknown, string[], any> {
  const log: string[] = []
  const outside = spawn(function* () {
    yield* sleep(1)
    log.push('outside')
  })
  let child!: Activity<void>
  yield* atomic(
    function* () {
      child = spawn(
        function* () {
          log.push('child begins')
          yield* sleep(5)
          log.push('child ends')
        },
        { contained },
      )
      yield* sleep(2)
      log.push('body ends')
    },
    { spawns },
  )
  log.push('after')
  yield* child
  yield* outside
  return log
}

test('a block delays what is spawned in it, contains it, or lets it go on after its end', async () => {
  const run = (...args: Parameters<typeof story>) => simulate(() => story(...args))
  same(await run('delay'), ['body ends', 'after', 'child begins', 'outside', 'child ends'])
  same(await run('contained'), ['child begins', 'body ends', 'child ends', 'after', 'outside'])
  same(await run('free'), ['child begins', 'body ends', 'after', 'outside', 'child ends'])
  same(await run('contained', false), await run('delay'))
  same(await run('delay', true), await run('contained'))
})

test('under every schedule nothing of the outside runs in a block, whatever its policy', async () => {
  for (const spawns of ['contained', 'free'] as const) {
    await explore(
      function* () {
        let inside = false
        const intruder = spawn(function* () {
          for (let i = 0; i < 3; i++) {
            ok(!inside, 'the outside ran in the block')
            yield* sleep(1)
          }
        })
        const children: Activity<void>[] = []
        yield* atomic(
          function* () {
            inside = true
            for (let i = 0; i < 2; i++)
              children.push(
                spawn(function* () {
                  yield* sleep(i)
                  yield* atomic(function* () {
                    yield* sleep(1)
                  })
                }),
              )
            yield* sleep(1)
            inside = false
          },
          { spawns },
        )
        if (spawns === 'contained')
          same(
            children.map((c) => c.state),
            ['done', 'done'],
          )
        for (const child of children) yield* child
        yield* intruder
      },
      { schedules: 100 },
    )
  }
})

test('with spawns: error a spawn throws, what is awaited runs, and a call that nobody awaits is delayed', async () => {
  const load = asyncFn(function* (n: number) {
    yield* sleep(1)
    return n
  })
  await simulate(function* () {
    let floating: unknown
    yield* atomic(
      function* () {
        try {
          spawn(function* () {})
          ok(false)
        } catch (error) {
          ok(/spawns: 'error'/.test(String(error)))
        }
        same([yield* load(1), yield* all([load(2), load(3)])], [1, [2, 3]])
        floating = load(4).then((n) => n)
      },
      { spawns: 'error' },
    )
    same(yield floating, 4)
    // The policy is that of its block alone.
    yield* atomic(function* () {
      spawn(function* () {})
    })
  })
})

// Not held back by `enforce`.
const { setTimeout: realTimeout } = globalThis
const tick = (): Promise<void> => new Promise((done) => realTimeout(done, 1))

/** What runs, in order, when legacy code registers continuations in a block that waits for them. */
async function registered(): Promise<string[]> {
  const log: string[] = []
  const note = (text: string) => (): void => void log.push(text)
  const never = (): unknown => setTimeout(note('never'), 60_000)
  const body = function* (): Generator<unknown, void, any> {
    setTimeout(() => {
      log.push('timer')
      void Promise.resolve().then(note('reaction of the timer'))
    }, 5)
    clearTimeout(never() as number)
    clearTimeout(Number(never()))
    clearInterval(setInterval(note('never'), 60_000))
    void Promise.reject(new Error('no')).then(note('never')).catch(note('caught'))
    queueMicrotask(note('microtask'))
    log.push('body')
  }
  const enforcement = enforce()
  try {
    const block = spawn(function* () {
      yield* atomic(body, { continuations: 'wait' })
      log.push('after')
    })
    const outside = spawn(function* () {
      log.push('outside')
    })
    await Promise.all([block, outside])
    // One that waits for none ends, although what was registered in it never runs.
    await spawn(() =>
      atomic(
        function* () {
          void new Promise(() => {}).then(note('never'))
        },
        { continuations: 'ignore' },
      ),
    )
  } finally {
    enforcement.undo()
  }
  return log
}

test('a block may wait for the continuations that were registered in it, and for theirs', async () => {
  const inside = ['body', 'caught', 'microtask', 'reaction of the timer', 'timer']
  const log = await registered()
  same(log.slice(0, 5).sort(), inside)
  same(log.slice(5).sort(), ['after', 'outside'])
  throws(() => atomic(function* () {}, { continuations: 'wait' }), /needs enforce\(\) of charcoal-js\/dev/)
})

test('timers that the host keeps behind getters, as Deno does, are held and waited for, too', async () => {
  const names = ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'queueMicrotask'] as const
  const own = names.map((name) => Object.getOwnPropertyDescriptor(globalThis, name)!)
  names.forEach((name, i) => {
    const value = globalThis[name]
    Object.defineProperty(globalThis, name, { get: () => value, configurable: true, enumerable: true })
  })
  try {
    const log = await registered()
    same(log.slice(0, 5).sort(), ['body', 'caught', 'microtask', 'reaction of the timer', 'timer'])
    ok(Object.getOwnPropertyDescriptor(globalThis, 'setTimeout')!.get !== undefined, 'the getter is back')
  } finally {
    names.forEach((name, i) => Object.defineProperty(globalThis, name, own[i]))
  }
})

test('a block that waits for a continuation says so, and holds nothing up when that fails', async () => {
  const enforcement = enforce()
  const failures: string[] = []
  const note = (error: unknown): void => void failures.push(String(error))
  let settle = (): void => {}
  try {
    const block = spawn(
      function* () {
        yield* atomic(
          function* () {
            void new Promise<void>((done) => (settle = done))
              .then(() => {
                throw new Error('no')
              })
              .catch(note)
          },
          { continuations: 'wait' },
        )
      },
      { name: 'owner' },
    )
    while (!describeActivities().includes('the end of 2 activities and continuations')) await tick()
    settle()
    await block
  } finally {
    enforcement.undo()
  }
  same(failures, ['Error: no'])
})
