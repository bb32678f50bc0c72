// The benchmark programs: CASES[case][system](n) does the work n times and returns a checked answer. Each runs in a
// process of its own (see run.mjs).
import path from 'node:path'
import { fileURLToPath } from 'node:url'

const js = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..')
const runtime = () => import(path.join(js, 'dist/node/runtime.js'))
/** Of names that both have, as `wait`, a program by hand means the library's. */
const lib = async () => ({ ...(await runtime()), ...(await import(path.join(js, 'dist/node/index.js'))) })
const check = (got, want) => {
  if (got !== want) throw new Error(`wrong answer: ${got}, want ${want}`)
}
const ours = (program) => async (n) => {
  const c = await lib()
  return () => c.spawn(program(c, n))
}
/**
 * Plain `async` functions, as the build plugin writes them; `main(n)` gives the answer. Made once in a process, as the
 * other programs are: the engine optimizes what it has seen before. `imported` is a module whose `main` it imports as
 * `f`.
 */
const plugin = (source, want, imported) => {
  let made
  const make = async () => {
    const { transform } = await import(path.join(js, 'dist/plugin.js'))
    const charcoal = await runtime()
    const load = (source, given = {}) => {
      const code = transform(source, { file: 'main.mjs', all: true }).code.replace(/import .*?;/g, '')
      return new Function('charcoal$', ...Object.keys(given), `${code}; return main`)(charcoal, ...Object.values(given))
    }
    return load(source, imported && { f: load(imported) })
  }
  return async (n) => {
    const main = await (made ??= make())
    return async () => check(await main(n), want(n))
  }
}
const saga = (program) => async (n) => {
  const { runSaga } = await import('redux-saga')
  const effects = await import('redux-saga/effects')
  return () => runSaga({}, program(effects, n)).toPromise()
}
const three = (wait) => {
  const p = Promise.resolve(1)
  return function* () {
    yield* wait(p)
    yield* wait(p)
    yield* wait(p)
  }
}

/** Rows of one case whose quotient is a claim: [case, with, without]. */
export const PAIRS = [
  ['atomic-3', 'charcoal', 'called'],
  ['atomic-3', 'atomic-in-place', 'called-in-place'],
  ['atomic-3', 'atomicFn', 'asyncFn'],
  ['atomic-3', 'label', 'asyncFn'],
  ['atomic-3', 'label-in-loop', 'loop'],
  ['call', 'charcoal', 'native'],
  ['call', 'plugin', 'native'],
  ['call', 'plugin-const', 'native'],
  ['call', 'plugin-method', 'native'],
  ['call', 'plugin-import', 'native'],
  ['await-resolved', 'charcoal', 'native'],
  ['await-resolved', 'plugin', 'native'],
  ['fusion-3', 'plugin', 'native-plain'],
]

/** `tasks` activities contend for one atomic region with an await in it. */
const contendedAtomic = (tasks) =>
  ours(({ spawn, wait, atomicFn }, n) => {
    const p = Promise.resolve(1)
    let total = 0
    const region = atomicFn(function* () {
      const before = total
      yield* wait(p)
      total = before + 1
    })
    const task = function* () {
      for (let i = 0; i < n / tasks; i++) yield* region()
    }
    return function* () {
      for (const a of Array.from({ length: tasks }, () => spawn(task))) yield* a
      check(total, n)
    }
  })

