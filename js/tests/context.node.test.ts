/** AsyncLocalStorage goes with activities as with native async functions. */
import { AsyncLocalStorage, AsyncResource } from 'node:async_hooks'
import { EventEmitter } from 'node:events'
import { ok, same, test } from './harness.ts'
import '../src/node/asyncContext.ts'
import {
  async,
  asyncFn,
  atomic,
  channel,
  Clause,
  deadline,
  finish,
  local,
  mutex,
  signal,
  sleep,
  spawn,
  wait,
  waituntil,
} from './lib.ts'
import { asyncStacks, random } from '../src/dev/index.ts'
import { all, group, map, timeout } from '../src/ops.ts'
import * as runtime from '../src/plugin/runtime.ts'
import { transform } from '../src/plugin/transform.ts'
import { isKnown, told, transformed } from './told.ts'
import { randomProgram } from './written.ts'

const storage = new AsyncLocalStorage<string>()
const store = (): string => storage.getStore() ?? 'none'
const hop = (): Promise<void> => new Promise((done) => setTimeout(done, 1))

test('each activity has the stores of who spawned it, whoever wakes it', async () => {
  const lock = mutex()
  const box = channel<string>(0)
  const seen: Record<string, string[]> = {}
  const work = asyncFn(function* (name: string): Generator<unknown, void, any> {
    const note = (): void => void (seen[name] ??= []).push(store())
    note()
    yield* sleep(1)
    note()
    yield* lock.with(function* () {
      note()
      yield* wait(hop())
      note()
    }) // handed over by the one before
    yield* atomic(function* () {
      note()
      yield* sleep(0)
      note()
    })
    yield* finish(function* () {
      yield* async(function* () {
        yield* sleep(0)
        note()
      })
    })
    yield* waituntil(box.recv().do(note)).or(sleep(20).do(note))
    yield* spawn(function* () {
      yield* sleep(0)
      note()
    })
    note()
  })
  const all = ['A', 'B', 'C'].map((name) => storage.run(name, () => work(name)))
  await hop()
  await spawn(function* () {
    for (let i = 0; i < 2; i++) yield* waituntil(box.send('x')).or(sleep(30))
  })
  await Promise.all(all)
  for (const name of ['A', 'B', 'C']) same(new Set(seen[name]), new Set([name]))
  same(store(), 'none')
})

test('code that the run loop calls for an activity has its stores: thenables, clauses, bodies of blocks', async () => {
  const wrong = new Set<string>()
  const work = (name: string) =>
    function* (): Generator<unknown, void, any> {
      const note = (what: string): void => void (store() === name || wrong.add(`${what}: ${store()}, not ${name}`))
      const then = (how: string): any => ({
        then(ok: (n: number) => void) {
          note(how)
          ok(1)
        },
      })
      class Later extends Clause<number> {
        poll(): boolean {
          note('poll')
          return false
        }
        override register(): void {
          note('register')
          setTimeout(() => this.fireFromHost(1), 1)
        }
        override withdraw(): void {}
        describe(): string {
          return 'later'
        }
      }
      yield* sleep(1)
      yield* wait(then('wait'))
      yield then('yield')
      yield* waituntil(then('waituntil')).or(sleep(99))
      yield* new Later()
      // Now and then the run loop opens the block.
      for (let i = 0; i < 1000; i++)
        yield* atomic(() => {
          note('block')
          return wait(i)
        })
    }
  await Promise.all(['A', 'B', 'C'].map((name) => storage.run(name, () => spawn(work(name)))))
  same([...wrong], [])
})

test('a call made inside run has its store to the end, and its caller keeps its own', async () => {
  const inner = asyncFn(function* (): Generator<unknown, string[], any> {
    const before = store()
    yield* sleep(1)
    return [before, store(), ...(yield* deeper())]
  })
  const deeper = asyncFn(function* (): Generator<unknown, string[], any> {
    yield* wait(hop())
    return [store()]
  })
  const outer = asyncFn(function* (): Generator<unknown, unknown, any> {
    const nested = yield* storage.run('inner', () => inner())
    const later = storage.run('spawned', () => inner())
    const block = yield* storage.run('block', () =>
      atomic(function* () {
        yield* sleep(1)
        return store()
      }),
    )
    try {
      yield* storage.run('failing', () =>
        asyncFn(function* () {
          yield* sleep(1)
          throw new Error('x')
        })(),
      )
    } catch {
      /* the caller's again */
    }
    return [nested, yield* later, block, store()]
  })
  same(await storage.run('outer', () => outer()), [
    ['inner', 'inner', 'inner'],
    ['spawned', 'spawned', 'spawned'],
    'block',
    'outer',
  ])
})

