/** What the build plugin makes of functions at the top of a module, of their calls in blocks, and of Promise.all. */
import { ok, same, test } from './harness.ts'
import { transform } from '../src/plugin/transform.ts'
import * as runtime from '../src/plugin/runtime.ts'
import * as lib from './lib.ts'

const tick = (ms = 1): Promise<void> => new Promise((done) => setTimeout(done, ms))

/** The code of a module, transformed. */
const transformed = (source: string): string => transform(source, { file: 'a.mjs', all: true })!.code

/** What the names in `names` are when the module has run. */
function run(source: string, names: string, code = transformed(source)): Record<string, any> {
  const text = code.replace(/import \* as charcoal\$ from .*?;/, '')
  return new Function('charcoal$', 'lib', 'tick', `${text}\nreturn { ${names} }`)(runtime, lib, tick)
}

test('transformed functions keep their names and lengths', () => {
  const source = `async function a(x, y) {} async function b({ x }, y, z = 1) {} async function c(x = 1, y) {}
    const d = async ([x], y) => x, e = async (x, ...y) => y
    const g = async ({ x }, y) => x; const h = async function (x, y = 1) { return x }
    class F { async m({ x }, y) { return this } }
    const m = F.prototype.m`
  const seen = (made: Record<string, Function>): unknown[] => Object.values(made).map((f) => [f.name, f.length])
  same(seen(run(source, 'a, b, c, d, e, g, h, m')), seen(run(source, 'a, b, c, d, e, g, h, m', source)))
})

const CHAIN = `
  async function add(x) { if (x > 99) throw new Error('too many'); return x + 1 }
  async function slow(x) { await tick(); return x + 10 }
  async function main(x) { const log = []
    atomic: { try { log.push(await add(await slow(await add(x)))) } catch (e) { log.push(e.message) }
    await slow(1); for (const y of [1, 2]) log.push(await add(y)) } return log }`

test('law 11: calls fused in an atomic block mean the same', async () => {
  for (const x of [1, 89, 100]) same(await run(CHAIN, 'main').main(x), await run(CHAIN, 'main', CHAIN).main(x))
  const code = transformed(CHAIN)
  ok(code.includes('(yield* (add$activity((yield* (slow$activity((yield* (add$activity(x)))))))))'), code)
  ok(code.includes('charcoal$.run(add$activity(y), add$activity)'), 'calls in a loop of the block look at the clock')
})

const IMPORTED = `
  export const add = async (x) => { if (x > 99) throw new Error('too many'); return x + 1 }
  export async function slow(x, y) { await tick(); return add(x + y) }
  export async function whole(x) { try { return slow(x, 1) } finally { x = 0 } }`
const IMPORTS = `
  import { add, slow, whole } from './a.mjs'
  async function main(x) { const log = []
    for (let i = 0; i < 3; i++) { try { log.push(await add(await slow(x, -i)), await whole(x)) }
      catch (e) { log.push(e.message) }
      await Promise.all([add(i), slow(i, i)]).then((all) => log.push(...all))
      atomic: { try { log.push(await slow(x, i)) } catch { log.push(await add(i)) } } }
    return log }`

