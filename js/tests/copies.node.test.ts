/** Several copies of the library in one program have one domain. */
import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { createContext, runInContext } from 'node:vm'
import path from 'node:path'
import { develop } from '../src/dev/index.ts'
import { same, test } from './harness.ts'
import { install, linkTools, project, work } from './installed.ts'

const js = process.cwd()

/** Builds the entry points once more for each name. */
async function build(names: string[], format: 'esm' | 'iife', change = (text: string): string => text): Promise<void> {
  install()
  const { build } = await import('esbuild')
  for (const name of names) {
    const outfile = path.join(work, `${name}.mjs`)
    const files = ['diagnosis/index', 'index', 'events', 'dev/index']
    const contents = files.map((f) => `export * from './src/${f}.ts'`)
    contents.push(`export { enter, leave, leaving } from './src/plugin/runtime.ts'`) // its wait is another one
    const stdin = { contents: contents.join('\n'), resolveDir: js, loader: 'ts' as const }
    const target = 'es2022'
    const tsconfig = path.join(js, 'tsconfig.json')
    await build({ stdin, bundle: true, target, format, globalName: 'charcoal', outfile, tsconfig, logLevel: 'error' })
    writeFileSync(outfile, change(readFileSync(outfile, 'utf8')))
  }
}

function run(name: string, program: string): { stdout: string[]; stderr: string } {
  const file = path.join(work, name)
  writeFileSync(file, `const a = await import('./one.mjs')\nconst b = await import('./two.mjs')\n${program}`)
  const { stdout, stderr } = spawnSync(process.execPath, [file], { encoding: 'utf8' })
  return { stdout: stdout.trim().split('\n'), stderr: stderr.trim() }
}

test('copies have one domain: a block of one keeps the activities of the other outside', async () => {
  await build(['one', 'two'], 'esm')
  const { stdout, stderr } = run(
    'copies.mjs',
    `const log = []
    const note = (lib, name) => lib.asyncFn(function* () {
      log.push(name + '1')
      yield* lib.sleep(1)
      log.push(name + '2')
    })
    await Promise.all([a.spawn(a.atomic(note(a, 'a'))), b.spawn(note(b, 'b')), b.spawn(b.atomic(note(a, 'c')))])
    console.log(log.join(' '))`,
  )
  same([stdout, stderr], [['a1 a2 b1 c1 c2 b2'], ''])
})

test('copies run one another’s operations', async () => {
  await build(['one', 'two'], 'esm')
  const { stdout, stderr } = run(
    'mixed.mjs',
    `const deep = a.asyncFn(function* (n) {
      return n === 0 ? yield* b.wait(Promise.resolve(1)) : 1 + (yield* deepB(n - 1))
    })
    const deepB = b.asyncFn(function* (n) {
      if (n % 3 === 0) yield* a.pause()
      return n === 0 ? 1 : 1 + (yield* deep(n - 1))
    })
    const say = async (f) => console.log(await a.spawn(f).catch((e) => e.message))
    await say(function* () { return yield* deep(20) })
    await say(function* () { return yield* b.spawn(deepB(3)) })
    await say(function* () { return yield* b.atomic(deep(3)) })
    await say(function* () { return (yield* b.select({ late: a.sleep(1) })).key })
    await say(function* () { return yield* a.waituntil(b.future().get().do(() => 1)).or(b.sleep(1).do(() => 'late')) })
    await say(function* () {
      yield* b.finish(function* (s) { yield* a.async(() => b.sleep(99999)); s.cancel() })
      return 'cancelled'
    })
    await say(function* () { yield* a.deadline(1, b.sleep(99999)) })
    const task = b.spawn(function* () { yield* a.sleep(99999) })
    await say(function* () { task.cancel(); try { yield* task } catch (e) { return task.state + ' ' + e.code } })
    await say(function* () {
      yield* a.atomic(function* () {
        a.enter()
        try { yield* b.sleep(1) } finally { if (a.leave()) yield* a.leaving() }
      })
      return 'left'
    })
    console.log(await b.simulate(function* () { yield* a.sleep(1e9); return 'virtual' }))`,
  )
  const want = ['21', '4', '4', 'late', 'late', 'cancelled', 'the body did not end within 1 ms', 'cancelled ECANCELED']
  same([stdout, stderr], [[...want, 'left', 'virtual'], ''])
})

