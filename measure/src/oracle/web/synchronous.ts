/** What runs before the registering continuation ends. See `web.ts` on programs. */
import { within, type Marks } from '../common.ts'
import type { Oracle } from '../oracle.ts'

export const synchronous: Oracle<Marks>[] = [
  ...within,
  {
    name: 'synchronous-click',
    expect: 'same',
    program: ({ c }) => {
      const b = document.createElement('button')
      b.onclick = c
      b.click()
    },
  },
]
