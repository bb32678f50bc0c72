/** The kinds of callback that the web and Node have in common. See `web.ts` for what a program does. */
import type { Oracle } from './oracle.ts'

export interface Marks {
  /** Called in the continuation that registers. */
  p(): void
  /** Called in the callback. */
  c(): void
}

export const timeoutInTimeout: Oracle<Marks> = {
  name: 'timeout-in-timeout',
  kind: 'timeout',
  program: ({ p, c }) => void setTimeout(() => (p(), setTimeout(c, 2)), 2),
}

export const interval: Oracle<Marks> = {
  name: 'interval',
  kind: 'interval',
  expect: 'recurring',
  program: ({ c }) => {
    let n = 0
    const timer = setInterval(() => (c(), ++n === 3 && clearInterval(timer)), 4)
  },
}

/** What runs before the registering continuation ends. */
export const within: Oracle<Marks>[] = [
  { name: 'microtask', expect: 'same', program: ({ c }) => queueMicrotask(c) },
  { name: 'then-of-resolved', expect: 'same', program: ({ c }) => void Promise.resolve().then(c) },
  {
    name: 'await-of-nothing',
    expect: 'same',
    program: async ({ c }) => {
      await null
      c()
    },
  },
  {
    name: 'thenable',
    expect: 'same',
    program: async ({ c }) => {
      await { then: (done: (x: number) => void) => done(1) }
      c()
    },
  },
  {
    name: 'event-target',
    expect: 'same',
    program: ({ c }) => {
      const target = new EventTarget()
      target.addEventListener('x', c)
      target.dispatchEvent(new Event('x'))
    },
  },
  {
    name: 'abort-signal',
    expect: 'same',
    program: ({ c }) => {
      const controller = new AbortController()
      controller.signal.onabort = c
      controller.abort()
    },
  },
]

export const ofTimeout: Oracle<Marks>[] = [
  {
    name: 'await-of-timeout',
    kind: 'timeout',
    program: async ({ p, c }) => {
      p()
      await new Promise((done) => setTimeout(done, 3))
      c()
    },
  },
  {
    name: 'then-of-timeout',
    kind: 'timeout',
    program: ({ c }) => void new Promise((done) => setTimeout(done, 3)).then(c),
  },
]

export const settledElsewhere: Oracle<Marks> = {
  name: 'await-settled-elsewhere',
  expect: 'alternative',
  program: ({ p, c }) => {
    let go = (): void => {}
    const gate = new Promise<void>((done) => (go = done))
    setTimeout(async () => {
      p()
      await gate
      c()
    }, 1)
    setTimeout(() => go(), 15)
  },
}

export const webAssembly: Oracle<Marks> = {
  name: 'webassembly',
  promise: true,
  program: async ({ p, c }) => {
    p()
    await WebAssembly.compile(new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0]))
    c()
  },
}
