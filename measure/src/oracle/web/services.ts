/** What else the browser does for a page: locks, caches, pictures, permissions, sound. See `web.ts` on programs. */
import { webAssembly, type Marks } from '../common.ts'
import type { Oracle } from '../oracle.ts'

export const services: Oracle<Marks>[] = [
  { name: 'lock', kind: 'lock', program: ({ c }) => void navigator.locks.request('l1', c) },
  {
    name: 'lock-with-options',
    kind: 'lock',
    program: ({ c }) => void navigator.locks.request('l2', { mode: 'shared' }, c),
  },
  {
    name: 'caches',
    promise: true,
    program: async ({ p, c }) => {
      p()
      await caches.open('c')
      c()
    },
  },
  {
    name: 'toggle',
    kind: 'event:toggle',
    program: ({ c }) => {
      const d = document.body.appendChild(document.createElement('details'))
      d.ontoggle = c
      d.open = true
    },
  },
  { name: 'canvas-blob', kind: 'callback', program: ({ c }) => document.createElement('canvas').toBlob(c) },
  {
    name: 'image-bitmap',
    promise: true,
    program: async ({ p, c }) => {
      const b = await (await fetch('/image.png')).blob()
      p()
      await createImageBitmap(b)
      c()
    },
  },
  {
    name: 'hash-change',
    kind: 'event:hashchange',
    program: ({ c }) => {
      addEventListener('hashchange', c, { once: true })
      location.hash = 'x'
    },
    expect: 'either',
  },
  {
    name: 'permissions',
    promise: true,
    program: async ({ p, c }) => {
      p()
      await navigator.permissions.query({ name: 'geolocation' })
      c()
    },
  },
  {
    name: 'storage-estimate',
    promise: true,
    program: async ({ p, c }) => {
      p()
      await navigator.storage.estimate()
      c()
    },
  },
  webAssembly,
  {
    name: 'animation-finished',
    promise: true,
    program: async ({ p, c }) => {
      const a = document.body.animate([{ opacity: 1 }, { opacity: 0.9 }], 10)
      p()
      await a.finished
      c()
    },
  },
  {
    name: 'fonts-of-the-system',
    promise: true,
    program: async ({ p, c }) => {
      p()
      await document.fonts.load('12px serif')
      c()
    },
    expect: 'same',
    optional: true,
  },
  {
    name: 'offline-audio',
    promise: true,
    program: async ({ p, c }) => {
      const a = new OfflineAudioContext(1, 128, 44100)
      p()
      await a.startRendering()
      c()
    },
  },
]
