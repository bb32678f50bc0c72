/** Functions are compared by the place where they begin, and named as the people who wrote them did. */
import { TraceMap, encodedMappings } from '@jridgewell/trace-mapping'
import { transform as bundled } from 'esbuild'
import Module from 'node:module'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { analyse } from '../src/analysis/index.ts'
import { conflicts, conflictText } from '../src/analysis/conflicts.ts'
import { mapPlaces, type Mapped } from '../src/analysis/sourcemaps.ts'
import { parseTrace } from '../src/format/index.ts'
import { recordNode, type RecordNodeOptions } from '../src/record/node/index.ts'
import { transform } from '../src/record/accesses/transform.ts'
import { functionNameAt } from '../src/source/function_name.ts'
import { variableName } from '../src/source/variable_name.ts'
import { ok, same, test } from './harness.ts'
import { temporary } from './places.ts'

/** Each function, called once, tells its name and where V8 says that it begins, and reads `o.k`. */
const kinds = `const told = []
const o = { k: 1 }
function tell() {
  const native = Error.prepareStackTrace
  Error.prepareStackTrace = (_, frames) => frames
  const [, f] = new Error().stack
  Error.prepareStackTrace = native
  told.push([f.getFunctionName(), f.getEnclosingLineNumber(), f.getEnclosingColumnNumber()])
}
class C {
  async method() { tell(o.k) }
  static  async inClass() { tell(o.k) }
  sync() { tell(o.k) }
  get read() { return tell(o.k) }
  static set
    written(x) { tell(o.k) }
  async *many() { yield tell(o.k) }
  async #hidden() { tell(o.k) }
  showsHidden() { return this.#hidden() }
  arrow = async () => tell(o.k)
  field = async function () { tell(o.k) }
  async 'text'() { tell(o.k) }
}
const object = { async inObject() { tell(o.k) }, get value() { return tell(o.k) }, key: async () => tell(o.k),
  async* all() { yield tell(o.k) } }
async function declared() { tell(o.k) }
const assigned = (x) => tell(o.k)
const c = new C()
await Promise.all([c.method(), C.inClass(), c.sync(), c.read, C.written = 1, c.many().next()])
await Promise.all([c.showsHidden(), c.arrow(), c.field(), c.text()])
await Promise.all([object.inObject(), object.value, object.key(), object.all().next(), declared(), assigned()])
process.stdout.write(JSON.stringify(told))
`

test('a function begins where stacks say, whichever kind it is', async () => {
  const file = path.join(temporary(), 'kinds.mjs')
  writeFileSync(
    file,
    kinds.replace('process.stdout.write(', ";(await import('node:fs')).writeFileSync(process.argv[2], "),
  )
  const out = path.join(path.dirname(file), 'told.json')
  const { spawnSync } = await import('node:child_process')
  const { status, stderr } = spawnSync(process.execPath, [file, out], { encoding: 'utf8' })
  same(status, 0, stderr)
  const byStacks = (JSON.parse(readFileSync(out, 'utf8')) as [string, number, number][]).map(
    ([name, line, column]) => `${name.replace(/^[gs]et /, '')} ${line}:${column}`,
  )
  const { sites } = transform(kinds, 'file:///kinds.mjs', true, 2)!.sites
  const rewritten = sites.filter((s) => s[5] === 'o.k').map(([, , name, line, column]) => `${name} ${line}:${column}`)
  same([...new Set(rewritten)].sort(), [...new Set(byStacks)].sort())
  ok(byStacks.length === 16, byStacks.join())
})

test('a method that a timer calls is the same function as the one that is watched', async () => {
  const cards = await cardsOf({
    'program.mjs': `class Bank {
  balance = 0
  deposit = () => { this.add() }
  async add() { const b = this.balance; await new Promise((done) => setTimeout(done, 1)); this.balance = b + 1 }
}
const bank = new Bank()
for (let i = 0; i < 20; i++) setImmediate(bank.add.bind(bank))
await Promise.all(Array.from({ length: 20 }, () => bank.add()))`,
  })
  same(cards.length, 1, cards.join(' | '))
})

