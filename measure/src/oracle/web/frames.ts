/** What happens in frames, of the same site and of others. See `web.ts` on programs. */
import type { Marks } from '../common.ts'
import type { Oracle } from '../oracle.ts'

export const frames: Oracle<Marks>[] = [
  {
    name: 'frame-timeout',
    kind: 'timeout',
    program: () => {
      const f = document.createElement('iframe')
      f.src = '/frame.html?frame-timeout'
      document.body.append(f)
    },
  },
  {
    name: 'frame-await',
    promise: true,
    program: () => {
      const f = document.createElement('iframe')
      f.src = '/frame.html?frame-await'
      document.body.append(f)
    },
  },
  {
    name: 'remote-frame-timeout',
    kind: 'timeout',
    program: () => {
      const f = document.createElement('iframe')
      f.src = `http://localhost:${location.port}/frame.html?remote-frame-timeout`
      document.body.append(f)
    },
  },
  {
    name: 'remote-frame-await',
    promise: true,
    program: () => {
      const f = document.createElement('iframe')
      f.src = `http://localhost:${location.port}/frame.html?remote-frame-await`
      document.body.append(f)
    },
  },
]
