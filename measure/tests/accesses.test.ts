/** Rewritten programs do what they did, and what they tell of their reads and writes is right. */
import { TraceMap, encodedMappings, originalPositionFor } from '@jridgewell/trace-mapping'
import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { analyse } from '../src/analysis/index.ts'
import { conflicts } from '../src/analysis/conflicts.ts'
import { recordNode } from '../src/record/node/index.ts'
import { Flows } from '../src/record/accesses/flows.ts'
import { transform, transformForPage } from '../src/record/accesses/transform.ts'
import { toldBy } from '../src/record/accesses/tell.ts'
import { Watch } from '../src/record/accesses/watch.ts'
import { originalColumn, unmarked } from '../src/record/accesses/sites.ts'
import { ok, same, test } from './harness.ts'
import { temporary } from './places.ts'

/** Every construct that a rewriting could break; prints what it computes. */
const program = `import fs from 'node:fs'
import path from 'node:path'
import util from 'node:util'
let shared = 0
const out = []
class Base { static kinds = { Inner: class { n = 7 } }; #secret = 1;
get secret() { return this.#secret } raise() { this.#secret += 2; return this.#secret++ } }
class Derived extends Base { constructor() { super(); this.a = { b: [1, 2] } } raise() { return super.raise() + 1 } }
const d = new Derived()
out.push(new Base.kinds.Inner().n, d.raise(), d.secret, d.a.b.length)
d.a.b[0] += 5
d.a['b'][1]++
;(d.a).b.push(...[3, 4])
out.push(d.a.b.join(), delete d.a.gone, 'b' in d.a, typeof nothing, typeof shared)
const f = (n = shared) => ({ n, shared })
shared++
shared = shared * 2
;[1, 2].forEach((x) => { shared += x })
out.push(f(), f?.(3).n, d?.a?.b[0], out?.nothing?.[0])
function later(cb = () => hidden()) { let hidden = 3; const seen = () => hidden; hidden = 4;
return [seen(), typeof cb] }
out.push(later())
async function waits(list) { let sum = 0; for await (const x of list) sum += x;
try { await Promise.reject(new Error('no')) } catch (e) { sum += e.message.length } finally { sum += await 1 }
return sum }
out.push(await waits([1, Promise.resolve(2)]))
const short = async (x) =>
  x + (await x)
out.push(await short(4), await (async () => ({ a: await 1 }))())
const m = new Map([['k', 1]])
m.set('k', m.get('k') + 1).set('l', (await m.get('k')) ?? 0)
out.push(m.get('k'), m.has('l'), [...m.keys()].join())
function* gen() { const got = yield shared; yield got }
const g = gen()
out.push(g.next().value, g.next(9).value)
label: for (const key in d.a) { if (key === 'x') continue label; out.push(key) }
const { a: { b: [first] }, ...rest } = d
;({ shared } = { shared: 40 })
out.push(first, Object.keys(rest).length, shared, String(function named() {}.name))
out.push((() => {}).name, path.basename('/x/y'))
switch (shared) { case 40: out.push('forty'); break; default: out.push('no') }
const tagged = (s, v) => s.raw.join('|') + v
const pair = [1, 2]
let left = 0, right = 0
;[left, right = left, ...o0] = [...pair, 3]; var o0
const swap = () => ([left, right] = [right, left])
const deep = { in: { x: [5, 6], f() { return this.x } }, none: null }
const { in: { x: [five] }, none = 3, ['none']: computed, gone = left } = deep
const [one, , three = 9] = pair
for (const x of pair) for (let y of [...deep.in.x, ...pair]) left += x * y
out.push(left, right, o0, swap(), five, none, computed, gone)
out.push(one, three, 'x' in deep.in, (right, 'y') in deep.in, pair.length, pair[0])
out.push(deep?.in.x?.[1], deep.in?.f?.(), deep.none?.x.y.z(left), (deep.none?.x)?.y)
out.push((0, deep).in?.x.length, deep.in.x?.length, deep?.none?.[left].x)
out.push(deep.in.gone?.(left), deep?.in.f().length, delete deep.in?.nothing, [...pair].length, Math.max(...pair))
try { const { a } = deep.none } catch (e) { out.push(e.constructor.name) }
try { 'a' in deep.none } catch (e) { out.push(e.message) }
pair.length = 1
out.push(pair.length, pair.push(7), pair.shift(), pair[0])
out.push(tagged\`a\${shared}b\`, \`\${d.a.b[0]}\`, (0, d.raise).call(d) > 0)
out.push([1, 2].toString(), shared.toString(2), ({ constructor: (x) => x }).constructor(5), d.a.b.valueOf().length)
const o = { k: 1, get twice() { return this.k * 2 }, set twice(v) { this.k = v / 2 } }
out.push((shared, o).k, o['j', 'k'], (o.k = 3, o.k), ((0, o).k = (1, 4)), o.twice, (o.twice += 2))
out.push(o['k']--, o.k, ++o['k'], (o.z ??= 5), (o.z ||= 6), (o.z &&= 7))
function minified(a){if(a)return[a].length;else return"x".includes(a)}
const unbraced=/* => */async(/* => */x=[1].length)=>{for(const y of[x])o.y=y;return typeof[x].length+await[x][0]}
out.push(minified(1), minified(0), await unbraced())
let keys = 0
const counted = { toString() { keys++; return 'c' } }
o[counted] = 1
o[counted] += o[counted]
out.push(o.c, keys)
const named = { f: () => 1, ['g' + 1]: () => 2 }
o.f = () => {}
const noted = (n) => n
  .c
out.push(named.f.name, named.g1.name, o.f.name, noted(o), [o.k, o.z] = [8, 9], o.z, ({ k: o.k } = { k: 10 }).k, o.k)
class Fields { static #count = 0; static { try { Fields.#count += 1 } catch {} } n = (shared += 1);
f = () => this.n++; get count() { return Fields.#count } #p = 1; has(x) { return #p in x } }
const fields = new Fields()
out.push(fields.f(), fields.n, fields.count, fields.has(fields), fields.has({}))
const proxy = new Proxy({}, { get: (_, k) => 'got ' + String(k), set: (t, k, v) => ((t[k] = v), true),
  has: () => true, deleteProperty: () => true })
proxy.a = 1
out.push(proxy.a, delete proxy.a, Reflect.ownKeys(proxy).length)
function* counts(n) { try { while (n-- > 0) { const got = yield n; if (got) out.push('got', got) } return 'end' }
catch (e) { out.push('caught', e); yield; return yield -1 } finally { o.k++; out.push('left') } }
function* hands() { const last = yield* counts(2); const none = yield* 'ab'; return [last, none, yield] }
const handed = hands()
out.push([1, 2, 3, 4, 5, 6, 7].map((i) => handed.next(i)), [...counts(3)])
for (const how of ['throw', 'return']) { const h = hands(); h.next(); out.push(h[how]('it'), h.next(), h.next(5)) }
const wrong = [1, () => 1, () => ({})].map((f) => ({ [Symbol.iterator]: f }))
for (const bad of [null, 5, {}, ...wrong])
  try { out.push([...(function* () { yield* bad })()]) } catch (e) { out.push(e.constructor.name) }
const bare = { [Symbol.iterator]: () => ({ n: 0,
next(v) { return { done: this.n++ > 1, value: [v, arguments.length] } } }) }
function* onBare() { return yield* bare }
const b0 = onBare()
out.push(b0.next(1), b0.next(2), b0.next(3), b0.next(4))
const b1 = onBare(); b1.next()
try { b1.throw(new RangeError('no')) } catch (e) { out.push(e.constructor.name) }
const b2 = onBare(); b2.next()
out.push(b2.return(8), b2.next())
async function* pages() { for (let i = 0; i < 2; i++) { o.page = await i; yield o.page } }
for await (const page of pages()) out.push(page)
async function* inner(x) { try { const got = yield x; yield; yield got } finally { o.page += 10; await 0 } }
async function* outer() { yield* inner(o.page); return yield* inner(await 2) }
const stepped = outer()
out.push(await stepped.next(), await stepped.next(7), (await stepped.next()).value)
out.push((await stepped.next()).value, await stepped.return(4), o.page)
// What functions say of themselves, and where errors come from.
async function text(a = () => o.k) { o.k = await a(); return [1].map((x) => x + o.k) }
out.push(text.toString(), String((x) => o.k), Fields.toString())
out.push(Function.prototype.toString.toString(), (0, eval)('(' + text + ')').name)
function thrown() { const k = o.k; [1].forEach(() => { o.k = k; throw new TypeError('no') }) }
try { thrown() } catch (e) { out.push(e.stack.split('\\n').slice(0, 4).map((l) => l.replace(/file:.*[/]/, ''))) }
function* fails() { throw new Error('deep') } function* around() { yield* fails() }
try { around().next() } catch (e) { out.push(e.stack.split('\\n').slice(0, 3).map((l) => l.replace(/file:.*[/]/, ''))) }
try { path.join(1) } catch (e) { out.push(e.stack.split('\\n')[0]) }
out.push(typeof await import('node:fs').then((m) => m.default.readFile), import.meta.url.startsWith('file:'))
out.push({ ...o, ...(deep.none ?? deep.in) }.k, Object.assign(o, { k: 11 }, deep.none).k, Object.assign({}, o).k)
out.push(new (class { #n = 5; get n() { return this.#n-- } })().n, new (function () { this.n = o.k })().n)
class Ids { static last = 1 } Ids.last += 2; f.calls = 0; f.calls++; Object.assign(f, { calls: await 4 })
out.push(Ids.last, f.calls, Object.assign(...[{ a: 1 }, { b: 2 }]).b)
const traps = []
const trapped = new Proxy({ a: 1 }, { ownKeys: (t) => (traps.push('keys'), Reflect.ownKeys(t)) })
out.push({ ...trapped }.a, Object.assign({}, trapped).a, traps.length)
// Functions of the language, and patterns.
const reflected = { a: 1, get b() { out.push('got'); return { c: this.a++ } } }
out.push(Reflect.get(reflected, 'b', { a: 5 }), Reflect.set(reflected, 'a', await 3), Reflect.has(...[reflected, 'a']))
out.push(Object.keys(reflected).length, Object.hasOwn(reflected, out.push('key') && 'a'), 'b'.hasOwnProperty('length'))
out.push(Object.defineProperty(reflected, 'd', { value: 4 }) === reflected, Reflect.deleteProperty(reflected, 'd'))
out.push(Object.prototype.hasOwnProperty.call(reflected, 'a'), JSON.stringify({ o, f: [...new Set([1, 1])] }))
const { b: { c, e = 7 }, ['a']: whole, ...others } = reflected
let [west = 1, [east], { length }] = [undefined, [2], 'abc']; [west, east] = [east, west]
out.push(c, e, whole, others, west, east, length, Array.from([3, 1]).toString(), Object.fromEntries(new Map([[1, 2]])))
function given({ a, b: { c } = {} }, [x], ...rest) { return [a, c, x, rest.length, arguments.length] }
out.push(given(reflected, [1], 2), given.length, given({ a: 1 }, 'x'))
class Given { static async of({ a }) { return a + arguments[0].a } *each({ a }) { yield a } }
out.push(await Given.of({ a: 2 }), [...new Given().each({ a: 3 })])
const arrows = [({ a }) => a, (x, { a, b: { c } = {} }) => [x, a, c], ({ a = 5 } = {}) => a,
  async ({ a, ...rest }) => [a, rest], (x, { a: [y] = [x] } = { a: [7] }) => y, ([x] = [], { a }) => [x, a],
  ({ [out.push('key') && 'a']: a, length = 3 }) => [a, length]]
for (const f of arrows.slice(0, 5)) out.push(await f({ a: 1 }, { a: [2] }, 9), f.length)
out.push(arrows[5]([1], { a: 2 }), arrows[5].length, arrows[6]({ a: 1 }))
out.push(await arrows[2](), arrows[4](8), await arrows[3](null).catch((e) => e.name), [{ a: 1 }].map(({ a }) => a))
try { arrows[0]() } catch (e) { out.push(e.name) }
const mixed = [({ a }, b) => [a, b], (x, { a = x, ...r }, y = a, { z } = { z: y },) => [x, a, r, y, z],
  ({ a }, ...r) => [a, r], async (
    { a },
    b = () => a,
    [c] = [b], // the last
  ) => [a, b.name, b?.call?.(), c === b], ({ a }, b, /* ) => */ ) => b]
for (const f of mixed) out.push(await f({ a: 1, z: 2 }, {}, [3]), await f({ a: 1 }, { a: 2 }, undefined), f.length)
out.push(await mixed[3]({ a: 4 }), mixed[4]({ a: 5 }))
for (const key in reflected) out.push(key)
out.push(await util.promisify(fs.exists)('/'), fs.readFile.length)
console.log(JSON.stringify(out))
`

