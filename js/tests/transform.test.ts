/** The build plugin: the same source with and without it means the same (law 11), and its atomic blocks are atomic. */
import { test, ok, same, throws } from './harness.ts'
import { transform, TransformError } from '../src/plugin/transform.ts'
import * as runtime from '../src/plugin/runtime.ts'
import * as lib from './lib.ts'
import * as ops from '../src/ops.ts'
import { assertTransformed } from '../src/dev/index.ts'
import { isUntransformed } from '../src/dev/untransformed.ts'

const AsyncFunction = Object.getPrototypeOf(async function () {}).constructor
const tick = (ms = 1): Promise<void> => new Promise((done) => setTimeout(done, ms))

/** Runs `source`, the body of an async function, as it is and transformed; both give what `main` returns. */
async function both(source: string, file = 'x.js'): Promise<{ plain: unknown; ours: unknown; code: string }> {
  const done = transform(source, { file, all: true })
  if (done === null) throw new Error('nothing was transformed')
  const code = done.code.replace(/const charcoal\$ = require\(.*?\);|import \* as charcoal\$ from .*?;/, '')
  const call = async (text: string): Promise<unknown> => {
    try {
      return await new AsyncFunction('charcoal$', 'lib', 'tick', `${text}\nreturn main()`)(runtime, lib, tick)
    } catch (error) {
      return `threw ${String(error)}`
    }
  }
  return { plain: await call(source), ours: await call(code), code }
}

