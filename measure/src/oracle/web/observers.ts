/** Observers of the document and of times. See `web.ts` on programs. */
import type { Marks } from '../common.ts'
import type { Oracle } from '../oracle.ts'

export const observers: Oracle<Marks>[] = [
  {
    name: 'mutation-observer',
    expect: 'same',
    program: ({ c }) => {
      const d = document.createElement('div')
      new MutationObserver(c).observe(d, { attributes: true })
      d.id = 'x'
    },
  },
  {
    name: 'resize-observer',
    kind: 'observer:resize',
    program: ({ c }) => {
      const d = document.body.appendChild(document.createElement('div'))
      new ResizeObserver(c).observe(d)
    },
  },
  {
    name: 'intersection-observer',
    kind: 'observer:intersection',
    program: ({ c }) => {
      const d = document.body.appendChild(document.createElement('div'))
      new IntersectionObserver(c).observe(d)
    },
  },
  {
    name: 'performance-observer',
    kind: 'observer:performance',
    program: ({ c }) => {
      new PerformanceObserver(c).observe({ entryTypes: ['measure'] })
      performance.measure('x')
    },
  },
]
