/** Messages between windows, ports and channels. See `web.ts` on programs. */
import type { Marks } from '../common.ts'
import type { Oracle } from '../oracle.ts'

export const messages: Oracle<Marks>[] = [
  {
    name: 'window-message',
    kind: 'message',
    program: ({ c }) => {
      addEventListener('message', (e) => e.data === 'window-message' && c())
      postMessage('window-message', '*')
    },
  },
  {
    name: 'message-port',
    kind: 'message-port',
    program: ({ p, c }) => {
      const { port1, port2 } = new MessageChannel()
      port1.onmessage = c
      setTimeout(() => (p(), port2.postMessage(1)), 2)
    },
  },
  {
    name: 'message-port-listener',
    kind: 'message-port',
    program: ({ p, c }) => {
      const { port1, port2 } = new MessageChannel()
      port1.addEventListener('message', c)
      port1.start()
      setTimeout(() => (p(), port2.postMessage(1)), 2)
    },
  },
  {
    name: 'message-port-queue',
    kind: 'message-port',
    program: ({ p, c }) => {
      const { port1, port2 } = new MessageChannel()
      let n = 0
      port1.onmessage = () => ++n === 3 && c()
      port2.postMessage(1)
      port2.postMessage(2)
      setTimeout(() => (p(), port2.postMessage(3)), 5)
    },
  },
  {
    name: 'broadcast-channel',
    kind: 'broadcast',
    program: ({ c }) => {
      const a = new BroadcastChannel('b1')
      a.onmessage = c
      new BroadcastChannel('b1').postMessage(1)
    },
  },
  {
    name: 'broadcast-channel-listener',
    kind: 'broadcast',
    program: ({ c }) => {
      const a = new BroadcastChannel('b2')
      a.addEventListener('message', c)
      setTimeout(() => new BroadcastChannel('b2').postMessage(1), 3)
    },
  },
]
