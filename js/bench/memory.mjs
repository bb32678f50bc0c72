// Bytes of heap per waiting activity, for each kind of wait. Usage: node memory.mjs [count [kind]]
import { spawnSync } from 'node:child_process'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

const js = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..')
const lib = await import(path.join(js, 'dist/node/index.js'))
const { asyncFn, channel, condition, future, mutex, rwlock, select, semaphore, sleep, spawn, wait, waituntil } = lib
const count = Number(process.argv[2] ?? 30_000)

const [ch, full, other] = [channel(), channel(), channel()]
const [never, signal, lock, shared] = [future(), condition(), mutex(), rwlock()]
const permits = semaphore(1)
lock.tryAcquire()
permits.tryAcquire()
const writer = spawn(function* () {
  yield* shared.write()
  yield* never.get()
})
const pending = new Promise(() => {})
const callee = asyncFn(function* () {
  yield* ch.recv()
})

/** What the body of a waiting activity does. */
const KINDS = {
  receive: () => ch.recv(),
  send: () => full.send(1),
  mutex: () => lock.acquire(),
  semaphore: () => permits.acquire(),
  'rwlock, read': () => shared.read(),
  future: () => never.get(),
  condition: () => signal.wait(),
  join: () => writer,
  'sleep, with the timer of Node': () => sleep(1e8),
  'one promise for all': () => wait(pending),
  'a promise each': () => wait(new Promise(() => {})),
  'receive, in a call': () => callee(),
  'waituntil of two': () => waituntil(ch.recv()).or(other.recv()),
  'select of two': () => select({ a: ch.recv(), b: other.recv() }),
}

const turn = () => new Promise((done) => setTimeout(done, 20))
const heap = () => {
  globalThis.gc()
  return process.memoryUsage().heapUsed
}
const [kind] = process.argv.slice(3)
if (kind === undefined) {
  // Each in a process of its own, where nothing that another left behind is collected meanwhile.
  for (const name of Object.keys(KINDS)) {
    const args = ['--expose-gc', fileURLToPath(import.meta.url), String(count), name]
    const child = spawnSync(process.execPath, args, { encoding: 'utf8' })
    process.stdout.write(child.stdout + child.stderr)
  }
  process.exit(0)
}
const make = KINDS[kind]
let begun = 0
const body = function* () {
  begun++
  yield* make()
}
/** All have come to their wait: one that has not begun takes less. */
const allWait = async (many) => {
  do await turn()
  while (begun < many)
  await turn()
}
for (let i = 0; i < 1000; i++) spawn(body)
await allWait(1000)
const before = heap()
for (let i = 0; i < count; i++) spawn(body)
await allWait(1000 + count)
console.log(`${kind}: ${Math.round((heap() - before) / count)} bytes`)
process.exit(0)
