/** Legacy continuations and atomic blocks: detected in development mode, held back by `enforce`. */
import { test, ok, same } from './harness.ts'
import { spawn, atomic, sleep, wait, finish } from './lib.ts'
import { develop, enforce, type Foreign } from '../src/dev/index.ts'

const tick = (ms: number): Promise<void> => new Promise((done) => setTimeout(done, ms))

test('enforce holds back timers, microtasks, events and reactions until the block has ended', async () => {
  const log: string[] = []
  const own = ['event', 'own timer', 'own microtask', 'own then', 'own again']
  const e = enforce()
  try {
    const target = new EventTarget()
    const listener = (): void => void log.push('event')
    target.addEventListener('x', listener)
    const { port1, port2 } = new MessageChannel()
    const onMessage = { handleEvent: () => void log.push('message') }
    port1.addEventListener('message', onMessage as EventListenerObject)
    port1.start()
    let open: (v: string) => void = () => {}
    const gate = new Promise<string>((done) => (open = done))
    const derived = gate.then((v) => void log.push(`then ${v}`))
    const failing = gate
      .then(() => {
        throw new Error('held error')
      })
      .catch((error) => log.push(String(error)))
    setTimeout(() => log.push('timer'), 1)
    await spawn(function* () {
      yield* atomic(function* () {
        port2.postMessage(1)
        open('gate')
        target.dispatchEvent(new Event('x')) // dispatched by the block itself
        setTimeout(() => log.push('own timer'), 1)
        queueMicrotask(() => log.push('own microtask'))
        Promise.resolve(1)
          .then(() => log.push('own then'))
          .then(() => setTimeout(() => log.push('own again'), 1))
        while (!own.every((what) => log.includes(what)) || e.held < 4) yield* sleep(1)
        yield* wait(Promise.resolve())
        log.push('block ends')
      })
    })
    await derived
    await failing
    while (!log.includes('message') || !log.includes('timer')) await tick(1)
    target.removeEventListener('x', listener)
    target.dispatchEvent(new Event('x'))
    port1.removeEventListener('message', onMessage as EventListenerObject)
    port1.close()
    const at = (what: string): number => log.indexOf(what)
    const end = at('block ends')
    for (const what of own) ok(at(what) < end, `${what} ran in the block: ${log}`)
    for (const held of ['timer', 'then gate', 'message', 'Error: held error'])
      ok(at(held) > end, `${held} was held back: ${log}`)
    same(log.filter((l) => l === 'event').length, 1)
  } finally {
    e.undo()
  }
})

test('enforce holds back in one block what an earlier block has registered', async () => {
  const log: string[] = []
  const e = enforce()
  try {
    let open = (): void => {}
    const gate = new Promise<void>((done) => (open = done))
    await spawn(function* () {
      yield* atomic(function* () {
        void gate.then(() => log.push('reaction of the first block'))
      })
      yield* atomic(function* () {
        open()
        yield* sleep(1)
        log.push('second block ends')
      })
    })
    while (log.length < 2) await tick(1)
    same(log, ['second block ends', 'reaction of the first block'])
  } finally {
    e.undo()
  }
})

test('undoing enforce lets what is held run', async () => {
  const log: string[] = []
  const e = enforce()
  setTimeout(() => log.push('timer'), 1)
  await spawn(function* () {
    yield* atomic(function* () {
      while (e.held === 0) yield* sleep(1)
      same(log, [])
      e.undo()
      same(log, ['timer'])
    })
  })
})

test('after undo nothing is held back, nor lost, of what was registered before', async () => {
  let ran = 0
  const e = enforce()
  setTimeout(() => ran++, 1)
  e.undo()
  await spawn(function* () {
    yield* atomic(function* () {
      while (ran === 0) yield* sleep(1)
    })
  })
  same(ran, 1)
})

test('a listener that was added under enforce can be removed, and is not added twice, after undo and before', () => {
  let heard = 0
  const listener = (): number => heard++
  const [early, other] = [new EventTarget(), new EventTarget()]
  const sent = (target: EventTarget): number => {
    heard = 0
    target.dispatchEvent(new Event('x'))
    return heard
  }
  early.addEventListener('x', listener)
  const e = enforce()
  try {
    early.addEventListener('x', listener)
    other.addEventListener('x', listener)
    same([sent(early), sent(other)], [1, 1])
    early.removeEventListener('x', listener)
    same([sent(early), sent(other)], [0, 1])
    early.addEventListener('x', listener)
  } finally {
    e.undo()
  }
  early.addEventListener('x', listener)
  same([sent(early), sent(other)], [1, 1])
  for (const target of [early, other]) target.removeEventListener('x', listener)
  same([sent(early), sent(other)], [0, 0])
})

