/**
 * Time: what a simulation drives, what it says of timers that are left, the fake clocks of test frameworks, and alarms
 * of the real one.
 */
import { test, ok, same, rejects } from './harness.ts'
import { atomic, future, pause, sleep, spawn, wait, type Activity } from './lib.ts'
import { asyncStacks, develop, explore, record, simulate, StuckError, tracks } from '../src/dev/index.ts'
import { Call } from '../src/core/call.ts'
import { domain } from '../src/core/current.ts'

const real = performance.now.bind(performance)

test('a simulation that is stuck because something has failed says what', async () => {
  const stuck = (): Activity<void> => spawn(() => future<void>().get(), { name: 'left behind' })
  const failed = simulate(function* () {
    stuck()
    yield* sleep(1)
    throw new Error('of the body')
  })
  await rejects(failed, /^Error: of the body$/)
  const error = await rejects(
    simulate(function* () {
      spawn(function* () {
        throw new Error('of another one')
      })
      yield* stuck()
    }),
    /nothing can run any more:\n(.*\n)*.*left behind/,
  )
  ok(error instanceof StuckError && (error.cause as Error).message === 'of another one')
})

test('a simulation drives Date, performance.now and the timers of legacy code', async () => {
  const began = real()
  const { setTimeout: before } = globalThis
  const got = await simulate(function* () {
    const start = [Date.now(), performance.now()]
    const seen: string[] = []
    const interval = setInterval(() => seen.push('interval'), 1000)
    const never = setTimeout(() => seen.push('never'), 500)
    clearTimeout(never)
    yield* wait(new Promise((done) => setTimeout(done, 3_500_000, 'arg')).then((arg) => seen.push(String(arg))))
    clearInterval(interval)
    yield* sleep(100_000)
    const now = new Date()
    ok(now instanceof Date && new Date(0).getTime() === 0)
    return [now.getTime() - start[0], performance.now() - start[1], Date.now() - start[0], seen.length, seen.at(-1)]
  })
  same(got, [3_600_000, 3_600_000, 3_600_000, 3500, 'arg'])
  ok(real() - began < 60_000)
  ok(setTimeout === before)
  same(
    await simulate(
      function* () {
        return new Date().toISOString()
      },
      { epoch: 0 },
    ),
    '1970-01-01T00:00:00.000Z',
  )
  const untouched = await simulate(
    function* () {
      return setTimeout === before
    },
    { globals: false },
  )
  ok(untouched)
})

test('in a simulation Date is the class that it was, for what was made before, within and after', async () => {
  const before = new Date(0)
  let within: Date = before
  const seen = await simulate(
    function* () {
      class Own extends Date {}
      yield* sleep(1000)
      within = new Date()
      const kinds = [before, within, new Own(5)].map((date) => [date instanceof Date, date.constructor.name].join())
      return [...kinds, Date(), Date.name, Date.length, Date.UTC(1970), new Own().getTime(), new Own(5) instanceof Own]
    },
    { epoch: 0 },
  )
  const text = new Date(1000).toString()
  same(seen, ['true,Date', 'true,Date', 'true,Own', text, 'Date', 7, 0, 1000, true])
  same([within instanceof Date, within.constructor === Date, before.constructor === Date], [true, true, true])
})

test('timers of a simulation are used as those of the host, and those of the host are cleared in it', async () => {
  let ofHost = 0
  const early = [1, 2].map(() => setTimeout(() => ofHost++, 0))
  const log = await simulate(function* () {
    const log: unknown[] = []
    const [timeout, interval] = early
    clearTimeout(timeout)
    clearInterval(Number(interval))
    clearTimeout(undefined)
    clearTimeout('none')
    for (const ms of [Infinity, NaN, 2 ** 31]) setTimeout(() => log.push([ms, performance.now() < 5]), ms)
    const handle: any = setTimeout(() => log.push('refreshed'), 10)
    if (typeof handle === 'object') {
      const closed: any = setTimeout(() => log.push('closed'), 10)
      same([handle.hasRef(), handle.unref().hasRef(), handle.ref().hasRef()], [true, false, true])
      yield* sleep(9)
      handle.refresh()
      closed.close()
      yield* sleep(9)
      same(log.length, 3)
    }
    yield* sleep(50)
    try {
      setTimeout('text' as never, 1)
    } catch (error) {
      log.push((error as Error).name)
    }
    return log
  })
  same(log, [[Infinity, true], [NaN, true], [2 ** 31, true], 'refreshed', 'TypeError'])
  await new Promise((done) => setTimeout(done, 5))
  same(ofHost, 0)
})

