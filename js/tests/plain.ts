/**
 * Plain programs, in which nothing is atomic: one for each place of the language where `async` and `await` may stand.
 * Each defines `main`, and tells what it sees with `log`. Transformed it must tell the same (see plain.test.ts).
 */
export const PROGRAMS: Record<string, string> = {
  // ---- lines without semicolons
  'lines that begin with `await`, without semicolons': `
async function main() {
  const f = (x) => (log('called', x), x)
  let a = f
  await f(1)
  let b = a
  await f(2) + 1
  b
  await (f)(3)
  const c = b
  ;(await f(4)).toFixed()
  return c === f
}`,
  'lines that begin with \`yield\`, without semicolons': `
async function* g(f) {
  let a = f
  yield 1
  let b = a
  yield* [2, 3]
  const c = b
  yield
  return c === f
}
async function main() { const it = g((...xs) => log('called', xs)); let r
  do { r = await it.next(); log(r) } while (!r.done) }`,
  'lines that begin with \`async\`, without semicolons': `
async function main() {
  const f = (x) => (log('called', typeof x), x)
  let a = f
  async () => { await 1 }
  a = f
  async (x) => x
  a
  async x => x
  const b = { f }
  ;(async () => log('ran'))()
  return a === f
}`,
  'class members without semicolons': `
class A { x = 1
  async ['m']() { return this.x }
  y = [2]
  async *[Symbol.asyncIterator]() { yield this.y[0] }
  static z
  async m2() { return 3 }
  'quoted' = 4
  async 5() { return 5 }
}
async function main() { const a = new A(); log(await a.m(), await a.m2(), await a[5](), a.quoted)
  for await (const v of a) log(v) }`,
  'lines that end in \`return\`, \`throw\` of a line, and comments around words': `
async /* one */ function /* two */ f(/* three */ x /* four */) /* five */ { return /* six */ await /* seven */ x }
const g = async /* a */ (x) /* b */ => /* c */ await /* d */ x // e
const o = { async /* f */ m() { return await // g
  5 }, /* async */ async /* async */ async() { return 6 } }
class C { static /* async */ async async() { return 7 } async get() { return 8 } async static() { return 9 } }
async function main() { log(await f(1), await g(2), await o.m(), await o.async(), await C.async())
  const c = new C(); log(await c.get(), await c.static()) }`,

  // ---- places of \`await\`
  'default parameters of plain functions inside, and of async ones': `
const d = (x) => (log('default', x), x)
async function f(a = d(1), { b = d(2), ...c } = { z: d(3) }, [e = d(4), ...g] = [], ...h) { return [a, b, c, e, g,
  h] }
async function main() { log(await f(), await f(0, { b: 1, q: 2 }, [5, 6], 7, 8))
  const inner = function (x = d(9)) { return x }; log(inner()) }`,
  'defaults that see earlier parameters, this, arguments and closures': `
const o = { n: 5, async m(a, b = a + this.n, c = () => a + b, e = arguments.length) { a = 100;
  return [a, b, c(), e] } }
async function f(x, y = () => x) { var x = 2; return [x, y()] }
async function main() { log(await o.m(1), await o.m(1, 2), await f(1)) }`,
  'defaults and patterns that throw reject, and their first part has run': `
async function f({ a }) { log('never') }
async function g(a = (log('default'), null.x)) {}
async function h([a] = 5) {}
const k = async ({ a: { b } }) => b
const o = { async m({ a }, ...xs) { return a } }
async function main() { for (const make of [() => f(), () => f(null), () => g(), () => h(), () => k({}),
  () => o.m()]) {
    let p; try { p = make(); log('made') } catch (e) { log('threw', e.constructor.name) }
    try { await p } catch (e) { log('rejected', e.constructor.name) } } }`,
  'a default that is an async arrow': `
async function f(x, g = async (y) => (await y) + x, { h = async () => await g(1) } = {}) { return [await g(2),
  await h()] }
async function main() { log(await f(10)) }`,
  'destructuring with awaited keys, values and defaults': `
async function main() { const o = { a: 1, b: { c: [2, 3] } }
  const { [await 'a']: x = await 5, b: { c: [, y = await 6, z = await 7] }, [await 'q']: w = await 8,
  ...rest } = await o
  let p, q; ({ a: p, [await 'zz']: q = await 9 } = o); [p, q] = [await q, await p]
  log(x, y, z, w, rest, p, q) }`,
  'assignment targets that are evaluated before what is awaited': `
async function main() { const xs = [1, 2, 3]; let i = 0; const at = (n) => (log('at', n), n)
  xs[at(i++)] = await (log('value'), 10); xs[at(i++)] += await 20; xs[at(i)] ??= await 30
  let n = 1; n += await (n = 5); n = n + await (n = 1); log(xs, n, i)
  const o = { get v() { log('get'); return 1 }, set v(x) { log('set', x) } }; o.v += await 5; o.v ||= await 6;
  o.v &&= await 7 }`,
  'class fields, static blocks, private methods, accessors': `
class A { static #n = 1; static log = []; static { this.start = (async () => { await 0; return A.#n })() }
  #p = 2; async #m(x) { await 0; return this.#p + x } static async #s(x) { return A.#n + await x }
  get lazy() { return (async () => this.#p)() } set later(x) { this.done = (async () => { this.#p = await x })() }
  f = async (x) => (await x) + this.#p; static sf = async () => await this.#s(5)
  async run() { this.later = 7; await this.done; return [await this.#m(1), await this.lazy, await this.f(1),
  #p in this] } }
async function main() { log(await new A().run(), await A.start, await A.sf()) }`,
  'computed keys of methods, classes and objects that await': `
async function main() { const key = (k) => (log('key', k), k); let n = 0
  const o = { [await key('a')]: 1, async [await key('m')]() { return await 2 }, get [await key('g')]() { return 3 },
    [key(await 's')]() { return 4 }, async *[await key('y')]() { yield 5 } }
  class C { [await key('f')] = 6; static [await key('sf')] = 7; async [await key('cm')]() { return 8 }
    static async [(await key('csm')) + 1]() { return 9 } static { n++ } [await key('plain')]() { return 10 } }
  const c = new C(); log(o.a, await o.m(), o.g, o.s(), (await o.y().next()).value, c.f, C.sf, await c.cm(),
  await C.csm1(),
    c.plain(), n) }`,
  'computed keys see the outer this, arguments and super': `
class P { k() { return 'pk' } get g() { return 'pg' } }
class Q extends P { n = 'n'; async m(x) { await 0
    class In { [this.n]() { return 1 } [arguments[0]] = 2; async [super.k()]() { return 3 } static [super.g] = 4 }
    const o = { [this.n + 2]: 5, async [super.k() + 2]() { return 6 } }
    return [Object.keys(new In()), new In().n(), await new In().pk(), In.pg, o.n2, await o.pk2()] } }
async function main() { log(await new Q().m('arg')) }`,
  'extends of what is awaited, new of what is awaited': `
async function main() { const Base = class { v = 1 }; class D extends (await Base) { w = 2 };
  class E extends class extends
    (await D) {} {}
  const make = async () => D; log(new (await make())().v, new E().w, new (class { x = 5 })().x,
    new Map(await [[1, 2]]).get(1), (await new D()).v, new Date(await 0).getTime(), new (await Base)) }`,
  'template literals, tagged templates, raw strings': `
const tag = (s, ...v) => s.raw.join('|') + v.join(); const later = async (s, ...v) => s.join('-') + v
async function main() { log(\`a\${await 1}b\${\`c\${await 2}\`}\`, tag\`x\${await 3}\\n\${4}\`,
  await later\`p\${await 5}q\`,
    (await tag)\`z\`, await (await later)\`w\${1}\`)
  const s = () => ((x) => x)\`k\`; log(s() === s(), s().length) }`,
  'optional chains, calls, nullish, and what they skip': `
const o = { f: async (x) => x, a: { b: [async () => 4] }, self() { return this === o } }
async function main() { const u = undefined; const hit = (x) => (log('hit', x), x)
  log(await o?.f?.(await hit(1)), await u?.f(await hit(2)), await u?.[await hit(3)], await o.a?.b?.[await 0]?.(),
  u ?? await 5,
    (await u)?.x.y.z, await (o?.self)(), await o?.['self'](), (await o)?.self(), null ?? (await u ?? 6),
  delete (await u)?.x) }`,
  'logical, conditional, comma and parentheses decide what is awaited': `
const t = (x) => (log('t', x), x)
async function main() { log(await t(0) && await t(1), await t(1) || await t(2),
  (await t(1)) ? await t(3) : await t(4),
    (await t(5), await t(6)), await (t(7), t(8)), !(await t(0)) && await t(9), await (0 || t(10)),
  await (await (await t(11)))) }`,
  'operators: exponents, unary, in, instanceof, delete, void, typeof': `
async function main() { let x = 2; x **= await 3; const o = { k: 1, z: 2 }
  log(x, (await 2) ** 3, (await 2) ** (await 3), -(await 3), +await '4', ~await 5, !await 0, typeof await 'x',
  void await 1,
    delete (await o).z, 'k' in await o, await 'z' in o, (await []) instanceof (await Array), await 5 % await 3,
  await 1 < await 2,
    await 1 + await 2 * await 3, [...await [1, 2], ...await 'ab'], { ...await o, ...(await null) },
  Math.max(...await [1, 5], await 9)) }`,
  'increments of awaited members, and members of awaited things': `
async function main() { const o = { n: 1, d: { e: { f: [1, 2] } } }; (await o).n++; ++(await o).n;
  (await o)['n'] += await 5
  const { length } = await 'abc'; log(o.n, (await o.d).e.f[await 1], (await o).d.e['f'].map((x) => x + 1), length,
    await o.d.e.f.at(-1), (await (await o).d.e).f.length) }`,
  'regular expressions, divisions and numbers beside await': `
async function main() { const g = 2, i = 1; log(await /a/g.test('a'), (await 4) / g / i, await 8 / g,
  (await 1.5).toFixed(), await .5, await 1e3,
    await /[/]\\/(x)/.exec('//x')?.[1], await 0x10, await 10n) }`,
  'object methods, getters, setters, shorthand, spread, numeric and string names': `
const o = { async a() { return 1 }, async 'b c'() { return 2 }, async 3() { return 3 }, async [\`d\`]() {
  return 4 },
  await: 6, async *gen() { yield 7 }, async async() { return 8 }, async get() { return 9 },
  async set() { return 10 }, async await() { return 11 } }
async function main() { log(await o.a(), await o['b c'](), await o[3](), await o.d(), await o.async(),
  typeof o.await, (await o.gen().next()).value,
    await o.get(), await o.set(), await o.await(), await { async m() { return this.n }, n: 12 }.m()) }`,
  'constants that are functions, called in place, before their line, and by others': `
const early = async () => { try { return await late(1) } catch (e) { return e.constructor.name } }
const before = early()
const late = async (x) => x + 1
const bare = async x =>
  // a comment
  x * 2
const object = async /* one */ (a) /* two */ => /* three */ ({ a })
const pattern = async ({ id = 3 } = {}, [x] = [id], ...rest) => { await null; return [id, x, rest] }
const rejects = async (x) => { throw x }
const waits = async (x) => tick().then(() => x)
const chained = async (n) => (n === 0 ? 'end' : await chained(n - 1))
const fn = async function (x, y) { 'use strict'; await null; return [x, y] }
const fromTry = async (x) => { try { return await rejects(x) } catch (e) { return late(e) } finally { log('finally') } }
const makes = async (x) => async () => x
const two = async () => 1, more = async () => 2
const named = async function self(n) { return n === 0 ? self.name : await self(n - 1) }
async function main() {
  log(await before, await early(), await late(1), await bare(2), await object(3), await waits(4), await chained(3))
  log(await pattern(), await pattern({ id: 1 }, undefined, 2, 3), await fn(1), await fromTry(5))
  log(await (await makes(6))())
  try { await rejects('no') } catch (e) { log(e) }
  try { await pattern(null) } catch (e) { log(e.constructor.name) }
  log(await two(), await more(), await named(2), await Promise.all([1, 2].map(late)), late(1) instanceof Promise)
  const fs = { early, late, bare, object, pattern, rejects, waits, chained, fn, fromTry, makes, two, more, named }
  log(Object.entries(fs).map(([key, f]) => [key, f.name, f.length].join(' ')))
  { const late = (x) => 'inner ' + x; log(await late(1)) }
}`,
  'arrow bodies of every kind': `
const a = async () => ({ x: 1 }), b = async x => x, c = async (x) => (x, x + 1), e = async () => [await 1],
  f = async () => \`\${await 2}\`,
  g = async () => async () => 3, h = async ({ x }) => x, i = async ([x] = [5], ...r) => [x, r],
  j = async () => {}, k = async () => (await 1, 2),
  l = async x => { return await x }, m = async () => (() => ({}))(), n = async (x) => x ? await x : b(7),
  q = async () => void 0,
  r = async () => (async () => await 4)(), s = async (x) => x ?? await 1, t = async () => class { static v = 1 },
  u = async () => function () { return 6 }
async function main() { log(await a(), await b(1), await c(1), await e(), await f(), await (await g())(),
  await h({ x: 2 }), await i(), await i([1], 2),
    await j(), await k(), await l(3), await m(), await n(0), await n(1), await q(), await r(), await s(null),
  (await t()).v, (await u())()) }`,

  // ---- statements
  'labelled loops, break and continue across await, try and switch': `
async function main() { outer: for (let i = 0; i < 4; i++) { inner: for (const x of [1, 2, 3]) { try { await 0
        switch (await (i + x)) { case 2: continue outer; case 4: break inner; case await 6: break outer;
  default: log('d', i, x) } }
      finally { log('f', i, x); await 0; if (i === 2 && x === 2) continue outer } } log('after', i) }
  blk: { if (await 1) break blk; log('never') } do { await 0; if (await 1) continue } while (await 0); log('end') }`,
  'return, throw and completion in try, catch and finally': `
async function f(how) { try { log('try'); if (how === 0) return await 'a'; if (how === 1) throw await 'b';
  if (how === 2) return Promise.reject('c')
    return how } catch (e) { log('catch', e); if (e === 'b') return await 'B'; throw e } finally { log('finally');
  await 0
    if (how === 3) return 'override' ; if (how === 4) throw 'F' } }
async function g() { for (const x of [1, 2]) { try { return await x } finally { if (x === 1) continue;
  log('g', x) } } }
async function h() { l: try { return 1 } finally { break l } return 2 }
async function main() { for (let i = 0; i < 6; i++) try { log(await f(i)) } catch (e) { log('out',
  e) } log(await g(), await h()) }`,
  'catch without a binding, with a pattern, nested, and errors thrown on': `
async function main() { try { try { throw await { a: [1] } } catch ({ a: [x], b = await 2 }) { log(x, b);
  throw new Error('n') } finally { await log('f') } }
  catch { log('outer') } try { await Promise.reject() } catch (e) { log(e) } try { null.x } catch (e) { await 0;
  log(e instanceof TypeError) }
  try { (await null).x } catch (e) { log(e.constructor.name) } try { throw undefined } catch (e) {
  log(e === undefined) } }`,
  'a returned promise is awaited outside try, and its finally has run': `
const fail = async () => { log('fail runs'); await 0; throw 'E' }
async function f() { try { return fail() } catch (e) { log('never') } finally { log('finally') } }
async function g() { try { return await fail() } catch (e) { log('caught', e);
  return fail() } finally { log('finally') } }
const h = async () => { try { return (async () => { log('inner'); return 1 })() } finally { log('h finally') } }
async function main() { for (const x of [f, g]) try { await x() } catch (e) { log('out', e) } log(await h()) }`,
  'switch: cases that await, fall through, lexical declarations in cases': `
async function f(x) { switch (await x) { case await (log('c1'), 1): let y = await 'one'; log(y);
  case 2: log('two'); break
    default: log('default'); case await 3: { const y2 = 'three'; log(y2) } case 4: } return x }
async function main() { for (const x of [1, 2, 3, 4, 5]) log(await f(x)) }`,
  'loops of every kind with await in every part': `
async function main() { for (let i = await 0; i < await 2; i += await 1) log('for', i); let n = 2;
  while (await n--) log('while', n)
  do log('do'); while (await 0); for (const k in await { a: 1, b: 2 }) log('in', await k);
  for (const x of await [1, 2]) log('of', await x)
  for (const [k, v = await 9] of await [[1], [2, 3]]) log(k, v); for (var q of [1, await 2]) ; log(q);
  if (await 0) log('no'); else if (await 1) log('else if')
  for (const o = { p: 0 }; o.p < 1; o.p += await 1) await log(o.p); let z; for (z of await [7]) ;
  for ([z] of [[await 8]]) log(z); for (z.w of []) ; }`,
  'closures of loop variables after await': `
async function main() { const fs = []; for (let i = 0; i < 3; i++) { await 0; fs.push(() => i++);
  fs.push(async () => i) }
  for (const x of [5, 6]) { await 0; fs.push(async () => (await 0, x)) } for (let k in { a: 1, b: 2 }) {
  fs.push(() => k); await 0 }
  for (const f of fs) log(await f()) ; log(await fs[1]()) }`,
  'hoisting: functions in blocks, var across blocks, let before its line': `
async function main() { log(typeof f, f(), typeof late, v); { function g() { return 2 } log(g()) } await 0;
  log(await h())
  function f() { return 1 } async function h() { return 'h' } var v = 5;
  if (await 1) { function inBlock() { return 3 } } log(typeof inBlock)
  try { use } catch (e) { log(e.constructor.name) } let use = await 1; { log(await k());
  async function k() { return 'k' } } var late }`,
  'functions of an atomic block that are declared in it': `
async function main() { atomic: { let n = 4; log(await f(2)); for await (const x of g(3)) log(x)
  async function f(x = 1) { return [x, n] } async function* g(a) { yield a; yield await f() } } }`,
  'declarations twice, and a parameter that is declared again': `
async function f(x) { return 1 } async function f(x) { return 2 }
async function p(a, b) { var a; var b = 5; function a() { return 'fn' } return [typeof a, b] }
async function q(x = 1) { var x; return x }
async function main() { log(await f(), await p(1, 2), await q(), await q(7));
  { async function f() { return 3 } log(await f()) } var g = async () => 4; var g; log(await g()) }`,
  'sloppy mode: this, arguments that follow parameters, with, names of the future': `
function Outer() { return (async () => this === undefined ? 'none' : typeof this)() }
async function sloppy() { return this === undefined || this === globalThis } async function strict() {
  'use strict'; return this === undefined }
async function args(a, b) { a = 9; arguments[1] = 8; return [arguments[0], b, arguments.length] }
async function strictArgs(a) { 'use strict'; a = 9; return arguments[0] }
async function w() { with ({ x: 5 }) { await 0; return x + (await x) } }
async function names(async, of, get, set, let_, static_, undefined_) { var yield_ = async; return async + of }
async function main() { log(await Outer(), await sloppy(), await strict(), await args(1, 2), await strictArgs(1),
  await w(), await names(1, 2)) }`,
  'eval sees the variables of the function, and declares its own': `
async function f(x) { const y = 2; await 0; const direct = eval('x + y'); eval('var made = 5');
  return [direct, typeof made, (0, eval)('typeof x')] }
async function g(code) { return eval(code) } async function h(x) { return await eval('Promise.resolve(x * 2)') }
async function main() { log(await f(1), await g('this === undefined || this === globalThis'), await h(4),
  await g('(async () => 3)()')) }`,
  'directives: several, with comments, and strict in one function alone': `
async function f() { 'use strict'; 'other'; try { undeclared = 1 } catch (e) { return e.constructor.name } }
const g = async () => { "use strict"
  await 0; return (function () { return this })() }
async function h() { /* c */ 'use strict' /* d */ // e
  return this }
async function main() { log(await f(), await g(), await h()) }`,
  'using, closed before the function goes on': `
async function main() { const r = (n) => ({ [Symbol.dispose ?? 'd']() { log('closed', n) } }); log(await 1);
  return typeof r }`,

  // ---- this, arguments, super, new.target
  'this in nested arrows, async arrows in fields, methods taken off': `
class A { n = 1; f = async () => { const g = async () => { const h = () => this.n; return h() + await h() };
  return await g() }
  async m() { return [1, 2].map(async (x) => x + this.n) } async free() {
  return this } static s = async () => this.name; static async t() { return this.name } }
async function main() { const a = new A(); const { free, f } = a;
  log(await f(), await Promise.all(await a.m()), await free(), await A.s(), await A.t(),
    await a.free.call(5) == 5, await a.free.bind('x')() == 'x', await Reflect.apply(a.m, { n: 7 },
  []).then((ps) => Promise.all(ps))) }`,
  'arguments: length, spread, in arrows, with patterns and defaults, assigned': `
async function f() { await 0; return [arguments.length, ...arguments, Array.isArray(arguments), typeof arguments] }
async function g(a, { b }, c = 3) { return [arguments.length, arguments[1].b, [...arguments].length] }
function h() { return async (x) => { await 0; return arguments.length + x } } function k() { return async ({
  y } = { y: 2 }, ...z) => [arguments[0], y, z.length] }
const o = { async m() { return (() => arguments[0])() }, async args(x) { const arguments_ = arguments;
  return arguments_[1] } }
async function main() { log(await f(1, 2), await g(1, { b: 2 }), await h(1, 2)(3), await k('a')({ y: 5 }, 1, 2),
  await o.m('z'), await o.args(1, 2),
    ({ arguments: 5 }).arguments) }`,
  'super in every position': `
class P { constructor() { this.calls = [] } m(...x) { return ['P', this.id, ...x] } get v() {
  return 'v' + this.id } set v(x) { this.set = x } static s(x) { return 's' + x } }
class C extends P { id = 1; async m(a, ...r) { const arrow = async (y) => [await super.m(y), super.v];
  return [super.m(a, ...r), await arrow(2), super['m'](3), await super.m?.(4), super.nope?.(5)] }
  async set1(x) { super.v = await x; super['w'] = 1; super.q ??= 2; super.n = 5; super.n++;
  [super.z, super.y = 6] = [1]; return [this.set, this.w, this.q, this.n, this.z, this.y] }
  static async s(x) { return (await super.s(x)) + super.s\`t\` + typeof super.s } field = async () => super.m('f')
  plain() { const f = async () => await super.m('p'); return f() } get g() {
  return (async () => super.v)() } async *gen() { yield super.v; yield* super.m(9) } }
const proto = { hi() { return 'hi ' + this.k }, k: 'p' }; const o = { __proto__: proto, k: 'o', async hi() {
  return super.hi() + '!' }, async get() { return super.k } }
async function main() { const c = new C(); log(await c.m('a', 'b'), await c.set1(7), await C.s(1),
  await c.field(), await c.plain(), await c.g, await o.hi(), await o.get())
  for await (const x of c.gen()) log(x) }`,
  'super in constructors and static blocks, with arrows': `
class P { constructor(x) { this.x = x } who() { return 'who' + this.x } static who() { return 'static' } }
class C extends P { constructor() { super(1); this.p = (async () => { await 0;
  return super.who() + this.x })() } static {
  this.q = (async () => super.who())() } static r = (async () => await super.who())() }
async function main() { log(await new C().p, await C.q, await C.r) }`,
  'new.target in functions, arrows and methods': `
async function f() { return new.target } function G() { return (async () => { await 0;
  return new.target === G })() } class K { constructor() { this.p = (async () => new.target.name)() } }
const o = { async m() { return new.target }, f() { return (async () => [new.target,
  await (async () => new.target)()])() } }
class L { x = (async () => new.target)() ; async m() { return [new.target, (() => new.target)()] } }
async function main() { log(await f(), await new G(), await G(), await new K().p, await o.m(), await o.f(),
  await new L().x, await new L().m()) }`,

  // ---- generators
  'async generators: values, returns, throws, order of requests': `
async function* g(x) { log('begins', x); try { const a = yield x + 1; log('got', a);
  const b = yield Promise.resolve('p'); log('got', b); return Promise.resolve('r') } catch (e) { log('caught', e);
  yield 'after' } finally { log('fin') } }
async function main() { const a = g(1); log('made'); log(await a.next('ignored'), await a.next('A'),
  await a.next('B'), await a.next()); const b = g(2); await b.next();
  log(await b.throw('T'), await b.next(), await b.next())
  const c = g(3); log(await c.return(Promise.resolve('early')), await c.next()); const d = g(4); await d.next();
  log(await d.return('R'), await d.next())
  const e = g(5); try { await e.throw('never begun') } catch (x) { log(x) } log(await e.next()); const q = g(6);
  log(await Promise.all([q.next(), q.next(1), q.next(2), q.next(3), q.return(4)])) }`,
  'async generators: the body runs in the call of next up to its first wait': `
async function* g() { log('first'); await 0; log('second'); yield 1; log('third'); yield 2 }
async function main() { const it = g(); const p = it.next(); log('caller'); log(await p); const q = it.next();
  log('caller again'); log(await q, await it.return()) }`,
  'async generators: prototypes, names, tags, and what they are': `
async function* g() { yield 1 } const o = { async *m() {} }; class C { static async *s() {} async *m(a, b) {} }
async function main() { const it = g(); const AG = Object.getPrototypeOf(Object.getPrototypeOf(it))
  log(typeof it.next, it[Symbol.asyncIterator]() === it, Object.prototype.toString.call(it), Object.keys(it),
  String(it), g.name, o.m.name, C.s.name, new C().m.length,
    'next' in it, Object.hasOwn(it, 'next'), typeof it.return, typeof it.throw, it.next() instanceof Promise) }`,
  'async generators: delegation to sync, async and custom iterators, with throw and return': `
async function* inner() { try { const x = yield 'i1'; log('inner got', x);
  yield 'i2' } catch (e) { log('inner caught', e); yield 'i3' } finally { log('inner fin') } return 'inner r' }
async function* outer(what) { try { const r = yield* what; log('result', r) } finally {
  log('outer fin') } return 'outer r' }
const custom = () => ({ n: 0, [Symbol.asyncIterator]() { return this }, next(x) { log('next', x);
  return { value: this.n++, done: this.n > 3 } }, return(x) { log('return', x); return { value: x, done: true } } })
async function main() { for (const what of [() => inner(), () => [1, Promise.resolve(2)], custom, function* () {
  yield 5; return 6 }]) { const a = outer(what()); log(await a.next('x'), await a.next('y'), await a.next('z'),
  await a.next())
    const b = outer(what()); await b.next(); if (Array.isArray(what())) continue;
  try { log(await b.throw('T')) } catch (e) { log('out', String(e?.message ?? e).slice(0,
  3)) } const c = outer(what()); await c.next(); log(await c.return('R')) } }`,
  'async generators: yield in every place, await of yields, this and arguments': `
async function* g(a, b = a) { const x = (yield a) + (yield b); log(x, this?.k, arguments.length);
  const { y = yield 'def' } = {}; log(y, [yield 'in', await (yield 'aw')]); log(\`\${yield 't'}\`);
  if (yield 'if') log('yes'); yield* [yield 'star']; return yield }
async function main() { const it = g.call({ k: 'K' }, 1); let n = 10, r;
  while (!(r = await it.next(n++)).done) log(r.value); log(r) }`,
  'async generators: errors in yielded promises, and in what is returned': `
async function* g() { try { yield Promise.reject('y') } catch (e) { log('caught', e) } yield 1;
  return Promise.reject('ret') }
async function* h() { yield* (function* () { yield Promise.reject('d') })() } async function* k() { try {
  return Promise.reject('in try') } catch (e) { log('k caught', e) } finally { log('k fin') } }
async function main() { const it = g(); log(await it.next()); for (let i = 0; i < 2;
  i++) try { log(await it.next()) } catch (e) { log('out', e) } log(await it.next());
  try { await h().next() } catch (e) { log('h', e) } try { log(await k().next()) } catch (e) { log('k', e) } }`,
  'async generators: defaults that throw, throw in the call': `
async function* g(x = (() => { throw 'default' })()) { yield x } const o = { async *m({ a }) { yield a } }
async function main() { for (const f of [() => g(), () => o.m()]) { try { const it = f(); log('made');
  await it.next() } catch (e) { log('threw',
  typeof e === 'string' ? e : e.constructor.name) } } log(await g(1).next()) }`,
  'for await over everything, with patterns, labels, break, return, throw': `
async function* src() { try { yield 1; yield [2, 3]; yield { v: 4 } } finally { log('closed') } }
async function first() { for await (const x of src()) return x } async function thrown() {
  for await (const x of src()) throw 'body' }
const it = (close) => ({ [Symbol.asyncIterator]: () => ({ i: 0, next() { return { done: this.i > 1,
  value: this.i++ } }, return: close }) })
async function main() { for await (const x of src()) log(x); l: for await (const x of src()) {
  for (;;) continue l } for await (const x of src()) { if (x === 1) continue; break } log(await first());
  try { await thrown() } catch (e) { log(e) }
  for await (const x of [1, Promise.resolve(2), { then(ok) { ok(3) } }]) log(x);
  for await (const c of 'ab') log(c); for await (var z of new Set([5])) ; log(z);
  for await (let { v = 1, ...r } of [{ v: 2, w: 3 }, {}]) log(v, r)
  let o = {}, y; for await (o.p of [6]) log(o.p); for await ([y = 7] of [[]]) log(y); for await (y of [8]) log(y);
  for await (const x of it(() => { log('ret'); return {} })) break;
  try { for await (const x of it(() => 5)) break } catch (e) { log(e.constructor.name) }
  try { for await (const x of it(() => { throw 'close' })) throw 'body' } catch (e) { log(e) } try {
  for await (const x of 5) ; } catch (e) { log(e.constructor.name) } try {
  for await (const x of [Promise.reject('item')]) ; } catch (e) { log(e) }
  for await (const x of it()) if (x) break; try { for await (const x of { [Symbol.asyncIterator]: () => ({
  next: () => 5 }) }) ; } catch (e) { log(e.constructor.name) } for await (const async of [1]) log(async);
  for await (const x of []) log('never')
  for await (const x of [1]) for await (const w of [x + 1]) { log(w);
  var q = w } if (q) for await (const x of [9]) log(x); else log('no') }`,
  'for await: closures, and a sync iterator that is closed': `
const sync = { [Symbol.iterator]() { return { i: 0, next() { return { done: false, value: this.i++ } }, return() {
  log('sync closed'); return {} } } } }
async function main() { const fs = []; for await (const x of [1, 2, 3]) fs.push(() => x); log(fs.map((f) => f()));
  for await (const x of sync) if (x > 1) break; try { for await (const x of sync) throw 'T' } catch (e) { log(e) }
  const done = await (async () => { for await (const x of sync) return x })(); log(done) }`,

  // ---- what a call gives
  'what a call gives is a promise': `
async function f(x) { return x } const g = async () => 1; class C { async m() {} }
async function main() { const p = f(1), q = g(), r = new C().m();
  for (const x of [p, q, r]) log(x instanceof Promise, Object.prototype.toString.call(x),
  x.constructor === Promise, Promise.resolve(x) === x, typeof x.then, Object.keys(x), JSON.stringify(x),
  Object.getPrototypeOf(x)?.constructor?.name)
  log(await Promise.prototype.then.call(f(2), (x) => x + 1), await f(3).then((x) => x + 1),
  await f(4).finally(() => log('fin')), await f(5).catch(() => 0), await Promise.prototype.finally.call(f(6),
  () => {}), String(p)) }`,
  'what a call gives cannot be iterated, as a promise cannot': `
async function f(xs) { await null; return xs }
const isIterable = (x) => Symbol.iterator in x || typeof x[Symbol.iterator] === 'function'
async function main() { const p = f([1]); log(isIterable(p), await p)
  const from = (x) => isIterable(x) ? 'iterable' : typeof x.then
  log(from(f([2])), [f([3])].map(from), await Promise.all([f([4])]))
  for (const spread of [(x) => [...x], (x) => new Set(x), (x) => Math.max(...x)])
    try { log(spread(f([5]))) } catch (e) { log(e.constructor.name) } }`,
  'promises of calls in Promise.all, race, any, allSettled, from outside and inside': `
const f = async (x, ms = 1) => { await tick(ms); if (x < 0) throw x; return x }
async function main() { const p = f(1), q = f(2); log(await Promise.all([p, q, 3]), await Promise.race([f(1, 20),
  f(2, 1)]), await Promise.any([f(-1), f(2)]), (await Promise.allSettled([f(-1), f(2)])).map((r) => r.status),
  await Promise.all([f(1), f(2)].map((x) => x.then((y) => y * 2))))
  try { await Promise.all([f(-5), f(1)]) } catch (e) { log(e) } const both = [f(7), f(8)];
  for (const x of both) log(await x); log(await Promise.all(new Set([f(1)])), await Promise.all({
  *[Symbol.iterator]() { yield f(3) } })) }`,
  'functions: names, lengths, and that they are no constructors': `
async function f(a, b = 1, c) {} const g = async (x, y) => {}, h = async function named(x) {};
  const o = { async m(a) {}, async ['c' + 1]() {}, async [Symbol('s')]() {} };
  class C { async m(a, b) {} static async s() {} async #p(a) {} get p() { return this.#p } fld = async () => {} }
async function main() { let un = async () => {}; const { d = async () => {} } = {};
  log(f.name, f.length, g.name, g.length, h.name, h.length, o.m.name, o.m.length, o.c1.name,
  Object.getOwnPropertySymbols(o).map((s) => o[s].name), C.prototype.m.name, C.prototype.m.length, C.s.name,
  new C().p.name, new C().p.length, new C().fld.name, un.name, d.name, (async () => {}).name,
  (async function () {}).name)
  for (const x of [g, o.m, C.prototype.m]) { try { new x(); log('constructed') } catch (e) {
  log(e.constructor.name) } log('prototype' in x) } }`,
  'a return of several expressions gives the last': `
const f = async (x) => { if (x) return log('one'), x > 1 ? f(x - 1) : later(x), await 5, later(x);
  return (log('two'), 6) }
const later = async (x) => { await 0; return x * 2 }; async function g(x) { try { return x, later(x) } finally {
  log('f') } }
async function* h(x) { const y = (yield 1, yield 2); return log(y), x, later(y) }
async function main() { log(await f(0), await f(2), await g(3)); const it = h(1)
  log(await it.next(), await it.next(), await it.next(4)) }`,
  'async callbacks of reduce begin one after the other': `
async function main() { const sum = async (a, x) => { log('begins', x); const y = await a; await tick();
  log('ends', x); return y + x }
  log(await [1, 2, 3].reduce(sum, 0), await [1, 2].reduceRight(async (a, x) => { log('right', x);
  return (await a) * x }, 1)) }`,
  'what the language gives no name is found by its prototypes': `
const AsyncFunction = (async () => {}).constructor,
  AsyncGeneratorFunction = Object.getPrototypeOf(async function* () {})
const AsyncIterator = Object.getPrototypeOf(Object.getPrototypeOf(AsyncGeneratorFunction.prototype))
async function main() { log(AsyncFunction.name, typeof AsyncIterator[Symbol.asyncIterator],
    await new AsyncFunction('x', 'return await x')(5))
  async function empty() {} async function* none() {} log(await empty()); for await (const x of none()) log(x) }`,
  'named function expressions call themselves': `
const fact = async function self(n) { return n < 2 ? 1 : n * await self(n - 1) };
  const o = { f: async function r(n) { return n ? r.name + await r(n - 1) : '' } }
async function main() { log(await fact(5), await o.f(2)); const g = async function me() { try {
  me = 1 } catch (e) { return e.constructor.name } return typeof me }; log(await g()) }`,
  'immediately called, in chains, as arguments, as values': `
async function main() { await (async () => { log(1) })(); (async function () { log(2) })();
  await (async (x) => log(x))(3); void async function () { log(4) }();
  const r = [async () => 5, async function () { return 6 }]; for (const f of r) log(await f())
  log(await ((f) => f())(async () => 7), await [1].map(async (x) => x)[0], await new Promise(async (ok) => {
  await 0; ok(8) }), typeof (async () => {}), (async () => {}) ? 9 : 0, !async function () {},
  await (true ? async () => 10 : 0)(), await { f: async () => 11 }['f']()) }`,

  // ---- thenables and settled promises
  'thenables of every kind': `
const then = (f) => ({ then: f }); class Own extends Promise {} const bad = Own.reject(14); bad.catch(() => {});
  const odd = [then((ok) => ok(1)), then((ok, bad) => bad(2)), then(() => { throw 3 }), then((ok) => { ok(4);
  throw 5 }), then((ok, bad) => { ok(6); bad(7); ok(8) }), { get then() { log('getter');
  throw 9 } }, { then: 10 }, then((ok) => ok(then((k) => k(11)))), Object.assign(() => {}, { then(ok) {
  ok(12) } }), Own.resolve(13), bad, Promise.resolve(then((ok) => ok(15))), { then(ok) { setTimeout(ok, 1,
  18) } }, new Proxy({}, { get: (_, k) => (k === 'then' ? (ok) => ok(19) : undefined) })]
async function ret(x) { return x } const arrow = async (x) => x
async function main() { for (const x of odd) for (const how of [async () => await x, () => ret(x),
  () => arrow(x)]) try { const v = await how(); log(typeof v === 'object' ? 'object ' + v.then : v) } catch (e) {
  log('threw', e) }
  const self = {}; self.then = (ok) => ok(self.done ? 20 : ((self.done = true), self)); log(await self);
  class T { then(ok) { ok(this.v) } v = 21 } log(await new T(), await Object.create(new T())) }`,
  'an object that is a thenable returns itself': `
class Query { constructor(v) { this.v = v } then(ok) { log('asked'); ok(this.v) } async get() { return this }
  async tried() { try { return this } finally { log('finally') } } arrow = async () => this
  async either(x) { return x ? this : null } static async all() { return this } static then(ok) { ok('all') } }
async function main() { const q = new Query(5); for (const how of ['get', 'tried', 'arrow', 'either']) {
  log(how, await q[how](1)); const kept = q[how](2); log(await kept) } log(await Query.all(), await q.get())
  for await (const x of [q.get()]) log(x) }`,
  'the job that asks a thenable comes later, and reads then once': `
async function main() { let n = 0; const t = { get then() { n++; return (ok) => { log('asked'); ok(n) } } };
  const p = (async () => await t)(); log('after', n); log(await p, n); const q = (async () => t)();
  log('after', n); log(await q, n) }`,
  'values that only look like operations are values': `
async function main() { const gen = (function* () { yield 1; return 2 })();
  const it = { next() { return { done: true, value: 5 } }, throw() {}, [Symbol.iterator]() { return this } };
  const arr = [1].values()
  log((await gen) === gen, gen.next().value, (await it) === it, (await arr) === arr,
  await (async () => it)() === it, await (async () => { return gen })() === gen, (await new Map()) instanceof Map,
  typeof await Symbol.iterator, await (async function* () {})() instanceof Object)
  for await (const x of [gen]) log(x === gen); log((await (async function* () {
  yield it })().next()).value === it) }`,
  'await of plain values of every kind': `
async function main() { for (const x of [0, '', null, undefined, NaN, false, 5n, Symbol.for('s'), [], {}, () => 1,
  class {}, new Date(0), /x/, new Error('e')]) log(Object.is(await x, x), Object.is(await (async () => x)(), x),
  Object.is(await (async () => { return await x })(), x)) }`,
  'rejections: order, who catches, and errors that are values': `
const fail = async (x) => { throw x }; const later = async (x) => { await 0; throw x }
async function main() { for (const x of [undefined, null, 0, 'e', new Error('m')]) for (const f of [fail,
  later]) { try { await f(x) } catch (e) { log(e === x) } await f(x).catch((e) => log('c', e === x));
  await f(x).then(() => log('no'), (e) => log('t', e === x)) }
  const p = fail('kept'); p.catch((e) => log('one', e)); p.catch((e) => log('two', e));
  await p.then(log, () => 0); try { await Promise.all([tick(1).then(() => fail(1)), fail(2)]) } catch (e) {
  log(e) } }`,
  'a promise that is resolved with a call, and calls in then': `
const f = async (x) => { await 0; return x }
async function main() { log(await new Promise((ok) => ok(f(1))), await Promise.resolve(f(2)),
  await Promise.resolve().then(() => f(3)), await Promise.reject().catch(() => f(4)), await f(f(5)),
  await f(f(f(6)))); const p = f(7); log(await p, await p, await p.then((x) => f(x + 1))) ;
  await Promise.resolve(1).then(f).then(log) }`,

  // ---- when code runs
  'the first part runs in the call': `
async function f(n) { log('in', n); if (n > 0) await g(n); log('end', n) } async function g(n) { log('g', n);
  await tick(3 * n); log('g end', n) }
const a = async () => { log('arrow') }; const o = { async m() { log('m', this === o); await tick(20);
  log('m end') } }
async function main() { const p = f(0); log('after 0'); const q = f(1); log('after 1'); const r = a();
  log('after arrow'); const s = o.m()
  log('after m'); await p; await q; await r; await s; [1, 9].map(async (x) => { log('map', x); await tick(x);
  log('map end', x) }); log('mapped')
  await tick(30); const t = f(1), u = f(4); log('both'); await Promise.all([t, u]); if (f(0)) log('truthy'); f(4);
  f(9); log('left'); await tick(50) }`,
  'the first part runs in the call, in loops, conditions, assignments, objects and returns': `
let n = 0; async function inc(x) { n += x; const was = n; await 0; return was } async function outer() { inc(1);
  const a = n; const o = { p: inc(10), n }; const xs = [inc(100), n]; const y = (inc(1000), n); for (let i = 0;
  i < 2; i++) inc(1); const z = n; return [a, o.n, xs[1], y, z, await o.p, await xs[0]] }
const limit = () => { let active = 0, top = 0; return { async run(f) { top = Math.max(top, ++active);
  try { return await f() } finally { active-- } }, get active() { return active }, get top() { return top } } }
async function main() { log(await outer()); const l = limit(); const ps = []; for (let i = 0; i < 3;
  i++) { ps.push(l.run(() => tick(1))); log(l.active) } await Promise.all(ps); log(l.active, l.top);
  const m = new Map(); const once = (k) => m.get(k) ?? m.set(k, inc(k)).get(k);
  log(await Promise.all([once(1), once(1), once(2)]), m.size) }`,
  'what stands after an await never runs before the caller goes on': `
async function f() { log('a'); await 1; log('b'); await undefined; log('c') } async function g() { await f();
  log('g') } async function h() { return f() }
async function main() { const p = g(); log('1'); await p; const q = h(); log('2'); await q;
  const r = Promise.all([f()]); log('3'); await r
  const s = (async () => { log('x'); for await (const y of [1]) log('y'); log('z') })(); log('4'); await s;
  const t = [f(), log('5')]; await t[0] }`,
  'recursion, mutual, deep, and of many at once': `
async function fib(n) { return n < 2 ? n : await fib(n - 1) + await fib(n - 2) } async function even(n) {
  return n === 0 ? true : odd(n - 1) } async function odd(n) {
  return n === 0 ? false : even(n - 1) } async function deep(n) { if (n > 0) await deep(n - 1); return n }
async function tree(n) { return n === 0 ? 1 : (await Promise.all([tree(n - 1), tree(n - 1)])).reduce((a,
  b) => a + b) } async function kept(n) { const p = n > 0 ? kept(n - 1) : null; return 1 + ((await p) ?? 0) }
async function main() { log(await fib(10), await even(50), await deep(1000), await tree(6), await kept(300)) }`,
  'events: a listener that is async, once, and emitters that call many': `
async function main() { const t = new EventTarget(); t.addEventListener('e', async (ev) => { log('one',
  ev.cancelable); ev.preventDefault(); await 0; log('one end') });
  t.addEventListener('e', async function (ev) { log('two', this === t, ev.defaultPrevented); await 0;
  log('two end') }); const ev = new Event('e', { cancelable: true }); log(t.dispatchEvent(ev)); await tick() }`,
  'callbacks of the language: sort, replace, reduce, forEach, JSON, toString, proxies': `
async function main() { const f = async (x) => x; log('abc'.replace(/b/, () => (f(1), 'B')), [3, 1, 2].sort((a,
  b) => (f(a), a - b)), await [1, 2, 3].reduce(async (a, x) => (await a) + x, 0), JSON.stringify({
  toJSON: () => (f(1), 5) }), \`\${{ toString: () => (f(1), 'ts') }}\`)
  ;[1, 2].forEach(async (x) => { log('e', x); await 0; log('e end', x) }); await tick();
  const p = new Proxy({}, { get: (_, k) => async () => k }); log(await p.anything()); const { a = f(9) } = {};
  log(await a); log(await Array.from([1, 2], f)[1], await Reflect.apply(f, null, [4])) }`,
  'generators and plain functions inside, and async ones in those': `
async function main() { function* g() { const x = yield async () => await 1;
  yield* [x, (async () => 2)()] } const it = g(); log(await it.next().value(), it.next('v').value,
  await it.next().value); const sync = () => { const p = (async () => { log('in'); return await 3 })();
  log('out'); return p }; log(await sync())
  const o = { *[Symbol.iterator]() { yield (async () => 4)() } }; for (const p of o) log(await p);
  for await (const x of o) log(x); log(await (function () { return (async () => this.k)() }).call({ k: 5 })) }`,
  'errors: messages, causes, stacks that name the functions': `
async function inner() { await 0; throw new TypeError('m', { cause: 'c' }) } async function outer() { try {
  await inner() } catch (e) { throw new Error('o', { cause: e }) } }
async function main() { try { await outer() } catch (e) { log(e.message, e.cause.message, e.cause.cause,
  e.cause.constructor.name, /inner/.test(e.cause.stack), /outer/.test(e.stack)) } }`,
  'names of the language as names: await, async, yield, of as properties': `
const o = { await: 1, async: 2, yield: 3, of: 4, return: 5 };
  async function main() { const { await: a, async: b } = o; log(a, b, o.yield, o.of, o?.await, o['async'],
  await o.await + o.await); var async = (x) => 'plain' + x; log(async (1)); async = 5; log(async); const of = [1];
  for (const x of of) log(x); label: for (const async of [7]) log(async) }`,
  'html comments, unicode names, strings that look like code': `
async function main() { const ünï = async (\\u0061b) => ab + 'await x';
  log(await ünï(1), "async function () { await 1 }", \`await \${await 'x'} yield\`, /async await/.source);
  const $f = async ($, _) => $ + _; log(await $f(1, 2)); const a\\u0062c = 5; log(await abc) }`,
  'chained assignments, sequences and returns over lines': `
async function main() { let a, b, c
  a = b = await 5, c = await 6
  log(a, b, c)
  const f = async () => {
    return (
      await 7
    )
  }
  const g = async () =>
    await 8
  const h = async (
    x,
    y = 1,
  ) => x + y
  return [await f(), await g(), await h(
    1,
  ), await
    9] }`,

  // ---- calls that begin at once, although the one before was awaited in place, and has thrown
  'what is called after an awaited call that has thrown begins at once': `
async function g(x) { log('begins', x) }
async function fromParse() { await JSON.parse('{') }
async function inFinally() { try { await JSON.parse('{') } finally { const p = g(1); log('goes on'); await p } }
async function* items() { try { yield await JSON.parse('{') } catch { const p = g(2); log('goes on'); await p } }
async function main() {
  try { await JSON.parse('{') } catch { }
  const p = g(3); log('goes on', p instanceof Promise); await p
  try { await JSON.parse('{}').none() } catch { const q = g(4); log('goes on'); await q }
  const bad = fromParse(); const r = g(5); log('goes on', r instanceof Promise); await r
  try { await bad } catch (e) { const s = g(6); log('goes on', e.constructor.name); await s }
  try { await inFinally() } catch { }
  for await (const x of items()) log(x) }`,

  'what methods of arrays and maps call begins in their order, and is a promise': `
const load = async (x) => { log('begins', x); await null; return x }
async function all(xs) { return xs.map(load) }
const flat = async (xs) => xs.flatMap(load)
async function main() { await [1, 2, 3].forEach(load); log('goes on'); await tick()
  const made = [await [4, 5].map(load), await all([6, 7]), await flat([8, 9])]
  for (const ps of made) log(ps.map((p) => p instanceof Promise), await Promise.all(ps))
  await new Map([['k', 'v']]).forEach(load); await tick(); log('end') }`,
  'what the default of a parameter calls begins at once': `
async function g(x = 'g') { log('begins', x); return x }
async function f(x = g('f'), { y = (g('y')) } = { z: g('z') }) { log('f'); return [await x, await y] }
const both = async (x, y) => { log('both', x instanceof Promise, y instanceof Promise); return [await x, await y] }
const plain = (x = g('plain'), [y = g('pattern')] = []) => { log('plain'); return both(x, y, Math.max(1)) }
class A { async m({ a = g('m') } = {}, ...more) { log('m'); return [await a, more.length] }
  plain(x = g('method')) { log('method'); return both(x, x) } }
async function main() { log(await f(), await plain(), await new A().m(), await new A().plain(), await plain(1)) }`,

  // ---- names
  'names that the transformation could have for itself': `
const own$ = 1, args$ = 2, target$ = 3, super$ = 4, arguments$ = 5, e$ = 6, value$ = 7
const both = async (x, y) => [x, y]
const load = (x) => both(own$, x + Math.max(1))
const o = { __proto__: { a: 8 }, async m() { return [super$, super.a] },
  n() { return (async () => [arguments$, arguments.length, target$, new.target === undefined])() } }
async function main() { const f = async ({ a }) => [args$, a]
  log(await load(1), await f({ a: 9 }), await o.m(), await o.n(1, 2))
  for await (const x of [1]) log(e$, value$, x) }`,
  'functions of loops whose variables have the names of properties elsewhere': `
async function main() { const fs = [], row = { id: 1, length: 2, return: 3, name: 4 }
  for (const { id: key, length: n = 5, deep: { name: [label] = ['none'] } = {}, ...rest } of [{ id: 6, more: 7 },
    { id: 8, deep: { name: ['a name'] } }]) {
    fs.push(async (x) => [key, n, label, rest.more, x, row.id, row.length, row.name, { id: 9 }.id])
    fs.push(async function () { return [key, row.id, row.deep] }) }
  for (const { return: a } of [{ return: 10 }]) fs.push(async () => [a, row.return])
  try { throw { name: 'thrown' } } catch ({ name: n }) { for (const i of [1]) fs.push(async () => [n, i, row.name]) }
  for (const f of fs) log(await f('x')) }`,

  // ---- sloppy code
  'functions that are declared in the cases of a switch are seen there only': `
const f = 'outer'
async function one(x) { switch (x) { case 1: async function f() { await null; return g() } log(typeof f, await f())
    case 2: async function g() { return 'g' } async function* h() { yield 'h' } log(typeof f, await g()); break
    default: log(typeof g) }
  return [typeof f, typeof g, typeof h] }
async function two() { l: switch (1) { case 1: async function k() { return 1 } log(await k()); break l }
  if (true) switch (2) { default: async function k() { return 2 } log(await k()) } else log('never')
  return typeof k }
async function main() { log(await one(1), await one(2), await one(3), await two()) }`,
  'eval sees what is around it, and with and eval change what names mean': `
async function f() { return 'outer' }
async function named() { return eval('typeof this') }
const o = { v: 7, async m() { return eval('this.v') }, async n(x) { return eval('arguments[0] + x') },
  arrow() { return (async () => eval('this.v'))() }, async later(a, { b } = { b: 2 }, ...c) { await null
    return eval('[a, b, c.length]') } }
async function main() { log(await o.m(), await o.n(5), await o.arrow(), await o.later(1), await named())
  with ({ f: async () => 'of with' }) { log(await f()); atomic: { log(await f()) } }
  await (async () => { eval('var f = async () => "of eval"'); log(await f()) })()
  log(await f()) }`,

  // ---- iterators
  'an iterator is asked for its method \`next\` once': `
const counted = (tag, async) => { const it = { i: 0, get next() { log('asked for next', tag)
    return function () { const r = { done: this.i++ > 1, value: this.i }; return async ? Promise.resolve(r) : r } },
  get return() { log('asked for return', tag); return undefined } }
  return { [async ? Symbol.asyncIterator : Symbol.iterator]: () => it } }
async function* g() { return yield* counted('in a generator', true) }
async function main() { for await (const x of counted('async', true)) log(x)
  for await (const x of counted('sync', false)) { log(x); break }
  for await (const x of g()) log(x) }`,

  // ---- functions that are made several times, each with variables of its own (see plugin/once.ts)
  'functions of loops see the variables of their rounds': `
async function main() { const fs = []
  for (let i = 0; i < 3; i++) fs.push(async (x) => [i, x])
  for (const i of [3, 4]) { const j = i * 10; fs.push(async (x) => [i, j, x], async function (y) { return [j, y] }) }
  for (let i = 0, f = async () => i; i < 2; i++) fs.push(f, async () => i)
  let k = 0; while (k < 2) { const own = k++; fs.push(async () => own) }
  do { let own = k; if (k) fs.push(async (x) => own + x); else fs.push(async () => -1) } while (k-- > 0)
  for (const f of fs) log(await f(1), await f(2)) }`,
  'functions of classes and calls that are made several times see their own': `
const mixin = (Base, tag) => class extends Base { #tag = tag; async tag(x) { return [tag, this.#tag, x] } }
function made(tag) { return class Own { static made = tag; #tag = tag
  async own(x) { return [Own.made, tag, this.#tag, x] } } }
class Holder { made = class Inner { #x = 1; async m() { return [Inner === this.constructor, this.#x] } }
  self = async function self() { return self }
  field = async (x) => [this.id, x]
  nested = { m: async (x) => [this.id, x], async n(x) { return [typeof this.m, x] } }
  constructor(id) { this.id = id } }
async function main() { const [A, B] = [mixin(Object, 'a'), mixin(Object, 'b')]
  log(await new A().tag(1), await new B().tag(2), await new A().tag(3))
  const [C, D] = [made('c'), made('d')]; log(await new C().own(1), await new D().own(2), await new C().own(3))
  const [e, f] = [new Holder('e'), new Holder('f')]; log(await e.field(1), await f.field(2), await e.field(3))
  log(await new e.made().m(), await new f.made().m())
  log(await e.self() === e.self, await f.self() === f.self)
  log(await e.nested.m(1), await f.nested.m(2), await f.nested.n(3))
  const [g, h] = [1, 2].map((x) => async (y) => [x, y]); log(await g(1), await h(2), await g(3))
  const closures = (x) => { switch (x) { case 1: let own = x; return async () => own
    default: { let own = -x; return async () => own } } }
  log(await closures(1)(), await closures(2)(), await closures(1)()) }`,
  'functions that call themselves, and calls of one that overlap, have their own variables': `
const o = { depth: 0, async m(n, list) { const own = n; this.depth++; if (n > 0) await this.m(n - 1, list)
  await null; list.push(own); n = -1; return [own, n] } }
const fib = async (n) => { if (n < 2) return n; const left = fib(n - 1), right = fib(n - 2)
  return await left + await right }
const each = async function (x, y) { const seen = []
  for (const i of [1, 2]) { const f = async (z) => { await null; return [x, i, y, z] }; seen.push(f(i)) }
  return Promise.all(seen) }
async function main() { const list = []; log(await o.m(3, list), list, o.depth, await fib(9))
  log(await Promise.all([each('a', 'b'), each('c', 'd')])) }`,
  'directives without semicolons, and names that blocks hide': `
const f = async function (x) { 'use strict'
  const g = async () => { return this === undefined }
  return [await g(), x] }
const outer = async (f) => { const g = async () => f; { const f = 'inner'; const h = async () => f; log(await h()) }
  return await g() }
async function main() { log(await f(1), await outer('outer'))
  label: { const f = async () => 'labelled'; log(await f()); break label }
  try { throw 'thrown' } catch (e) { const f = async () => e; log(await f()) }
  if (true) var late = async (x) => x; log(await late(5), late.length, late.name) }`,

  // ---- functions that a framework wants to be `async` (see plugin/staying.ts)
  'functions that stay `async` because of their directive': `
const isAsync = (f) => Object.prototype.toString.call(f).slice(8, -1)
async function save(x, y = x + 1, { z } = { z: 3 }, ...rest) { 'use server'; await tick(); return [x, y, z, rest] }
const del = async ({ id }) => { 'use server'
  await tick(); return id }
const o = { v: 7, async m(x) { 'use cache: remote'; return [this.v, arguments.length, await x] },
  async late() { 'use step'; try { return tick().then(() => { throw 'late' }) } catch (e) { return 'caught' } } }
class A { async n() { return 'A' } static async s(x) { 'use cache'; return this === A && x } }
class B extends A { async n() { 'use server'; return [await super.n(), await (async () => super.n())()] } }
async function* rows(n) { 'use cache'; try { for (let i = 0; i < n; i++) yield [await i, yield* [await 'in']] }
  finally { log('ends') } }
async function again(x) { 'use server'; var x; const y = x; if (x > 0) return again(x - 1); return [x, y] }
function Page(id) { const act = async (form) => { 'use server'; return [await id, form] }; return act }
async function main() {
  log([save, del, o.m, o.late, A.s, new B().n, rows, Page(1)].map(isAsync), save.length, del.length, save.name)
  log(await save(1), await save(1, 2, { z: 4 }, 5, 6), await del({ id: 8 }), await o.m(9, 10), await A.s(11))
  for (const bad of [() => del(), () => o.late(), () => save(1, 2, null)]) {
    let p; try { p = bad() } catch (e) { log('threw at once') }
    await p.catch((e) => log(e?.constructor?.name ?? e, e === 'late')) }
  log(await new B().n(), await again(2), await Page(1)('a'), await Page(2)('b'))
  for await (const row of rows(2)) log(row)
  for await (const row of rows(9)) break
  log(save(1) instanceof Promise, await Promise.all([save(3), del({ id: 4 }), o.m(5)])) }`,
}
