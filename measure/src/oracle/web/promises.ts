/** Reactions to promises that the browser settles, and loops that wait for them. See `web.ts` on programs. */
import { settledElsewhere, type Marks } from '../common.ts'
import type { Oracle } from '../oracle.ts'

export const promises: Oracle<Marks>[] = [
  { ...settledElsewhere, promise: true },
  { name: 'then', promise: true, program: ({ c }) => void fetch('/text').then(c) },
  {
    name: 'catch',
    promise: true,
    program: ({ c }) => void fetch('http://[').catch(() => fetch('http://127.0.0.1:1/').catch(c)),
    expect: 'either',
  },
  { name: 'finally', promise: true, program: ({ c }) => void fetch('/text').finally(c) },
  {
    name: 'promise-all',
    promise: true,
    expect: 'either',
    program: ({ c }) => void Promise.all([fetch('/text'), fetch('/text?2')]).then(c),
  },
  {
    name: 'promise-race',
    promise: true,
    expect: 'either',
    program: ({ c }) => void Promise.race([fetch('/text'), new Promise(() => {})]).then(c),
  },
  {
    name: 'await-fetch',
    promise: true,
    program: async ({ c }) => {
      await fetch('/text?3')
      c()
    },
  },
  {
    name: 'await-body',
    promise: true,
    program: async ({ p, c }) => {
      const r = await fetch('/gated?t')
      setTimeout(() => {
        fetch('/next?t')
        fetch('/next?t')
      }, 2)
      p()
      await r.text()
      c()
    },
  },
  {
    name: 'await-json',
    promise: true,
    program: async ({ p, c }) => {
      const r = await fetch('/gated?json')
      setTimeout(() => {
        fetch('/next?json')
        fetch('/next?json')
      }, 2)
      p()
      await r.json()
      c()
    },
  },
  {
    name: 'stream-reader',
    promise: true,
    program: async ({ p, c }) => {
      const r = (await fetch('/gated?r')).body!.getReader()
      await r.read()
      setTimeout(() => fetch('/next?r'), 2)
      p()
      await r.read()
      c()
    },
  },
  {
    name: 'fetch-abort',
    promise: true,
    program: async ({ p, c }) => {
      const a = new AbortController()
      const f = fetch('/never', { signal: a.signal })
      setTimeout(() => a.abort(), 3)
      p()
      try {
        await f
      } catch {
        c()
      }
    },
    expect: 'alternative',
  },
  {
    name: 'async-generator',
    promise: true,
    program: async ({ p, c }) => {
      async function* g(): AsyncGenerator<number> {
        yield 1
        await fetch('/text?4')
        yield 2
      }
      let n = 0
      for await (const _ of g())
        if (++n === 1) p()
        else c()
    },
    expect: 'either',
  },
]
