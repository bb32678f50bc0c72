/** Timers, frames, idle callbacks and tasks: what a page asks the event loop for. See `web.ts` on programs. */
import { interval, timeoutInTimeout, type Marks } from '../common.ts'
import type { Oracle } from '../oracle.ts'

export const timers: Oracle<Marks>[] = [
  { name: 'timeout', kind: 'timeout', program: ({ c }) => void setTimeout(c, 5) },
  { name: 'timeout-zero', kind: 'timeout', program: ({ c }) => void setTimeout(c) },
  {
    name: 'timeout-with-arguments',
    kind: 'timeout',
    program: ({ c }) => void setTimeout((f: () => void) => f(), 1, c),
  },
  {
    name: 'timeout-of-text',
    kind: 'timeout',
    program: ({ c }) => (((globalThis as any).ofText = c), void setTimeout('ofText()', 1)),
  },
  timeoutInTimeout,
  interval,
  { name: 'animation-frame', kind: 'animation-frame', program: ({ c }) => void requestAnimationFrame(c) },
  {
    name: 'animation-frame-chain',
    kind: 'animation-frame',
    program: ({ p, c }) => void requestAnimationFrame(() => (p(), requestAnimationFrame(c))),
  },
  { name: 'idle', kind: 'idle', program: ({ c }) => void requestIdleCallback(c, { timeout: 300 }) },
  { name: 'post-task', kind: 'post-task', program: ({ c }) => void (globalThis as any).scheduler.postTask(c) },
  {
    name: 'post-task-delayed',
    kind: 'post-task',
    program: ({ c }) => void (globalThis as any).scheduler.postTask(c, { delay: 5, priority: 'background' }),
  },
  {
    name: 'scheduler-yield',
    promise: true,
    program: async ({ p, c }) => {
      p()
      await (globalThis as any).scheduler.yield()
      c()
    },
  },
]