/** The same where code need not be strict, in a CommonJS module. */
const sloppy = `const out = []
const o = Object.freeze({ k: 1, inner: { n: 1 } })
o.k = 2
o['k'] = 3
o.k++
delete o.k
let x = 1
function inc() { x++; undeclared = x; return [1, 2].map((y) => y + x + twice(y)); function twice(z) { return z * 2 } }
out.push(o.k, inc(), undeclared, delete x, typeof x, 'text'.nothing = 1, this === module.exports, arguments.length)
exports.f = function () { return this === exports }
out.push(exports.f(), (function () { return typeof this })(), eval('x + o.inner.n'))
var twice = 1; function hoisted() { return twice } out.push(hoisted())
const a = { b: 1 }
let c = 1
a
.b
++c
out.push(a.b, c, hoisted + '')
try { null.x = out.push('right side first') } catch (e) { out.push(e.message) }
try { a.b.c.d } catch (e) { out.push(e.message, e.stack.split('\\n')[1].replace(/[(].*[/]/, '')) }
const target = process.argv[2]
require('node:fs').writeFileSync(target, JSON.stringify(out))
`

test('rewritten code does what it did', async () => {
  await runsTheSame('program.mjs', program.replace('console.log(', 'fs.writeFileSync(process.argv[2], '))
  const rewritten = transform(program, 'file:///program.mjs', true, 2)
  ok(rewritten !== null && rewritten.code.includes('$ch.put('), 'it was rewritten')
  const lines = (text: string): string[] => text.split('\n').slice(0, program.split('\n').length)
  same(lines(unmarked(rewritten.code)), lines(program), 'lines stay, and the text can be had back')
})