export const CASES = {
  // An awaited call of a function that does not wait.
  call: {
    charcoal: ours(({ asyncFn }, n) => {
      const f = asyncFn(function* (x) {
        return x + 1
      })
      return function* () {
        let s = 0
        for (let i = 0; i < n; i++) s = yield* f(s)
        check(s, n)
      }
    }),
    plugin: plugin(
      `async function f(x) { return x + 1 }
      async function main(n) { let s = 0; for (let i = 0; i < n; i++) s = await f(s); return s }`,
      (n) => n,
    ),
    'plugin-const': plugin(
      `const f = async (x) => x + 1
      async function main(n) { let s = 0; for (let i = 0; i < n; i++) s = await f(s); return s }`,
      (n) => n,
    ),
    'plugin-method': plugin(
      `const o = { async f(x) { return x + 1 } }
      async function main(n) { let s = 0; for (let i = 0; i < n; i++) s = await o.f(s); return s }`,
      (n) => n,
    ),
    'plugin-import': plugin(
      `import { f } from './f.mjs'; async function main(n) { let s = 0
      for (let i = 0; i < n; i++) s = await f(s); return s }`,
      (n) => n,
      'async function main(x) { return x + 1 }',
    ),
    // What generators alone cost: it knows no activities, and a call that nobody awaits is lost.
    'yield* alone': async (n) => () => {
      const f = function* (x) {
        return x + 1
      }
      const main = function* () {
        let s = 0
        for (let i = 0; i < n; i++) s = yield* f(s)
        check(s, n)
      }
      main().next()
    },
    native: async (n) => async () => {
      const f = async (x) => x + 1
      let s = 0
      for (let i = 0; i < n; i++) s = await f(s)
      check(s, n)
    },
    effection: async (n) => {
      const { run } = await import('effection')
      return () =>
        run(function* () {
          const f = function* (x) {
            return x + 1
          }
          let s = 0
          for (let i = 0; i < n; i++) s = yield* f(s)
          check(s, n)
        })
    },
    'redux-saga': saga(({ call }, n) => {
      const f = (x) => x + 1
      return function* () {
        let s = 0
        for (let i = 0; i < n; i++) s = yield call(f, s)
        check(s, n)
      }
    }),
    effect: async (n) => {
      const { Effect } = await import('effect')
      const f = (x) => Effect.succeed(x + 1)
      return () =>
        Effect.runPromise(
          Effect.gen(function* () {
            let s = 0
            for (let i = 0; i < n; i++) s = yield* f(s)
            check(s, n)
          }),
        )
    },
  },
  'await-resolved': {
    ...waits(() => {
      const p = Promise.resolve(1)
      return () => p
    }),
    plugin: plugin(
      `const p = Promise.resolve(1)
      async function main(n) { let s = 0; for (let i = 0; i < n; i++) s += await p; return s }`,
      (n) => n,
    ),
  },
  'await-pending': waits(() => () => new Promise((done) => queueMicrotask(() => done(1)))),
  'spawn-join': {
    charcoal: ours(({ spawn }, n) => {
      let s = 0
      const body = function* () {
        s++
      }
      return function* () {
        for (let i = 0; i < n; i++) yield* spawn(body)
        check(s, n)
      }
    }),
    'redux-saga': saga(({ fork, join }, n) => {
      let s = 0
      const body = function* () {
        s++
      }
      return function* () {
        for (let i = 0; i < n; i++) yield join(yield fork(body))
        check(s, n)
      }
    }),
    native: async (n) => async () => {
      let s = 0
      const body = async () => {
        await null // a task of its own, as the others have
        s++
      }
      for (let i = 0; i < n; i++) await body()
      check(s, n)
    },
    effection: async (n) => {
      const { run, spawn } = await import('effection')
      return () =>
        run(function* () {
          let s = 0
          const body = function* () {
            s++
          }
          for (let i = 0; i < n; i++) yield* yield* spawn(body)
          check(s, n)
        })
    },
    effect: async (n) => {
      const { Effect, Fiber } = await import('effect')
      return () =>
        Effect.runPromise(
          Effect.gen(function* () {
            let s = 0
            const body = Effect.sync(() => void s++)
            for (let i = 0; i < n; i++) yield* Fiber.join(yield* Effect.forkChild(body))
            check(s, n)
          }),
        )
    },
  },
  // Three awaits of resolved promises, and what it costs to make them atomic: each form of a block beside the same
  // code, in the same shape, without the block (PAIRS above).
  'atomic-3': {
    // atomic(body), and body() called with yield*.
    charcoal: ours(({ wait, atomic }, n) => {
      const body = three(wait)
      return function* () {
        for (let i = 0; i < n; i++) yield* atomic(body)
      }
    }),
    called: ours(({ wait }, n) => {
      const body = three(wait)
      return function* () {
        for (let i = 0; i < n; i++) yield* body()
      }
    }),
    // The body written in place: a new function each time.
    'atomic-in-place': ours(({ wait, atomic }, n) => {
      const p = Promise.resolve(1)
      return function* () {
        for (let i = 0; i < n; i++)
          yield* atomic(function* () {
            yield* wait(p)
            yield* wait(p)
            yield* wait(p)
          })
      }
    }),
    'called-in-place': ours(({ wait }, n) => {
      const p = Promise.resolve(1)
      return function* () {
        for (let i = 0; i < n; i++)
          yield* (function* () {
            yield* wait(p)
            yield* wait(p)
            yield* wait(p)
          })()
      }
    }),
    // Functions: atomicFn, asyncFn.
    atomicFn: ours(({ wait, atomicFn }, n) => {
      const block = atomicFn(three(wait))
      return function* () {
        for (let i = 0; i < n; i++) yield* block()
      }
    }),
    asyncFn: ours(({ wait, asyncFn }, n) => {
      const plain = asyncFn(three(wait))
      return function* () {
        for (let i = 0; i < n; i++) yield* plain()
      }
    }),
    // What the plugin writes for `async function f() { atomic: { … } }`, and for the same without the label.
    label: ours(({ wait, asyncFn, enter, leave, leaving }, n) => {
      const p = Promise.resolve(1)
      const f = asyncFn(function* () {
        enter()
        try {
          yield* wait(p)
          yield* wait(p)
          yield* wait(p)
        } finally {
          if (leave()) yield* leaving()
        }
      })
      return function* () {
        for (let i = 0; i < n; i++) yield* f()
      }
    }),
    // The label in a loop, without a call, and the loop without the label.
    'label-in-loop': ours(({ wait, enter, leave, leaving }, n) => {
      const p = Promise.resolve(1)
      return function* () {
        for (let i = 0; i < n; i++) {
          enter()
          try {
            yield* wait(p)
            yield* wait(p)
            yield* wait(p)
          } finally {
            if (leave()) yield* leaving()
          }
        }
      }
    }),
    loop: ours(({ wait }, n) => {
      const p = Promise.resolve(1)
      return function* () {
        for (let i = 0; i < n; i++) {
          yield* wait(p)
          yield* wait(p)
          yield* wait(p)
        }
      }
    }),
    'native-plain': async (n) => async () => {
      const p = Promise.resolve(1)
      for (let i = 0; i < n; i++) {
        await p
        await p
        await p
      }
    },
    'async-mutex': guarded(async () => {
      const { Mutex } = await import('async-mutex')
      const m = new Mutex()
      return (f) => m.runExclusive(f)
    }),
    'p-limit': guarded(async () => (await import('p-limit')).default(1)),
    effect: async (n) => {
      const { Effect, Semaphore } = await import('effect')
      const p = Promise.resolve(1)
      const three = Effect.gen(function* () {
        yield* Effect.promise(() => p)
        yield* Effect.promise(() => p)
        yield* Effect.promise(() => p)
      })
      return () =>
        Effect.runPromise(
          Effect.gen(function* () {
            const s = yield* Semaphore.make(1)
            for (let i = 0; i < n; i++) yield* s.withPermits(1)(three)
          }),
        )
    },
  },
  // The same with functions instead of promises: inside a block steps that need no promise do not pass through the
  // event loop.
  'fusion-3': {
    charcoal: ours(({ asyncFn, enter, leave, leaving }, n) => {
      const f = asyncFn(function* (x) {
        return x + 1
      })
      return function* () {
        let s = 0
        for (let i = 0; i < n; i++) {
          enter()
          try {
            s = yield* f(yield* f(yield* f(s)))
          } finally {
            if (leave()) yield* leaving()
          }
        }
        check(s, 3 * n)
      }
    }),
    plugin: plugin(
      `async function f(x) { return x + 1 }
      async function main(n) {
        let s = 0
        for (let i = 0; i < n; i++) atomic: { s = await f(await f(await f(s))) }
        return s
      }`,
      (n) => 3 * n,
    ),
    'native-plain': async (n) => async () => {
      const f = async (x) => x + 1
      let s = 0
      for (let i = 0; i < n; i++) s = await f(await f(await f(s)))
      check(s, 3 * n)
    },
    'async-mutex': async (n) => {
      const { Mutex } = await import('async-mutex')
      const m = new Mutex()
      const f = async (x) => x + 1
      return async () => {
        let s = 0
        for (let i = 0; i < n; i++) s = await m.runExclusive(async () => f(await f(await f(s))))
        check(s, 3 * n)
      }
    },
  },
  // A lock that nobody contends for, around a body written in place.
  lock: {
    charcoal: ours(({ mutex }, n) => {
      const m = mutex()
      return function* () {
        let s = 0
        for (let i = 0; i < n; i++)
          yield* m.with(function* () {
            s++
          })
        check(s, n)
      }
    }),
    acquire: ours(({ mutex }, n) => {
      const m = mutex()
      return function* () {
        let s = 0
        for (let i = 0; i < n; i++) {
          const permit = yield* m.acquire()
          s++
          permit.release()
        }
        check(s, n)
      }
    }),
    atomic: ours(({ atomic }, n) => {
      return function* () {
        let s = 0
        for (let i = 0; i < n; i++)
          yield* atomic(function* () {
            s++
          })
        check(s, n)
      }
    }),
    'async-mutex': counted(async () => {
      const { Mutex } = await import('async-mutex')
      const m = new Mutex()
      return (f) => m.runExclusive(f)
    }),
    'p-limit': counted(async () => (await import('p-limit')).default(1)),
    effect: async (n) => {
      const { Effect, Semaphore } = await import('effect')
      return () =>
        Effect.runPromise(
          Effect.gen(function* () {
            const semaphore = yield* Semaphore.make(1)
            let s = 0
            for (let i = 0; i < n; i++)
              yield* semaphore.withPermits(1)(
                Effect.sync(() => {
                  s++
                }),
              )
            check(s, n)
          }),
        )
    },
  },
  // Ten tasks contend for one region with an await in it.
  'atomic-contended': {
    charcoal: contendedAtomic(10),
    'async-mutex': contended(async () => {
      const { Mutex } = await import('async-mutex')
      const m = new Mutex()
      return (f) => m.runExclusive(f)
    }),
    'p-limit': contended(async () => (await import('p-limit')).default(1)),
    effect: async (n) => {
      const { Effect, Semaphore } = await import('effect')
      const p = Promise.resolve(1)
      return () =>
        Effect.runPromise(
          Effect.gen(function* () {
            const s = yield* Semaphore.make(1)
            let total = 0
            const region = s.withPermits(1)(
              Effect.gen(function* () {
                const before = total
                yield* Effect.promise(() => p)
                total = before + 1
              }),
            )
            const task = Effect.gen(function* () {
              for (let i = 0; i < n / 10; i++) yield* region
            })
            yield* Effect.all(
              Array.from({ length: 10 }, () => task),
              { concurrency: 'unbounded' },
            )
            check(total, n)
          }),
        )
    },
  },
  // A hundred tasks do.
  'contended-100': {
    charcoal: ours(({ mutex, spawn, wait }, n) => {
      const m = mutex()
      const p = Promise.resolve(1)
      let total = 0
      const task = function* () {
        for (let i = 0; i < n / 100; i++) {
          const permit = yield* m.acquire()
          const before = total
          yield* wait(p)
          total = before + 1
          permit.release()
        }
      }
      return function* () {
        for (const a of Array.from({ length: 100 }, () => spawn(task))) yield* a
        check(total, n)
      }
    }),
    atomic: contendedAtomic(100),
    'async-mutex': contended(async () => {
      const { Mutex } = await import('async-mutex')
      const m = new Mutex()
      return (f) => m.runExclusive(f)
    }, 100),
    'p-limit': contended(async () => (await import('p-limit')).default(1), 100),
  },
  // A value there and back between two tasks, over two unbuffered channels.
  pingpong: {
    charcoal: ours(({ channel, spawn }, n) => {
      const a = channel()
      const b = channel()
      const echo = function* () {
        for (let i = 0; i < n; i++) yield* b.send(yield* a.recv())
      }
      return function* () {
        const e = spawn(echo)
        let s = 0
        for (let i = 0; i < n; i++) {
          yield* a.send(1)
          s += yield* b.recv()
        }
        yield* e
        check(s, n)
      }
    }),
    'ts-csp': async (n) => {
      const { Channel, go } = await import('ts-csp')
      return () => {
        const a = new Channel()
        const b = new Channel()
        go(function* () {
          for (let i = 0; i < n; i++) yield b.put(yield a.take())
        })
        return go(function* () {
          let s = 0
          for (let i = 0; i < n; i++) {
            yield a.put(1)
            s += yield b.take()
          }
          check(s, n)
        }).asPromise()
      }
    },
    effect: async (n) => {
      const { Effect, Queue, Fiber } = await import('effect')
      return () =>
        Effect.runPromise(
          Effect.gen(function* () {
            const a = yield* Queue.bounded(1)
            const b = yield* Queue.bounded(1)
            const echo = yield* Effect.forkChild(
              Effect.gen(function* () {
                for (let i = 0; i < n; i++) yield* Queue.offer(b, yield* Queue.take(a))
              }),
            )
            let s = 0
            for (let i = 0; i < n; i++) {
              yield* Queue.offer(a, 1)
              s += yield* Queue.take(b)
            }
            yield* Fiber.join(echo)
            check(s, n)
          }),
        )
    },
  },
  'select-2': selects(2),
  'select-4': selects(4),
  'select-8': selects(8),
  // Start a task that sleeps for long, cancel it, wait for its end.
  cancel: {
    charcoal: ours(({ spawn, sleep, pause }, n) => {
      const body = function* () {
        yield* sleep(1e6)
      }
      return function* () {
        let cancelled = 0
        for (let i = 0; i < n; i++) {
          const a = spawn(body)
          yield* pause()
          a.cancel()
          try {
            yield* a
          } catch {
            cancelled++
          }
        }
        check(cancelled, n)
      }
    }),
    native: async (n) => async () => {
      const sleeper = (signal) =>
        new Promise((_, reject) => {
          const timer = setTimeout(() => {}, 1e6)
          signal.addEventListener('abort', () => {
            clearTimeout(timer)
            reject(signal.reason)
          })
        })
      let cancelled = 0
      for (let i = 0; i < n; i++) {
        const controller = new AbortController()
        const task = sleeper(controller.signal)
        await null
        controller.abort()
        try {
          await task
        } catch {
          cancelled++
        }
      }
      check(cancelled, n)
    },
    effection: async (n) => {
      const { run, spawn, sleep, until } = await import('effection')
      return () =>
        run(function* () {
          for (let i = 0; i < n; i++) {
            const task = yield* spawn(function* () {
              yield* sleep(1e6)
            })
            yield* until(Promise.resolve())
            yield* task.halt()
          }
        })
    },
    effect: async (n) => {
      const { Effect, Fiber } = await import('effect')
      return () =>
        Effect.runPromise(
          Effect.gen(function* () {
            for (let i = 0; i < n; i++) {
              const fiber = yield* Effect.forkChild(Effect.sleep(1e6))
              yield* Effect.yieldNow
              yield* Fiber.interrupt(fiber)
            }
          }),
        )
    },
  },
}

