/** What legacy code does for a block that waits for it runs in the block, and what it does for others does not. */
import { test, ok, same } from './harness.ts'
import * as lib from './lib.ts'
import { contexts } from '../src/core/asyncContext.ts'
import { Domain } from '../src/core/domain.ts'
import { useDomain } from '../src/core/current.ts'
import { HOSTS, OURS } from './shapes.mjs'

const { asyncFn, atomic, sleep, spawn, wait } = lib

const load = asyncFn(function* load(n: number): Generator<unknown, number, any> {
  yield* sleep(1)
  return n
})
const quick = asyncFn(function* quick(n: number): Generator<unknown, number, any> {
  return n
})

/** From the first use of AsyncLocalStorage on, Node keeps contexts; browsers have none. */
function useContexts(): boolean {
  if (contexts === null) return false
  const { AsyncLocalStorage } = (globalThis as any).process.getBuiltinModule('node:async_hooks')
  new AsyncLocalStorage().run(1, () => {})
  return true
}

/** A test in a domain of its own, so that a block that hangs spoils no other test. */
function testAlone(name: string, body: () => Promise<void>): void {
  test(name, async () => {
    const own = new Domain()
    const before = useDomain(own)
    try {
      await body()
      while (own.live !== null) await new Promise((done) => setTimeout(done, 1))
    } finally {
      useDomain(before)
    }
  })
}

interface Block {
  isOpen: boolean
  result: lib.Activity<unknown>
}

/** A block that waits for what `make` gives. */
function blockOn(make: () => PromiseLike<unknown>, name: string): Block {
  const block = { isOpen: false } as Block
  block.result = spawn(
    function* () {
      return yield* atomic(function* () {
        block.isOpen = true
        try {
          return yield* wait(make())
        } finally {
          block.isOpen = false
        }
      })
    },
    { name },
  )
  return block
}

/** Legacy code that makes calls all the time, between all reactions of a block and with its timers. */
async function makeCalls(block: Block, ran: string[]): Promise<void> {
  const foreign = asyncFn(function* () {
    ran.push(block.isOpen ? 'inside' : 'outside')
  })
  const calls: lib.Call<void>[] = []
  for (let i = 0; i < 60; i++) {
    if (i % 20 === 0) await new Promise((done) => setTimeout(done, 1))
    else await null
    calls.push(foreign())
  }
  await Promise.all(calls)
}

for (const [name, make] of Object.entries(OURS))
  testAlone(`a block ends that waits for ${name}, and nobody else's calls run in it`, async () => {
    const block = blockOn(() => make(lib, { load, quick }), name)
    const ran: string[] = []
    const [got] = await Promise.all([block.result, makeCalls(block, ran)])
    ok(got !== undefined)
    same([ran.length, ran.includes('inside')], [60, false])
  })

for (const [name, make] of Object.entries(HOSTS))
  testAlone(`a block that waits for ${name} ends with the contexts of the host, or says what it holds`, async () => {
    const runs = useContexts()
    const { warn } = console
    const warned = new Promise<string>((told) => (console.warn = told))
    const block = blockOn(() => make(lib, { load, quick }), name)
    try {
      if (runs) {
        const ran: string[] = []
        await Promise.all([block.result, makeCalls(block, ran)])
        same(ran.includes('inside'), false)
      } else {
        const text = await warned
        ok(text.includes(`an atomic block of ${name} waits for a promise, and holds back`), text)
        ok(/\n {2}load\d?, made .*:\d+:\d+/.test(text), text)
        ok(/Remedy: let the block itself wait for the promise/.test(text), text)
      }
    } finally {
      console.warn = warn
      block.result.cancel()
      await block.result.catch(() => {})
    }
  })

testAlone('an activity outside whose promise the block itself has wanted is named when it could go on', async () => {
  const { warn } = console
  const warned = new Promise<string>((told) => (console.warn = told))
  const outside = spawn(
    function* () {
      yield* sleep(1)
    },
    { name: 'outside' },
  )
  const owner = spawn(
    () =>
      atomic(function* () {
        const both = Promise.all([outside, load(1)])
        yield load(2) // another wait comes first
        yield both
      }),
    { name: 'owner' },
  )
  const text = await warned
  console.warn = warn
  ok(/an atomic block of owner waits for a promise, and holds back\n {2}outside(, awaited at .*)?\n/.test(text), text)
  owner.cancel()
  await owner.catch(() => {})
  await outside
})

testAlone('a delayed activity that legacy code of the block waits for is named', async () => {
  const { warn } = console
  const warned = new Promise<string>((told) => (console.warn = told))
  const block = blockOn(async () => {
    await load(1)
    await spawn(() => load(2), { name: 'delayed' })
  }, 'owner')
  const text = await warned
  console.warn = warn
  // In a bundle the library's own functions are taken for those that have made it.
  ok(/an atomic block of owner waits for a promise, and holds back\n {2}delayed(, awaited at .*)?\n/.test(text), text)
  block.result.cancel()
  await block.result.catch(() => {})
})

testAlone('what a block has set in motion belongs, after its end, to the block around it or to none', async () => {
  const log: string[] = []
  const later = (name: string): void =>
    void load(1).then(async () => {
      await quick(1)
      log.push(name)
    })
  const block = spawn(() =>
    atomic(function* () {
      yield* atomic(function* () {
        const done = load(1).then(() => load(2))
        later('of the block inside')
        yield* wait(done)
      })
      yield* wait(load(3).then(() => load(4)).then(() => load(5)))
      log.push('end')
    }),
  )
  const after = spawn(() =>
    atomic(function* () {
      log.push('another block')
      yield* wait(load(1).then(() => load(2)))
      log.push('its end')
    }),
  )
  await Promise.all([block, after])
  same(log, ['of the block inside', 'end', 'another block', 'its end'])
})
