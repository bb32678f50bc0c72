/** When calls in transformed code begin, whose they are, and what plain code holds of them. */
import { same, test, until } from './harness.ts'
import { transform } from '../src/plugin/transform.ts'
import * as runtime from '../src/plugin/runtime.ts'
import * as lib from './lib.ts'
import * as ops from '../src/ops.ts'

const tick = (ms = 1): Promise<void> => new Promise((done) => setTimeout(done, ms))

const library = { ...lib, ...ops }

/** What `names` are when the module has run; it imports the library under the name of `charcoal-js`. */
function run(source: string, names: string): Record<string, any> {
  const { code } = transform(`import * as lib from 'charcoal-js'; ${source}`, { file: 'a.mjs', all: true })!
  const text = code.replace(/import .*? from .*?;/g, '')
  return new Function('charcoal$', 'lib', 'tick', `${text}\nreturn { ${names} }`)(runtime, library, tick)
}

/** Calls `main` in an activity, and gives what it has logged when that has ended. */
async function logOf(source: string): Promise<unknown[]> {
  const { log, main } = run(`const log = []; ${source}`, 'log, main')
  try {
    await lib.spawn(() => main())
  } catch (error) {
    log.push(`threw ${(error as Error).message ?? error}`)
  }
  return log
}

test('a limit that counts in the first part of its jobs holds, in an activity as in legacy code', async () => {
  const source = `
    let active = 0, top = 0; const waiting = []
    async function add(job) { if (active === 2) await new Promise((done) => waiting.push(done)); active++;
  top = Math.max(top, active)
      try { return await job() } finally { active--; waiting.shift()?.() } }
    async function main() { const all = []; for (let i = 0; i < 6; i++) all.push(add(() => tick()));
  await Promise.all(all); return top }`
  const { main } = run(source, 'main')
  same(await lib.spawn(() => main()), 2)
  same(await run(source, 'main').main(), 2)
})

test('a call that is awaited in place belongs to its caller: a cancel reaches it, and so do variables', async () => {
  const source = `const log = []; const who = lib.local('nobody'); const key = (x) => x
    async function nap(x) { who.value = 'set'; log.push(lib.self().name);
  try { await lib.sleep(99999) } catch (e) { log.push(e.code); throw e } }
    const helper = (x) => nap(key(x)); const o = { nap }; const never = () => false
    const ways = [async () => await nap(1), async () => nap(1), async () => await helper(1),
  async () => await o.nap(key(1)), async () => await o.nap(),
      async () => await (never() ? 0 : nap()), async () => { try { return await nap() } finally {
  log.push(who.value) } }]
    async function main(way) { await ways[way]() }`
  const { log, main } = run(source, 'log, main')
  for (let way = 0; way < 7; way++) {
    log.length = 0
    const task = lib.spawn(() => main(way), { name: 'main' })
    await until(() => log.length > 0)
    task.cancel()
    await task.catch(() => {})
    same(log, ['main', 'ECANCELED', ...(way === 6 ? ['set'] : [])], `way ${way}`)
  }
})

test('a call that is kept is an activity of its own, which a cancel of its caller leaves alone', async () => {
  const { log, main } = run(
    `const log = []; async function work() { await tick(5); log.push('done') }
     async function main() { const p = work(); log.push(p instanceof Promise); await p }`,
    'log, main',
  )
  const task = lib.spawn(() => main())
  await until(() => log.length > 0)
  task.cancel()
  await task.catch(() => {})
  await until(() => log.length > 1)
  same(log, [true, 'done'])
})

test('a structured operation takes over a call that has begun: it cancels it, and ends after it', async () => {
  const source = `
    async function work(x) { log.push('begins ' + x); try { await lib.sleep(99999) } catch (e) {
  log.push('cancelled ' + x); await lib.noncancellable(lib.sleep(2)); log.push('ended ' + x); throw e } }
    const fail = async () => { await tick(); throw new Error('no') }
    async function main() { const kept = work(1); log.push('kept');
  await lib.timeout(3, kept, () => log.push('late')); log.push('after')
      await lib.timeout(3, work(2), () => log.push('late')); log.push('after'); const two = [work(3), fail()];
  try { await lib.all(two) } catch (e) { log.push(e.message) }
      const again = [work(4), tick()]; await lib.race(again); log.push('raced');
  try { await Promise.all([work(5), fail()]) } catch (e) { log.push(e.message) } }`
  const log = await logOf(source)
  const ends = (x: number): string[] => [`cancelled ${x}`, `ended ${x}`]
  same(log, [
    ...['begins 1', 'kept', ...ends(1), 'late', 'after'],
    ...['begins 2', ...ends(2), 'late', 'after', 'begins 3', ...ends(3), 'no'],
    ...['begins 4', ...ends(4), 'raced', 'begins 5', ...ends(5), 'no'],
  ])
})

test('an argument of an operation of the library begins in that operation', async () => {
  const log = await logOf(`
    async function name() { log.push(lib.self().name, lib.inAtomic()) }
    async function main() { const task = lib.spawn(name(), { name: 'task' }); log.push('spawned'); await task;
  await lib.atomic(name()); await lib.spawn(() => name(), { name: 'other' }) }`)
  same(log.slice(0, 3).concat(log.slice(4)), ['spawned', 'task', false, true, 'other', false])
})

test('no block opens in the first part of a call that is kept, because its caller goes on', async () => {
  for (const block of [
    'atomic: { const was = n; await tick(); n = was + 1 }',
    'await lib.atomic(async () => { const was = n; await tick(); n = was + 1 })',
  ]) {
    const log = await logOf(`let n = 0
      async function inner(x) { log.push('in ' + x); ${block} } async function outer(x) { await inner(x) }
      async function main() { const all = [inner(1), outer(2)]; log.push(n); n = 10; all.push(inner(3))
        await Promise.all(all); log.push(n) }`)
    same(log, ['in 1', 'in 2', 0, 'in 3', 13], block)
  }
})

test('calls that are kept begin one inside the other, however deep', async () => {
  const { main } = run(
    `let n = 0; async function down(x) { n++; const p = x > 0 ? down(x - 1) : 0; return (await p) + 1 }
     async function main() { const p = down(100); const early = n; return [early, await p, await down(2000)] }`,
    'main',
  )
  same(await lib.spawn(() => main()), [101, 101, 2001])
})

test('a call that is kept and fails is told once, or to whoever asks', async () => {
  const told: unknown[] = []
  const scope = globalThis as any
  const note = (event: any): void => void (told.push(event.reason ?? event), event.preventDefault?.())
  const isNode = scope.process?.on !== undefined
  if (isNode) scope.process.on('unhandledRejection', note)
  else scope.addEventListener('unhandledrejection', note)
  try {
    const { main } = run(
      `async function fail(x) { throw x } async function later(x) { await tick(); throw x }
       async function main() { fail(1); later(2); const p = fail(3), q = later(4);
  try { await p } catch {} try { await q } catch {} await tick(5) }`,
      'main',
    )
    await lib.spawn(() => main())
    await tick(5)
    same(told, [1, 2])
  } finally {
    if (isNode) scope.process.off('unhandledRejection', note)
    else scope.removeEventListener('unhandledrejection', note)
  }
})

test('a call of an async generator that is kept runs its body up to the first wait', async () => {
  const log = await logOf(`async function* g() { log.push('body'); yield 1; log.push('more'); await tick(); yield 2 }
    async function main() { const it = g(); const p = it.next(); log.push('caller'); log.push((await p).value);
  const q = it.next(); log.push('caller'); log.push((await q).value) }`)
  same(log, ['body', 'caller', 1, 'more', 'caller', 2])
})
