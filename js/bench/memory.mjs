// Bytes of heap per activity that waits on a channel. Usage: node --expose-gc memory.mjs [count]
import path from 'node:path'
import { fileURLToPath } from 'node:url'
const js = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..')
const { spawn, channel } = await import(path.join(js, 'dist/node/index.mjs'))
const count = Number(process.argv[2] ?? 100_000)
const ch = channel()
const body = function* () {
  yield* ch.recv()
}
const turn = () => new Promise((done) => setTimeout(done, 20))
for (let i = 0; i < 1000; i++) spawn(body)
await turn()
globalThis.gc()
const before = process.memoryUsage().heapUsed
for (let i = 0; i < count; i++) spawn(body)
await turn()
globalThis.gc()
const after = process.memoryUsage().heapUsed
if (ch.receivers.count() !== count + 1000) throw new Error('not all of them wait')
console.log(`waiting activity: ${Math.round((after - before) / count)} bytes`)