const CASES: Record<string, string> = {
  'one await of promises, calls, values and thenables, which fail or not, one inside the other': `
async function f(x) { await null; if (x === 'bad') throw x; return x }
const later = (x) => tick().then(() => f(x))
async function main() {
  const log = []
  for (const make of [f, later, (x) => x, async (x) => x, (x) => ({ then: (ok) => ok(x) }), (x) => Promise.reject(x)])
    for (const x of ['good', 'bad', undefined])
      try { log.push(await make(await make(x))) } catch (error) { log.push('threw ' + error) }
  return log
}`,
  'calls and awaits': `async function f(x) { return x + 1 }
async function main() { const a = await f(1); return [a, await f(a), await 5, await Promise.resolve(6)] }`,
  'arrows, with this and arguments': `function Outer() { this.n = 5; const g = async (x) => { await tick();
    return this.n + x + arguments.length }; return g(1) }
async function main() {
  return [await new Outer().then?.((x) => x), await Outer.call({}, 1, 2), await (async x => x * 2)(4),
    await (async () => ({ a: 1 }))(), await (async () => async () => 7)().then((f) => f())] }`,
  'methods, getters, static, private, computed, super': `class A { async m(x) { await tick(); return 'A' + x }
    get p() { return 'p' } static async s() { return 's' } }
    class B extends A { #n = 3; async #q() { return this.#n } async m(x) {
      const f = async () => await super.m(x + 1) + super.p;
        return (await super.m(x)) + (await f()) + (await this.#q()) + super['p'] } async ['c' + 1]() {
        return super.m() } static async s() { return 'B' + await super.s() } }
    async function main() { const b = new B(); return [await b.m(1), await b.c1(), await B.s(), await { async o() {
      return this.v }, v: 9 }.o()] }`,
  'try, catch, finally, labels, loops': `async function main() { const log = []; outer: for (let i = 0; i < 3; i++) {
    for (;;) { try { await tick(); if (i === 1) continue outer; if (i === 2) break outer; log.push(i); break }
      catch (e) {} finally { log.push('f' + i) } } }
    try { await Promise.reject(new Error('x')) } catch ({ message }) { log.push(message) } return log }`,
  'closures in loops': `async function main() { const fs = []; for (let i = 0; i < 3; i++) { await tick();
    fs.push(async () => { await tick(); return i }) } for (const j of [7, 8]) fs.push(async () => j);
      return Promise.all(fs.map((f) => f())) }`,
  'destructuring, defaults, rest': `async function f({ a, b = 2 }, [c] = [3], ...rest) { await tick();
    return [a, b, c, rest, arguments.length] }\nconst g = async ({ x } = { x: 9 }, y = x + 1) => x + y
async function h(x) { var x; return x }
async function main() { return [await f({ a: 1 }), await f({ a: 1, b: 0 }, [5], 6, 7), await g(), await h(4)] }`,
  'errors of defaults reject': `async function f(x = (() => { throw new Error('default') })()) {}
async function main() { return f().catch((e) => e.message) }`,
  'for await over async generators, with break, return and errors': `async function* gen() { try { for (let i = 0; ;
    i++) { await tick(); yield i } } finally { log.push('closed') } }
    const log = []; async function first() { for await (const x of gen()) if (x > 1) return x }
    async function main() { for await (const x of gen()) { if (x === 1) continue; if (x > 2) break; log.push(x) }
      l: for await (let { v } of [Promise.resolve({ v: 1 }), { v: 2 }, { v: 3 }]) { for (;;) { log.push(v);
        if (v === 2) break l; continue l } }
      let o = {}; for await (o.x of [5]) log.push(o.x); for await ([o.y] of [[6]]) log.push(o.y); for await ({ z: o.z }
        of [{ z: 7 }]) log.push(o.z)
      try { for await (const x of gen()) throw new Error('body') } catch (e) { log.push(e.message) }
        log.push(await first()); return log }`,
  'async generators: delegation, values in, throw and return': `async function* inner() {
    const got = yield Promise.resolve(1); yield got; return 'r' }
    async function* outer() { try { yield* inner(); yield* [7, 8] } catch (e) { yield 'caught ' + e }
      return Promise.resolve('end') }
    async function main() { const g = outer(); const out = [await g.next(), await g.next('in')];
      const p = [g.next(), g.next(), g.next()]; out.push(...await Promise.all(p)); const h = outer(); await h.next();
        out.push(await h.throw('up'), await h.return(3), await h.next()); const c = { async *m() {
        yield this.v }, v: 4 }; for await (const v of c.m()) out.push(v); return out }`,
  'calls that are not awaited at once': `const log = [], open = {}
    async function f(name) { log.push('start ' + name); await new Promise((done) => (open[name] = done));
      log.push('end ' + name); return name }
    async function main() { const a = f('a'), b = f('b'); await tick(); log.push('between')
      open.b(); const second = await b; open.a(); return [second, await a, log] }`,
  'awaits in every kind of place': `async function main() { let x = 1
    await tick()
    await x + 1
    x += await 2
    const o = { [await 'k']: await 3, t: \`\${await 4}\`, n: !(await 0), c: (await true) ? await 5 : 6,
      l: await null ?? (await 7), s: [...await [8]], f: typeof await 9, a: await (await (async () => 10)()) }
    if (await 1) await tick(); else await 0
    return [x, o, (await 1, await 2), await tick() || 'void'] }`,
  'arrow with braces and parentheses, objects, immediately called': `const f = async () => {
    return (await (async (a) => (a))(1)) }
async function main() { return [await f(), await (async function () {
  return await 2 })(), await (async () => (await 3, 4))()] }`,
  'atomic blocks with return, break and continue': `let n = 0; async function bump(how) { for (let i = 0; i < 3; i++) {
    atomic: { const was = n; await tick(); n = was + 1; if (how === 'return') return n;
      if (how === 'continue') continue; if (how === 'label') break atomic } } return n }
    async function main() { return [await bump('return'), await bump('continue'), await bump('label'), n] }`,
  'returned promises are awaited, outside the try they stand in': `async function bad() { await tick();
    throw new Error('late') }
async function f(how) { try { if (how) return await bad(); return bad() } catch (e) { return 'caught' } finally {
  tick() } }\nconst g = async () => bad()
async function main() {
  return [await f(true), await f(false).catch((e) => e.message), await g().catch((e) => e.message),
    await (async (x) => x ? tick() : 2)(false)] }`,
  'empty bodies': `async function f() {}\nasync function g() { atomic: {} }
async function main() { const h = async () => {}; return [await f(), await g(), await h()] }`,
  'labels across an atomic block': `let n = 0; async function f() { const log = []; outer: for (let i = 0; i < 4;
    i++) { inner: for (;;) { atomic: { await tick(); n++; if (i === 0) continue outer; if (i === 1) break inner;
      if (i === 2) { try { continue outer } finally { log.push('fin') } } break outer } } log.push('after ' + i) }
        return log }
async function main() { const log = await f(); atomic: { await tick(); log.push(n) } return log }`,
  'nested atomic blocks, switch, do-while, conditional awaits': `let n = 0; async function f(k) { atomic: {
    switch (await k) { case await Promise.resolve(1): { n += 10; await (async () => { atomic: { await tick() } })();
      if (k === 1) return 'one' } default: n++ } do { n += await Promise.resolve(1) } while ((await n) < 5);
        return k > 2 ? await tick(k) ?? 'undef' : (await k) || 'none' } }
async function main() { return [await f(1), await f(2), await f(3), await f(0), n] }`,
  'errors leave the block': `let n = 0; async function f(how) { try { atomic: { n++; await tick();
    if (how === 1) throw new Error('t'); if (how === 2) await Promise.reject(new Error('r')); null.x } } catch (e) {
      return e.constructor.name } finally { n += 10 } }
async function main() { return [await f(1), await f(2), await f(3), n, await (async () => { atomic: { return 'free' }
  })()] }`,
  'private methods, static blocks, accessors, computed names, classes inside':
    `class A { static #count = 0; static { A.start = (async () => { await tick(); return 's' })() }
      async #bump(by = A.#count + 1) { atomic: { const was = A.#count; await tick(); A.#count = was + by }
        return A.#count } static async *#gen() { yield 1; yield* [2, 3] } async run() { const out = [];
        for await (const x of A.#gen()) out.push(x, await this.#bump()); return out } get lazy() {
        return (async () => { await tick(); return this.constructor.name })() } async ['x' + 'y']() { return class {
        async z() { return await tick() ?? 'inner' } } } }
    async function main() { const a = new A();
      return [await a.run(), await A.start, await a.lazy, await new (await a.xy())().z(), #0 in { } ] }`.replace(
      ', #0 in { }',
      '',
    ),
  'super in arrows, in static methods and in object literals': `class P { async m(...xs) { await tick();
    return ['P', this.n, ...xs] } static async s(x) { return 'PS' + x } get v() { return 1 } }
    class C extends P { n = 7; async m(a, { b = 2, ...c } = {}, ...d) {
      const fs = [async () => super.m(a, b), async (x) => { const g = async () => (await super.m(x)).length;
        return await g() + super.v }]; return [await fs[0](), await fs[1](9), c, d] } static async s(x) {
        const f = async () => await super.s(x); return f() } }
    const o = { __proto__: { async hi() { return 'proto ' + this.k } }, k: 'own', async hi() {
      return (await super.hi()) + '!' } }
    async function main() { return [await new C().m(1), await new C().m(1, {
      b: 5, z: 6 }, 7, 8), await C.s(3), await o.hi()] }`,
  'for await with destructuring, defaults and closures': `async function* src() { yield [1, { v: 2 }]; yield [3, {}];
    yield [5, { v: 6, w: 7 }] }
    async function main() { const fs = [], out = []; for await (const [k, {
      v = 'd', ...rest }] of src()) fs.push(async () => { await tick(); return [k, v, rest] });
        for (const f of fs) out.push(await f()); for await (let [k] of src()) { k++; if (k > 3) break;
        fs.push(() => k); out.push(k) } var [q, z = await tick() ?? 9] = [await 1]; for await (var { length }
        of ['abc', Promise.resolve('de')]) ; out.push(q, z, length, fs[3]()); return out }`,
  'async generators: finally at return, throw into a wait, requests in a queue': `const log = []; async function* g() {
    try { const a = yield 1; log.push('a' + a); try { yield await tick(2) ?? 2 } catch (e) { log.push('caught ' + e);
      yield 'r' } } finally { await tick(); log.push('fin'); yield 'cleanup' } }
    async function main() { const x = g();
      const r = await Promise.all([x.next(), x.next('A'), x.throw('T'), x.return('R'), x.next(), x.next()]);
        const y = g(); await y.next(); r.push(await y.return('q'), await y.next(), await y.next()); const z = g();
        r.push(await z.return('never begun'), await z.next()); return [r, log] }`,
  'this and arguments through arrows': `function F() { return async () => { const a = arguments[0]; await tick();
    return [a, this.t, await (async () => [arguments.length, this.t])()] } }
const o = { t: 1, async m() { return [1, 2].map(async (x) => x + this.t + arguments[0]) } }
async function main() { return [await F.call({ t: 5 }, 'x', 'y')(), await Promise.all(await o.m(10))] }`,
  'optional chains, templates, spreads, exponents, sequences, in, delete':
    `const o = { f: async (x) => x, a: { b: [async () => 4] } }; const tag = (s, ...v) => s.join('|') + v
    async function main() { let x = 2; x **= await 3; const u = undefined;
      return [x, await o?.f?.(1), await o.zzz?.(1), await o.a?.b[await 0](), tag\`p\${await 1}q\${await o.f(2)}\`,
        [...await o.f([1, 2]), await 3], { ...await o.f({ k: 1 }), [await 'n']: await 5 }, (await 1, await 2),
        'k' in await o.f({ k: 1 }), typeof await o.f(1), -await 3, !await 0,
        (await o.f)(6) instanceof Promise || 'call', await (await o.f(async () => 8))(), delete (await o).zzz,
        void await 1] }`.replace("(await o.f)(6) instanceof Promise || 'call', ", ''),
  'semicolon-free code': `const list = []\nasync function f() {\n  const a = await tick()
  ;[1, 2].forEach((x) => list.push(x))\n  await tick()\n  ;(await 1) === 1 && list.push('p')\n  let b = 1
  await tick()\n  return list\n}\nasync function main() {\n  const r = await f()\n  return [...r, await 5]\n}`,
  'directives without semicolons': `async function f() {\n  'use strict'\n  return this === undefined\n}
async function g() {\n  'use activity' // as in many a house style\n  return tick(1)\n}
async function main() { return [await f(), await g()] }`,
  'strict mode and this undefined': `async function f() { 'use strict'; return this === undefined }
async function main() { return f() }`,
  using: `async function main() { const log = []; { const r = { [Symbol.dispose]() { log.push('d') } }; try {
    await tick() } finally { r[Symbol.dispose]() } } return log }`,
}

