/** Races are found, ranked first, and compared between recordings; what is in order is no race. */
import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { analyse, type Figures } from '../src/analysis/index.ts'
import { conflicts, conflictText } from '../src/analysis/conflicts.ts'
import { compare } from '../src/cli/baseline.ts'
import { terminalSummary } from '../src/report/index.ts'
import { recordNode } from '../src/record/node/index.ts'
import { ok, same, test } from './harness.ts'
import { temporary } from './places.ts'
import { races } from './races.ts'

async function figuresOf(program: string): Promise<Figures> {
  const dir = temporary()
  const out = path.join(dir, 'trace.jsonl')
  writeFileSync(path.join(dir, 'program.mjs'), program)
  await recordNode(path.join(dir, 'program.mjs'), [], { out, cwd: dir, stdio: 'ignore' })
  return analyse(out)
}

async function found(program: string): Promise<{ operation: string; text: string; hint: boolean }[]> {
  const figures = await figuresOf(program)
  return conflicts(figures).map((c) => ({
    operation: figures.sites[c.operation ?? c.second]?.function ?? '',
    text: conflictText(figures, c),
    hint: c.hint,
  }))
}

test('a known race is the first card, or the second: twenty shapes of races that packages had', async () => {
  const wrong: string[] = []
  let first = 0
  for (const { name, operation, program } of races) {
    const cards = await found(program)
    const rank = cards.findIndex((c) => c.operation === operation)
    if (rank === 0) first++
    if (rank === -1 || rank > 1)
      wrong.push(
        `${name}: ${rank === -1 ? 'not found' : `card ${rank + 1}`} of ` +
          (cards.map((c) => c.text).join(' | ') || 'none'),
      )
  }
  same(wrong, [])
  ok(races.length >= 20 && first >= races.length - 2, `${first} of ${races.length} come first`)
})

test('a race is one card: who only calls its operation is not another', async () => {
  const figures = await figuresOf(`
const sleep = (ms) => new Promise((done) => setTimeout(done, ms))
let balance = 100
async function withdraw() { const b = balance; await sleep(1); await sleep(1); balance = b - 1 }
async function client() { for (let k = 0; k < 15; k++) { await withdraw(); await sleep(1) } }
await Promise.all([client(), client(), client()])`)
  same(
    conflicts(figures).map((c) => figures.sites[c.operation ?? c.second]?.function),
    ['withdraw'],
  )
})

