/** Programs and pages that replace the language's own functions: the recorder calls none of theirs. */
import { spawnSync } from 'node:child_process'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { conflicts } from '../src/analysis/conflicts.ts'
import { analyse } from '../src/analysis/index.ts'
import { recordNode } from '../src/record/node/index.ts'
import { recordWeb } from '../src/record/web/index.ts'
import { inEachNode, ok, same, test } from './harness.ts'
import { temporary } from './places.ts'

/** Puts functions that count their calls in place of the language's, then runs races on `report`'s way. */
const counting = (report: string): string => `
const { apply, ownKeys, construct } = Reflect
const { defineProperty, getOwnPropertyDescriptor, getPrototypeOf } = Object
const { sort } = Array.prototype
const { startsWith } = ''
const TheirError = Error
// What Node itself calls does not count.
defineProperty(Error, 'prepareStackTrace', {
  writable: false,
  value: (_, frames) => apply(startsWith, frames[1]?.getFileName() ?? '', ['node:']),
})
const calls = { __proto__: null }
function replaceAll(owner, name) {
  for (const key of ownKeys(owner)) {
    const descriptor = getOwnPropertyDescriptor(owner, key)
    const native = descriptor.value
    if (typeof native !== 'function' || !descriptor.writable || key === 'constructor') continue
    const label = name + '.' + (typeof key === 'symbol' ? key.description : key)
    const value = function (...args) {
      if (new TheirError().stack !== true) calls[label] = (calls[label] ?? 0) + 1
      if (new.target === undefined) return apply(native, this, args)
      return construct(native, args, new.target === value ? native : new.target)
    }
    for (const k of ownKeys(native)) try { defineProperty(value, k, getOwnPropertyDescriptor(native, k)) } catch {}
    defineProperty(owner, key, { ...descriptor, value })
  }
}
const owners = [[getPrototypeOf([][Symbol.iterator]()), 'ArrayIterator#'],
  [getPrototypeOf(new Map().keys()), 'MapIterator#']]
for (const name of ['Object', 'Function', 'Array', 'Number', 'String', 'Symbol', 'Date', 'Promise', 'RegExp', 'Error',
  'JSON', 'Math', 'Map', 'Set', 'WeakMap', 'WeakSet', 'Reflect']) {
  const whole = globalThis[name]
  owners.push([whole, name])
  if (typeof whole === 'function') owners.push([whole.prototype, name + '#'])
}
for (const [owner, name] of owners) replaceAll(owner, name)
Object.defineProperty(Array.prototype, 'toJSON', { value: () => 'not ours' })
Object.freeze(Error)
for (const label in calls) delete calls[label]
const sleep = (ms) => new Promise((done) => setTimeout(done, ms))
const entries = new Map()
let stock = 10
const account = { n: 0 }
async function sell() { if (stock >= 3) { await sleep(2); stock -= 3 } }
async function put() { const old = entries.get('a') ?? 0; await sleep(1); entries.set('a', old + 1) }
async function add() { const { n } = account; await sleep(1); account.n = n + 1 }
async function spread() { const all = { ...account }; await sleep(1); Object.assign(account, { n: all.n + 1 }) }
async function main() {
  const running = []
  for (let i = 0; i < 6; i++) running[i] = [sell(), put(), add(), spread()]
  for (let i = 0; i < 6; i++) for (let j = 0; j < 4; j++) await running[i][j]
  let counted = sell.toString().length + ':'
  const labels = []
  for (const label in calls) labels[labels.length] = label + ' ' + calls[label]
  apply(sort, labels, [])
  for (let i = 0; i < labels.length; i++) counted += ' ' + labels[i]
  ${report}
}
main()`

inEachNode('a program in Node that replaces the language has no call of its functions by the recorder', async () => {
  const dir = temporary()
  const program = path.join(dir, 'program.mjs')
  writeFileSync(
    program,
    `import { writeFileSync } from 'node:fs'${counting('writeFileSync(process.argv[2], counted)')}`,
  )
  const [bare, recorded] = [path.join(dir, 'bare'), path.join(dir, 'recorded')]
  spawnSync(process.execPath, [program, bare])
  const out = path.join(dir, 'trace.jsonl')
  same((await recordNode(program, [recorded], { out, stdio: 'ignore' })).exitCode, 0)
  const counts = (file: string): string => readFileSync(file, 'utf8')
  ok(/ Map#.get 6 /.test(counts(bare)), counts(bare))
  same(counts(recorded), counts(bare))
  ok(conflicts(await analyse(out)).length >= 3, 'its races are found')
})

test('a stack that overflows in the recorder gives the program an error of its own kind', async () => {
  const dir = temporary()
  const program = path.join(dir, 'program.cjs')
  writeFileSync(
    program,
    `const o = { n: 0 }
for (let i = 0; i < 200; i++) {
  let left = i
  const down = () => { o.n = o.n + 1; down(o.n) }
  const aside = (n) => (n === 0 ? down() : aside(n - 1))
  try { aside(left) } catch (error) { if (!(error instanceof RangeError) || error.constructor !== RangeError) throw 1 }
}`,
  )
  const { exitCode } = await recordNode(program, [], { out: path.join(dir, 'trace.jsonl'), stdio: 'ignore' })
  same(exitCode, 0)
})

test('a page that replaces the language has no call of its functions by the recorder', async () => {
  const text = counting('globalThis.over = true; await fetch("/counted", { method: "POST", body: counted })')
  let counted = ''
  const server = createServer((request, response) => {
    if (request.url === '/counted') request.on('data', (piece) => (counted += piece))
    response.setHeader('content-type', 'text/html')
    response.end(`<!doctype html><link rel="icon" href="data:,"><script>${text}</script>`)
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const out = path.join(temporary(), 'trace.jsonl')
  try {
    await recordWeb(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`, {
      out,
      accesses: true,
      loadTimeout: 300_000,
      script: async ({ page }) => {
        page.timeout = 200_000
        await page.waitForFunction('globalThis.over')
        await page.sleep(200)
      },
    })
  } finally {
    server.close()
    server.closeAllConnections()
  }
  same(counted.replace(/^\d+: /, ''), 'Function#.toString 1 Map#.get 6 Map#.set 6 Object.assign 6')
  ok(conflicts(await analyse(out)).length >= 3, 'its races are found')
})