test('the name of a function is read where it begins: at its first word, its name or its parameters', () => {
  const lines = {
    '|async save(x) {': 'save',
    'async |save<T>(x: T) {': 'save',
    '  async save|(x) {': 'save',
    'export |function save() {': 'save',
    '|export async function save() {': 'save',
    '|export default function save(x) {': 'save',
    '|export default function (x) {': undefined,
    '  |private override async save(x) {': 'save',
    '  |private(x) {': 'private',
    '|function* save() {': 'save',
    '|get total() {': 'total',
    '#save|() {': '#save',
    'const save = |async (x) => x': 'save',
    'const save = async |(x) => x': 'save',
    'const save: Save = |x => x': 'save',
    'exports.save = |function () {': 'save',
    '{ save: |async () => 1 }': 'save',
    "button.on('click', |async function onBuy(e) {": 'onBuy',
    'return |(x) => x': undefined,
    'list.map(|x => save(x))': undefined,
    'list.map(async |(x) => save(x))': undefined,
    'ready ? save : |() => 1': undefined,
    "button.on(|'click', go)": undefined,
    'if |(x) {': undefined,
  }
  for (const [line, name] of Object.entries(lines))
    same(functionNameAt(line.replace('|', ''), line.indexOf('|') + 1), name, line)
})

test('a minified function has the name of the function it lies in, not of the variable that stands there', async () => {
  const original = ['async function withdraw(amount) {', '  await wait(amount)', '}']
  const minified = 'async function o(e){await t(e)}'
  // The names that a minifier writes: of each variable where it stands.
  const mappings = [
    [0, 0, 0, 0],
    [15, 0, 0, 15, 0],
    [17, 0, 0, 24, 1],
    [20, 0, 1, 2],
    [26, 0, 1, 8, 2],
  ]
  const names = ['withdraw', 'amount', 'wait']
  const of = async (content: string | null, inSections = false): Promise<Mapped[]> => {
    const map = new TraceMap({
      version: 3,
      sources: ['bank.ts'],
      names,
      mappings: [mappings] as any,
    })
    const whole = {
      version: 3,
      sources: ['bank.ts'],
      names,
      mappings: encodedMappings(map),
      sourcesContent: [content],
    }
    const sections = [{ offset: { line: 0, column: 0 }, map: whole }]
    const text = JSON.stringify(inSections ? { version: 3, sections } : whole)
    const address = `data:application/json;base64,${Buffer.from(text).toString('base64')}`
    const url = 'https://example.org/bank.js'
    const found: Mapped[] = []
    await mapPlaces(
      [
        { url, line: 1, column: 27, begin: [1, 1] as [number, number] },
        { url, line: 1, column: 16 },
      ],
      (_, to) => void found.push(to),
      async (wanted) =>
        wanted === url ? `${minified}\n//# sourceMappingURL=${address}` : wanted === address ? text : null,
    )
    return found
  }
  const source = 'https://example.org/bank.ts'
  const inside = { source, line: 2, column: 9, name: 'withdraw', begin: [1, 1] }
  same(sorted(await of(original.join('\n'))), sorted([inside, { source, line: 1, column: 16, name: 'withdraw' }]))
  same(await of(original.join('\n'), true), await of(original.join('\n')), 'a map that is made of sections')
  const { name: _, ...nameless } = inside
  same(sorted(await of(null)), sorted([nameless, { source, line: 1, column: 16, name: 'withdraw' }]), 'without text')
})

test('the variable of a conflict in a minified bundle has the name that people gave it', async () => {
  for (const [text, ran, name] of [
    ['state.orders.push(order)', 't.orders', 'state.orders'],
    ['this.#balance -= n', 'this.#t', 'this.#balance'],
    ['seats[row][i] = who', 'e[r][t]', 'seats[row][i]'],
    ['user!.session?.token ?? 1', 'e.session?.token', 'user!.session?.token'],
    ['count = seen + 1', 'e', 'count'],
    ['items } = state', 't.items', undefined],
    ['balance', 'the file x', undefined],
  ] as const)
    same(variableName(text, ran), name, text)
  const dir = temporary()
  const out = path.join(dir, 'trace.jsonl')
  const shop = `const state = { submitting: false }; const wait = () => new Promise((done) => setTimeout(done, 1))
    async function submit() { if (state.submitting) return; await wait(); state.submitting = true }
    await Promise.all([submit(), submit()])`
  const { code } = await bundled(shop, { minify: true, format: 'esm', sourcemap: 'inline', sourcefile: 'shop.ts' })
  ok(!code.slice(0, code.indexOf('//#')).includes('state'), 'the bundle has other names')
  writeFileSync(path.join(dir, 'shop.mjs'), code)
  await recordNode(path.join(dir, 'shop.mjs'), [], { out, cwd: dir, stdio: 'ignore' })
  const figures = await analyse(out)
  const [first] = conflicts(figures)
  same([first?.kind, first?.variable], ['lost update', 'state.submitting'])
})