test('where reads and writes are watched, being entered while it waits is no conflict, but a hint', async () => {
  const figures = await figuresOf(`
const sleep = (ms) => new Promise((done) => setTimeout(done, ms))
let polls = 0
async function poll() { for (let k = 0; k < 20; k++) { polls++; await sleep(1); await sleep(1) } }
await Promise.all([poll(), poll(), poll()])`)
  const all = conflicts(figures)
  ok(all.length > 0 && all.every((c) => c.hint), JSON.stringify(all))
  ok(
    / Nothing was done by a value that had changed meanwhile\.$/.test(conflictText(figures, all[0]!)),
    conflictText(figures, all[0]!),
  )
  const terminal = terminalSummary(figures).replace(/\s+/g, ' ')
  ok(
    terminal.includes('No conflict was seen: functions were entered while they waited, but nothing was done'),
    terminal,
  )
  ok(terminal.includes('and one function was entered during a wait, but no harm was seen'), terminal)
  same(compare(figures, await figuresOf('setTimeout(() => {}, 1)')).status, 0)
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
    spreadAll: 'const copy = { ...settings }; await sleep(1); Object.assign(settings, copy, { n: i })',
    assignedAll: 'const copy = Object.assign({}, others); await sleep(1); others.n = copy.n + 1',
    ofClass: 'const id = Ids.last; await sleep(1); Ids.last = id + 1',
    next: 'const id = rows.length; await sleep(1); rows[id] = i',
    behind: 'ends[ends.length] = await sleep(1)',
    iterated: 'for (const x of members) if (x === i) return; await sleep(1); members.push(i)',
    reflected: "const n = Reflect.get(reflection, 'n'); await sleep(1); Reflect.set(reflection, 'n', n + 1)",
    owned: "if (!Object.hasOwn(names, 'bob')) { await sleep(1); names.bob = i }",
    ownedByName: "if (!claims.hasOwnProperty('bob')) { await sleep(1); claims.bob = i }",
    ownedByCall: "if (!Object.prototype.hasOwnProperty.call(taken, 'it')) { await sleep(1); taken.it = i }",
    defined:
      "if ('it' in made) return; await sleep(1); Object.defineProperty(made, 'it', { value: i, writable: true })",
    asText: 'const copy = JSON.parse(JSON.stringify(doc)); await sleep(1); doc.n = copy.n + 1',
    cloned: 'const copy = structuredClone(page); await sleep(1); page.n = copy.n + 1',
    entered: 'for (const [k, t] of Object.entries(times)) { await sleep(1); times[k] = t + 1 }',
    numbered: 'const id = Object.keys(users).length; await sleep(1); users[`u${i}`] = id',
    limited: 'if (Object.keys(clients).length < 2) { await sleep(1); clients[i] = i }',
    swapped: 'const x = left; await sleep(1); [left, right] = [right, x]',
    unpacked: 'const { of: { n } } = nested; await sleep(1); nested.of.n = n + 1',
    restored: "const before = logger.level; logger.level = 'off'; await sleep(i); logger.level = before",
    rest: 'const { x, ...others } = point; await sleep(1); point.y = others.y + x',
    eachCounted: 'let n = 0; for (const k in seats) n++; if (n < 2) { await sleep(1); seats[i] = true }',
    anyCounted: 'for (const k in locks) if (Object.hasOwn(locks, k)) return; await sleep(1); locks[i] = true',
    summed: 'let sum = 0; for (const k in sums) sum += sums[k]; await sleep(1); sums.n = sum',
    givenToSet: "hits.set('k', (hits.get('k') ?? 0) + (await one()))",
    givenToPush: 'starts.push(starts.length + (await one()))',
    streamed: 'const before = total; for await (const x of stream()) await x; total = before + 1',
    streamedIf: 'const before = sum; if (before < 99) for await (const x of stream()) await x; sum = before + 1',
    streamedEach:
      'const before = last; for (const x of [i]) for await (const y of stream()) await y; last = before + 1',
    streamedInto: 'const before = rounds; for await (const x of stream()) { rounds = before + x }',
    streamedBare: 'const before = heads.s; for await (const x of stream()) heads.s = before + x',
    listedInto: 'const before = heads.l; for await (const x of [1, 2]) { heads.l = before + x }',
    unpackedInto: 'const { n } = box; await sleep(1); ({ n: box.n } = { n: n + 1 })',
    swappedInto: "[both.a, both['b']] = [both.b + (await one()), both.a]",
    headed: 'const before = heads.n; await sleep(1); for (heads.n of [before + 1]);',
    headedBy: "const before = heads.k; await sleep(1); for (heads['k'] in { [before + 1]: 0 }) break",
    headedInto: 'const before = round; await sleep(1); for (round of [before + 1]) break',
    headedAll: 'const before = heads.all; await sleep(1); for ([{ x: heads.all }] of [[{ x: before + 1 }]]) { break }',
    drained: 'const before = heads.d; for await (heads.d of stream()) { if (before > 99) break }',
    drainedInto: 'const before = drops; for await (drops of stream()) if (before > 99) break',
    inner: 'const { of: { m = sums2.n } = {} } = {}; await sleep(1); sums2.n = m + 1',
    named: "const { [index.k]: n = 0 } = {}; await sleep(1); index.k = 'k' + n",
    sized: 'const n = places.size; await sleep(1); places.set(n, i)',
    sizedFromOne: 'const id = ids.size + 1; await sleep(1); ids.add(id)',
    lengthOf: 'const { length } = lines; await sleep(1); lines[length] = i',
    keyed: 'const id = Object.keys(drawers).length; await sleep(1); drawers[id] = i',
    keyedFromOne: 'const id = Object.keys(floors).length + 1; await sleep(1); floors[id] = i',
    sizeOf: 'const { size } = spots; await sleep(1); spots.add(size)',
    gathered: 'const copy = seen.concat(i); await sleep(1); seen.length = 0; seen.push(...copy)',
  }
  const program = (ways: [string, string][]): string => `
const sleep = (ms) => new Promise((done) => setTimeout(done, ms))
const state = { items: [] }, list = [], slots = [], queue = [1, 2, 3]
const settings = { n: 0 }, others = { n: 0 }
class Ids { static last = 0 }
const cache = {}, user = { session: { token: null } }, members = [], rows = [], ends = []
let connection, pair = 0, counted = 0
const reflection = { n: 0 }, names = {}, claims = {}, taken = {}, made = {}, doc = { n: 0 }, page = { n: 0 }
const times = { a: 1, b: 1 }, users = {}, clients = {}, nested = { of: { n: 0 } }, logger = { level: 'info' }, seen = []
const point = { x: 1, y: 1 }, seats = {}, locks = {}, sums = { n: 1, m: 1 }, hits = new Map(), starts = []
const box = { n: 0 }, both = { a: 1, b: 2 }
const heads = { n: 0, k: 0, all: 0, d: 0, s: 0, l: 0 }, sums2 = { n: 0 }, index = { k: 'k' }, lines = []
const drawers = {}, floors = {}, places = new Map(), ids = new Set(), spots = new Set()
let [round, drops, rounds] = [0, 0, 0]
let [total, sum, last] = [0, 0, 0]
async function one() { await sleep(1); return 1 }
async function* stream() { yield 1; await sleep(1); yield 2 }
let [left, right] = [1, 2]
${ways
  .map(([name, body]) => `async function ${name}(i) { ${body} }\nawait Promise.all([1, 2, 3].map(${name}))`)
  .join('\n')}
async function given({ n }) { await sleep(1); account.n = n + 1 }
const ofPattern = async ({ n }, i) => { await sleep(1); debit.n = n + i }
const ofPatterns = async (
  i,
  { n } = credit,
  k = n,
) => { await sleep(1); credit.n = k + i }
const debit = { n: 0 }, credit = { n: 0 }
await Promise.all([1, 2, 3].map((i) => ofPattern(debit, i)))
await Promise.all([1, 2, 3].map((i) => ofPatterns(i)))
const account = { n: 0 }, byDefault = { a: 0, b: 0, c: 0, calls: 0 }
await Promise.all([1, 2, 3].map(() => given(account)))
async function parameter(i, n = byDefault.a) { await sleep(1); byDefault.a = n + 1 }
const ofArrow = async (i, { n = byDefault.b } = {}, ...rest) => { await sleep(1); byDefault.b = n + rest.length + 1 }
const ofMethod = { async method(n = byDefault.c, calls = byDefault.calls++) { await sleep(1); byDefault.c = n + 1 } }
await Promise.all([1, 2, 3].map((i) => parameter(i)))
await Promise.all([1, 2, 3].map((i) => ofArrow(i)))
await Promise.all([1, 2, 3].map(() => ofMethod.method()))
async function* generated() { const n = counted; yield n; await sleep(1); counted = n + 1 }
await Promise.all([1, 2, 3].map(async () => { for await (const n of generated()) await sleep(1) }))`
  // A report has no more than fifty cards.
  const all = Object.entries(ways)
  const half = Math.ceil(all.length / 2)
  const cards = [...(await found(program(all.slice(0, half)))), ...(await found(program(all.slice(half))))]
  const seen = cards.filter((c) => /waited and (wrote|acted on) it/.test(c.text)).map((c) => c.operation)
  same(
    [...Object.keys(ways), 'given', 'generated', 'parameter', 'ofArrow', 'ofPattern', 'ofPatterns', 'method'].filter(
      (name) => !seen.includes(name),
    ),
    [],
  )
})