test('a sleep without an end has none in a simulation either', async () => {
  const endless = simulate(() => sleep(Infinity))
  await rejects(endless, /nothing can run any more:\n.*sleep\(Infinity\)/)
})

test('of several simulations that are begun at once each runs alone, whether in another or beside it', async () => {
  const { setTimeout: before } = globalThis
  const steps: string[] = []
  const body = (name: string) =>
    function* () {
      for (let i = 0; i < 3; i++) {
        const { setTimeout: mine } = globalThis
        yield* wait(new Promise<void>((done) => void Promise.resolve().then(done)))
        yield* spawn(function* () {
          yield* sleep(1)
          steps.push(name)
        })
        ok(setTimeout === mine && setTimeout !== before)
      }
      return name
    }
  const all = [simulate(body('a')), simulate(body('b')), explore(body('c'), { schedules: 3 })]
  const results = await Promise.all(all)
  same([results.slice(0, 2), steps.join('')], [['a', 'b'], 'cccccccccbbbaaa'])
  ok(setTimeout === before)
  const outer = await simulate(function* () {
    const inner = yield* wait(simulate(body('inner')))
    yield* spawn(() => sleep(1))
    return `${inner} in outer`
  })
  same(outer, 'inner in outer')
})

test('a seed that no failure has shown is refused, and an option that simulate does not have is told', async () => {
  for (const seed of ['', 'zzz', 'x3A-', 'A', 'x-A', 'x3a'])
    await rejects(
      explore(function* () {}, { seed }),
      /explore: seed takes the text that a failure has shown/,
    )
  for (const seed of ['x', 'xA', 'x3A', 'x3A-B-1C']) same((await explore(function* () {}, { seed })).schedules, 1)
  const { warn } = console
  const said: string[] = []
  console.warn = (text: string) => said.push(text)
  try {
    await simulate(function* () {}, { steps: 5 } as never)
  } finally {
    console.warn = warn
  }
  ok(said.length === 1 && said[0].startsWith('charcoal: simulate has no option steps; it takes { decide, '), `${said}`)
})

test('tracers may be taken off in any order; each has seen what ran meanwhile, and nothing is left', async () => {
  const ran = (name: string): Activity<void> => spawn(() => sleep(0), { name })
  for (const reversed of [false, true]) {
    performance.clearMeasures()
    const [a, b] = [record(), record()]
    const [first, last] = reversed ? [b, a] : [a, b]
    const stop = tracks()
    await ran('both')
    first.stop()
    first.stop()
    await ran('last')
    stop()
    last.stop()
    await ran('none')
    const seen = (recorder: { lines(): string }) => ['both', 'last', 'none'].filter((n) => recorder.lines().includes(n))
    const measured = new Set(performance.getEntriesByType('measure').map(({ name }) => name))
    same([seen(first), seen(last), [...measured]], [['both'], ['both', 'last'], ['both', 'last']])
    for (const recorder of [first, last]) same(recorder.lines().match(/"type":"end"/g)?.length, 1)
  }
  performance.clearMeasures()
  const { leave } = Call.prototype
  const stops = [asyncStacks(), asyncStacks()]
  stops[0]()
  ok(Call.prototype.leave !== leave)
  stops[1]()
  stops[1]()
  ok(Call.prototype.leave === leave)
  const [developed, again] = [develop(() => {}), develop(() => {})]
  developed()
  ok(domain.site !== null)
  again()
  ok(domain.site === null)
})

