/** What a page loads: modules, scripts, images, frames, stylesheets. See `web.ts` on programs. */
import type { Marks } from '../common.ts'
import type { Oracle } from '../oracle.ts'

export const resources: Oracle<Marks>[] = [
  {
    name: 'dynamic-import',
    promise: true,
    program: async ({ p, c }) => {
      p()
      await import(/* @vite-ignore */ `/module.js?${'1'}`)
      c()
    },
  },
  {
    name: 'script-load',
    program: ({ c }) => {
      const s = document.createElement('script')
      s.src = '/empty.js'
      s.onload = c
      document.head.append(s)
    },
  },
  {
    name: 'script-run',
    kind: 'script',
    program: () => {
      const s = document.createElement('script')
      s.src = '/mark.js?script-run'
      document.head.append(s)
    },
  },
  {
    name: 'image-load',
    kind: 'event:load',
    program: ({ c }) => {
      const i = new Image()
      i.onload = c
      i.src = '/image.svg'
    },
  },
  {
    name: 'image-listener',
    kind: 'event:load',
    program: ({ c }) => {
      const i = new Image()
      i.addEventListener('load', c)
      i.src = '/image.svg?2'
    },
  },
  {
    name: 'image-error',
    kind: 'event:error',
    program: ({ c }) => {
      const i = new Image()
      i.onerror = c
      i.src = '/missing'
    },
  },
  {
    name: 'image-decode',
    promise: true,
    program: async ({ p, c }) => {
      const i = new Image()
      i.src = '/image.svg?3'
      p()
      await i.decode()
      c()
    },
  },
  {
    name: 'frame-load',
    kind: 'event:load',
    program: ({ c }) => {
      const f = document.createElement('iframe')
      f.onload = c
      f.src = '/empty.html'
      document.body.append(f)
    },
  },
  {
    name: 'stylesheet-load',
    kind: 'event:load',
    program: ({ c }) => {
      const l = document.createElement('link')
      l.rel = 'stylesheet'
      l.onload = c
      l.href = '/style.css'
      document.head.append(l)
    },
  },
]