/** Drivers of generators, as packages have them. */
const DRIVERS = `
const co = (gen) => new Promise((done, fail) => {
  const step = (how, value) => {
    let result
    try { result = gen[how](value) } catch (e) { return fail(e) }
    if (result.done) return done(result.value)
    Promise.resolve(result.value).then((v) => step('next', v), (e) => step('throw', e))
  }
  step('next')
})
const queue = []
let draining = false
const sagas = {
  start(gen) { queue.push(() => sagas.step(gen)); sagas.drain() },
  step(gen, value) {
    const { value: effect, done } = gen.next(value)
    if (!done) effect((v) => { queue.push(() => sagas.step(gen, v)); sagas.drain() })
  },
  drain() {
    if (draining) return
    draining = true
    while (queue.length > 0) queue.shift()()
    draining = false
  },
}
const wait = (ms) => (go) => setTimeout(go, ms)
const fail = (ms) => sleep(ms).then(() => { throw new Error('no') })
const lib = { *[Symbol.iterator]() { return yield sleep(1) } }`

test('the steps of a generator are one operation, whoever drives it, and its waits are its yields', async () => {
  const ways = {
    driven: ['co', 'const n = state.driven; yield sleep(1)\nyield sleep(1)\nstate.driven = n + 1'],
    delegating: ['co', 'const n = state.delegating\nyield* lib\nstate.delegating = n + 1'],
    called: ['co', 'const n = yield* reads("called")\nyield* pause()\nyield* writes("called", n + 1)'],
    caught: ['co', 'const n = state.caught; try {\nyield fail(1) } catch {}\nstate.caught = n + 1'],
    scheduled: ['sagas.start', 'const n = state.scheduled\nyield wait(1)\nstate.scheduled = n + 1'],
    parted: ['sagas.start', 'const n = state.parted\nyield (go) => go()\nstate.parted = n + 1'],
  }
  const program = `${DRIVERS}
const sleep = (ms) => new Promise((done) => setTimeout(done, ms))
const state = {}
function* reads(key) { return state[key] }
function* writes(key, n) { state[key] = n }
function* pause() { yield sleep(1) }
${Object.entries(ways)
  .map(([name, [, body]]) => `state.${name} = 0; function* ${name}() { ${body} }`)
  .join('\n')}
${Object.entries(ways)
  .map(([name, [driver]]) => `for (let i = 0; i < 3; i++) ${driver}(${name}())\nawait sleep(20)`)
  .join('\n')}`
  const figures = await figuresOf(program)
  const lines = program.split('\n')
  const cards = conflicts(figures).filter((c) => !c.hint)
  const functionOf = (site: number): string => figures.sites[site]!.function ?? ''
  // That what a scheduler runs at once is one after the other is no race, so its generator has none.
  same(
    cards.map((c) => functionOf(c.operation!)).sort(),
    Object.keys(ways)
      .filter((name) => name !== 'parted')
      .sort(),
    JSON.stringify(cards),
  )
  for (const c of cards)
    for (const site of c.awaits) ok(/yield/.test(lines[figures.sites[site]!.line! - 1]!), functionOf(c.operation!))
  const driven = cards.find((c) => functionOf(c.operation!) === 'driven')!
  same(driven.awaits.length, 2)
})

test('what is read and written through proxies of one object is the one object', async () => {
  const ways = {
    ofState: 'const store = view(state); const { n } = store; await sleep(1); store.n = n + 1',
    mixed: 'const n = view(state).m; await sleep(1); state.m = n + 1',
    nested: 'const store = view(view(state)); const n = store.k; await sleep(1); store.k = n + 1',
    ofMap: 'const map = view(cache); if (map.has("it")) return; await sleep(1); map.set("it", i)',
    ofList: 'const list = view(rows); const copy = [...list]; await sleep(1); list.push(copy.length)',
    ofAll: 'const copy = { ...view(all) }; await sleep(1); view(all).n = copy.n + 1',
    ofTestedSize: 'const map = view(sizes); if (map.size < 2) { await sleep(1); map.set(i, i) }',
    ofSize: 'const set = view(sized); const n = set.size; await sleep(1); set.add(n)',
  }
  const cards = await found(`
const sleep = (ms) => new Promise((done) => setTimeout(done, ms))
const bound = (value, to) => typeof value === 'function' ? value.bind(to) : value
const through = { get: (from, key) => bound(Reflect.get(from, key), from) }
const view = (target) => new Proxy(target, through)
const state = { n: 0, m: 0, k: 0 }, cache = new Map(), rows = [1], all = { n: 0 }, sizes = new Map(), sized = new Set()
const none = {}
const own = (held) => new Proxy(none, { get: (_, key) => held[key], set: (_, key, v) => ((held[key] = v), true) })
if (Proxy.name !== 'Proxy' || Proxy.length !== 2 || !/native code/.test(Proxy)) throw new Error()
const { proxy, revoke } = Proxy.revocable({ a: 1 }, {})
revoke()
const unknown = Proxy.revocable(new Map(), through).proxy
if (unknown.size < 2) unknown.set(unknown.size, 1)
if (unknown.size !== 1) throw new Error()
for (const f of [() => Proxy({}, {}), () => new Proxy(1, {}), () => proxy.a])
  try { f(); process.exit(9) } catch (e) { if (!(e instanceof TypeError)) throw e }
${Object.entries(ways)
  .map(([name, body]) => `async function ${name}(i) { ${body} }\nawait Promise.all([1, 2, 3].map(${name}))`)
  .join('\n')}
async function innocent() { const mine = own({ n: 0 }); const { n } = mine; await sleep(1); mine.n = n + 1 }
await Promise.all([innocent(), innocent(), innocent()])`)
  same(
    cards
      .filter((c) => !c.hint)
      .map((c) => c.operation)
      .sort(),
    Object.keys(ways).sort(),
    JSON.stringify(cards),
  )
})

