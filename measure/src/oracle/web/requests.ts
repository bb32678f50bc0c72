/** Handlers of XMLHttpRequest. See `web.ts` on programs. */
import type { Marks } from '../common.ts'
import type { Oracle } from '../oracle.ts'

export const requests: Oracle<Marks>[] = [
  {
    name: 'xhr-load',
    kind: 'xhr',
    expect: 'either',
    program: ({ c }) => {
      const x = new XMLHttpRequest()
      x.onload = c
      x.open('GET', '/text?x1')
      x.send()
    },
  },
  {
    name: 'xhr-loadend-listener',
    kind: 'xhr',
    expect: 'either',
    program: ({ c }) => {
      const x = new XMLHttpRequest()
      x.addEventListener('loadend', c)
      x.open('GET', '/text?x2')
      x.send()
    },
  },
  {
    name: 'xhr-progress',
    kind: 'xhr',
    expect: 'recurring',
    program: ({ c }) => {
      const x = new XMLHttpRequest()
      x.onprogress = () => {
        c()
        fetch('/next?x')
      }
      x.open('GET', '/gated?x')
      x.send()
    },
  },
]
