import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { analyse } from '../src/analysis/index.ts'
import { conflicts, conflictText } from '../src/analysis/conflicts.ts'
import { recordNode } from '../src/record/node/index.ts'
import { ok, same, test } from './harness.ts'
import { temporary } from './places.ts'
import { races } from './races.ts'

async function found(program: string): Promise<{ operation: string; text: string }[]> {
  const dir = temporary()
  const out = path.join(dir, 'trace.jsonl')
  writeFileSync(path.join(dir, 'program.mjs'), program)
  await recordNode(path.join(dir, 'program.mjs'), [], { out, cwd: dir, stdio: 'ignore' })
  const figures = await analyse(out)
  return conflicts(figures).map((c) => ({
    operation: figures.sites[c.operation ?? c.second]?.function ?? '',
    text: conflictText(figures, c),
  }))
}

test('a known race is the first card: twenty shapes of races that packages had, at most one false card before it', async () => {
  const wrong: string[] = []
  let first = 0
  for (const { name, operation, program } of races) {
    const cards = await found(program)
    const rank = cards.findIndex((c) => c.operation === operation)
    if (rank === 0) first++
    if (rank === -1 || rank > 1)
      wrong.push(
        `${name}: ${rank === -1 ? 'not found' : `card ${rank + 1}`} of ${cards.map((c) => c.text).join(' | ') || 'none'}`,
      )
  }
  same(wrong, [])
  ok(races.length >= 20 && first >= races.length - 2, `${first} of ${races.length} come first`)
})

test('a race is seen however its accesses are written', async () => {
  const ways = {
    pattern: 'const { items } = state; await sleep(1); state.items = [...items, i]',
    spread: 'const copy = [...list]; await sleep(1); list.push(copy.length)',
    length: 'if (slots.length < 2) { await sleep(1); slots.push(i) }',
    head: 'const job = queue[0]; if (job === undefined) return; await sleep(1); queue.shift()',
    inside: "if ('key' in cache) return; await sleep(1); cache.key = i",
    optional: 'if (user.session?.token == null) { await sleep(1); user.session.token = i }',
    nullish: 'connection ??= await sleep(1).then(() => ({}))',
    assigned: 'const before = pair; await sleep(1); ({ pair } = { pair: before + 1 })',
    iterated: 'for (const x of members) if (x === i) return; await sleep(1); members.push(i)',
  }
  const cards = await found(`
const sleep = (ms) => new Promise((done) => setTimeout(done, ms))
const state = { items: [] }, list = [], slots = [], queue = [1, 2, 3], cache = {}, user = { session: { token: null } }, members = []
let connection, pair = 0, counted = 0
${Object.entries(ways)
  .map(([name, body]) => `async function ${name}(i) { ${body} }\nawait Promise.all([1, 2, 3].map(${name}))`)
  .join('\n')}
async function* generated() { const n = counted; yield n; await sleep(1); counted = n + 1 }
await Promise.all([1, 2, 3].map(async () => { for await (const n of generated()) await sleep(1) }))`)
  const seen = cards.filter((c) => c.text.includes('waited and wrote it')).map((c) => c.operation)
  same(
    [...Object.keys(ways), 'generated'].filter((name) => !seen.includes(name)),
    [],
  )
})

test('what is in order is no conflict: one after the other, under a lock, each on its own data', async () => {
  const cards = await found(`
const sleep = (ms) => new Promise((done) => setTimeout(done, ms))
let n = 0, tail = Promise.resolve()
async function inTurn() { const read = n; await sleep(1); n = read + 1 }
for (let i = 0; i < 3; i++) await inTurn()
const locked = (f) => (tail = tail.then(f))
await Promise.all([locked(inTurn), locked(inTurn), locked(inTurn)])
async function own() { const mine = { n: 0 }; const read = mine.n; await sleep(1); mine.n = read + 1; return mine }
await Promise.all([own(), own(), own()])
if (n !== 6) throw new Error(String(n))`)
  same(
    cards.filter((c) => c.text.includes('read n') || c.text.includes('mine')),
    [],
  )
})