/** The iterable, the iterator and the results of a `yield*` that waits for a promise. */
class Held {
  constructor(promise) {
    this.done = false
    this.value = undefined
    this.promise = promise
  }
  [Symbol.iterator]() {
    return this
  }
  next(answer) {
    this.done = this.value === this
    this.value = this.done ? answer : this
    return this
  }
}

function waits(make) {
  /** A generator that waits `n` times, and what resumes it; with `held`, by `yield*` of what that gives. */
  const byHand = (held) => async (n) => () =>
    new Promise((done, fail) => {
      const p = make()
      const main = function* () {
        let s = 0
        for (let i = 0; i < n; i++) s += held === null ? yield p() : yield* held(p())
        check(s, n)
      }
      const gen = main()
      const goOn = (answer) => {
        const step = gen.next(answer)
        if (step.done) done()
        else (held === null ? step.value : step.value.promise).then(goOn, fail)
      }
      goOn()
    })
  return {
    charcoal: ours(({ wait }, n) => {
      const p = make()
      return function* () {
        let s = 0
        for (let i = 0; i < n; i++) s += yield* wait(p())
        check(s, n)
      }
    }),
    // The papers' form, without a type.
    yield: ours((_, n) => {
      const p = make()
      return function* () {
        let s = 0
        for (let i = 0; i < n; i++) s += yield p()
        check(s, n)
      }
    }),
    // By hand, the least that resumes a generator: what `yield* wait(p)` and `yield p` cost without anything else.
    'by hand, yield*': byHand((p) => new Held(p)),
    'by hand, yield': byHand(null),
    'redux-saga': saga((_, n) => {
      const p = make()
      return function* () {
        let s = 0
        for (let i = 0; i < n; i++) s += yield p()
        check(s, n)
      }
    }),
    native: async (n) => async () => {
      const p = make()
      let s = 0
      for (let i = 0; i < n; i++) s += await p()
      check(s, n)
    },
    effection: async (n) => {
      const { run, until } = await import('effection')
      const p = make()
      return () =>
        run(function* () {
          let s = 0
          for (let i = 0; i < n; i++) s += yield* until(p())
          check(s, n)
        })
    },
    effect: async (n) => {
      const { Effect } = await import('effect')
      const p = make()
      return () =>
        Effect.runPromise(
          Effect.gen(function* () {
            let s = 0
            for (let i = 0; i < n; i++) s += yield* Effect.promise(p)
            check(s, n)
          }),
        )
    },
  }
}

