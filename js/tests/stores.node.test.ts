/**
 * Random concurrent programs in which every statement sees the store of AsyncLocalStorage that native code would see
 * there. Which one that is follows from the text: `run` gives a store to what is called in it, and everything else has
 * that of the code that began it, whoever wakes it.
 */
import { AsyncLocalStorage, AsyncResource } from 'node:async_hooks'
import { EventEmitter } from 'node:events'
import { ok, same, test } from './harness.ts'
import '../src/node/asyncContext.ts'
import {
  async,
  asyncFn,
  atomic,
  channel,
  deadline,
  each,
  finish,
  noncancellable,
  once,
  pause,
  rwlock,
  select,
  semaphore,
  sleep,
  spawn,
  wait,
  waituntil,
  type Scope,
} from './lib.ts'
import { all, any, group, handler, map, race, retry, timeout } from '../src/ops.ts'
import { chunks, iterable, readable } from '../src/streams.ts'
import { random } from '../src/dev/index.ts'

type Steps = Generator<unknown, void, any>

const storage = new AsyncLocalStorage<string>()
const store = (): string => storage.getStore() ?? 'none'
const hop = (): Promise<void> => new Promise((done) => setTimeout(done, 1))

interface Seen {
  checks: number
  wrong: Set<string>
  kinds: Set<string>
}