test('a function that a call makes another of has the name of that one', async () => {
  const cards = await found(`
const sleep = (ms) => new Promise((done) => setTimeout(done, ms))
const asyncFn = (f) => f
const __awaiter = (self, given, P, gen) => new Promise((done) => {
  const step = ({ done: ends, value }) => ends ? done(value) : Promise.resolve(value).then((v) => step(gen.next(v)))
  gen = gen.apply(self, given)
  step(gen.next())
})
const state = { n: 0, made: 0, held: 0 }
const save = asyncFn(async function () { const { n } = state; await sleep(1); state.n = n + 1 })
const routes = { hold: asyncFn(async () => { const n = state.held; await sleep(1); state.held = n + 1 }) }
function make() { return __awaiter(this, void 0, void 0, function* () { const n = state.made
  yield sleep(1); state.made = n + 1 }) }
for (const f of [save, routes.hold, make]) await Promise.all([f(), f(), f()])`)
  same(
    cards
      .filter((c) => !c.hint)
      .map((c) => c.operation)
      .sort(),
    ['hold', 'make', 'save'],
  )
})

test('a generator that somebody iterates is a part of that', async () => {
  const cards = await found(`
const sleep = (ms) => new Promise((done) => setTimeout(done, ms))
let last = 0
const list = [1, 2, 3], shared = { n: 0, at: 0 }
function* ids() { for (;;) { const v = last; last = v + 1; yield last } }
function* each(o) { for (const x of list) { const before = o.n; yield x; o.n = before + x } }
function* deep(o, d) { if (d > 0) { yield* deep(o, d - 1)
  const n = o.n; yield d; o.n = n + 1; yield* deep(o, d - 1) } }
const id = ids()
async function alone() { const mine = { n: 0 }
  for (const x of each(mine)) { mine.n += x + id.next().value; await sleep(1); mine.n += 1 } }
async function atOnce() { for (const x of each(shared)) { shared.at = shared.n; shared.n = x }
  for (const x of deep(shared, 3)) shared.n += x
  await sleep(1) }
async function leaves() { for (const x of each(shared)) { shared.n = x; break }
  await sleep(1); shared.at = [...each({ n: 0 })].length }
for (const f of [alone, atOnce, leaves]) await Promise.all([f(), f(), f()])`)
  same(
    cards.filter((c) => !c.hint),
    [],
  )
})

test('functions of the language are innocent if each operation has its own properties, or the last word', async () => {
  const ways = {
    logged: 'console.log(JSON.stringify(state), Object.keys(state).length); await sleep(1); state.n = i',
    cleaned: 'for (const k of Object.keys(jobs)) { await sleep(1); if (k === `k${i}`) delete jobs[k] }',
    after: "await sleep(1); Reflect.set(count, 'n', Reflect.get(count, 'n') + 1)",
    claimed: 'if (!Object.hasOwn(names, "bob")) { names.bob = i; await sleep(1); names[`of${i}`] = 1 }',
    flagged: 'if (page.state !== "idle") return; page.state = "busy"; await sleep(1); page.state = "idle"',
    counted: 'const depth = ++log.depth; await sleep(depth); log.depth--',
    listed: 'members[i] = 0; for (const k in members) members[k]; await sleep(1); delete members[i]',
    copied: 'const { n, ...others } = settings; await sleep(1); return { n, ...others, ...settings, i }',
    kept: 'const { of: { n } } = own(i); await sleep(1); own(i).of.n = n + 1',
  }
  const cards = await found(`
const sleep = (ms) => new Promise((done) => setTimeout(done, ms))
const state = { n: 0 }, jobs = { k1: 1, k2: 2, k3: 3 }, count = { n: 0 }, names = {}, page = { state: 'idle' }
const log = { depth: 0 }, members = {}, settings = { n: 0, m: 0 }
const owned = [1, 2, 3, 4].map(() => ({ of: { n: 0 } })), own = (i) => owned[i]
setTimeout(() => (page.state = 'idle'), 1)
${Object.entries(ways)
  .map(([name, body]) => `async function ${name}(i) { ${body} }\nawait Promise.all([1, 2, 3].map(${name}))`)
  .join('\n')}`)
  same(
    cards.filter((c) => !c.hint),
    [],
  )
})

test('what was tested before a wait and updated after it is one card, whichever update it is', async () => {
  const ways = {
    less: 'if (account.less >= 60) { await sleep(1); account.less -= 60 }',
    more: 'if (account.more < 2) { await sleep(1); account.more++ }',
    set: 'if (account.set >= 60) { await sleep(1); account.set = account.set - 60 }',
    hidden: 'await purse.take()',
  }
  const cards = await found(`
const sleep = (ms) => new Promise((done) => setTimeout(done, ms))
const account = { less: 100, more: 0, set: 100 }
const purse = new (class { #n = 100; async take() { if (this.#n >= 60) { await sleep(1); this.#n -= 60 } } })()
${Object.entries(ways)
  .map(([name, body]) => `async function ${name}() { ${body} }\nawait Promise.all([1, 2, 3].map(${name}))`)
  .join('\n')}`)
  const card = (name: string, variable: string): string =>
    `${name}() tested ${variable}, waited and acted on it, though another ${name}() had changed it ` +
    'meanwhile: in 2 of 3 runs.'
  same(
    cards.filter((c) => c.text.includes('account') || c.text.includes('#n')).map((c) => c.text),
    [card('less', 'account.less'), card('more', 'account.more'), card('set', 'account.set'), card('take', 'this.#n')],
  )
})