test('a simulation that is stuck names the timers that are left, each with the place that began it', async () => {
  const begun = new Function('begin', 'begin(() => {}, 60_000)\n//# sourceURL=http://x/src/app.js')
  const error = await rejects(
    simulate(
      function* () {
        begun(setInterval)
        begun((f: () => void, ms: number) => setTimeout(f, ms)) // the arrow function stands in between
        for (;;) yield* sleep(1)
      },
      { maxSteps: 50 },
    ),
    /unfinished: setInterval\(60000\)/,
  )
  ok(/setInterval\(60000\)[^\n]*x\/src\/app\.js/.test(error.message), error.message)
  ok(/setTimeout\(60000\)[^\n]*(time\.test|browser\.js|\.mjs)/.test(error.message), error.message)
})

test('a fake clock that a test framework has installed drives sleep', async () => {
  const { setTimeout: set, clearTimeout: clear } = globalThis
  const waiting = new Map<number, () => void>()
  let last = 0
  const fake = (f: () => void, ms: number): number => (waiting.set(++last, f), ms > 0 ? last : last)
  Object.assign(globalThis, {
    setTimeout: Object.assign(fake, { clock: {} }),
    clearTimeout: (id: number) => waiting.delete(id),
  })
  try {
    const sleeper = spawn(function* () {
      yield* sleep(60_000)
      return 'done'
    })
    const cancelled = spawn(function* () {
      yield* sleep(60_000)
    })
    // Each look lets the host have a turn: a domain whose slice is over goes on in the next one.
    while (waiting.size < 2) await new Promise((done) => set(done, 0))
    cancelled.cancel()
    await rejects(cancelled, /cancelled/)
    same(waiting.size, 1)
    for (const f of waiting.values()) f()
    same(await sleeper, 'done')
  } finally {
    Object.assign(globalThis, { setTimeout: set, clearTimeout: clear })
  }
})

test('sleeps of one length ring in order, and one that is cancelled does not keep or hurry the others', async () => {
  const log: string[] = []
  const sleeper = (name: string): Activity<void> =>
    spawn(function* () {
      yield* sleep(20)
      log.push(name)
    })
  const all = [sleeper('a'), sleeper('b'), sleeper('c')]
  await spawn(function* () {
    yield* pause() // now they sleep
    all[0].cancel()
    yield* sleep(3)
    const start = real()
    const last = sleeper('d')
    all.push(last)
    yield* last
    ok(real() - start >= 18, 'the last one has slept as long as the others')
  })
  same(
    [log, (await Promise.allSettled(all)).map((r) => r.status)],
    [
      ['b', 'c', 'd'],
      ['rejected', 'fulfilled', 'fulfilled', 'fulfilled'],
    ],
  )
})

test('who is woken may cancel another whose time has come, and sleep again', async () => {
  const log: string[] = []
  const second = (): Activity<void> => pair[1]
  const pair = [
    spawn(function* () {
      yield* sleep(5)
      second().cancel()
      log.push('first')
      yield* sleep(5)
      log.push('again')
    }),
    spawn(function* () {
      yield* sleep(5)
      log.push('second')
    }),
  ]
  same(
    (await Promise.allSettled(pair)).map((r) => r.status),
    ['fulfilled', 'rejected'],
  )
  same(log, ['first', 'again'])
})

test('activities and blocks are tracks of the Performance panel', async () => {
  performance.clearMeasures()
  const stop = tracks()
  await spawn(
    function* () {
      yield* sleep(1)
      yield* atomic(function* moveMoney() {
        yield* sleep(1)
      })
    },
    { name: 'teller' },
  )
  stop()
  await spawn(function* () {}, { name: 'unseen' })
  const entries = performance.getEntriesByType('measure') as PerformanceMeasure[]
  const on = (track: string) => entries.filter((e) => e.detail.devtools.track === track)
  // Three stretches; more if a slow machine ends a time slice.
  const stretches = on('Activities').map((e) => e.name)
  same(
    [stretches.length >= 3, [...new Set(stretches)], on('Atomic blocks').map((e) => e.name)],
    [true, ['teller'], ['moveMoney']],
  )
  same(on('Activities')[0].detail.devtools.properties, [['then waits for', 'sleep(1)']])
  performance.clearMeasures()
})