test('a call that is kept has the store of where it was made, whatever its caller does next', async () => {
  const load = asyncFn(function* () {
    const before = store()
    yield* sleep(1)
    return `${before}, ${store()}`
  })
  const does: Record<string, () => unknown> = {
    'calls inside run': () => storage.run('B', () => load()),
    'spawns inside run': () => storage.run('B', () => spawn(load)),
    'awaits inside run': () => storage.run('B', () => load().then(() => {})),
    'awaits it inside run': () => null,
  }
  for (const [name, next] of Object.entries(does)) {
    const main = function* (): Generator<unknown, string, any> {
      const kept = load()
      const other = next() ?? storage.run('B', () => kept.then(() => {}))
      const result: string = yield* kept
      yield* wait(other)
      return `${result}, ${store()}`
    }
    same([name, await storage.run('A', () => spawn(main))], [name, 'A, A, A'])
  }
})

test('a call made in exit, or in what is bound to a context, has the stores of there, as natively', async () => {
  const hopped = async (): Promise<string> => {
    await hop()
    return store()
  }
  const ours = asyncFn(function* (): Generator<unknown, string, any> {
    yield* sleep(1)
    return store()
  })
  const resource = storage.run('resource', () => new AsyncResource('test'))
  const bound = storage.run('bound', () => AsyncResource.bind((f: () => any) => f()))
  const kept = storage.run('kept', () => AsyncLocalStorage.snapshot())
  const ways: ((f: () => any) => any)[] = [
    (f) => storage.exit(f),
    (f) => resource.runInAsyncScope(f),
    (f) => bound(f),
    (f) => kept(f),
    (f) => storage.run('run', () => storage.exit(() => resource.runInAsyncScope(f))),
  ]
  for (const way of ways) {
    const native = await storage.run('outer', async () => [await way(hopped), store()])
    const inside = spawn(function* () {
      return [yield* way(ours), store()]
    })
    same(await storage.run('outer', () => inside), [native[0], 'none'])
    const outer = storage.run('outer', () =>
      spawn(function* () {
        return [yield* way(ours), store()]
      }),
    )
    same([await outer, await storage.run('outer', () => way(ours))], [native, native[0]])
  }
})

test('an operation made inside run has its store, whoever waits for it', async () => {
  const lock = mutex()
  const body = function* (): Generator<unknown, string[], any> {
    const before = store()
    yield* sleep(1)
    return [before, store()]
  }
  const makes: Record<string, () => Promise<string[]> | PromiseLike<string[] | undefined>> = {
    with: () => lock.with(body),
    'with of a promise': () => lock.with(async () => [store(), await hop().then(store)]),
    finish: () => finish(body),
    deadline: () => deadline(999, body),
    all: () => all([() => store(), hop().then(store)]),
    map: () => map([1, 2], store),
    timeout: () => timeout(999, body),
  }
  for (const [name, make] of Object.entries(makes)) {
    const seen = await Promise.all(['A', 'B'].map((s) => storage.run(s, make)))
    const inActivity = spawn(function* () {
      const own = storage.run('C', make) as any
      const result: string[] = yield* own
      return [...result, store()]
    })
    same(
      [name, seen, await inActivity],
      [
        name,
        [
          ['A', 'A'],
          ['B', 'B'],
        ],
        ['C', 'C', 'none'],
      ],
    )
  }
})

test('what is started in a group has the stores of who starts it, and not of who has made the group', async () => {
  const tasks = storage.run('maker', () => group())
  const items: Record<string, () => any> = {
    generator: function* () {
      const before = store()
      yield* sleep(1)
      return [before, store()]
    },
    'async function': async () => [store(), await hop().then(store)],
    call: asyncFn(function* () {
      const before = store()
      yield* sleep(1)
      return [before, store()]
    }),
  }
  for (const [name, item] of Object.entries(items)) {
    const start = (): Promise<unknown> => tasks.start(name === 'call' ? item() : item)
    const seen = await Promise.all(['A', 'B'].map((s) => storage.run(s, start)))
    same(
      [name, seen],
      [
        name,
        [
          ['A', 'A'],
          ['B', 'B'],
        ],
      ],
    )
  }
  await tasks.done()
})