test('callbacks of requests and of child processes belong to the operation that asked', async () => {
  const ways = {
    response: 'const n = hits; http.get(to, (res) => { hits = n + 1; res.resume().on("end", done) })',
    answer: `if (cache.text) return done()
http.get(to, (res) => { let s = ''; res.on('data', (c) => (s += c)).on('end', () => { cache.text = s; done() }) })`,
    child: "const n = runs; exec('true', () => { runs = n + 1; done() })",
    packed: "const n = bytes; gzip('x', () => { bytes = n + 1; done() })",
    bound: `const n = held; const later = AsyncResource.bind(() => { held = n + 1; done() })
waiting.push(later); if (waiting.length === 3) for (const f of waiting) f()`,
  }
  const cards = await found(`
import { AsyncResource } from 'node:async_hooks'
import { exec } from 'node:child_process'
import http from 'node:http'
import { gzip } from 'node:zlib'
let served = 0, hits = 0, runs = 0, bytes = 0, held = 0
const cache = {}, waiting = []
const server = http.createServer((request, response) => { served++; setTimeout(() => response.end('1'), 1) })
await new Promise((done) => server.listen(0, '127.0.0.1', done))
const to = { port: server.address().port, host: '127.0.0.1' }
${Object.entries(ways)
  .map(([name, body]) => {
    const three = `[1, 2, 3].map(() => new Promise((done) => ${name}(done)))`
    return `function ${name}(done) { ${body} }\nawait Promise.all(${three})`
  })
  .join('\n')}
server.close()
server.closeAllConnections()`)
  const told = new Set(cards.filter((c) => !c.hint).map((c) => c.operation))
  same([...told].sort(), Object.keys(ways).sort(), JSON.stringify(cards))
})

test('a size that was tested before a wait and changed after it is a card, and one that is told is none', async () => {
  const races = {
    ofMap: 'if (sessions.size < 2) { await sleep(1); sessions.set(i, i) }',
    ofSet: 'if (members.size >= 2) return; await sleep(1); members.add(i)',
    emptied: 'if (jobs.size === 0) return; await sleep(1); jobs.delete(jobs.values().next().value)',
    cleared: 'if (cache.size > 1) { await sleep(1); cache.clear() }',
  }
  const ways = {
    told: 'log.push(seen.size); await sleep(1); seen.add(i)',
    evicts: 'const v = await sleep(1); kept.set(i, v); if (kept.size > 2) kept.delete(kept.keys().next().value)',
    replaces: 'if (one.size < 2) { await sleep(1); one.set("it", i) }',
    limits: `while (running.size >= 2) await new Promise((go) => waiting.push(go))
running.add(i); await sleep(1); running.delete(i); waiting.shift()?.()`,
  }
  const cards = await found(`
const sleep = (ms) => new Promise((done) => setTimeout(done, ms))
const sessions = new Map(), members = new Set(), jobs = new Set([1, 2, 3]), cache = new Map([[1, 1], [2, 2]])
const seen = new Set(), kept = new Map(), one = new Map([['it', 1]]), running = new Set()
const log = [], waiting = []
${Object.entries({ ...races, ...ways })
  .map(([name, body]) => `async function ${name}(i) { ${body} }\nawait Promise.all([1, 2, 3].map(${name}))`)
  .join('\n')}`)
  const told = new Set(cards.filter((c) => !c.hint).map((c) => c.operation))
  same([...told].sort(), Object.keys(races).sort(), JSON.stringify(cards))
})

test('a variable that a module exports is shared state of the files that import it', async () => {
  const dir = temporary()
  const write = (name: string, text: string): void => writeFileSync(path.join(dir, name), text)
  write(
    'state.mjs',
    `export let count = 0
let sum = 0
export { sum as 'the sum' }
export const still = 1
export const set = (n) => { count = n }
export const setSum = (n) => { sum = n }`,
  )
  write(
    'program.mjs',
    `import { count, set, setSum, still, 'the sum' as total } from './state.mjs?v=1'
const sleep = (ms) => new Promise((done) => setTimeout(done, ms))
async function add() { const n = count; await sleep(1); set(n + 1) }
async function addTo() { const { total: n } = { total }; await sleep(1); setSum(n + still) }
async function innocent(count) { const n = count; await sleep(1); return n + count }
for (const f of [add, addTo, innocent]) await Promise.all([f(1), f(2), f(3)])
if (count !== 1 || total !== 1) throw new Error()`,
  )
  const out = path.join(dir, 'trace.jsonl')
  const { exitCode } = await recordNode(path.join(dir, 'program.mjs'), [], { out, cwd: dir, stdio: 'ignore' })
  same(exitCode, 0)
  const figures = await analyse(out)
  const cards = conflicts(figures).filter((c) => !c.hint)
  same(cards.map((c) => figures.sites[c.operation!]!.function).sort(), ['add', 'addTo'])
})