/** Runs `main` of the one module with what the other exports, or what `change` makes of that. */
async function imports(is: (source: string) => string, x: number, change = (f: Function): Function => f) {
  const made = run('', 'add, slow, whole', is(IMPORTED).replaceAll('export ', ''))
  for (const f of Object.values(made)) await f(0, 0) // from now on they are known
  const names = Object.keys(made)
  const code = is(IMPORTS).replace(/import .*?;|import .*?'\n/g, '')
  const values = Object.values(made).map(change)
  return await new Function('charcoal$', ...names, `${code}\nreturn main`)(runtime, ...values)(x)
}

test('an awaited call of a function of another module runs its generator as soon as that is known', async () => {
  const plain = (source: string): string => source.replace('atomic:', '')
  for (const x of [1, 90, 99]) same(await imports(transformed, x), await imports(plain, x))
  ok(transformed(IMPORTS).includes('charcoal$.run(awaited$(x, i), awaited$)'))
  // Those that make a function anew are asked: what a test puts in its place has all that it has.
  let calls = 0
  const counted = (f: any): Function => {
    const double = (...args: unknown[]): unknown => (calls++, f(...args))
    return Object.defineProperties(double, Object.getOwnPropertyDescriptors(f))
  }
  let heard = 0
  const heard1 = (f: any): Function =>
    new Proxy(f, { apply: (...args) => (heard++, (Reflect.apply as Function)(...args)) })
  same(await imports(transformed, 1, counted), await imports(plain, 1))
  same(await imports(transformed, 1, heard1), await imports(plain, 1))
  same([calls, heard], [18, 18])
})

test('an awaited call of a known function is its generator and nothing else, until it waits', async () => {
  const source = `async function hit(x) { return x + 1 } async function miss(x) { await lib.pause(); return x + 1 }
    async function fails(x) { throw x }
    const pass = async (x) => x
    async function main(n) { let s = 0; for (let i = 0; i < n; i++) s = await pass(await hit(s))
      s = await miss(s); try { await fails(s) } catch (x) { return x } }`
  const d = lib.useDomain(new lib.Domain())
  lib.useDomain(d)
  let made = 0
  const { called } = d as unknown as { called(call: never): void }
  ;(d as any).called = (call: never): void => (made++, called.call(d, call))
  try {
    const code = transformed(source).replace(/import .*?;/, '')
    const { main } = new Function('charcoal$', 'lib', `${code}\nreturn { main }`)(runtime, lib)
    same(await main(1000), 1001)
    ok(made < 100, `${made} of 1000 calls: more than those at which the run loop looks at the clock`)
  } finally {
    delete (d as any).called
  }
})

test('a call is fused only where its name means that one function', () => {
  const f = 'async function f() { return 1 }'
  const main = 'async function main() { atomic: { return [await f()] } }'
  const isFused = (source: string): boolean => transformed(source).includes('yield* (f$activity(')
  same(isFused(`${f}\n${main}`), true)
  const isConstFused = (source: string): boolean => transformed(source).includes('yield* ((f, f$activity)(')
  for (const value of ['async () => 1', 'async () => { return 1 }', 'async function () { return 1 }', 'async x => x'])
    for (const word of ['const', 'export const']) same(isConstFused(`${word} f = ${value}\n${main}`), true, value)
  const others = [
    `${f}\nf = g\n${main}`,
    `${f}\n[f] = [g]\n${main}`,
    `${f}\nfor (f of []) g()\n${main}`,
    `${f}\n${main.replace('()', '(f)')}`,
    `${f}\n${main.replace('{ atomic', '{ const { f } = g; atomic')}`,
    `${f}\ntry { g() } catch (f) { g(f) }\n${main}`,
    `import f from 'g'\n${main}`,
    `async function f() { return this }\n${main}`,
    `async function f() { return arguments.length }\n${main}`,
    `async function f() { try { return g() } catch { return 1 } }\n${main}`,
    `function outer() { ${f} }\n${main}`,
    `${f}\n${main.replace('atomic: ', '')}`,
    `let f = async () => 1\n${main}`,
    `const f = async () => 1, g = 2\n${main}`,
    `const f = async () => this\n${main}`,
    `const f = async function () { return this }\n${main}`,
    `const f = async function g() { return 1 }\n${main}`,
    `const f = memoized(async () => 1)\n${main}`,
    `const { f } = { f: async () => 1 }\n${main}`,
    `{ const f = async () => 1\n${main} }`,
  ]
  for (const source of others) same(isFused(source) || isConstFused(source), false, source)
})

test('law 1: a fused chain is as atomic as the block that it stands in', async () => {
  const source = `let n = 0; async function read() { await tick(); return n }
    async function write(x) { await tick(); n = x }
    async function bump() { atomic: { await write((await read()) + 1) } }
    async function main() { await Promise.all([bump(), bump(), bump()]); return n }`
  same(await run(source, 'main').main(), 3)
})

test('law 11: what follows the first `await` of a call never runs before its caller has gone on', async () => {
  const source = `const log = []; const none = async () => { log.push('in') }; const name = (x) => x
    async function value() { log.push('first'); await null; log.push('after a value') }
    async function call() { await none(); log.push('after a call') }
    async function block() { atomic: { await name(1); log.push('in a block') } }`
  const seen = async (code?: string): Promise<string[]> => {
    const { log, ...fs } = run(source, 'log, value, call, block', code)
    for (const f of Object.values(fs)) {
      const made = f()
      log.push('caller')
      await made
    }
    return log
  }
  same(await seen(), await seen(source))
})

const FAMILY = `const log = []
  async function load(ms, fails) {
    try { await tick(ms); if (fails) throw new Error('no'); return ms } finally { log.push(ms) } }
  async function nap(ms) { try { await lib.sleep(ms); return ms } catch (e) { log.push(e.code); throw e } }
  const main = async (how) => { switch (how) {
    case 0: return await Promise.all([load(3), load(1), load(2)])
    case 1: return Promise.all([1, 2].map((ms) => load(ms)))
    case 2: return await Promise.allSettled([load(1, true), load(2)]).then((all) => all.map((one) => one.status))
    case 3: return (await Promise.allSettled([load(1, true), load(2)])).map((one) => one.status)
    case 4: return await Promise.any([load(1, true), load(2)])
    case 5: return await Promise.race([load(500), load(1)])
    case 6: return await Promise.all([load(1), tick(1).then(() => 5)])
    case 7: return await Promise.all([5, 'x'].map((x) => x))
    case 8: return await Promise.all([]) } }`

test('law 11: Promise.all and its like give what they give natively', async () => {
  for (let how = 0; how <= 8; how++) {
    same(await run(FAMILY, 'main').main(how), await run(FAMILY, 'main', FAMILY).main(how), `case ${how}`)
  }
})

test('Promise.all of calls made in place is structured: a failure cancels the others, and waits for them', async () => {
  const all = `${FAMILY}
    async function both() { await Promise.all([nap(99999), load(1, true)]) }
    async function first() { return await Promise.race([nap(99999), load(1)]) }
    async function long() { await Promise.all([nap(99999), nap(88888)]) }`
  const { both, first, long, log } = run(all, 'both, first, long, log')
  same(await both().catch((e: Error) => e.message), 'no')
  same(log, [1, 'ECANCELED'])
  same(await first(), 1)
  same(log, [1, 'ECANCELED', 1, 'ECANCELED'])
  const task = lib.spawn(() => long())
  await lib.sleep(1)
  task.cancel()
  await task.catch(() => {})
  same(log.slice(4), ['ECANCELED', 'ECANCELED'], 'a cancel reaches those that are waited for')
})

test('Promise.all is left alone where others may hold the calls, or Promise is not the host’s', () => {
  const isStructured = (statement: string, before = ''): boolean =>
    transformed(`${before}\nasync function f(x) { ${statement} }`).includes('charcoal$.all(')
  same(isStructured('await Promise.all([g(), g()])'), true)
  for (const s of ['await Promise.all(x)', 'await Promise.all([x, g()])', 'const p = Promise.all([g()]); await p']) {
    same(isStructured(s), false, s)
  }
  same(isStructured('await Promise.all([g(), g()])', "import Promise from 'bluebird'"), false)
})

test('whoever asks for the result of a call between its end and the answer to its caller has it', async () => {
  const log: unknown[] = []
  for (const fails of [false, true]) {
    const call = lib.asyncFn(function* () {
      if (fails) throw 'error'
      return 'value'
    })
    let asked: any
    // The first part of a call from legacy code ends between the two.
    const caller = runtime.go(function* () {
      asked = call()
      return yield* asked
    })
    const told = asked.then(
      (value: unknown) => log.push(value),
      (error: unknown) => log.push(`threw ${error}`),
    )
    await caller.catch(() => {})
    await told
  }
  same(log, ['value', 'threw error'])
})
