/** What functions name in their source text, which is all that is known where accesses are not watched. */
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { analyse } from '../src/analysis/index.ts'
import { conflicts, conflictText } from '../src/analysis/conflicts.ts'
import { parseTrace } from '../src/format/index.ts'
import { recordNode } from '../src/record/node/index.ts'
import { parseUses } from '../src/source/uses.ts'
import { ok, same, test } from './harness.ts'
import { temporary } from './places.ts'

/** What the function that has `/* here *\/` in its text reads and writes. */
function usesOf(text: string): { reads: string[]; writes: string[] } | null {
  const before = text.slice(0, text.indexOf('/* here */')).split('\n')
  const found = parseUses(text)!.at(before.length, before.at(-1)!.length)
  return found && { reads: [...found.reads].sort(), writes: [...found.writes].sort() }
}

const ofBody = (body: string): unknown => usesOf(`async function f(param) { /* here */ ${body} }`)

test('a function uses the variables of others, and none of its own', () => {
  same(ofBody('const mine = outer; other = mine'), { reads: ['outer'], writes: ['other'] })
  same(ofBody('let n = 0; n++; for (const x of list) n += x'), { reads: ['list'], writes: [] })
  same(ofBody('[a, { b: c }] = mine(); try {} catch (e) { e = 1 }'), { reads: ['mine'], writes: ['a', 'c'] })
  same(ofBody('count += 1'), { reads: ['count'], writes: ['count'] })
})

test('a function uses properties of what is not its own, and of its parameters', () => {
  same(ofBody('this.n = this.n - 1'), { reads: ['this.n'], writes: ['this.n'] })
  same(ofBody('param.total = 1; const mine = {}; mine.x = 2'), { reads: [], writes: ['param.total'] })
  same(ofBody('delete cache[key]'), { reads: ['cache', 'key'], writes: ['cache'] })
  same(ofBody('({ a: label.b, label() {} })'), { reads: ['label', 'label.b'], writes: [] })
})

test('methods of collections read or write them', () => {
  same(ofBody("basket.set('a', basket.get('a') - 1)"), { reads: ['basket'], writes: ['basket'] })
  same(ofBody('this.waiting.push(1)'), { reads: [], writes: ['this.waiting'] })
})

test('functions that are called by name count, also in a circle', () => {
  const text = `
const load = () => stock
function save(n) { stock = n; again() }
function again() { /* here */ save(load()) }`
  same(usesOf(text), { reads: ['again', 'load', 'save', 'stock'], writes: ['stock'] })
  same(usesOf('class A { get() { return this.n } f() { /* here */ return this.get() } }'), {
    reads: ['this.n'],
    writes: [],
  })
})

test('the innermost function counts, and outside of functions nothing is told', () => {
  same(usesOf('function f() { a = 1; setTimeout(() => { /* here */ b = 2 }) }'), { reads: [], writes: ['b'] })
  same(usesOf('/* here */ a = 1'), null)
  same(parseUses('this is no program'), null)
})

test('a Node program whose accesses are not watched has what its functions share by their text', async () => {
  const dir = temporary()
  const program = path.join(dir, 'program.mjs')
  const out = path.join(dir, 'trace.jsonl')
  writeFileSync(
    program,
    `const account = { balance: 100 }
async function withdraw() {
  const { balance } = account
  await new Promise((done) => setTimeout(done, 20))
  account.balance = balance - 1
}
for (let i = 0; i < 30; i++) setTimeout(withdraw, i)`,
  )
  await recordNode(program, [], { out, stdio: 'ignore', accesses: false })
  ok(parseTrace(readFileSync(out), out).some((r) => r.type === 'uses'))
  const [first] = conflicts(await analyse(out))
  same([first?.evidence, first?.variable], ['function', 'account.balance'])
})

test('functions that share nothing by their text are no conflict, but a hint', async () => {
  const dir = temporary()
  const program = path.join(dir, 'program.mjs')
  const out = path.join(dir, 'trace.jsonl')
  writeFileSync(
    program,
    `async function waits() {
  await new Promise((done) => setTimeout(done, 20))
}
for (let i = 0; i < 30; i++) setTimeout(waits, i)`,
  )
  await recordNode(program, [], { out, stdio: 'ignore', accesses: false })
  const figures = await analyse(out)
  const all = conflicts(figures)
  ok(all.length > 0 && all.every((c) => c.hint), JSON.stringify(all))
  ok(/ By their source text, they share nothing\.$/.test(conflictText(figures, all[0]!)))
})
