/** Own code that another program compiles by `node:vm`, as Jest and Vitest do with what they test. */
import { spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { transformSync } from 'esbuild'
import { analyse, type Figures } from '../src/analysis/index.ts'
import { conflicts, type Conflict } from '../src/analysis/conflicts.ts'
import { recordNode } from '../src/record/node/index.ts'
import { ok, same, test } from './harness.ts'
import { command, temporary } from './places.ts'

/** Each compiles a text by the name of its file, in some realm, and runs it as the body of a function. */
const WAYS: Record<string, string> = {
  compileFunction: `vm.compileFunction(text, ['exports'], { filename, parsingContext: realm })(exports)`,
  Script: `new vm.Script(wrapped, { filename, columnOffset }).runInContext(realm)(exports)`,
  'a Script of a subclass': `new (class extends vm.Script {})(wrapped, { filename, columnOffset })
    .runInNewContext({ Promise })(exports)`,
  runInContext: `vm.runInContext(wrapped, realm, { filename, columnOffset })(exports)`,
  runInNewContext: `vm.runInNewContext('\\n' + wrapped, undefined, { filename, lineOffset: -1 })(exports)`,
  runInThisContext: `runInThisContext(wrapped, { filename, columnOffset })(exports)`,
  SourceTextModule: `evaluated(new vm.SourceTextModule(text, { identifier: filename, context: realm }))`,
}

/** Without it Node has no `SourceTextModule`. */
const FLAGS = ['--experimental-vm-modules', '--no-warnings']

/** A program that runs `own.cjs` by a package. */
function runner(way: string, made: string): { dir: string; program: string } {
  const dir = temporary()
  const folder = path.join(dir, 'node_modules/runner')
  mkdirSync(folder, { recursive: true })
  writeFileSync(
    path.join(folder, 'index.js'),
    `const vm = require('node:vm'), { runInThisContext } = vm
const evaluated = async (module) => (await module.link(() => {}), module.evaluate())
module.exports = async (filename, text, exports) => {
  const realm = vm.createContext({ console, exports }), head = '(function (exports) {'
  const wrapped = head + text + '\\n})', columnOffset = -head.length
  return ${WAYS[way]!}
}`,
  )
  const program = path.join(dir, 'program.cjs')
  writeFileSync(
    program,
    `const exported = { log: console.log, read: () => require('node:fs').readFileSync(__filename, 'utf8').length }
require('runner')(${JSON.stringify(path.join(dir, 'own.cjs'))}, ${JSON.stringify(made)}, exported)
  .then(() => exported.run())`,
  )
  return { dir, program }
}

/** Of the steps of a conflict, in `own.cjs`. */
const placesOf = (figures: Figures, c: Conflict): string[] =>
  [c.first, ...c.awaits, c.other, c.second].map((site) => {
    const { url, line, column } = figures.sites[site]!
    ok(url?.endsWith('/own.cjs'), url)
    return `${line}:${column}`
  })

const BANK = `exports.run = () => { const bank = new Bank(); for (let i = 0; i < 3; i++) bank.withdraw('a') }
class Bank {
  accounts = new Map([['a', 100], ['b', 1]])
  async withdraw(name) { const balance = this.accounts.get(name)
    await null
    this.accounts.set('b', 2); this.accounts.set(name, balance - 1) } }`

test('a race in own code that a package compiles by node:vm is the first card, in whatever way and realm', async () => {
  for (const way of Object.keys(WAYS)) {
    const { dir, program } = runner(way, BANK)
    const out = path.join(dir, 't.jsonl')
    const { exitCode } = await recordNode(program, [], { out, stdio: 'ignore', execArgv: FLAGS })
    same(exitCode, 0, way)
    const figures = await analyse(out)
    const [c] = conflicts(figures)
    ok(c !== undefined, `${way}: no conflict`)
    same(placesOf(figures, c), ['4:42', '5:5', '6:32', '6:32'], way)
    same(figures.recordings[0]!.unwatched, undefined, way)
  }
})

test('of a text that a runner has made of a file, places are those of the file, by the map in the text', async () => {
  for (const way of ['compileFunction', 'runInThisContext', 'SourceTextModule']) {
    const source = BANK.replace('class Bank', 'interface Account { name: string }\n\nclass Bank')
    const { code } = transformSync(source, { loader: 'ts', sourcemap: 'inline', sourcefile: 'own.cjs' })
    ok(!code.startsWith(source.slice(0, 90)), 'the text is the file')
    const { dir, program } = runner(way, code)
    const out = path.join(dir, 't.jsonl')
    await recordNode(program, [], { out, stdio: 'ignore', execArgv: FLAGS })
    const figures = await analyse(out)
    const [c] = conflicts(figures)
    ok(c !== undefined, `${way}: no conflict`)
    same(placesOf(figures, c), ['6:42', '7:5', '8:32', '8:32'], way)
  }
})

test('a race in a module that a server of Vite runs is the first card, by the map in its text', async () => {
  const source = `type Stock = { left: number }\n\nconst stock: Stock = await load()
async function load() { return { left: 9 } }
async function buy() { const { left } = stock
  await null
  stock.left = left - 1 }
exports.buy = buy`
  const { code, map } = transformSync(source, { loader: 'ts', sourcemap: 'external', sourcefile: 'a shop.ts' })
  const dir = temporary()
  const folder = path.join(dir, 'node_modules/runner')
  mkdirSync(folder, { recursive: true })
  // The function's own lines, and a line that the runner writes, stand before the text.
  const found = JSON.stringify({ ...JSON.parse(map), mappings: `;;;${JSON.parse(map).mappings}` })
  const text = `"use strict";\n${code}\n//# sourceURL=${path.join(dir, 'a%20shop.ts')}
//# sourceMappingURL=data:application/json;base64,${Buffer.from(found).toString('base64')}\n`
  writeFileSync(
    path.join(folder, 'index.js'),
    `const AsyncFunction = async function () {}.constructor
module.exports = async (text) => { const exports = {}; await new AsyncFunction('exports', text)(exports)
  return exports }
if (!((async () => {}) instanceof AsyncFunction) || AsyncFunction.name !== 'AsyncFunction') process.exit(9)
if (AsyncFunction('a', 'return a').toString() !== 'async function anonymous(a\\n) {\\nreturn a\\n}') process.exit(8)`,
  )
  const program = path.join(dir, 'program.cjs')
  writeFileSync(program, `require('runner')(${JSON.stringify(text)}).then(({ buy }) => { buy(); buy(); buy() })`)
  const out = path.join(dir, 't.jsonl')
  const { exitCode } = await recordNode(program, [], { out, stdio: 'ignore' })
  same(exitCode, 0)
  const figures = await analyse(out)
  const [c] = conflicts(figures)
  ok(c !== undefined, 'no conflict')
  const sites = [c.first, ...c.awaits, c.second].map((site) => figures.sites[site]!)
  ok(
    sites.every(({ url }) => url?.endsWith('/a%20shop.ts')),
    JSON.stringify(sites),
  )
  same(
    sites.map(({ line }) => line),
    [5, 6, 7],
  )
})

/** What a program says first, with these arguments before it. */
const said =
  (dir: string, program: string) =>
  (args: string[]): string => {
    const { stdout, stderr } = spawnSync(process.execPath, [...args, program], { cwd: dir, encoding: 'utf8' })
    return stdout === '' ? stderr : stdout.split('\n')[0]!
  }

const LOOKS = `exports.run = () => {
  const o = { n: 1, f() { return this.n } }
  const said = [o.f.toString(), Object.keys(globalThis).join(), (o.n, o.n, new Error('x')).stack.split('\\n')[1]]
  const before = Error.prepareStackTrace
  Error.prepareStackTrace = (_, [frame]) =>
    [frame.getLineNumber(), frame.getColumnNumber(), String(frame), frame.getFunctionName(), frame.isNative()]
  const inner = Error.prepareStackTrace
  Error.prepareStackTrace = (e, frames) => [exports.read(), ...inner(e, [...frames])]
  said.push(...(o.n, o.n, new Error('x')).stack)
  Error.prepareStackTrace = before
  said.push(Error.prepareStackTrace === before)
  exports.log(JSON.stringify(said))
}`

test('own code that a package compiles does not see that it is rewritten, and its formatters of stacks work', () => {
  for (const way of Object.keys(WAYS)) {
    const { dir, program } = runner(way, LOOKS)
    const run = said(dir, program)
    const bare = run(FLAGS)
    ok(bare.includes('own.cjs'), `${way}: ${bare}`)
    const flags = FLAGS.flatMap((flag) => ['--node-arg', flag])
    same(run([command, 'node', '--no-calibrate', '--quiet', ...flags, '--out', path.join(dir, 'o.jsonl')]), bare, way)
  }
})

test('what a package compiles does the same in realms that cannot be changed, and leaves no name in others', () => {
  const { dir, program } = runner('Script', BANK)
  writeFileSync(
    path.join(dir, 'node_modules/runner/index.js'),
    `const vm = require('node:vm')
module.exports = async (filename, text, exports) => {
  const script = new vm.Script('"use strict"; { const o = { n: 1 }; o.n++; (() => o.n)() }', { filename })
  const frozen = vm.createContext(Object.freeze({}))
  const names = 'Object.keys(globalThis).concat(Object.getOwnPropertyNames(this).filter((n) => /ch_/.test(n))).join()'
  exports.run = () => console.log(
    vm.Script.name, script instanceof vm.Script, script.runInThisContext(), script.runInNewContext(),
    script.runInContext(frozen), vm.runInContext('const p = { n: 3 }; p.n', frozen, { filename }),
    vm.runInNewContext('this.n', { n: 4 }, filename), vm.runInNewContext(names, { m: 5 }, filename),
    vm.compileFunction('return a.n', ['a'], { filename, parsingContext: frozen })({ n: 6 }))
}`,
  )
  const run = said(dir, program)
  same(run([]), 'Script true 2 2 2 3 4 m 6')
  same(run([command, 'node', '--no-calibrate', '--quiet', '--out', path.join(dir, 'o.jsonl')]), run([]))
})