test('a variable of a module is shared state by whatever way others import it', async () => {
  const dir = temporary()
  const ways = {
    whole: ["import * as c from './counter.mjs'", 'c.count', 'c.set'],
    asDefault: ["import count, { set } from './counter.mjs'", 'count', 'set'],
    copied: ["import * as c from './counter.mjs'", '({ ...c }).count', 'c.set'],
    handedOn: ["import { total, set } from './named.mjs'", 'total', 'set'],
    handedOnAgain: ["import { total as t, set } from './all.mjs'", 't', 'set'],
    asWhole: ["import { counter } from './all.mjs'", 'counter.count', 'counter.set'],
    wholeHandedOn: ["import { whole } from './named.mjs'", 'whole.count', 'whole.set'],
    later: ["const c = await import('./counter.mjs')", 'c.count', 'c.set'],
  }
  const files: Record<string, string> = {
    'counter.mjs': 'let count = 0\nexport { count, count as default }\nexport const set = (n) => { count = n }',
    'named.mjs': `import { count, set } from './counter.mjs'
import * as whole from './counter.mjs'
export { count as total, set, whole }`,
    // The two hand on what they have from each other.
    'all.mjs': "export * from './round.mjs'; export * from './named.mjs'\nexport * as counter from './counter.mjs'",
    'round.mjs': "export * from './all.mjs'",
    'other.mjs': 'export let count = 0\nexport const set = (n) => { count = n }',
    'innocent.mjs': `import * as c from './counter.mjs'
import * as other from './other.mjs'
export async function innocent() { const n = other.count; await null; await null; c.set(c.count + n) }`,
  }
  for (const [name, [from, read, set]] of Object.entries(ways))
    files[`${name}.mjs`] =
      `${from}\nexport async function ${name}() { const n = ${read}; await null; await null; ${set}(n + 1) }`
  const names = [...Object.keys(ways), 'innocent']
  files['program.mjs'] = `${names.map((name) => `import { ${name} } from './${name}.mjs'`).join('\n')}
for (const f of [${names}]) await Promise.all([f(), f(), f()])
if ((await import('./counter.mjs')).count !== ${Object.keys(ways).length}) throw new Error()`
  for (const [name, text] of Object.entries(files)) writeFileSync(path.join(dir, name), text)
  const out = path.join(dir, 'trace.jsonl')
  const { exitCode } = await recordNode(path.join(dir, 'program.mjs'), [], { out, cwd: dir, stdio: 'ignore' })
  same(exitCode, 0)
  const figures = await analyse(out)
  const cards = conflicts(figures).filter((c) => !c.hint)
  same([...new Set(cards.map((c) => figures.sites[c.operation!]!.function))].sort(), Object.keys(ways).sort())
})

test("a CommonJS module's exports are shared state, and its functions keep their names in stacks", async () => {
  const dir = temporary()
  const program = path.join(dir, 'program.cjs')
  writeFileSync(
    program,
    `exports.left = 3
module.exports.count = 0
exports.buy = async () => { const l = exports.left; await null; await null; exports.left = l - 1 }
exports.bump = async function () { const n = module.exports.count; await null; await null
  module.exports.count = n + 1 }
exports.where = function () { return new Error().stack.split('\\n')[1] }
for (const f of [exports.buy, exports.bump]) for (let i = 0; i < 3; i++) f()
if (!/at exports\\.where .*:6:\\d+/.test((0, exports.where)())) process.exit(9)`,
  )
  const { exitCode } = await recordNode(program, [], { out: path.join(dir, 't.jsonl'), stdio: 'ignore' })
  same(exitCode, 0)
  const cards = conflicts(await analyse(path.join(dir, 't.jsonl')))
  same(cards.map((c) => c.variable).sort(), ['exports.left', 'module.exports.count'])
})

test('a global variable is shared state of the modules, and names of the language and of Node are not', async () => {
  const dir = temporary()
  const write = (name: string, text: string): void => writeFileSync(path.join(dir, name), text)
  write('state.cjs', 'stock = 3; globalThis.sold = 0')
  write(
    'program.cjs',
    `require('./state.cjs')
const before = (f, given = arguments.length) => [f, given, NaN, undefined, Infinity, setTimeout, Error][1]
async function buy() { const left = stock; await null; await null; stock = left - 1 }
async function sell() { const n = sold; await null; await null; global.sold = n + before(1, 1) }
for (const f of [buy, sell]) for (let i = 0; i < 3; i++) f()`,
  )
  const { exitCode } = await recordNode(path.join(dir, 'program.cjs'), [], {
    out: path.join(dir, 't.jsonl'),
    stdio: 'ignore',
  })
  same(exitCode, 0)
  const cards = conflicts(await analyse(path.join(dir, 't.jsonl')))
  same(cards.map((c) => c.variable).sort(), ['global.sold', 'stock'])
})

test('a function without a name is told by where it begins, and a computed name stands in brackets', async () => {
  const cards = await found(`
const sleep = (ms) => new Promise((done) => setTimeout(done, ms))
const key = Symbol('key'); let n = 9, m = 9
const o = { async [key]() { const k = n; await sleep(1); n = k - 1 } }
const both = [async () => { const k = m; await sleep(1); m = k - 1 }, async () => { const k = m; await null; m = k }]
for (let i = 0; i < 3; i++) { o[key](); both[0](); both[1]() }
await sleep(20)`)
  const texts = cards.filter((c) => !c.hint).map((c) => c.text)
  ok(
    texts.some((text) => text.startsWith('[key]() read n, waited and wrote it, though another [key]() ')),
    texts.join('\n'),
  )
  const places = texts.flatMap((text) => text.match(/(?<=program\.mjs:)\S+(?=( read| had))/g) ?? [])
  ok(places.includes('5:15') && places.includes('5:71'), texts.join('\n'))
})