function guarded(makeGuard) {
  return async (n) => {
    const guard = await makeGuard()
    const p = Promise.resolve(1)
    return async () => {
      for (let i = 0; i < n; i++)
        await guard(async () => {
          await p
          await p
          await p
        })
    }
  }
}

/** Counts to n under a guard, with a body written in place. */
function counted(makeGuard) {
  return async (n) => {
    const guard = await makeGuard()
    return async () => {
      let s = 0
      for (let i = 0; i < n; i++)
        await guard(async () => {
          s++
        })
      check(s, n)
    }
  }
}

function contended(makeGuard, tasks = 10) {
  return async (n) => {
    const guard = await makeGuard()
    const p = Promise.resolve(1)
    return async () => {
      let total = 0
      const task = async () => {
        for (let i = 0; i < n / tasks; i++)
          await guard(async () => {
            const before = total
            await p
            total = before + 1
          })
      }
      await Promise.all(Array.from({ length: tasks }, task))
      check(total, n)
    }
  }
}

// A receiver waits on k channels; the senders use them in turn.
function selects(k) {
  return {
    charcoal: ours(({ channel, spawn, waituntil }, n) => {
      const channels = Array.from({ length: k }, () => channel())
      const sender = function* () {
        for (let i = 0; i < n; i++) yield* channels[i % k].send(1)
      }
      return function* () {
        const s = spawn(sender)
        let sum = 0
        for (let i = 0; i < n; i++) {
          let w = waituntil(channels[0].recv())
          for (let j = 1; j < k; j++) w = w.or(channels[j].recv())
          sum += yield* w
        }
        yield* s
        check(sum, n)
      }
    }),
    'ts-csp': async (n) => {
      const { Channel, go, select } = await import('ts-csp')
      return () => {
        const channels = Array.from({ length: k }, () => new Channel())
        go(function* () {
          for (let i = 0; i < n; i++) yield channels[i % k].put(1)
        })
        return go(function* () {
          let sum = 0
          for (let i = 0; i < n; i++)
            sum += (yield select(
              channels.map((ch) => ({ ch, op: 0 })),
              { priority: true },
            )).value
          check(sum, n)
        }).asPromise()
      }
    },
    // Effect has no select over queues: a race of takes loses what the losers have taken.
  }
}
