/** Types infer: this file compiles, and each `@ts-expect-error` line does not without it. */
import { same, test } from './harness.ts'
import {
  asyncFn,
  mutex,
  spawn,
  wait,
  atomic,
  channel,
  select,
  sleep,
  finish,
  async,
  waituntil,
  future,
  deadline,
  atomicFn,
  asyncFnX,
  newActivityContext,
  noncancellable,
  once,
  type Activity,
  type Call,
} from './lib.ts'

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false
function is<_T extends true>(): void {}

test('types infer through calls, waits, spawn and select', () => {
  const f = asyncFn(function* (a: string, b?: number) {
    return a.length + (b ?? 0)
  })
  const generic = asyncFn(function* <T>(x: T) {
    return [x]
  })
  function* body() {
    const n = yield* f('x')
    is<Equal<typeof n, number>>()
    const g = yield* generic('s')
    is<Equal<typeof g, string[]>>()
    const p = yield* wait(Promise.resolve({ a: 1 }))
    is<Equal<typeof p, { a: number }>>()
    const a = spawn(f('x'))
    is<Equal<typeof a, Activity<number>>>()
    const j = yield* a
    is<Equal<typeof j, number>>()
    const t = yield* atomic(function* () {
      return 'x' as const
    })
    is<Equal<typeof t, 'x'>>()
    const ch = channel<Date>()
    const r = yield* ch.recv()
    is<Equal<typeof r, Date>>()
    const s = yield* select({ job: ch.recv(), late: sleep(1), p: Promise.resolve(1) })
    if (s.key === 'job') is<Equal<typeof s.value, Date>>()
    if (s.key === 'p') is<Equal<typeof s.value, number>>()
    const whole = yield* finish(function* () {
      return 1
    })
    is<Equal<typeof whole, number>>()
    const perhaps = yield* finish(function* (scope) {
      scope.cancel()
      return 1
    })
    is<Equal<typeof perhaps, number | undefined>>()
    const six = function* () {
      return 6
    }
    const aborts = yield* finish(six, { signal: new AbortController().signal })
    is<Equal<typeof aborts, number | undefined>>()
    const named = yield* finish(six, { name: 'six' })
    is<Equal<typeof named, number>>()
    const d = yield* deadline(1, function* () {
      return true
    })
    is<Equal<typeof d, boolean>>()
    const nc = yield* noncancellable(f('x'))
    is<Equal<typeof nc, number>>()
    const h = yield* async(f('y'))
    is<Equal<typeof h.value, number>>()
    const w = yield* waituntil(ch.recv().do((date) => date.getTime())).or(future<string>().get())
    is<Equal<typeof w, number | string>>()
    const gen = yield* waituntil(
      ch.recv().do(function* (date) {
        return date
      }),
    )
    is<Equal<typeof gen, Date>>()
    const e = yield* waituntil(ch.recv()).else(() => null)
    is<Equal<typeof e, Date | null>>()
    const ev = yield* once(new EventTarget(), 'x')
    is<Equal<typeof ev, Event>>()
    const message = yield* once(new MessageChannel().port1, 'message')
    is<Equal<typeof message, MessageEvent<any>>>()
    const [code, text] = yield* once<[number, string]>({ on() {}, off() {} }, 'exit')
    is<Equal<[typeof code, typeof text], [number, string]>>()
    const withDefault = asyncFn(function* (a: string, b = 1, ...rest: boolean[]) {
      return a.repeat(b) + rest.length
    })
    const parameters: (a: string, b?: number, ...rest: boolean[]) => unknown = withDefault
    void parameters
    withDefault('x')
    const atomicDefault = atomicFn(function* (a = 'x') {
      return a
    })
    atomicDefault()
    const af = atomicFn(function* (n: number) {
      return String(n)
    })
    is<Equal<ReturnType<typeof af>, Call<string>>>()
    // @ts-expect-error a number is wanted
    af('x')
    // @ts-expect-error a string is wanted
    f(1)
    // @ts-expect-error a channel of dates
    ch.send(1)
    const x = asyncFnX(function* (_actx, n: number) {
      return n
    })
    is<Equal<ReturnType<typeof x>, Call<number>>>()
    // @ts-expect-error the context is wanted
    x(1)
    newActivityContext().spawn(x, 1)
    // @ts-expect-error an argument is missing
    newActivityContext().spawn(x)
  }
  void body
  const legacy = async () => {
    const n = await f('x')
    is<Equal<typeof n, number>>()
  }
  void legacy
})

test('a body may be an async function', async () => {
  const six = async (): Promise<number> => 6
  const bodies: PromiseLike<number>[] = [
    spawn(six),
    atomic(six),
    finish(six),
    deadline(99_999, six),
    noncancellable(six),
  ]
  const inActivity = spawn(function* () {
    let handle
    yield* finish(function* () {
      handle = yield* async(six)
    })
    const n: number = handle!.value
    return n
  })
  same(await Promise.all([...bodies, mutex().with(six), inActivity]), [6, 6, 6, 6, 6, 6, 6])
})

test('a body may return any value, also one that has an iterator', async () => {
  const f = asyncFn(function* () {
    const text: string = yield* waituntil(sleep(0).do(() => 'late'))
    const list: number[] = yield* waituntil(sleep(0).do(() => [1, 2]))
    const map: Map<string, number> = yield* waituntil(sleep(0).do(() => new Map([['a', 1]])))
    const run: number = yield* waituntil(
      sleep(0).do(function* () {
        yield* sleep(0)
        return 5
      }),
    )
    const call: number = yield* waituntil(sleep(0).do(() => g()))
    const either: string | number[] = yield* waituntil(sleep(0).do(() => 'x')).or(sleep(1).do(() => [3]))
    const otherwise: string | number[] = yield* waituntil(sleep(1000).do(() => 'x')).else(() => [4])
    return [text, list, map.get('a'), run, call, either, otherwise]
  })
  const g = asyncFn(function* () {
    return 6
  })
  same(await f(), ['late', [1, 2], 1, 5, 6, 'x', [4]])
})