test('what is only logged, or compared before it is changed, is no conflict', async () => {
  const again = 'for (;;) { const seen = v; const next = seen + (await sleep(1).then(() => 1));'
  const ways = {
    logged: 'console.log(`${list.length} of`, state.n); await sleep(1); list.push(state.n)',
    noted: 'log.push(names.length); await sleep(1); names.push(i)',
    swapped: `${again} if (v === seen) { v = next; return } }`,
    tried: `${again.replace('v;', 'w;')} if (seen !== w) continue; w = next; return }`,
  }
  const races = {
    kept: 'const length = ids.length; await sleep(1); ids.push(length)',
    alsoLogged: 'const before = total.n; console.log(total.n); await sleep(1); total.n = before + 1',
    handed: 'const copy = join(all.length); await sleep(1); all.push(copy)',
  }
  const cards = await found(`
const sleep = (ms) => new Promise((done) => setTimeout(done, ms))
const list = [], state = { n: 0 }, total = { n: 0 }, log = [], names = [], ids = [], all = [], join = String
let v = 0, w = 0
setTimeout(() => state.n++, 1)
${Object.entries({ ...ways, ...races })
  .map(([name, body]) => `async function ${name}(i) { ${body} }\nawait Promise.all([1, 2, 3].map(${name}))`)
  .join('\n')}`)
  const told = new Set(cards.filter((c) => !c.hint).map((c) => c.operation))
  same([...told].sort(), Object.keys(races).sort(), JSON.stringify(cards))
})

test('asking again is no conflict, and neither is counting oneself: loops that wait, active tasks', async () => {
  const cards = await found(`
const sleep = (ms) => new Promise((done) => setTimeout(done, ms))
let done = false, busy = false, active = 0, most = 0, hits = 0, running = 0
const queue = []
async function produce() { for (let i = 0; i < 9; i++) { queue.push(i); await sleep(1) } done = true }
async function consume() { while (!done || queue.length > 0) { if (queue.shift() === undefined) await sleep(1) } }
async function locked() { while (busy) await sleep(1); busy = true; await sleep(1); busy = false }
async function task() { active++; most = Math.max(most, active); await sleep(1); active-- }
async function run() { running = running + 1; most = Math.max(most, running); await sleep(1); running = running - 1 }
async function counts() { for (let i = 0; i < 3; i++) { hits += 1; await sleep(1) } }
await Promise.all([produce(), consume(), ...[locked, locked, locked, task, task, task, run, run, run,
counts, counts].map((f) => f())])
console.log(hits, most)`)
  same(
    cards.filter((c) => !c.hint),
    [],
  )
})

test('an operation that only tested a value before its wait, and tests it again after it, gets no card', async () => {
  const ways = {
    has: 'if (!map.has(k)) { const v = await load(); if (!map.has(k)) map.set(k, v) }',
    constant: `const hit = map.get(k); if (hit !== undefined) return hit; const v = await load()
const again = map.get(k); if (again !== undefined) return again; map.set(k, v)`,
    variable: 'if (one === null) { const v = await load(); if (one === null) one = v }',
    reaction: 'return k in all ? all[k] : load().then((v) => { if (!(k in all)) all[k] = v })',
  }
  const races = {
    compared: 'const before = n; await load(); if (n !== before) twice++; n++',
    used: 'if (n > 0) { await load(); sum += n; n++ }',
    looped: 'const m = n; for (const x of [1, 2]) { if (m > 5) sum += x; await load(); if (n > 5) sum++; n++ }',
  }
  const cards = await found(`
const sleep = (ms) => new Promise((done) => setTimeout(done, ms))
const map = new Map(), all = {}
let one = null, n = 1, sum = 0, twice = 0
const load = async () => { await sleep(1); return {} }
${Object.entries({ ...ways, ...races })
  .map(
    ([name, body]) =>
      `const ${name}_ = ${body.includes('.then') ? '' : 'async '}function ${name}(k) { ${body} }\n` +
      `await Promise.all(['${name}', '${name}', '${name}'].map(${name}_))`,
  )
  .join('\n')}`)
  const told = (hint: boolean): string[] => cards.filter((c) => c.hint === hint).map((c) => c.operation)
  const again = cards.filter((c) => c.hint && / again after a wait in which /.test(c.text)).map((c) => c.operation)
  same(again.sort(), Object.keys(ways).sort(), JSON.stringify(cards))
  same([...new Set(told(false))].sort(), Object.keys(races).sort(), JSON.stringify(cards))
})

test('where values changed during waits and nothing was done by the old ones, the report says so', async () => {
  const figures = await figuresOf(`
let one = null
async function get() { if (one === null) { await null; await null; if (one === null) one = {} } return one }
await Promise.all([get(), get()])`)
  const terminal = terminalSummary(figures).replace(/\s+/g, ' ')
  ok(terminal.includes('No conflict was seen: where values changed or were read while a function waited, it'), terminal)
  ok(terminal.includes('and one value changed during a wait, but nothing was done by the old one'), terminal)
})