for (const [name, source] of Object.entries(CASES))
  test(`law 11: transformed code means the same: ${name}`, async () => {
    const { plain, ours, code } = await both(source)
    same(ours, plain, code)
    ok(!/\bawait\b/.test(code.replace(/'[^']*'/g, '')), `an await is left: ${code}`)
  })

test('no name that a transformed file declares begins with a dollar sign, which modules of Svelte may not', () => {
  const { code } = transform(
    `export async function f({ a }, b) { atomic: { await using file = await open(a); await b } }
    export const g = async (x, ...more) => { 'use activity'; for await (const y of x) await f(y, more) }
    export class Base extends Object { async m() { 'use activity'; return super.m(arguments, await null) } }
    async function* h() { 'use activity'; const k = async () => new.target; yield await k() }
    function i() { 'use activity'; const j = (x) => h(i(x)); return async () => new.target }`,
    { file: 'a.svelte.js', all: true },
  )!
  const own = ['Own', 'Args', 'Super', 'Target'].map((name) => `charcoal${name}`)
  for (const name of ['charcoal', 'awaited', 'arg1', 'body1', 'using1', 'loop1', 'e', ...own])
    ok(code.includes(`${name}$`), `${name}: ${code}`)
  same(code.match(/(?<![\w.])\$\w+/g), null)
})

test('TypeScript that declares what others define is transformed', () => {
  const source = 'declare const VERSION: string\ndeclare let b: number, c: any\nasync function f() { return await b }'
  ok(transform(source, { file: 'a.ts', all: true })!.code.includes('declare const VERSION: string\n'))
})

test('a lost update without atomic, none with it, in plain syntax', async () => {
  const source = (label: string) =>
    `let n = 0; async function bump() { ${label} { const was = n; await tick(); n = was + 1 } }
async function main() { await Promise.all([bump(), bump(), bump()]); return n }`
  const without = await both(source(''))
  const guarded = await both(source('atomic:'))
  same([without.plain, without.ours, guarded.plain, guarded.ours], [1, 1, 1, 3])
})

test('TypeScript stays TypeScript', () => {
  const { code } = transform(
    `"use activity"
export class S<T> { constructor(private x: T) {} async get(k: string, n?: number): Promise<T> {
  const v = (await load<T>(k)) as T; return v! } }
export const o = { f: async <T,>(x: T, { y }: { y: number } = { y: 1 }): Promise<T> => { await g(); return x } }
export const h: Load<string> = async <T,>(x: T): Promise<T> => x`,
    { file: 'a.ts' },
  )!
  ok(code.includes('get(k: string, n?: number): Promise<T> { return charcoal$.goPlain('), code)
  ok(code.includes('((charcoal$.isPromise(awaited$ = load<T>(charcoal$.own(k))) ? yield awaited$ : '), code)
  ok(code.includes('yield* charcoal$.asked() : awaited$)) as T'), code)
  ok(/^;?\nimport \* as charcoal\$/.test(code), code)
  const given = '(x: T, { y }: { y: number } = { y: 1 })'
  ok(code.includes(`<T,>(arg1$, ...charcoalArgs$): Promise<T> => { return charcoal$.go(body2$ ??= function* `), code)
  ok(code.includes(`f$activity ${given} {`), code)
  ok(code.includes('const h: Load<string> = (arg1$) => charcoal$.goPlain(h$activity(arg1$), h$activity, h); '), code)
  ok(code.includes('; function* h$activity <T,>(x: T): Promise<T>  { return (yield* charcoal$.wait( x)) }'), code)
})

/** How many generator functions `main` has made; it calls each `async` function three times. */
async function made(source: string): Promise<number> {
  const bodies = new Set<unknown>()
  const noting = {
    ...runtime,
    go: (body: any, ...rest: any[]) => (bodies.add(body), (runtime.go as any)(body, ...rest)),
    goFlat: (body: any, ...rest: any[]) => (bodies.add(body), (runtime.goFlat as any)(body, ...rest)),
    goGenerator: (body: any, ...rest: any[]) => (bodies.add(body), (runtime.goGenerator as any)(body, ...rest)),
    goPlain: (gen: any, body: any) => (bodies.add(body), runtime.goPlain(gen, body)),
  }
  const code = transform(source, { all: true, format: 'commonjs' })!.code.replace(/^const .*?;/, '')
  await new Function('charcoal$', `${code}\nreturn main()`)(noting)
  return bodies.size
}

test('a generator function is made once, and not at each call, in all places that allow it', async () => {
  const thrice = (f: string): string => `function main() { return Promise.all([${f}, ${f}, ${f}]) }`
  const placesOfOne = {
    'a method': `class A { async m(x) { return this && x } } const a = new A(); ${thrice('a.m(1)')}`,
    'a private one': `class A { m() { return this.#m(1) } async #m(x) { return x } } ${thrice('new A().m()')}`,
    'a static one': `class A { static async m(x) { return x } } ${thrice('A.m(1)')}`,
    'an object method': `const a = { async m(x) { return x } }; ${thrice('a.m(1)')}`,
    'an arrow function': `const f = async (x) => x + 1; ${thrice('f(1)')}`,
    'its body in braces': `const f = async (x) => { return x }; ${thrice('f(1)')}`,
    'a function expression': `const f = async function (x) { return x }; ${thrice('f(1)')}`,
    'one with a name': `const f = async function g(x) { return [x, g] }; ${thrice('f(1)')}`,
    'defaults and patterns': `const f = async ({ x }, y = 2, ...z) => [x, y, z]; ${thrice('f({})')}`,
    '`arguments`': `const f = async function (x) { return arguments[0] }; ${thrice('f(1)')}`,
    '`return` inside `try`': `const f = async (x) => { try { return Math.abs(x) } finally {} }; ${thrice('f(1)')}`,
    'an async generator': `const f = async function* (x) { yield x }; ${thrice('f(1).next()')}`,
    'a field of each object': `class A { k = 1; f = async (x) => this.k + x } ${thrice('new A().f(1)')}`,
    'a callback': 'function main() { return Promise.all([1, 2, 3].map(async (x) => x)) }',
    'a block': `{ var f = async (x) => x } ${thrice('f(1)')}`,
    'a loop without a block, of which it uses no variable': `const a = [1]
      function main() { for (let i = 0; i < 3; i++) (async (i) => i + a[0])(i) }`,
    'a loop with a block, of which it uses no variable': `function main() {
      for (const x of [1, 2, 3]) { const y = x; (async (x) => x)(y) } }`,
    'loops in one another': `function main() { const k = 1
      for (const x of [1]) for (const y of [1, 2, 3]) { (async function () { return k })() } }`,
    'a callback in a loop': `function main() { for (const x of [1, 2, 3]) [x].map(async (x) => this && x) }`,
    'the variable of an outer loop': `function main() { for (const x of [1]) {
      let n = 0; while (n++ < 3) { (async () => x)() } } }`,
    'a loop with `var`': `function main() { for (var i = 0; i < 3; i++) { (async () => i)() } }`,
    'a loop whose variable it uses': `const a = []
      function main() { for (const x of [1, 2, 3]) a.push((async () => x)()) }`,
    'a loop that counts': `function main() { for (let x = 0; x < 3; x++) { (async ({ y }, z = x) => y + x)({}) } }`,
    'a variable in the block of a loop': `const a = []
      function main() { let x = 0; while (x < 3) { const y = x++; a.push((async () => y)()) } }`,
    'a class in a loop': `function main() { for (let x = 0; x < 3; x++) { class Y {} (async () => new Y())() } }`,
    'what `catch` has caught in a loop': `function main() {
      for (const x of [1, 2, 3]) try { throw x } catch (e) { (async () => e)() } }`,
    'patterns of a loop': `function main() { for (const { x: [y = 1] } of [{ x: [] }, { x: [] }, { x: [] }]) {
      (async () => y)() } }`,
    'a method of an object in a loop': `function main() { for (const x of [1, 2, 3]) {
      ({ async m() { return x } }).m() } }`,
    'loops of which it uses both variables': `function main() { for (const x of [1]) for (const y of [1, 2, 3]) {
      (async () => x + y)() } }`,
  }
  for (const [place, source] of Object.entries(placesOfOne)) same(await made(source), 1, place)
  const placesOfThree = {
    'a loop whose variable changes later': `const a = []
      function main() { for (let x of [1, 2, 3]) { a.push((async () => x)()); x++ } }`,
    'a loop whose variable it changes': `function main() { for (let x = 0; x < 3; x++) { (async () => (x += 0))() } }`,
    'a loop whose head changes its variable in a function': `const a = []
      function main() { for (let x = 0; x < 3; x++, a.push(() => x++)) { (async () => x)() } }`,
    'a variable that comes later': `function main() { for (let x = 0; x < 3; x++) {
      const f = async (z) => z || y; f(1); const y = x } }`,
    'a name that is two variables': `function main() { for (let x = 0; x < 3; x++) {
      { let x = 1 } (async () => x)() } }`,
    'a name that it declares, too': `function main() { for (let x = 0; x < 3; x++) {
      (async () => { { const y = x } { let x = 1; return x } })() } }`,
    'a loop with `arguments`': `function main() { for (let x = 0; x < 3; x++) {
      (async function () { return arguments[0] + x })(1) } }`,
    'a loop with a function': `const a = []; function main() { for (let x = 0; x < 3; x++) {
      function y() { return x } a.push((async () => y())()) } }`,
    'a name of each function in a loop': `function main() { for (let x = 0; x < 3; x++) {
      (async function g() { return g })() } }`,
    'a function that is declared in a loop and calls itself': `function main() { for (let x = 0; x < 3; x++) {
      async function g(n) { if (n > 0) return g(n - 1) } g(0) } }`,
    'a method of a class in a loop': `function main() { for (let x = 0; x < 3; x++) {
      new (class { #y = 1; async m() { return this.#y } })().m() } }`,
    'a function that `eval` is called in': `function main() { for (let x = 0; x < 3; x++) {
      (async () => eval('x'))() } }`,
    'a function in parameters': `const f = (x, g = async () => x) => g(); ${thrice('f(1)')}`,
    'a class of each object': `class A { B = class { async m() { return this } } } ${thrice('new (new A().B)().m()')}`,
    'a name of each object': `class A { f = async function g() { return g } } ${thrice('new A().f()')}`,
    '`super`': `const a = { async m() { return super.toString } }; ${thrice('a.m()')}`,
  }
  for (const [place, source] of Object.entries(placesOfThree)) same(await made(source), 3, place)
})

test('a function without a name does not get that of the variable that keeps its generator function', async () => {
  const source = `const stacks = []
const note = (e) => stacks.push(e.stack.split('\\n')[1])
function main() {
  const twice = (f) => Promise.all([f(1), f(2)].map((p) => p.catch(note)))
  return Promise.all([
    twice(async (x) => { throw new Error(x) }),
    twice(async ({ x }) => { throw new Error(x) }),
    twice(async function (x) { throw new Error(arguments[0]) }),
    twice(async function () { throw new Error(this) }),
  ]).then(() => stacks)
}`
  const names = new Set<string>()
  const noting = {
    ...runtime,
    go: (body: any, ...rest: any[]) => (names.add(body.name), (runtime.go as any)(body, ...rest)),
    goPlain: (gen: any, body: any) => (names.add(body.name), runtime.goPlain(gen, body)),
  }
  const code = transform(source, { all: true, format: 'commonjs' })!.code.replace(/^const .*?;/, '')
  ok(code.includes('body3$'), code)
  const stacks: string[] = await new Function('charcoal$', `${code}\nreturn main()`)(noting)
  same([...names], [''])
  same(stacks.length, 8)
  for (const line of stacks) ok(!/\bbody\d+\$/.test(line), line)
})

test('a function may run before the first line of its module, in a circle of imports', async () => {
  const early = `const result = f()\nasync function f() { return (await p) + 1 }`
  const code = transform(early, { all: true })!.code.replace(/^import .*?;/, '')
  // The function runs before what the plugin has put in front of the first statement.
  const [declared, first] = [code.slice(0, code.indexOf('const result')), code.slice(code.indexOf('const result'))]
  const run = new Function('charcoal$', 'p', `${first.replace('\n', `\n${declared}`)}\nreturn result`)
  same(await run(runtime, Promise.resolve(4)), 5)
})

test('what a framework finds by its directive stays `async`, whole, and is called by all', async () => {
  const { code } = transform(
    `const pages = 1
export async function save(id) { 'use server'; atomic: { await db(id) } }
export async function twice(id) { atomic: { await save(id); await save(id) } }
export default function Page({ id }) {
  const remove = async () => { 'use server'; atomic: { await db(id, [1].map(async (x) => x)) } }
  return remove
}`,
    { file: 'a.js' },
  )!
  ok(code.includes(`async function save(id) { 'use server'; charcoal$.told(); return charcoal$.go(function* `), code)
  ok(code.includes(`const remove = async () => { 'use server'; charcoal$.told(); return charcoal$.go(function* `), code)
  ok(!/save\$activity\(/.test(code), `it is fused: ${code}`)
  ok(!/body\d\$/.test(code.replace(/'use server';.*/g, '')), `its body is outside of it: ${code}`)
  const file = transform(
    `'use server'
import { db } from './db.js'
export const save = async (id) => { atomic: { await db(id) } }
async function remove(id) { atomic: { await db([1].map(async (x) => x)) } }
export { remove as default }`,
    { file: 'a.js' },
  )!.code
  ok(/^'use server'\nimport/.test(file), file)
  same(file.match(/async [(\w]+/g), ['async (id', 'async function'])
  same(transform(`'use client'\nasync function f() { atomic: { await 1 } }`)!.code.match(/async/g), null)
})

test('runners of tests find in the text which fixtures a test, a hook or a fixture wants', () => {
  const { code } = transform(
    `const test = base.extend({ page: async ({}, use) => use(1), b: [async ({ page }, use) => use(page), {}] })
test('t', async ({ page }) => { await page })
test.only.for([1])('t', async (n, { page: p }) => { await p })
test.beforeEach(async function ({ page }) { await page })
items.map(async ({ id }) => { await id })`,
    { all: true },
  )!
  same(code.match(/async [^)]*\)/g), [
    ...['async ({}, use)', 'async ({ page }, use)', 'async ({ page })'],
    ...['async (n, { page: p })', 'async function ({ page })'],
  ])
})

test('an atomic block may call a function that stays `async`, and one may have an atomic block', async () => {
  const { ours, code } = await both(`let n = 0
const bump = async (by) => { 'use server'; const was = n; await tick(); n = was + by; return by }
async function guarded(by) { 'use cache'; atomic: { await bump(by); return await bump(by) } }
async function main() { return [...await Promise.all([guarded(1), guarded(10), guarded(100)]), n] }`)
  same(ours, [1, 10, 100, 222], code)
})

test('an atomic block that waits, and is in no async function, is refused, not ignored', () => {
  throws(
    () => transform('import x from "y"\natomic: { await x() }', { file: 'a.js' }),
    /a\.js:2:1: .*put it into an async function/,
  )
  throws(
    () => transform('atomic: { for await (const x of y) z(x) }', { file: 'a.js' }),
    /put it into an async function/,
  )
  throws(() => transform('atomic: { await using x = y() }', { file: 'a.js' }), /put it into an async function/)
  throws(
    () => transform('function* f() {\n  atomic: { x = yield* g() } }', { file: 'a.js' }),
    /a\.js:2:3: an atomic block with a `yield` in a generator function would not be atomic: make it an async function/,
  )
  // Without a wait nothing can come in between.
  same(
    transform('atomic: { let x = 1 }\nfunction f() { atomic: { return 2 } }\nfor (const g of []) atomic: { f() }', {
      file: 'a.js',
    }),
    null,
  )
})

test('imports with attributes, of sources, and of modules that run later stay as they are', () => {
  const imports = `import data from './a.json' with { type: 'json' }
import source code from './b.wasm'
import defer * as later from './c.js'
`
  const { code } = transform(`${imports}export async function f() { atomic: { await later.f(code, data) } }`)!
  ok(code.includes(imports), code)
})

test('what is marked is transformed, and nothing else', () => {
  same(transform('async function f() { await g() }'), null)
  const { code } = transform(
    `async function f() { await g() }\nasync function h() { "use activity"; await g() }
const k = async () => { atomic: { await g() } }`,
  )!
  ok(
    /async function f\(\) \{ await g\(\) \}/.test(code) &&
      /function \*h\$activity\(\) \{ "use activity"; let awaited\$; charcoal\$\.isPromise\(/.test(code) &&
      /const k = \(\) => charcoal\$\.goPlain\(k\$activity\(\), k\$activity, k\); function\* k\$activity/.test(code),
    code,
  )
})

test('the import is written in the way of the module that it is written into', () => {
  const body = 'async function f() { atomic: { await g() } }'
  const is = (want: 'import' | 'require', source: string, file?: string, format?: 'module' | 'commonjs'): void => {
    const { code } = transform(source, { file, format })!
    same(
      code.includes('import * as charcoal$')
        ? 'import'
        : code.includes('= require("charcoal-js/runtime")')
          ? 'require'
          : code,
      want,
    )
  }
  is('import', `import x from 'y'\n${body}`)
  is('import', body) // neither: what bundlers and browsers take it for
  is('import', `${body}\nawait f()`)
  is('import', body, 'a.mjs')
  is('import', body, 'a.mts')
  is('require', body, 'a.cjs')
  is('require', `${body}\nmodule.exports = f`)
  is('require', `const x = require('y')\n${body}`)
  is('require', `${body}\nexports.f = f`)
  is('require', body, 'a.js', 'commonjs')
  is('import', `${body}\nlet require`, 'a.js', 'module')
})

test('what cannot be transformed is refused, with place and remedy', () => {
  const refused = (source: string, pattern: RegExp): void => {
    throws(() => transform(source, { file: 'a.js', all: true }), pattern)
    try {
      transform(source, { file: 'a.js', all: true })
    } catch (error) {
      ok(error instanceof TransformError)
    }
  }
  refused('\nclass A extends B { constructor() { (async () => super())() } }', /a\.js:2:50: `super\(…\)` cannot/)
  refused('async function f() { atomic: for (;;) await 1 }', /a\.js:1:22: `atomic:` stands before a block/)
  refused('async function* f() { atomic: { yield 1 } }', /the consumer would run inside the block/)
  refused('async function f(charcoal$) { await 1 }', /a\.js:1:18: the name charcoal\$ is taken/)
  refused('let awaited$; async function f() { await 1 }', /a\.js:1:5: the name awaited\$ is taken/)
  for (const name of ['arg1$', 'loop1$', 'using1$', 'f$activity', 'charcoalOwn$'])
    refused(`import { ${name} } from 'x'\nasync function f({ a }) { return ${name} }`, /a\.js:1:10: the name \w+\$/)
  refused('async function f() { for (await using x of y) z() }', /in the head of a loop/)
  refused('async function f() { a: b: for await (const x of y) continue a }', /use one label/)
  const cases = 'switch (f) { case 1: async function f() { await 1 } }'
  throws(() => transform(cases, { file: 'a.cjs', all: true }), /a\.cjs:1:9: f is also the name of a function in a case/)
  refused('\n async function f() { await (1 }', /^TransformError: a\.js:2:32: Unexpected token, expected ","$/)
})

test('source maps lead back to the place', async () => {
  const { TraceMap, originalPositionFor } = await import('@jridgewell/trace-mapping')
  const source = `"use activity"\nasync function f() {\n  const x = await g()\n  return marker(x)\n}`
  const { code, map } = transform(source, { file: 'a.js' })!
  const lines = code.split('\n')
  const line = lines.findIndex((l) => l.includes('marker('))
  const at = originalPositionFor(new TraceMap(map as any), { line: line + 1, column: lines[line].indexOf('marker(') })
  same([at.line, at.column], [4, 9])
})

test('source maps lead to the line of an await, also where the call is written twice and begins the line', async () => {
  const { TraceMap, originalPositionFor } = await import('@jridgewell/trace-mapping')
  const source = `import { g } from 'x'\nasync function f(x) {\nawait g(x.marker)\nreturn 1\n}`
  const { code, map } = transform(source, { file: 'a.js', all: true })!
  const [line, text] = [...code.split('\n').entries()].find(([, l]) => l.includes('marker'))!
  const places = [...text.matchAll(/x\.marker/g)].map(({ index }) =>
    originalPositionFor(new TraceMap(map as any), { line: line + 1, column: index }),
  )
  same(
    places.map((at) => [at.line, at.column]),
    [
      [3, 0],
      [3, 8],
    ],
  )
})

test('async generators: delegation to what cannot be thrown into, parameters, and early ends', async () => {
  const { plain, ours, code } =
    await both(`const log = []; const it = { [Symbol.iterator]() { return { next() { return { value: 1, done: false }
      }, return() { log.push('closed'); return {} } } } }
    async function* g(a = 1, ...rest) { try { yield* it } catch (e) {
      log.push(String(e instanceof Error ? 'error' : e)) } yield arguments.length }
    async function* h() { yield* { async *[Symbol.asyncIterator]() { try { yield 1; yield 2 } catch (e) {
      log.push('in ' + e); yield 3 } } } }
    async function main() { const x = g(5, 6); await x.next(); const y = h(); await y.next();
      log.push(JSON.stringify(await y.throw('t'))); const z = h(); await z.next(); await z.return();
        log.push(JSON.stringify(await z.next())); await x.return(4)
      try { for await (const v of { [Symbol.asyncIterator]() { return { next: async () => ({
        done: false, value: 1 }), return: async () => { throw new Error('closing') } } } }) break } catch (e) {
        log.push(e.message) }
      try { for await (const v of { [Symbol.asyncIterator]() { return { next: async () => ({
        done: false, value: 1 }), return: async () => { throw new Error('closing') } } } }) throw new Error('body') }
        catch (e) { log.push(e.message) }
      for await (const v of { [Symbol.asyncIterator]() { return { next: async () => ({ done: false, value: 1 }) } }
        }) break
      return log }`)
  same(ours, plain, code)
})

test('the promise of a call takes notes on how it has ended, as React makes them', async () => {
  const source = `const load = async (x) => { await tick(); return x }
async function main() {
  const p = load(5)
  p.status = 'pending'
  await p.then((value) => { p.status = 'fulfilled'; p.value = value })
  return [Object.entries(p), await p, await Promise.all([p, load(6)])]
}`
  const { plain, ours } = await both(source)
  same(ours, plain)
})

test('a transformed function called by legacy code runs up to its first wait in the call', async () => {
  const code = transform(
    `const log = []
    async function handler(event) { event.stopped = true; log.push('first part'); atomic: { await tick();
      log.push('second part') } return log }
    async function busy() { atomic: { log.push('busy'); await gate; log.push('not busy') } }`,
    { file: 'x.js' },
  )!.code.replace(/import .*?;/, '')
  let open = (): void => {}
  const gate = new Promise<void>((done) => (open = done))
  const make = new Function('charcoal$', 'tick', 'gate', `${code}\nreturn { handler, busy, log }`)
  const made = make(runtime, tick, gate) as Record<string, (...args: unknown[]) => Promise<unknown>> & { log: string[] }
  const event = { stopped: false }
  const promise = made.handler(event)
  same([event.stopped, made.log.length], [true, 1])
  same(await promise, ['first part', 'second part'])
  // Errors before the first wait reject, as natively.
  await made.handler(null).then(
    () => ok(false),
    (error) => ok(error instanceof TypeError),
  )
  // An activity that was ready before has not run in between, and still runs.
  made.log.length = 0
  const other = lib.spawn(function* () {
    made.log.push('other')
  })
  await Promise.all([other, made.handler({})])
  same(made.log[0], 'first part')
  same(made.log.includes('other'), true)
  // While a block is open elsewhere the guarantee comes first.
  made.log.length = 0
  const block = made.busy()
  const late = { stopped: false }
  const second = made.handler(late)
  await tick(1)
  same([late.stopped, made.log], [false, ['busy']])
  open()
  await Promise.all([block, second])
  same([late.stopped, made.log], [true, ['busy', 'not busy', 'first part', 'second part']])
})

test('what is called after an argument of the library from untransformed code begins at once', async () => {
  const source = `const { spawn } = require('charcoal-js'), { all } = require('charcoal-js/ops')
const order = []
async function g(x) { order.push('begins ' + x) }
async function main() {
  const task = spawn(plain(() => 1)); const p = g(1); order.push('goes on')
  const both = all([plain(() => 2), g(2)]); const q = g(3); order.push('goes on')
  return [await task, await both, order, p instanceof Promise, q instanceof Promise] }
return main`
  const { code } = transform(source, { all: true, format: 'commonjs' })!
  const plain = (f: () => unknown): unknown => f
  const main = new Function('require', 'plain', code)(
    (name: string) => (name === 'charcoal-js/runtime' ? runtime : { ...lib, ...ops }),
    plain,
  )
  const order = ['begins 1', 'goes on', 'begins 3', 'goes on', 'begins 2']
  same(await lib.spawn(() => main()), [1, [2, undefined], order, true, true])
})

test('what should have been transformed and was not is found', () => {
  const source = `class Store { async save() { atomic: { await null } } async load() { return { atomic: 1 } } }`
  const make = (text: string): object =>
    new Function('charcoal$', `${text.replace(/import .*?;/, '')}\nreturn { Store }`)(runtime)
  throws(
    () => assertTransformed(make(source), 'store.js'),
    /store\.js: Store has an atomic block that is not transformed/,
  )
  assertTransformed(make(transform(source)!.code))
  const two = `async function a() { atomic: { await 1 } }\nasync function b() { atomic: { await 1 } }`
  throws(
    () => assertTransformed(new Function(`${two}\nreturn { a, b }`)()),
    /a, b have atomic blocks that are not transformed, so they do nothing/,
  )
})

test('text with an atomic block that is not transformed is told from other text', () => {
  const bad = [
    'async function f() { atomic: { n = await g() } }',
    'async function f() {\n  if (x) y()\n  atomic: {\n    n = await g()\n  }\n}',
    'async () => { if (x) { } atomic: { await null } }',
  ]
  for (const text of bad) same([isUntransformed(text), isUntransformed(transform(text)!.code)], [true, false], text)
  const good = [
    'f({ a: 1, atomic: { await: 1 } })',
    'x.atomic = { a: 1 }',
    'const o = { atomic: { a: 1 } }',
    'y ? atomic : { await: 1 }',
  ]
  for (const text of good) same(isUntransformed(text), false, text)
})

test('a function that a framework moves to another file uses no variable of ours from around it', async () => {
  const handler = 'async (x) => { atomic: { await tick(); return x + 1 } }'
  const { code } = transform(`component$(() => { $(${handler}) })`, { format: 'commonjs' })!
  const moved: string[] = []
  const mark = (f: () => void): void => void moved.push(String(f))
  const component = (f: () => void): void => f()
  new Function('require', 'component$', '$', 'tick', code)(() => runtime, component, mark, tick)
  same(moved.length, 1)
  same(await new Function('charcoal$', 'tick', `return (${moved[0]})(2)`)(runtime, tick), 3)
  const attribute = transform(`const page = () => { return <p document:onClick$={${handler}} /> }`, { file: 'x.jsx' })!
  same(/body\d\$/.exec(attribute.code), null)
})

test('messages name transformed functions as they were written', async () => {
  const { ours } = await both(`
const stuck = new Promise(() => {})
async function save() { await stuck }
const load = async ({ id } = {}) => { await stuck }
async function fromTry() { try { return stuck } finally { } }
class Store { async add() { await stuck } }
async function main() {
  const store = new Store()
  const told = []
  for (const f of [save, load, () => store.add(), fromTry, () => save(), function* tick() { yield stuck }]) {
    const task = lib.spawn(f)
    await tick()
    task.cancel()
    await task.then(null, (error) => told.push(error.message))
  }
  return told
}`)
  const cancelled = (name: string): string => `${name} was cancelled`
  same(ours, ['save', 'load', 'add', 'fromTry', 'save', 'tick'].map(cancelled))
})

test('yield* of a promise, or of the call of a transformed function, says what to write instead', async () => {
  const load = (): unknown =>
    runtime.go(function* () {
      yield* lib.sleep(1)
    })
  const wrong: Record<string, () => unknown> = { native: async () => 1, transformed: load }
  for (const [name, f] of Object.entries(wrong)) {
    const inner = lib.asyncFn(function* () {
      yield* lib.sleep(1)
      yield* f() as any
    })
    const told = (error: any): string => error.stack
    for (const stack of [
      await inner().then(String, told),
      await lib.spawn(() => inner()).then(String, told),
      await lib
        .spawn(function* () {
          yield* inner()
        })
        .then(String, told),
    ]) {
      ok(/^TypeError: .*not iterable\nRemedy, if this is yield\* of a promise/.test(stack), `${name}: ${stack}`)
      same(stack.split('Remedy').length, 2, name)
      ok(/: yield\* wait\(promise\), of charcoal-js\n +at /.test(stack), `${name}: ${stack}`)
    }
  }
  const frozen = Object.freeze(new TypeError('it is not iterable'))
  const body = function* (): Generator<unknown, void, any> {
    throw frozen
  }
  same(await lib.spawn(body).then(String, (error) => error === frozen), true)
})