async function program(seed: number, seen: Seen): Promise<void> {
  const next = random(seed)
  const pick = (n: number): number => Math.floor(next() * n)
  const [permits, door, box] = [semaphore(2), rwlock(), channel<string>(0)]
  const emitter = new EventEmitter()
  let names = 0
  const enter = <R>(f: (name: string) => R): R => {
    const name = `s${++names}`
    return storage.run(name, () => f(name))
  }
  const check = (name: string, where: string): void => {
    seen.checks++
    if (store() !== name) seen.wrong.add(`program ${seed}, ${where}: ${store()}, not ${name}`)
  }
  const call = asyncFn(body)
  /** Code that waits, and runs in the store `name`. */
  const waits = (name: string, where: string) =>
    function* (): Steps {
      check(name, where)
      yield* sleep(0)
      check(name, `${where}, later`)
    }
  const native = (name: string, where: string) => async (): Promise<void> => {
    check(name, where)
    await hop()
    check(name, `${where}, later`)
    await asyncFn(waits(name, `${where}, a call`))()
    check(name, `${where}, after a call`)
  }

  /** `whole`: it is the whole of an activity, so that it may enter a store for good. */
  function* body(name: string, depth: number, whole = false): Steps {
    const deeper = (own: string) => (): Steps => body(own, depth - 1)
    const told = (where: string) => () => check(name, where)
    const kinds: Record<string, () => Steps> = {
      *sleep() {
        yield* sleep(pick(2))
      },
      *promise() {
        yield hop()
      },
      *pause() {
        yield* pause()
      },
      *native() {
        yield* wait(native(name, 'an async function')())
      },
      *semaphore() {
        yield* permits.with(waits(name, 'with'))
      },
      *reads() {
        using _ = yield* door.read()
        yield* waits(name, 'a reader')()
      },
      *send() {
        yield* waituntil(box.send(name).do(told('sent'))).or(sleep(1).do(told('not sent')))
      },
      *recv() {
        yield* waituntil(box.recv().do(waits(name, 'received'))).or(sleep(1).do(told('not received')))
      },
      *select() {
        yield* select({ message: box.recv(), late: sleep(1) })
      },
      *thenable() {
        yield {
          then(done: () => void) {
            check(name, 'then')
            done()
          },
        }
      },
      *event() {
        setTimeout(() => enter(() => emitter.emit('event')))
        yield* waituntil(once(emitter, 'event').do(told('once'))).or(sleep(9))
      },
      *atomic() {
        yield* atomic(native(name, 'an atomic async function'))
      },
      *spawns() {
        yield* atomic(function* () {
          spawn(waits(name, 'delayed'))
          spawn(waits(name, 'contained'), { contained: true })
          yield* waits(name, 'a block')()
        })
      },
      *cancelled() {
        yield* finish(function* (scope: Scope) {
          yield* async(function* () {
            try {
              yield* sleep(99999)
            } finally {
              yield* noncancellable(waits(name, 'finally'))
            }
          })
          yield* sleep(0)
          enter(() => scope.cancel())
        })
      },
      *handler() {
        for (const when of ['all', 'queue'] as const) {
          const listener = enter(() => handler((own: string) => waits(own, when)(), { when }))
          yield* wait(Promise.all([enter(listener), enter(listener)]))
        }
      },
      *stream() {
        const stream = enter(() =>
          readable((emit: any) =>
            (function* (): Steps {
              yield* emit(1)
              yield* emit(2)
            })(),
          ),
        )
        yield* chunks(stream, waits(name, 'a chunk'))
        const items = iterable((emit: any) =>
          (function* (): Steps {
            check(name, 'a source')
            yield* emit(1)
          })(),
        )
        yield* each(items, waits(name, 'an item'))
      },
    }
    if (depth > 0)
      Object.assign(kinds, {
        *call() {
          yield* call(name, depth - 1)
        },
        *run() {
          yield* enter((own) => call(own, depth - 1))
        },
        *exit() {
          yield* storage.exit(() => call('none', depth - 1))
        },
        *bound() {
          yield* enter((own) => AsyncResource.bind(() => call(own, depth - 1)))() as Iterable<unknown>
        },
        *kept() {
          const mine = call(name, depth - 1)
          const other = enter((own) => call(own, depth - 1))
          yield* sleep(0)
          yield* other
          yield* mine
        },
        *taken() {
          const mine = call(name, depth - 1)
          yield* enter(() => finish(mine))
          yield* spawn(enter((own) => call(own, depth - 1)))
          yield* atomic(enter((own) => asyncFn(waits(own, 'a call in a block'))()))
        },
        *reaction() {
          yield* wait(enter((own) => call(own, depth - 1).then(() => check(own, 'a reaction'))))
        },
        *finish() {
          yield* finish(function* () {
            yield* async(deeper(name))
            yield* enter((own) => async(deeper(own)))
            check(name, 'finish')
          })
        },
        *spawn() {
          yield* enter((own) => spawn(() => body(own, depth - 1, true)))
        },
        *deadline() {
          yield* enter((own) => deadline(99999, deeper(own)))
        },
        *all() {
          yield* enter((own) => all([deeper(own), native(own, 'all'), call(own, depth - 1)]))
        },
        *race() {
          yield* race([deeper(name), call(name, depth - 1)])
        },
        *any() {
          yield* any([native(name, 'any'), enter((own) => call(own, depth - 1))])
        },
        *map() {
          yield* enter((own) => map([1, 2, 3], () => call(own, 0), { limit: 2 }))
        },
        *retry() {
          yield* retry(
            (n) => {
              if (n < 2) throw new Error('again')
              return call(name, 0)
            },
            { delay: 0 },
          )
        },
        *timeout() {
          yield* timeout(0, sleep(99999), waits(name, 'otherwise'))
        },
        *group() {
          const tasks = enter(() => group())
          enter((own) => void tasks.start(call(own, depth - 1)))
          void tasks.start(native(name, 'a group'))
          yield* wait(tasks.done())
        },
      })
    if (whole)
      kinds.enterWith = function* () {
        name = `entered ${++names}`
        storage.enterWith(name)
      }
    check(name, 'begins')
    for (let n = 2 + pick(3); n > 0; n--) {
      const kind = Object.keys(kinds)[pick(Object.keys(kinds).length)]!
      seen.kinds.add(kind)
      yield* kinds[kind]!()
      check(name, `after ${kind}`)
    }
  }
  await Promise.all(['', '', ''].map(() => enter((own) => spawn(() => body(own, 3, true)))))
}

test('random concurrent programs have the stores that follow from their text', async () => {
  const first = Number(process.env.CHARCOAL_SEED ?? 1)
  const rounds = Number(process.env.CHARCOAL_ROUNDS ?? 30)
  const seen: Seen = { checks: 0, wrong: new Set(), kinds: new Set() }
  for (let seed = first; seed < first + rounds; seed++) await program(seed, seen)
  same([...seen.wrong].slice(0, 9), [])
  ok(seen.kinds.size === 34 && seen.checks > 100 * rounds, `${seen.checks} checks of ${[...seen.kinds].sort()}`)
})
