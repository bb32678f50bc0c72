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
