/**
 * One small program for each kind of callback of the web, with what the trace must say of it. A program calls `p` in
 * the continuation that registers and `c` in the callback; before it runs, `p` has been called for it in a task of its
 * own. The text of these functions is what the page runs.
 */
import { interval, ofTimeout, settledElsewhere, timeoutInTimeout, webAssembly, within, type Marks } from './common.ts'
import type { Oracle } from './oracle.ts'

export const webOracles: Oracle<Marks>[] = [
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
  ...ofTimeout,
  { ...settledElsewhere, promise: true },
  { name: 'then', promise: true, program: ({ c }) => void fetch('/text').then(c) },
  {
    name: 'catch',
    promise: true,
    program: ({ c }) => void fetch('http://[').catch(() => fetch('http://127.0.0.1:1/').catch(c)),
    expect: 'either',
  },
  { name: 'finally', promise: true, program: ({ c }) => void fetch('/text').finally(c) },
  {
    name: 'promise-all',
    promise: true,
    expect: 'either',
    program: ({ c }) => void Promise.all([fetch('/text'), fetch('/text?2')]).then(c),
  },
  {
    name: 'promise-race',
    promise: true,
    expect: 'either',
    program: ({ c }) => void Promise.race([fetch('/text'), new Promise(() => {})]).then(c),
  },
  {
    name: 'await-fetch',
    promise: true,
    program: async ({ c }) => {
      await fetch('/text?3')
      c()
    },
  },
  {
    name: 'await-body',
    promise: true,
    program: async ({ p, c }) => {
      const r = await fetch('/gated?t')
      setTimeout(() => {
        fetch('/next?t')
        fetch('/next?t')
      }, 2)
      p()
      await r.text()
      c()
    },
  },
  {
    name: 'await-json',
    promise: true,
    program: async ({ p, c }) => {
      const r = await fetch('/gated?json')
      setTimeout(() => {
        fetch('/next?json')
        fetch('/next?json')
      }, 2)
      p()
      await r.json()
      c()
    },
  },
  {
    name: 'stream-reader',
    promise: true,
    program: async ({ p, c }) => {
      const r = (await fetch('/gated?r')).body!.getReader()
      await r.read()
      setTimeout(() => fetch('/next?r'), 2)
      p()
      await r.read()
      c()
    },
  },
  {
    name: 'fetch-abort',
    promise: true,
    program: async ({ p, c }) => {
      const a = new AbortController()
      const f = fetch('/never', { signal: a.signal })
      setTimeout(() => a.abort(), 3)
      p()
      try {
        await f
      } catch {
        c()
      }
    },
    expect: 'alternative',
  },
  {
    name: 'async-generator',
    promise: true,
    program: async ({ p, c }) => {
      async function* g(): AsyncGenerator<number> {
        yield 1
        await fetch('/text?4')
        yield 2
      }
      let n = 0
      for await (const _ of g())
        if (++n === 1) p()
        else c()
    },
    expect: 'either',
  },
  {
    name: 'xhr-load',
    kind: 'xhr',
    expect: 'either',
    program: ({ c }) => {
      const x = new XMLHttpRequest()
      x.onload = c
      x.open('GET', '/text?x1')
      x.send()
    },
  },
  {
    name: 'xhr-loadend-listener',
    kind: 'xhr',
    expect: 'either',
    program: ({ c }) => {
      const x = new XMLHttpRequest()
      x.addEventListener('loadend', c)
      x.open('GET', '/text?x2')
      x.send()
    },
  },
  {
    name: 'xhr-progress',
    kind: 'xhr',
    expect: 'recurring',
    program: ({ c }) => {
      const x = new XMLHttpRequest()
      x.onprogress = () => {
        c()
        fetch('/next?x')
      }
      x.open('GET', '/gated?x')
      x.send()
    },
  },
  {
    name: 'indexeddb-open',
    kind: 'indexeddb',
    expect: 'either',
    program: ({ c }) => {
      const r = indexedDB.open('o1', 1)
      r.onsuccess = c
    },
  },
  {
    name: 'indexeddb-request',
    kind: 'indexeddb',
    expect: 'either',
    program: ({ p, c }) => {
      const r = indexedDB.open('o2', 1)
      r.onupgradeneeded = () => r.result.createObjectStore('s')
      r.onsuccess = () =>
        setTimeout(() => {
          p()
          r.result.transaction('s', 'readwrite').objectStore('s').put(1, 'k').onsuccess = c
        }, 1)
    },
  },
  {
    name: 'indexeddb-complete',
    kind: 'indexeddb',
    expect: 'either',
    program: ({ p, c }) => {
      const r = indexedDB.open('o3', 1)
      r.onupgradeneeded = () => r.result.createObjectStore('s')
      r.onsuccess = () =>
        setTimeout(() => {
          p()
          const t = r.result.transaction('s', 'readwrite')
          t.objectStore('s').put(1, 'k')
          t.oncomplete = c
        }, 1)
    },
  },
  {
    name: 'file-reader',
    kind: 'file-reader',
    expect: 'either',
    program: ({ c }) => {
      const r = new FileReader()
      r.onload = c
      r.readAsText(new Blob(['x']))
    },
  },
  {
    name: 'blob-text',
    promise: true,
    program: async ({ p, c }) => {
      p()
      await new Blob(['x']).text()
      c()
    },
  },
  {
    name: 'derive-bits',
    promise: true,
    program: async ({ p, c }) => {
      const k = await crypto.subtle.importKey('raw', new Uint8Array(4), 'PBKDF2', false, ['deriveBits'])
      p()
      await crypto.subtle.deriveBits(
        { name: 'PBKDF2', hash: 'SHA-256', salt: new Uint8Array(4), iterations: 20_000 },
        k,
        128,
      )
      c()
    },
    optional: true,
  },
  {
    name: 'generate-key',
    promise: true,
    program: async ({ p, c }) => {
      p()
      await crypto.subtle.generateKey(
        { name: 'RSA-OAEP', modulusLength: 1024, publicExponent: new Uint8Array([1, 0, 1]), hash: 'SHA-256' },
        true,
        ['encrypt', 'decrypt'],
      )
      c()
    },
  },
  {
    name: 'digest-of-little',
    promise: true,
    expect: 'same',
    program: async ({ p, c }) => {
      p()
      await crypto.subtle.digest('SHA-256', new Uint8Array(4))
      c()
    },
    optional: true,
  },
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