test('a frame of the same origin uses the domain of the page', async () => {
  await build(['one'], 'iife')
  const text = `${readFileSync(path.join(work, 'one.mjs'), 'utf8')}; globalThis.lib = charcoal`
  const page: Record<string, any> = createContext({ setTimeout, clearTimeout, performance, console, AbortSignal })
  page.parent = page
  runInContext(text, page)
  const frame: Record<string, any> = createContext({ setTimeout, clearTimeout, performance, console, AbortSignal })
  frame.parent = runInContext('globalThis', page)
  runInContext(text, frame)
  const stranger: Record<string, any> = createContext({ setTimeout, clearTimeout, performance, console, AbortSignal })
  Object.defineProperty(stranger, 'parent', {
    get() {
      throw new Error('cross-origin')
    },
  })
  runInContext(text, stranger)
  const log: string[] = []
  const note = (lib: any, name: string) =>
    function* (): Generator<unknown, void, any> {
      log.push(`${name}1`)
      yield* lib.sleep(1)
      log.push(`${name}2`)
    }
  const { lib } = page
  await Promise.all([lib.spawn(() => lib.atomic(note(lib, 'page'))), frame.lib.spawn(note(frame.lib, 'frame'))])
  same(log.join(' '), 'page1 page2 frame1 frame2')
  await Promise.all([lib.spawn(() => lib.atomic(note(lib, 'p'))), stranger.lib.spawn(note(stranger.lib, 's'))])
  same(log.slice(4).join(' '), 'p1 s1 p2 s2')
})

test('a copy of another protocol is told, and its operations are refused', async () => {
  await build(['one'], 'esm')
  await build(['two'], 'esm', (text) => text.replace('PROTOCOL = 1', 'PROTOCOL = 2'))
  const { stdout, stderr } = run(
    'versions.mjs',
    `for (const op of [() => b.sleep(1), () => b.spawn(function* () { return 1 })])
      await a.spawn(function* () { yield* op() }).catch((e) => console.log(e.message))`,
  )
  same(
    stderr,
    'charcoal: two versions of charcoal-js cannot share a domain; ' +
      'atomic blocks of one do not exclude activities of the other. Remedy: npm dedupe',
  )
  same([...new Set(stdout)], ['this operation is of another version of charcoal-js: npm dedupe'])
})

test('development mode warns of files that were not transformed, and only of those', () => {
  install()
  const block = 'export async function save() { atomic: { await null } }\n'
  writeFileSync(path.join(project, 'plain.mjs'), block)
  writeFileSync(
    path.join(project, 'main.mjs'),
    `import { develop } from 'charcoal-js/dev'\nimport './plain.mjs'\ndevelop()()`,
  )
  const node = (...args: string[]): string =>
    spawnSync(process.execPath, [...args, 'main.mjs'], { cwd: project, encoding: 'utf8' }).stderr.trim()
  const url = new URL('plain.mjs', `file://${project}/`).href
  const remedy = 'the plugin of your bundler, or node --import charcoal-js/register'
  same(node(), `charcoal: ${url} has an atomic block that is not transformed, so it does nothing. Remedy: ${remedy}`)
  linkTools()
  same(node('--import', 'charcoal-js/register'), '')
})

test('development mode works where the host tells its scripts only to a debugger that is attached, as Bun does', () => {
  const { getBuiltinModule } = process
  if (getBuiltinModule === undefined) return // Node 18
  let open = 0
  class Session {
    connect(): void {
      open++
    }
    on(): void {}
    post(): never {
      throw new Error('"Debugger.enable" requires an active inspector')
    }
    disconnect(): void {
      open--
    }
  }
  const told = (name: string): unknown => (name === 'node:inspector' ? { Session } : getBuiltinModule(name))
  process.getBuiltinModule = told as typeof getBuiltinModule
  try {
    develop()()
  } finally {
    process.getBuiltinModule = getBuiltinModule
  }
  same(open, 0)
})

test('many copies in one process keep stores, and take no more of the stack than one', () => {
  install()
  const program = `const { AsyncLocalStorage } = require('node:async_hooks')
    const file = require.resolve('charcoal-js').replace(/index\\.\\w+$/, 'index.cjs')
    const copies = Array.from({ length: 40 }, () => {
      for (const name of Object.keys(require.cache)) delete require.cache[name]
      return require(file)
    })
    const storage = new AsyncLocalStorage()
    const deep = (n, f) => (n === 0 ? f() : storage.run(n, () => deep(n - 1, f)))
    const seen = ({ atomic, sleep, spawn }, n) =>
      deep(100, () => storage.run(n, () => spawn(function* () {
        yield* sleep(1)
        storage.enterWith(n + 0.5)
        yield* atomic(function* () { yield* sleep(1) })
        return storage.getStore()
      })))
    Promise.all([0, 20, 39].map((n) => seen(copies[n], n))).then((stores) => console.log(stores.join()))`
  writeFileSync(path.join(project, 'many.cjs'), program)
  const { stdout, stderr } = spawnSync(process.execPath, ['many.cjs'], { cwd: project, encoding: 'utf8' })
  same([stdout.trim(), stderr], ['0.5,20.5,39.5', ''])
})
