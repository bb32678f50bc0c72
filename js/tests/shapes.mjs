/**
 * What a block may wait for by a promise: every way in which code of the host, and not `yield*`, makes a call of ours.
 * `OURS` begin with something of ours and run everywhere; `HOSTS` begin with something of the host, and run where it
 * keeps contexts. Each gets the library, and two activity functions: `load` waits, `quick` does not.
 */
const timer = (ms = 1) => new Promise((done) => setTimeout(done, ms))

export const OURS = {
  then: (_, { load }) => load(1).then((n) => load(n + 1)),
  'then, three times': (_, { load }) => load(1).then((n) => load(n)).then((n) => load(n)).then((n) => load(n)),
  'then of a call that does not wait': (_, { quick }) => quick(1).then((n) => quick(n + 1)),
  'catch of a reaction': (_, { load }) => load(1).then(() => Promise.reject(new Error('no'))).catch(() => load(2)),
  'catch of a call': ({ asyncFn }, { load }) =>
    asyncFn(function* () {
      throw new Error('no')
    })().catch(() => load(2)),
  finally: (_, { load }) => load(1).finally(() => load(2)),
  'async function': (_, { load }) => (async () => load((await load(1)) + 1))(),
  'async functions in one another': (_, { load }) => {
    const twice = async (n) => await load(await load(n))
    return (async () => await twice(await twice(1)))()
  },
  'calls that are kept': (_, { load }) =>
    (async () => {
      const [a, b] = [load(1), load(2)]
      return (await a) + (await b) + (await load(3))
    })(),
  'a call that has ended meanwhile': ({ sleep }, { load, quick }) =>
    (async () => {
      const a = quick(1)
      void a.catch(() => {})
      await sleep(2)
      return load(await a)
    })(),
  'all over chains': (_, { load }) => Promise.all([1, 2].map((n) => load(n).then((m) => load(m)))),
  'then of all': (_, { load }) => Promise.all([load(1), load(2)]).then(([a, b]) => load(a + b)),
  'then of race': (_, { load }) => Promise.race([load(1), load(2)]).then((n) => load(n)),
  'any of async functions': (_, { load }) => Promise.any([(async () => load(await load(1)))()]),
  'then of allSettled': (_, { load }) => Promise.allSettled([load(1)]).then(() => load(1)),
  'combinators in one another': (_, { load }) =>
    Promise.all([Promise.all([Promise.race([load(1)])]), Promise.any([load(2)])]).then(() => load(3)),
  'new Promise': (_, { load }) => new Promise((done, no) => load(1).then((n) => load(n)).then(done, no)),
  'Promise.resolve': (_, { load }) => Promise.resolve(load(1)).then((n) => load(n)),
  thenable: (_, { load }) => ({ then: (done, no) => load(1).then((n) => load(n)).then(done, no) }),
  'callback of one of ours': (_, { load }) =>
    new Promise((done, no) => {
      const withCallback = (n, f) => void load(n).then((m) => f(null, m), f)
      withCallback(1, (_error, n) => load(n).then(done, no))
    }),
  'event that a reaction dispatches': (_, { load }) =>
    new Promise((done, no) => {
      const target = new EventTarget()
      target.addEventListener('loaded', () => load(2).then(done, no))
      void load(1).then(() => target.dispatchEvent(new Event('loaded')))
    }),
  'for await of calls': (_, { load }) =>
    (async () => {
      let sum = 0
      for await (const n of [load(1), load(2)]) sum += await load(n)
      return sum
    })(),
  'for await of an async generator': (_, { load }) =>
    (async () => {
      const numbers = async function* () {
        yield await load(1)
        yield load(2)
      }
      let sum = 0
      for await (const n of numbers()) sum += await load(n)
      return sum
    })(),
  'a contained activity': ({ spawn }, { load }) => spawn(() => load(1), { contained: true }).then((n) => load(n)),
  sleep: ({ sleep }, { load }) => (async () => (await sleep(1), load(1)))(),
  'a lock': ({ mutex }, { load }) =>
    (async () => {
      const lock = mutex()
      const permit = await lock.acquire()
      const n = await load(1)
      permit.release()
      return lock.with(() => load(n))
    })(),
  'a channel': ({ channel }, { load }) =>
    (async () => {
      const box = channel(1)
      await box.send(1)
      return load(await box.recv())
    })(),
  'a statement': ({ waituntil, sleep }, { load }) => (async () => (await waituntil(sleep(1)), load(1)))(),
  'finish and atomic': ({ finish, atomic }, { load }) =>
    (async () => {
      await finish(() => load(1))
      return atomic(() => load(2))
    })(),
}

export const HOSTS = {
  'a promise of the host': (_, { load }) => (async () => (await null, load(1)))(),
  microtask: (_, { load }) => new Promise((done, no) => queueMicrotask(() => load(1).then(done, no))),
  timer: (_, { load }) => new Promise((done, no) => setTimeout(() => load(1).then(done, no), 1)),
  'a timer as a promise': (_, { load }) => timer().then(() => load(1)),
  'import()': (_, { load }) => {
    const module = 'data:text/javascript,export default 1'
    return import(/* @vite-ignore */ module).then((m) => load(m.default))
  },
  stream: (_, { load }) =>
    (async () => {
      const stream = new ReadableStream({
        async pull(controller) {
          await timer()
          controller.enqueue(1)
          controller.close()
        },
      })
      let sum = 0
      for await (const n of stream) sum += await load(n)
      return sum
    })(),
  'many reactions of the host': (_, { load }) =>
    (async () => {
      const n = await load(1)
      for (let i = 0; i < 100; i++) await null
      return load(n)
    })(),
}
