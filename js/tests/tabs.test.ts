/** Several tabs: locks that all of them share, and messages. Node 24 has both, earlier ones only the messages. */
import { test, ok, same, rejects, until } from './harness.ts'
import { atomic, sleep, spawn, waituntil, DeadlockError } from './lib.ts'
import { broadcast, tabLock } from '../src/tabs.ts'

const here = (globalThis as any).navigator?.locks !== undefined

/** Holds the lock as another tab would, until the promise is settled; done when it is held. */
function elsewhere(name: string, until: Promise<void>): Promise<void> {
  return new Promise((held) => void navigator.locks.request(name, () => (held(), until)))
}

const pending = async (): Promise<number> => (await navigator.locks.query()).pending!.length

/** How many requests the host still lists of one that was aborted: Node 24 lists it until the lock is free. */
async function listedAfterAbort(): Promise<number> {
  let release: () => void = () => {}
  await elsewhere('aborted', new Promise((done) => (release = done)))
  const controller = new AbortController()
  const request = navigator.locks.request('aborted', { signal: controller.signal }, () => {})
  controller.abort()
  await rejects(request, /abort/i)
  const listed = await pending()
  release()
  await until(async () => (await navigator.locks.query()).held!.length === 0)
  return listed
}

if (here) {
  test('a lock of all tabs is acquired when others release it, and a cancel withdraws the request', async () => {
    const listed = await listedAfterAbort()
    const lock = tabLock('cart')
    let release: () => void = () => {}
    await elsewhere('cart', new Promise((done) => (release = done)))
    const waiting = spawn(function* () {
      using _ = yield* lock.acquire()
      return 'held'
    })
    same(
      await spawn(function* () {
        return yield* waituntil(lock.acquire()).or(sleep(5).do(() => 'late'))
      }),
      'late',
    )
    same(await pending(), 1 + listed)
    const cancelled = spawn(() => lock.acquire())
    await sleep(1)
    cancelled.cancel()
    await rejects(cancelled, /cancelled/)
    same(await pending(), 1 + 2 * listed)
    release()
    same(await waiting, 'held')
    await until(async () => (await navigator.locks.query()).held!.length === 0)
  })

  test('a lock that its holder acquires again is reported, and a shared one is shared', async () => {
    const lock = tabLock('again')
    const error = await rejects(
      spawn(function* () {
        yield* lock.with(function* () {
          yield* lock.acquire()
        })
      }),
      /holds the lock already/,
    )
    ok(error instanceof DeadlockError)
    await spawn(function* () {
      const one = yield* lock.share()
      const two = spawn(function* () {
        using _ = yield* lock.share()
        return 'both'
      })
      same(yield* two, 'both')
      one.release()
      same(
        yield* atomic(() =>
          lock.with(function* () {
            yield* sleep(1)
            return 'in a block'
          }),
        ),
        'in a block',
      )
    })
  })
} else {
  test('without navigator.locks it is said what is needed', async () => {
    try {
      tabLock('x')
      ok(false)
    } catch (error) {
      ok(/Node 24/.test(String(error)))
    }
  })
}

/** The locks of a browser with one tab: first come, first served. */
function fakeLocks(): LockManager {
  const held: { name: string; mode: string }[] = []
  let queue: { name: string; mode: string; run: () => void }[] = []
  const serve = (): void => {
    const waits: typeof queue = []
    for (const request of queue) {
      const { name, mode } = request
      const others = [...held, ...waits].filter((other) => other.name === name)
      if (others.some((other) => mode === 'exclusive' || other.mode === 'exclusive')) waits.push(request)
      else {
        held.push(request)
        request.run()
      }
    }
    queue = waits
  }
  const request = (name: string, { mode, signal }: any, granted: () => Promise<void> | undefined): Promise<void> =>
    new Promise((done, fail) => {
      const mine = {
        name,
        mode,
        run: () =>
          void Promise.resolve(granted()).then(() => {
            held.splice(held.indexOf(mine), 1)
            done()
            serve()
          }),
      }
      signal.addEventListener('abort', () => {
        queue = queue.filter((other) => other !== mine)
        fail(signal.reason)
        serve()
      })
      queue.push(mine)
      setTimeout(serve)
    })
  return { request } as unknown as LockManager
}

test('who holds a lock of all tabs, under its name, is told if it would wait for itself, and only then', async () => {
  const manager = fakeLocks()
  const lock = (): ReturnType<typeof tabLock> => tabLock('draft', manager)
  await spawn(function* () {
    const told = function* (mode: 'acquire' | 'share'): Generator<unknown, boolean, any> {
      try {
        ;(yield* lock()[mode]()).release()
        return false
      } catch (error) {
        return error instanceof DeadlockError
      }
    }
    const one = yield* lock().acquire()
    same([yield* told('acquire'), yield* told('share')], [true, true], 'held alone, by another object of its name')
    one.release()
    const [two, three] = [yield* lock().share(), yield* lock().share()]
    two.release()
    same([yield* told('acquire'), yield* told('share')], [true, false], 'one permit left of two')
    three.release()
    same([yield* told('acquire'), yield* told('share')], [false, false], 'given back')
    const other = yield* tabLock('other', manager).acquire()
    same(yield* told('acquire'), false, 'holds another one')
    other.release()
  })
})

test('a broadcast reaches all others of its name, in order, and is no deadlock in a block', async () => {
  using a = broadcast<number>('numbers')
  using b = broadcast<number>('numbers')
  a.post(1)
  a.post(2)
  same(
    await spawn(() =>
      atomic(function* () {
        return [yield* b.recv(), yield* b.recv()]
      }),
    ),
    [1, 2],
  )
  const all: number[] = []
  const reading = spawn(() =>
    b.each((n) => {
      all.push(n)
      if (n === 4) b.close()
    }),
  )
  a.post(3)
  a.post(4)
  await reading
  same(all, [3, 4])
})
