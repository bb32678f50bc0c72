/** WebSocket and EventSource. See `web.ts` on programs. */
import type { Marks } from '../common.ts'
import type { Oracle } from '../oracle.ts'

export const sockets: Oracle<Marks>[] = [
  {
    name: 'websocket-open',
    kind: 'websocket',
    program: ({ c }) => {
      new WebSocket(`ws://${location.host}/ws`).onopen = c
    },
  },
  {
    name: 'websocket-message',
    kind: 'websocket',
    program: ({ c }) => {
      new WebSocket(`ws://${location.host}/ws`).onmessage = c
    },
  },
  {
    name: 'websocket-listener',
    kind: 'websocket',
    program: ({ c }) => {
      new WebSocket(`ws://${location.host}/ws`).addEventListener('message', c)
    },
  },
  {
    name: 'websocket-close',
    kind: 'websocket',
    program: ({ c }) => {
      new WebSocket(`ws://${location.host}/ws`).onclose = c
    },
  },
  {
    name: 'event-source',
    kind: 'event-source',
    program: ({ c }) => {
      const e = new EventSource('/events')
      e.onmessage = () => (c(), e.close())
    },
  },
  {
    name: 'event-source-listener',
    kind: 'event-source',
    program: ({ c }) => {
      const e = new EventSource('/events')
      e.addEventListener('message', () => (c(), e.close()))
    },
  },
]