const sorted = (all: object[]): object[] => all.map((o) => Object.fromEntries(Object.entries(o).sort()))

/** What TypeScript's runners do: a loader makes text of the file, with a map, that is on no disk. */
const bank = `import { setTimeout as wait } from 'node:timers/promises'

const account = { balance: 100 }
async function withdraw(n) {
  const old = account.balance
  await wait(1)
  account.balance = old - n
}
for (let i = 0; i < 12; i++) await Promise.all([withdraw(1), withdraw(2)])
`

/** All in one line, with a map from each character. */
function inOneLine(url: string): string {
  const segments: [number, number, number, number][] = []
  let text = ''
  bank.split('\n').forEach((line, i) => {
    for (let column = 0; column < line.length; column++) segments.push([text.length + column, 0, i, column])
    text += `${line};`.replace('{;', '{')
  })
  const mappings = encodedMappings(new TraceMap({ version: 3, sources: [url], names: [], mappings: [segments] as any }))
  const map = JSON.stringify({ version: 3, sources: [url], names: [], mappings, sourcesContent: [bank] })
  return `${text}\n//# sourceMappingURL=data:application/json;base64,${Buffer.from(map).toString('base64')}`
}

const loads = (url: string): string =>
  `!url.endsWith('/bank.ts') ? next(url, context) : ` +
  `{ format: 'module', source: ${JSON.stringify(inOneLine(url))}, shortCircuit: true }`

async function cardsOf(
  files: Record<string, string> | ((dir: string) => Record<string, string>),
  options: Partial<RecordNodeOptions> = {},
): Promise<string[]> {
  const dir = temporary()
  for (const [name, text] of Object.entries(typeof files === 'function' ? files(dir) : files)) {
    mkdirSync(path.dirname(path.join(dir, name)), { recursive: true })
    writeFileSync(path.join(dir, name), text)
  }
  const out = path.join(dir, 'trace.jsonl')
  const { exitCode } = await recordNode(path.join(dir, 'program.mjs'), [], {
    out,
    cwd: dir,
    stdio: 'ignore',
    ...options,
  })
  same(exitCode, 0)
  parseTrace(readFileSync(out), out)
  const figures = await analyse(out)
  return conflicts(figures).map((c) => {
    const lines = [c.first, ...c.awaits, c.other, c.second].map((s) => {
      const place = figures.sites[s]!.original ?? figures.sites[s]!
      return `${place.line}:${place.column}`
    })
    return `${conflictText(figures, c).replace(/[:,] .*/, '')} at ${lines.join(' ')}`
  })
}

const race = ['withdraw() read account.balance at 5:15 6:3 7:3 7:3']

test('what a loader makes of a file is watched, and has the places of the file', async () => {
  const files = (dir: string): Record<string, string> => ({
    'program.mjs': `import { register } from 'node:module'
process.setSourceMapsEnabled(true)
register('./loader.mjs', import.meta.url)
await import('./bank.ts')`,
    'loader.mjs': `export async function load(url, context, next) { return ${loads(`file://${dir}/bank.ts`)} }`,
    'bank.ts': bank,
  })
  same(await cardsOf(files), race)
  const unwatched = await cardsOf(files, { accesses: false })
  ok(/^withdraw\(\) waits at (6:9 )+/.test(unwatched[0] ?? ''), unwatched.join())
})

test('hooks that the program registers, and types that Node takes away, leave it watched', async () => {
  if (typeof (Module as any).registerHooks !== 'function') return
  const hooked = (dir: string): Record<string, string> => ({
    'program.mjs': `import { registerHooks } from 'node:module'
process.setSourceMapsEnabled(true)
registerHooks({ load(url, context, next) { return ${loads(`file://${dir}/bank.ts`)} } })
await import('./bank.ts')`,
    'bank.ts': bank,
  })
  same(await cardsOf(hooked), race)
  const typed = bank.replace('(n)', '(n: number): Promise<void>').replace('100 }', '100 } as Account')
  same(
    await cardsOf({
      'program.mjs': "await import('./bank.ts')",
      'bank.ts': `${typed}interface Account { balance: number }`,
    }),
    race,
  )
})