test('a semaphore that hands its place over gets no card, and one that others slip into does', async () => {
  const acquires = {
    returns: `async acquire() { if (this.free > 0) { this.free--; return }
await new Promise((go) => this.waiting.push(go)) }`,
    promises: `acquire() { if (this.free > 0) { this.free -= 1; return Promise.resolve() }
return new Promise((go) => this.waiting.push(go)) }`,
    waitsFirst: `async acquire() { if (this.free === 0) { await new Promise((go) => this.waiting.push(go)); return }
this.free-- }`,
    inside: `acquire() { return new Promise((go) => { if (this.free > 0) { this.free--; go() }
else this.waiting.push(go) }) }`,
  }
  const releases = {
    takes: 'release() { const go = this.waiting.shift(); if (go) go(); else this.free++ }',
    asks: `release() { if (this.waiting.length > 0) this.waiting.shift()(); else this.free = this.free + 1 }`,
  }
  const program = (acquire: string, release: string): string => `
const sleep = (ms) => new Promise((done) => setTimeout(done, ms))
const semaphore = new (class { free = 2; waiting = []
${acquire}
${release} })()
async function job(turns) { await semaphore.acquire(); try { for (let k = 0; k < turns; k++) await null }
finally { semaphore.release() } }
await Promise.all([job(1), job(5), job(30), job(50), job(100)])`
  let notes = 0
  for (const [how, acquire] of Object.entries(acquires))
    for (const [of, release] of Object.entries(releases)) {
      const cards = await found(program(acquire, release))
      same(
        cards.filter((c) => !c.hint),
        [],
        `${how}, ${of}`,
      )
      if (cards.some((c) => c.text.includes('tested this.free and acted on it at once'))) notes++
    }
  same(notes, 8, 'of eight, those in which others had changed what was tested')
  const races = {
    'gives it back first': [
      'async acquire() { if (this.free === 0) await new Promise((go) => this.waiting.push(go)); this.free-- }',
      'release() { this.free++; this.waiting.shift()?.() }',
    ],
    'only waits': [
      'async acquire() { if (this.free === 0) await new Promise((go) => this.waiting.push(go)) }',
      'release() { this.free--; this.waiting.shift()?.() }',
    ],
    'refuses the others': [
      "async acquire() { if (this.free === 0) throw new Error('none') }",
      'release() { this.free-- }',
    ],
  }
  for (const [name, [acquire, release]] of Object.entries(races)) {
    const cards = await found(program(acquire!, release!))
    ok(
      cards.some((c) => !c.hint && /tested this\.free, waited and acted/.test(c.text)),
      `${name}: ${JSON.stringify(cards)}`,
    )
  }
})

test('beside a baseline a conflict is new, gone, or its function did not run or wait', async () => {
  const program = (calls: string): string => `
const sleep = (ms) => new Promise((done) => setTimeout(done, ms))
let balance = 10
async function withdraw(n) { const b = balance; await sleep(1); balance = b - n }
${calls}`
  const race = await figuresOf(program('await Promise.all([withdraw(1), withdraw(2)])'))
  const order = await figuresOf(program('await withdraw(1); await withdraw(2)'))
  const nothing = await figuresOf(program('await sleep(1)'))
  const remedied = await figuresOf(
    program('await Promise.all([withdraw(1), withdraw(2)])').replace('await sleep(1); balance = b', 'balance = b'),
  )
  const told = ({ lines, status }: ReturnType<typeof compare>): string => `${status} ${lines.join('; ')}`
  const sentence = /withdraw\(\) read balance, waited and wrote it, though another withdraw\(\) had .* 1 of 2 runs\./
    .source
  for (const [now, before, expected] of [
    [race, race, '0 beside the baseline: 0 new conflicts, 0 gone'],
    [race, order, `7 beside the baseline: 1 new conflict, 0 gone; new: ${sentence}`],
    [order, race, `0 beside the baseline: 0 new conflicts, 1 gone; gone: ${sentence}`],
    [remedied, race, `0 .*; gone: ${sentence} \\(This time it did not run, or did not wait.\\)`],
    [nothing, race, `0 .*; gone: ${sentence} \\(This time it did not run, or did not wait.\\)`],
  ] as const)
    ok(new RegExp(`^${expected}$`).test(told(compare(now, before))), told(compare(now, before)))
})

test("a package's reads and writes are watched if its code counts as own, and not otherwise", async () => {
  const dir = temporary()
  const files = {
    'node_modules/@shop/counter/package.json': '{"type":"module","exports":"./index.js"}',
    'node_modules/@shop/counter/index.js': `let n = 0
export async function count() { const m = n; await null; await null; n = m + 1 }`,
    'program.mjs': "import { count } from '@shop/counter'\nawait Promise.all([count(), count()])",
  }
  mkdirSync(path.join(dir, 'node_modules/@shop/counter'), { recursive: true })
  for (const [name, text] of Object.entries(files)) writeFileSync(path.join(dir, name), text)
  const seen = async (own: string[]): Promise<string[]> => {
    const out = path.join(dir, 'trace.jsonl')
    await recordNode(path.join(dir, 'program.mjs'), [], { out, cwd: dir, stdio: 'ignore', own })
    return (await analyse(out).then(conflicts)).filter((c) => !c.foreign).map((c) => c.variable ?? '')
  }
  same([await seen([]), await seen(['@shop/counter']), await seen(['counter'])], [[], ['n'], []])
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
const slots = [], last = []
async function fill(i) { slots[i] = await sleep(1).then(() => i) }
await Promise.all([0, 1, 2].map(fill))
async function look() { const newest = last[last.length - 1]; last.push(newest); await sleep(1); return newest }
await Promise.all([look(), look(), look()])
if (n !== 6) throw new Error(String(n))`)
  same(
    cards.filter((c) => /read n|mine|slots|last/.test(c.text)),
    [],
  )
})

test('a report counts one thing as one: 1 run, 1 microtask, 1 continuation', async () => {
  const figures = await figuresOf(`
let n = 0, once = 0
async function add() { const read = n; await new Promise((done) => setTimeout(done, 1)); n = read + 1 }
async function first() { const read = once; await new Promise((done) => setTimeout(done, 1)); once = read + 1 }
setTimeout(() => { once = 5 }, 0)
await Promise.all([add(), add(), first()])`)
  const told = terminalSummary(figures).replace(/\s+/g, ' ')
  ok(/ in 1 of 2 runs\./.test(told) && / in 1 of 1 run\./.test(told), told)
  same(told.match(/\b1 (runs|continuations|microtasks|batches|gaps|subtrees|registrations)\b/g), null)
})
