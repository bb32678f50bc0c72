/** Plain programs mean the same with and without the build plugin, called by legacy code and inside an activity. */
import { ok, same, test } from './harness.ts'
import { PROGRAMS } from './plain.ts'
import { isKnown, told, transformed } from './told.ts'
import { randomProgram } from './written.ts'
import { random } from '../src/dev/index.ts'

for (const [name, source] of Object.entries(PROGRAMS))
  test(`law 11: a plain program means the same: ${name}`, async () => {
    const code = transformed(source)
    const native = await told(source, false)
    ok(!native[native.length - 1].startsWith('"threw"'), `natively: ${native.join('\n')}`)
    for (const inActivity of [false, true])
      same(
        (await told(code, inActivity)).join('\n'),
        native.join('\n'),
        inActivity ? 'in an activity' : 'in legacy code',
      )
  })

test('law 11: random plain programs mean the same', async () => {
  const { env = {} } = (globalThis as any).process ?? {}
  const first = Number(env.CHARCOAL_SEED ?? 1)
  const rounds = Number(env.CHARCOAL_ROUNDS ?? 40)
  const using = isKnown('await using x = null') && Symbol.asyncDispose !== undefined
  let lines = 0
  let long = 0
  for (let seed = first; seed < first + rounds; seed++) {
    const source = randomProgram(random(seed), { strict: seed % 2 === 1, using })
    ok(isKnown(source), `program ${seed} is none: ${source}`)
    const native = (await told(source, false)).join('\n')
    const code = transformed(source)
    for (const inActivity of [false, true]) same((await told(code, inActivity)).join('\n'), native, `program ${seed}`)
    lines += native.split('\n').length
    if (native.split('\n').length > 15) long++
  }
  ok(long > rounds / 2, `the programs are worth running: ${long} of ${rounds} tell more than 15 lines, all ${lines}`)
})

test('`await using` disposes of everything at the end of its block, the last first, and waits for it', async () => {
  const source = `
const open = (name, fails) => ({ name, async [Symbol.asyncDispose]() { log('closes', name); await tick();
  log('closed', name); if (fails) throw name } })
const sync = (name) => ({ [Symbol.dispose]() { log('sync', name) } })
async function all() { await using a = await open('a'), b = open('b'); using c = await sync('c')
  await using n = await null, e = await open('e');
  { await using d = sync('d'); log('in', a.name) } log('after d'); return b.name }
async function bad(x) { try { await using a = open('x', true); await using b = open('y', true);
  if (x) throw 'body'; log('no error') } catch (e) { log(e.name ?? e, e.error,
  e.suppressed?.suppressed ?? e.suppressed) } }
async function loop() { for (const x of [1, 2, 3]) { 'no directive'; await using r = open(x);
  if (x === 1) continue; if (x === 2) return r.name } }
async function main() { log(await all()); await bad(false); await bad(true); log(await loop());
  try { await using w = 5 } catch (e) { log(e.constructor.name) } log(await early()) }
async function early() { { await using r = open('r'); return later() } }
async function later() { await tick(); await tick(); await tick(9); log('later'); return 'early' }`
  const text = source.replaceAll('Symbol.asyncDispose', 'asyncDispose').replaceAll('Symbol.dispose', 'dispose')
  const symbolOf = (name: string): string => `const ${name} = Symbol.${name} ?? Symbol.for('Symbol.${name}');`
  const symbols = symbolOf('asyncDispose') + symbolOf('dispose')
  const lines = await told(symbols + transformed(text), true)
  same(
    lines.map((line) => line.replaceAll('"', '')),
    [
      ...['in a', 'sync d', 'after d', 'closes e', 'closed e', 'sync c', 'closes b', 'closed b'],
      ...['closes a', 'closed a', 'b'],
      ...['no error', 'closes y', 'closed y', 'closes x', 'closed x', 'SuppressedError x y'],
      ...['closes y', 'closed y', 'closes x', 'closed x', 'SuppressedError x body'],
      ...['closes 1', 'closed 1', 'closes 2', 'closed 2', '2', 'TypeError'],
      // What is returned is waited for when the block has ended, as natively.
      ...['closes r', 'closed r', 'later', 'early', 'returned undefined'],
    ],
  )
})