test('what listens to the signal of a scope has its stores, whoever cancels it', async () => {
  const seen: string[] = []
  const limited = (name: string): Promise<void> =>
    deadline(5, function* (scope) {
      scope.signal.addEventListener('abort', () => seen.push(`${name} ${store()}`))
      yield* sleep(99999)
    }).catch(() => {}) as Promise<void>
  // Times of one length share a timer of the host.
  await Promise.all(['A', 'B'].map((name) => storage.run(name, () => limited(name))))
  same(seen, ['A A', 'B B'])
  const task = storage.run('C', () =>
    spawn(function* () {
      signal().addEventListener('abort', () => seen.push(`C ${store()}`))
      yield* sleep(99999)
    }),
  )
  await hop()
  storage.run('D', () => task.cancel())
  await task.catch(() => {})
  same(seen.slice(2), ['C C'])
})

test('what enterWith enters stays, in this activity alone', async () => {
  const one = spawn(function* () {
    storage.enterWith('entered')
    yield* sleep(2)
    return store()
  })
  const two = storage.run('two', () =>
    spawn(function* () {
      yield* sleep(1)
      return store()
    }),
  )
  same([await one, await two], ['entered', 'two'])
})

test('transformed functions keep their stores as native ones do', async () => {
  const source = `async function leaf() { await hop(); return store() }
    async function request() { atomic: { await hop(); const a = store();
      return [a, await leaf(), await storage.run('in', () => leaf()), store()] } }`
  const make = (text: string): (() => Promise<unknown>) =>
    new Function('charcoal$', 'hop', 'store', 'storage', `${text}\nreturn request`)(runtime, hop, store, storage)
  const ours = make(transform(source, { all: true })!.code.replace(/import .*?;/, ''))
  const native = make(source)
  const run = (f: () => Promise<unknown>): Promise<unknown> =>
    Promise.all(['x', 'y'].map((name) => storage.run(name, f)))
  same(await run(ours), await run(native))
})

test('random plain programs have the stores that they have natively', async () => {
  const first = Number(process.env.CHARCOAL_SEED ?? 1)
  const rounds = Number(process.env.CHARCOAL_ROUNDS ?? 30)
  const using = isKnown('await using x = null') && Symbol.asyncDispose !== undefined
  const hooks = { AsyncLocalStorage, AsyncResource, EventEmitter }
  const stores = new Set<string>()
  for (let seed = first; seed < first + rounds; seed++) {
    const source = randomProgram(random(seed), { strict: seed % 2 === 1, using, stores: true })
    const native = await told(source, false, hooks)
    for (const line of native) stores.add(/^"\d+ (\w+)"/.exec(line)?.[1]!.replace(/\d+/, '') ?? '')
    const code = transformed(source)
    for (const inActivity of [false, true])
      same((await told(code, inActivity, hooks)).join('\n'), native.join('\n'), `program ${seed}`)
  }
  for (const name of ['', 'none', 'e', 'bound', 'kept', 'resource'])
    ok(stores.has(name), `no program tells the store ${name}, but ${[...stores]}`)
})

test('a local variable is inherited by what is spawned, and then their own', async () => {
  const user = local('nobody')
  same(
    await spawn(function* () {
      user.value = 'ann'
      const child = spawn(function* () {
        const was = user.value
        user.value = 'bob'
        yield* sleep(1)
        return [was, user.value]
      })
      user.value = 'eve'
      return [
        yield* child,
        user.value,
        yield* spawn(function* () {
          return user.value
        }),
      ]
    }),
    [['ann', 'bob'], 'eve', 'eve'],
  )
})

test('a stack after a wait names the functions that waited, and not how their stores were entered', async () => {
  const stop = asyncStacks()
  try {
    const inner = asyncFn(function* innermost() {
      yield* sleep(1)
      throw new Error('deep')
    })
    const outer = asyncFn(function* outermost() {
      yield* inner()
    })
    const error = await storage.run('x', () => outer()).catch((e) => e)
    same(error.stack.match(/at (async )?[\w.]+ /g), ['at innermost ', 'at async outermost '])
  } finally {
    stop()
  }
})

test('what enterWith enters inside run, or another function that enters stores, has ended with that', async () => {
  const bound = storage.run('bound', () => AsyncResource.bind((f: () => unknown) => f()))
  const kept = storage.run('kept', () => AsyncLocalStorage.snapshot())
  const ways: ((f: () => unknown) => unknown)[] = [
    (f) => storage.run('run', f),
    (f) => storage.run('run', () => storage.run('inner', f)),
    (f) => storage.run('outer', f), // the store that is there is not entered, so what the function enters stays
    (f) => bound(f),
    (f) => kept(f),
    (f) => storage.run('run', () => asyncFn(function* () {})().then(f)),
  ]
  for (const way of ways) {
    const enter = (): void => storage.enterWith('entered')
    const native = await storage.run('outer', async () => [way(enter), await hop(), store()][2])
    const ours = await storage.run('outer', () =>
      spawn(function* () {
        way(enter)
        yield* wait(hop())
        return store()
      }),
    )
    same([String(way), ours], [String(way), native])
  }
})

