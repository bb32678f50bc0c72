/** Databases and files. See `web.ts` on programs. */
import type { Marks } from '../common.ts'
import type { Oracle } from '../oracle.ts'

export const storage: Oracle<Marks>[] = [
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
]
