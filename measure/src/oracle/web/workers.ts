/** What workers do, and what is sent to them and by them. See `web.ts` on programs. */
import type { Marks } from '../common.ts'
import type { Oracle } from '../oracle.ts'

export const workers: Oracle<Marks>[] = [
  {
    name: 'from-worker',
    kind: 'worker-message',
    program: ({ c }) => {
      new Worker('/worker.js?from').onmessage = c
    },
  },
  {
    name: 'to-worker',
    kind: 'worker-message',
    program: ({ p }) => {
      const w = new Worker('/worker.js')
      w.onmessage = () => (globalThis as any).oracleSeen('to-worker')
      setTimeout(() => (p(), w.postMessage('to-worker')), 20)
    },
  },
  {
    name: 'worker-timeout',
    kind: 'timeout',
    program: () => {
      const w = new Worker('/worker.js')
      w.onmessage = () => (globalThis as any).oracleSeen('worker-timeout')
      w.postMessage('worker-timeout')
    },
  },
  {
    name: 'worker-interval',
    kind: 'interval',
    expect: 'recurring',
    program: () => {
      const w = new Worker('/worker.js')
      w.onmessage = () => (globalThis as any).oracleSeen('worker-interval')
      w.postMessage('worker-interval')
    },
  },
  {
    name: 'worker-await',
    promise: true,
    program: () => {
      const w = new Worker('/worker.js')
      w.onmessage = () => (globalThis as any).oracleSeen('worker-await')
      w.postMessage('worker-await')
    },
  },
  {
    name: 'worker-port',
    kind: 'message-port',
    program: () => {
      const w = new Worker('/worker.js')
      w.onmessage = () => (globalThis as any).oracleSeen('worker-port')
      w.postMessage('worker-port')
    },
  },
]