test('a listener belongs to the block that has added it last, which does not hold it back', async () => {
  const { port1, port2 } = new MessageChannel()
  let heard = 0
  const listener = (): number => heard++
  const e = enforce()
  try {
    port1.addEventListener('message', listener)
    port1.removeEventListener('message', listener)
    await spawn(function* () {
      yield* atomic(function* () {
        port1.addEventListener('message', listener)
        port1.start()
        port2.postMessage(1)
        while (heard + e.held === 0) yield* sleep(1)
      })
    })
    same([heard, e.held], [1, 0])
  } finally {
    e.undo()
    port1.close()
  }
})

test('what is cleared or removed while it is held back does not run', async () => {
  const ran: string[] = []
  const e = enforce()
  const { port1, port2 } = new MessageChannel()
  try {
    const timers = ['a timer', 'another'].map((name) => setTimeout(() => ran.push(name), 1))
    const [removed, aborted, kept] = ['removed', 'aborted', 'kept'].map((name) => () => void ran.push(name))
    const controller = new AbortController()
    port1.addEventListener('message', removed)
    port1.addEventListener('message', aborted, { signal: controller.signal })
    port1.addEventListener('message', kept)
    port1.start()
    await spawn(function* () {
      yield* atomic(function* () {
        port2.postMessage(1)
        while (e.held < 5) yield* sleep(1)
        clearTimeout(timers[0])
        clearInterval(timers[1])
        port1.removeEventListener('message', removed)
        controller.abort()
      })
    })
    while (ran.length === 0) await tick(1)
    await tick(1)
    same(ran, ['kept'])
  } finally {
    e.undo()
    port1.close()
  }
})

test('of two enforcements either may be undone first, and then the other holds back alone', async () => {
  const native = setTimeout
  for (const second of [true, false]) {
    const both = [enforce(), enforce()]
    const [first, last] = second ? both.reverse() : both
    let ran = 0
    setTimeout(() => ran++, 1)
    await spawn(function* () {
      yield* atomic(function* () {
        while (first.held + last.held === 0) yield* sleep(1)
        first.undo()
        first.undo()
        setTimeout(() => {}, 1)
        yield* sleep(5)
        same(ran, 0)
      })
      yield* atomic(sleep(0), { continuations: 'wait' })
    })
    while (ran === 0) await tick(1)
    same(ran, 1)
    last.undo()
    ok(setTimeout === native)
  }
})

test('development mode tells of a finish that nobody has waited for, and only of that one', async () => {
  const { gc } = globalThis as { gc?: () => void }
  if (gc === undefined) return // a browser
  const { warn } = console
  const said: string[] = []
  console.warn = (text: string) => said.push(text)
  const stop = develop(() => {})
  try {
    await spawn(function* () {
      yield* finish(function* () {})
      finish(function* forgotten() {})
    })
    while (said.length === 0) {
      await tick(1)
      gc()
    }
    await tick(1)
  } finally {
    stop()
    console.warn = warn
  }
  const told = 'charcoal: nobody has waited for finish(…), so it has done nothing'
  same([said.length, said[0].slice(0, told.length)], [1, told])
  ok(/:\d+:\d+/.test(said[0].split('\n')[1]), said[0])
})

test('development mode reports legacy continuations inside a block, and not those of the block itself', async () => {
  const found: Foreign[] = []
  const stop = develop((f) => found.push(f))
  try {
    let seen = 0
    async function helper(): Promise<number> {
      await Promise.resolve()
      await tick(1)
      return 1
    }
    const outsider = setInterval(() => seen++, 1)
    await spawn(
      function* () {
        yield* atomic(function* () {
          yield* wait(helper())
          const before = seen
          while (seen === before) yield* sleep(1)
        })
        yield* finish(function* () {})
      },
      { name: 'guarded' },
    )
    clearInterval(outsider)
    ok(found.length >= 1 && found.every((f) => f.block === 'guarded'), JSON.stringify(found))
    ok(
      found.some((f) => /Timeout|setInterval/.test(f.kind)),
      JSON.stringify(found.map((f) => f.kind)),
    )
  } finally {
    stop()
  }
})
