/** What runs in the worker of worker.test.ts, in Node and in a browser. */
import { noncancellable, sleep, signal } from '../src/index.ts'
import { serve } from '../src/worker.ts'

let stopped = 0
serve({
  *add(a: number, b: number) {
    yield* sleep(1)
    return a + b
  },
  *forever() {
    try {
      yield* sleep(Infinity)
    } finally {
      yield* noncancellable(sleep(5))
      stopped++
    }
  },
  stopped: () => stopped,
  aborts: () => new Promise((_, reject) => signal().addEventListener('abort', () => reject(new Error('aborted')))),
  fails() {
    throw Object.assign(new RangeError('too big'), { code: 'EBIG' })
  },
  size: (bytes: Uint8Array) => bytes.length,
  unclonable: () => () => {},
  end: () => {
    const { process, close } = globalThis as any
    if (process?.versions?.node) process.exit(3)
    else close()
  },
})