test('what an activity enters is not entered by its branches and calls that were begun before', async () => {
  const seen: string[] = []
  const later = asyncFn(function* (name: string) {
    yield* sleep(2)
    seen.push(`${name} ${store()}`)
  })
  const enters: (() => Generator<unknown, unknown, any>)[] = [
    function* () {
      yield* async(later('branch'))
      storage.enterWith('entered')
    },
    function* () {
      const kept = later('kept')
      yield* sleep(0)
      storage.enterWith('entered')
      yield* kept
    },
    function* () {
      const call = later('claimed')
      const task = storage.run('inner', () => spawn(call))
      storage.enterWith('entered')
      yield* task
    },
    function* () {
      const call = later('call')
      yield* storage.run('inner', () => finish(call))
      storage.enterWith('entered')
    },
    function* () {
      yield* async(function* () {
        storage.enterWith('entered')
        yield* sleep(1)
      })
      yield* later('caller')
    },
  ]
  for (const enter of enters) await storage.run('outer', () => spawn(() => finish(enter)))
  same(seen, ['branch outer', 'kept outer', 'claimed outer', 'call outer', 'caller outer'])
})

test('a function that makes the body of a block is called in it, with the stores of the call', async () => {
  const load = asyncFn(function* () {
    yield* sleep(0)
    return store()
  })
  const blocks: (() => any)[] = [
    () =>
      atomic(async () => {
        const before = store()
        await hop()
        return [before, store(), await load()]
      }),
    () => atomic(() => hop().then(async () => [store(), store(), await load()])),
  ]
  for (const block of blocks) {
    const inside = function* (): Generator<unknown, unknown, any> {
      yield* sleep(0)
      return [yield* storage.run('inner', block), store()]
    }
    same(await storage.run('outer', () => spawn(inside)), [['inner', 'inner', 'inner'], 'outer'])
    same(await storage.run('outer', block), ['outer', 'outer', 'outer'])
  }
})

test('a call that another operation takes over has the stores of where it was made', async () => {
  const load = asyncFn(function* () {
    const before = store()
    yield* sleep(0)
    return `${before} ${store()}`
  })
  const ways: Record<string, (call: any) => any> = {
    itself: (call) => call,
    spawn: (call) => spawn(call),
    'spawn with a signal': (call) => spawn(call, { signal: new AbortController().signal }),
    'a function that is spawned': (call) => spawn(() => call),
    atomic: (call) => atomic(call),
    finish: (call) => finish(call),
    deadline: (call) => deadline(999, call),
    with: (call) => mutex().with(() => call),
    all: (call) => all([call]).then(([value]) => value),
    timeout: (call) => timeout(999, call),
    'a body of waituntil': (call) => waituntil(sleep(0).do(() => call)),
    async: (call) =>
      finish(function* () {
        const handle: any = yield* async(call)
        yield* finish(() => sleep(1))
        return handle.value
      }),
  }
  for (const [name, way] of Object.entries(ways)) {
    const made: (() => any)[] = [
      () => way(storage.run('A', () => load())),
      () => {
        const call = load()
        return storage.run('B', () => way(call))
      },
      () => {
        const call = storage.run('A', () => load())
        return storage.run('B', () => way(call))
      },
    ]
    const seen: unknown[] = []
    const inside = function* (): Generator<unknown, void, any> {
      for (const make of made) seen.push(yield* wait(make()))
    }
    await storage.run('outer', () => spawn(inside))
    for (const make of made) seen.push(await storage.run('outer', make))
    const want = ['A A', 'outer outer', 'A A']
    same([name, seen], [name, [...want, ...want]])
  }
})

test('a branch, and what waituntil calls, have the stores of where they were made', async () => {
  const makes: Record<string, () => any> = {
    async: () =>
      async(function* () {
        yield* sleep(0)
        seen.push(store())
      }),
    waituntil: () => waituntil(sleep(0).do(() => seen.push(store()))).or(sleep(999)),
    else: () => waituntil(sleep(999)).else(() => seen.push(store())),
  }
  let seen: string[] = []
  for (const [name, make] of Object.entries(makes)) {
    seen = []
    await finish(function* () {
      yield* storage.run('A', make)
      seen.push(store())
    })
    same([name, seen.sort()], [name, ['A', 'none']])
  }
})
