/** What the browser begins by itself: transitions, animations, scrolling, history. See `web.ts` on programs. */
import type { Marks } from '../common.ts'
import type { Oracle } from '../oracle.ts'

export const roots: Oracle<Marks>[] = [
  {
    name: 'transition-end',
    kind: 'event:transitionend',
    expect: 'root',
    program: ({ c }) => {
      const d = document.body.appendChild(document.createElement('div'))
      d.style.cssText = 'opacity:1;transition:opacity 10ms'
      d.ontransitionend = c
      void d.offsetWidth
      d.style.opacity = '0.5'
    },
  },
  {
    name: 'animation-finish',
    promise: true,
    kind: 'event:finish',
    expect: 'root',
    program: ({ c }) => {
      document.body.animate([{ opacity: 1 }, { opacity: 0.9 }], 10).onfinish = c
    },
  },
  {
    name: 'scroll',
    kind: 'event:scroll',
    expect: 'either',
    program: ({ c }) => {
      const d = document.body.appendChild(document.createElement('div'))
      d.style.cssText = 'height:10px;overflow:auto'
      d.innerHTML = '<div style="height:99px"></div>'
      d.onscroll = c
      d.scrollTop = 9
    },
  },
  {
    name: 'popstate',
    expect: 'root',
    program: ({ c }) => {
      addEventListener('popstate', c, { once: true })
      history.pushState(1, '')
      setTimeout(() => history.back(), 3)
    },
  },
]