test('rewritten code that is not strict does what it did', async () => {
  await runsTheSame('program.cjs', sloppy)
  ok(transform(sloppy, 'file:///program.cjs', false, 1)?.code.includes('$ch.put('), 'it was rewritten')
})

test('the cost of an operation is computing and waiting, without the work of others and its own sleeps', () => {
  let time = 0
  const flows = new Flows(() => time)
  const watch = new Watch(flows)
  const account = {}
  const after = (ms: number): number => (time += ms)
  const operation = flows.enter(0)
  watch.note(account, 'balance', 1, false)
  after(5)
  flows.costs.slept(operation, time, time + 100)
  flows.costs.slept(operation, time, time + 9999)
  flows.away(operation)
  after(1)
  const other = flows.enter(3)
  watch.note(account, 'balance', 4, true)
  after(50)
  flows.leave(other)
  after(59)
  flows.back(operation, 5)
  after(3)
  flows.away(operation)
  after(20)
  flows.back(operation, 6)
  after(2)
  watch.note(account, 'balance', 7, true)
  const [{ p50, cpu, wait }] = toldBy(watch)
  same([p50, cpu, wait], [140, [10, 10], [30, 30]])
})

test('code rewritten for a page does what it did, with the runtime of pages and where that is not', () => {
  const dir = temporary()
  const runtime = path.join(process.env.CHARCOAL_MEASURE!, 'dist/page-accesses.js')
  // What functions and errors say of places is not disguised here.
  const strict = program.replace(/\/\/ What functions say[^]*?(?=out\.push\(typeof await import)/, '')
  ok(strict.length < program.length)
  const run = (name: string, text: string, ...args: string[]): string => {
    const file = path.join(dir, name)
    writeFileSync(file, text)
    const { stdout, stderr, status } = spawnSync(process.execPath, [...args, file], { encoding: 'utf8' })
    same(status, 0, stderr)
    return stdout
  }
  const classic = sloppy
    .replace(/const target[^]*$/, 'console.log(JSON.stringify(out))')
    .replace(", hoisted + ''", '')
    .replace(", e.stack.split('\\n')[1].replace(/[(].*[/]/, '')", '')
  for (const [name, text] of [
    ['page.mjs', strict],
    ['page.cjs', classic],
  ]) {
    const rewritten = transformForPage(text, `http://localhost/${name}`, name.endsWith('mjs'), 1)
    ok(rewritten !== null && rewritten.code.includes('$ch.put('), 'it was rewritten')
    const bare = run(name, text)
    same(run(name, rewritten.code), bare, `${name} without the runtime`)
    same(run(name, rewritten.code, '--import', runtime), bare, `${name} with it`)
  }
})

test('rewriting takes a time that grows with the length of a script, not with its square', () => {
  const one = (i: number): string => `let v${i} = 0; const f${i} = (x) => { v${i} += x; return g(v${i}) };`
  const functions = (n: number): string => `(() => { ${Array.from({ length: n }, (_, i) => one(i)).join(' ')} })()`
  const taken = (n: number): number => {
    const text = functions(n)
    const before = process.cpuUsage().user
    ok(transformForPage(text, 'http://localhost/x.js', false, 1) !== null)
    return process.cpuUsage().user - before
  }
  taken(200)
  const least = (n: number): number => Math.min(taken(n), taken(n), taken(n))
  const ratio = least(2000) / least(500)
  ok(ratio < 10, `four times the text takes ${ratio.toFixed(1)} times as long`)
})

async function runsTheSame(name: string, text: string): Promise<void> {
  const dir = temporary()
  const file = path.join(dir, name)
  writeFileSync(file, text)
  const bare = spawnSync(process.execPath, [file, path.join(dir, 'bare')], { encoding: 'utf8' })
  same(bare.status, 0, bare.stderr)
  const { exitCode } = await recordNode(file, [path.join(dir, 'recorded')], {
    out: path.join(dir, 't.jsonl'),
    stdio: 'ignore',
  })
  same(exitCode, 0)
  same(
    JSON.parse(readFileSync(path.join(dir, 'recorded'), 'utf8')),
    JSON.parse(readFileSync(path.join(dir, 'bare'), 'utf8')),
  )
}

test('large real programs can be rewritten, and what comes out can be parsed: this tool itself', async () => {
  const { readFileSync, readdirSync } = await import('node:fs')
  const dist = path.join(process.env.CHARCOAL_MEASURE!, 'dist')
  const files = readdirSync(dist).filter((name) => name.endsWith('.mjs'))
  ok(files.length >= 4, files.join(' '))
  for (const name of files) {
    const text = readFileSync(path.join(dist, name), 'utf8')
    ok(text.includes('$ch') || transform(text, `file:///${name}`, true, 2) !== null, name)
  }
})

test('a parameter that a default value reads is neither a global variable nor one of the module', () => {
  const text = (name: string): string =>
    `let a = 0; a++; const f = (a, b = ${name}, c = () => ${name}) => b; function g({ a }, b = [${name}]) {}`
  const told = (name: string): number =>
    transform(text(name), 'file:///x.mjs', true, 2)!.code.split('$ch.n(').length - 1
  same([told('a'), told('other')], [1, 4]) // the first is a++
})

test('columns of rewritten code are those of the code that people wrote', () => {
  const text = 'let n = 0; const o = { p: 1 }\nasync function f() { n = o.p + 1; await f(); throw 1 }'
  const { code, sites } = transform(text, 'file:///x.mjs', true, 2)!
  for (const [word, line] of [
    ['throw', 2],
    ['function', 2],
    ['const o', 1],
  ] as const) {
    const at = (all: string): number => all.split('\n')[line - 1].indexOf(word) + 1
    same(originalColumn(sites, line, at(code)), at(text), word)
  }
})

test('a source map moves with what is inserted, and a file whose map is not understood is left as it is', () => {
  const text = 'const o = { p: 1 }; o.p = 2; throw o\n'
  const column = text.indexOf('throw')
  const map = {
    version: 3,
    sources: ['x.ts'],
    names: [],
    mappings: encodedMappings(
      new TraceMap({ version: 3, sources: ['x.ts'], names: [], mappings: [[[column, 0, 6, 3]]] }),
    ),
  }
  const comment = (json: object): string =>
    `//# sourceMappingURL=data:application/json;base64,${Buffer.from(JSON.stringify(json)).toString('base64')}`
  for (const whole of [map, { version: 3, sections: [{ offset: { line: 0, column: 0 }, map }] }]) {
    const { code } = transform(text + comment(whole), 'file:///x.js', false, 1)!
    const moved = JSON.parse(Buffer.from(code.slice(code.lastIndexOf('base64,') + 7), 'base64').toString())
    const found = originalPositionFor(new TraceMap(moved), { line: 1, column: code.indexOf('throw') })
    same([found.source, found.line, found.column], ['file:///x.ts', 7, 3])
    ok(code.indexOf('throw') > column, 'something was inserted before it')
  }
})

test('what can read its own place or be shadowed is not rewritten: with, assert without a message', () => {
  const o = 'const o = { p: 1 }; o.p = 2;'
  same(transform(`${o} with (o) { p = 3 }`, 'file:///x.cjs', false, 1), null)
  same(transform(`${o} const assert = require('assert'); assert(o.p)`, 'file:///x.cjs', false, 1), null)
  ok(
    transform(`${o} const assert = require('assert'); assert(o.p, 'p')`, 'file:///x.cjs', false, 1) !== null,
    'with a message it is',
  )
})

test('of a variable that was read many times, the accesses from last time count and the oldest are forgotten', () => {
  const lostUpdatesAfter = (reads: number): number => {
    const flows = new Flows()
    const watch = new Watch(flows)
    const account = {}
    const operation = flows.enter(0)
    watch.note(account, 'balance', 1, false)
    flows.away(operation)
    for (let i = 0; i < reads; i++) {
      const reader = flows.enter(3)
      watch.note(account, 'balance', 4, i === reads - 1)
      flows.leave(reader)
    }
    flows.back(operation, 5)
    watch.note(account, 'balance', 6, true)
    return [...watch.findings.values()].filter((f) => f.kind === 'lost update' && f.waits.has(5)).length
  }
  same([1, 10, 62, 63, 64, 90].map(lostUpdatesAfter), [1, 1, 1, 1, 0, 0])
})

test('what was accessed before an operation began costs it nothing, however often that was', () => {
  const flows = new Flows()
  const watch = new Watch(flows)
  const shared = {}
  let looks = 0
  for (let i = 0; i < 100; i++) {
    const before = flows.enter(1)
    watch.note(shared, 'n', 1, i % 2 === 0)
    flows.leave(before)
    Object.defineProperty(before, 'depth', { get: () => (looks++, 0) })
  }
  flows.enter(2)
  watch.note(shared, 'n', 2, false)
  watch.note(shared, 'n', 3, true)
  same(looks, 0)
})

test('the conflicts of a program that is killed, and of a worker that is terminated, are in the report', async () => {
  const race = `const o = { n: 0 }
async function inc() { const n = o.n; await null; o.n = n + 1 }
for (let i = 0; i < 12; i++) inc()
for (let k = 0; k < 200; k++) await new Promise((done) => setTimeout(done, 1))
eval('0')
`
  const programs = {
    killed: `${race}await new Promise((done) => setTimeout(done, 1100))
setInterval(() => process.kill(process.pid, 'SIGKILL'), 200)`,
    terminated: `import { Worker } from 'node:worker_threads'
const worker = new Worker(new URL('worker.mjs', import.meta.url))
worker.on('message', () => worker.terminate())`,
  }
  for (const [name, text] of Object.entries(programs)) {
    const dir = temporary()
    writeFileSync(path.join(dir, 'program.mjs'), text)
    writeFileSync(
      path.join(dir, 'worker.mjs'),
      `import { parentPort } from 'node:worker_threads'
${race}parentPort.postMessage(1); setInterval(() => {}, 5)`,
    )
    const out = path.join(dir, 't.jsonl')
    await recordNode(path.join(dir, 'program.mjs'), [], { out, stdio: 'ignore' })
    const [first, ...others] = conflicts(await analyse(out))
    same([first?.variable, first?.seen, others.length], ['o.n', 11, 0], name)
  }
})
