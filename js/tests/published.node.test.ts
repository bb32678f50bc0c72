/** What is published: publint and attw find nothing, internals are not exported, and parts are small. */
import { readFileSync, readdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { ok, same, test } from './harness.ts'
import { install, link, project, run, work } from './installed.ts'
import { sizeOf } from '../scripts/size.mjs'

const installed = path.join(project, 'node_modules/charcoal-js')

test('publint finds nothing', async () => {
  install()
  const { publint } = await import('publint')
  const { formatMessage } = await import('publint/utils')
  const { messages, pkg } = (await publint({ pkgDir: installed, strict: true, pack: false })) as any
  same(
    messages.map((m: never) =>
      formatMessage(m, pkg ?? JSON.parse(readFileSync(path.join(installed, 'package.json'), 'utf8'))),
    ),
    [],
  )
})

test('attw finds nothing: types fit the modules in every way of resolution', async () => {
  install()
  const { checkPackage, createPackageFromTarballData } = await import('@arethetypeswrong/core')
  const packed = readdirSync(work).find((file) => file.endsWith('.tgz'))!
  const result: any = await checkPackage(
    createPackageFromTarballData(new Uint8Array(readFileSync(path.join(work, packed)))),
  )
  same(Object.keys(result.entrypoints).length, 14)
  // `register` is for `node --import`; nobody requires it.
  const found = result.problems.filter((p: any) => p.entrypoint !== './register')
  same(
    found.map((p: any) => `${p.kind} ${p.entrypoint} ${p.resolutionKind}`),
    [],
  )
})

test('the presets for oxlint and Biome name the rules of the package, and keep the label', async () => {
  install()
  const preset = (name: string): any => JSON.parse(readFileSync(path.join(installed, 'presets', name), 'utf8'))
  const { jsPlugins, rules } = preset('oxlint.json')
  const { default: plugin } = await import(path.join(installed, jsPlugins[0].replace('charcoal-js/', 'dist/') + '.js'))
  const own = Object.entries(plugin.configs.recommended.rules).map(
    ([rule, level]) => [rule.replace(/^charcoal\//, 'charcoal-js/'), level] as const,
  )
  same(rules, Object.fromEntries(own))
  const { correctness, suspicious } = preset('biome.json').linter.rules
  same([correctness.noUnusedLabels, suspicious.noConfusingLabels.options.allowedLabels], ['off', ['atomic']])
})

test('the internals of the scheduler are not exported', async () => {
  install()
  const entries = readdirSync(path.join(installed, 'dist/node')).filter((f) => /^(?!shared|all).*\.js$/.test(f))
  ok(entries.length >= 10)
  for (const entry of entries.filter((f) => f !== 'react.js')) {
    const names = Object.keys(await import(path.join(installed, 'dist/node', entry)))
    same(
      names.filter((n) => ['Domain', 'useDomain', 'ClauseList', 'Scheduler', 'AtomicBlock'].includes(n)),
      [],
      entry,
    )
  }
})

test('the types show no internals, and are right with all their declarations checked', () => {
  install()
  const entries = ['', '/ops', '/events', '/context', '/streams', '/worker', '/tabs', '/runtime', '/dev']
  const hidden = ['spawn(sleep(1)).gen', 'spawn(sleep(1)).home', 'channel().senders', 'mutex().free', 'sleep(1).before']
  writeFileSync(
    path.join(project, 'all.ts'),
    [
      `import { channel, mutex, sleep, spawn } from 'charcoal-js'`,
      ...entries.map((entry, i) => `export * as e${i} from 'charcoal-js${entry}'`),
      ...hidden.map((member) => `// @ts-expect-error internal\n${member}`),
    ].join('\n'),
  )
  const options = ['--noEmit', '--strict', '--module', 'nodenext', '--moduleResolution', 'nodenext']
  const compiler = path.join(process.cwd(), 'node_modules/typescript/bin/tsc')
  // All declarations but TypeScript's own.
  const alone = ['--skipLibCheck', 'false', '--skipDefaultLibCheck', '--typeRoots', 'none', 'all.ts']
  // With the newest declarations, and with those that a project has that names no `lib`.
  const newest = ['--target', 'es2022', '--lib', 'esnext,dom,dom.iterable,dom.asynciterable']
  for (const target of [newest, ['--target', 'es2022'], ['--target', 'es2018'], ['--target', 'es2015']])
    run(process.execPath, [compiler, ...options, ...target, ...alone])
})

/** Each line is wrong if a type demands more than it needs. */
const STRICT = `
import { atomic, channel, finish, future, mutex, sleep, spawn, waituntil } from 'charcoal-js'
import type { Activity, Call, Channel, Clause, Future, Steps, Suspension, WaitUntil, Waitable } from 'charcoal-js'
import { all, group, handler, map, retry } from 'charcoal-js/ops'
import { rendezvous } from 'charcoal-js/events'
import { explore, simulate } from 'charcoal-js/dev'

declare const signal: AbortSignal | undefined
declare const name: string | undefined
declare const n: number | undefined
declare const yes: boolean | undefined
export const options = (): unknown[] => [
  spawn(sleep(1), { name, signal, contained: yes }),
  atomic(sleep(1), { spawns: undefined, continuations: undefined }),
  finish(sleep(1), { name, signal }),
  all([1], { signal }),
  group({ signal }),
  map([1], (x) => x, { limit: n, signal }),
  retry(() => 1, { attempts: n, delay: n, factor: n, longest: n, jitter: yes, when: undefined, signal }),
  handler(() => 1, { when: undefined, name }),
  rendezvous(() => sleep(1), { name, strict: yes, onLeak: undefined }),
  explore(() => sleep(1), { schedules: n, seed: name, shrink: n, maxSteps: n }),
  simulate(() => sleep(1), { decide: undefined, idleTimeout: n, settle: n, globals: yes, epoch: n }),
]

declare const call: Call<number>
export const tasks: Activity<unknown>[] = [spawn(sleep(1)), spawn(mutex().acquire()), spawn(call)]
export const calls: Call<unknown>[] = [call]
export const clauses: Clause<unknown>[] = [sleep(1), channel<string>().recv(), future<Date>().get(), tasks[0]!.join()]
export const waits: Waitable<number | void>[] = [sleep(1), spawn(call), call, Promise.resolve(1)]
export const suspensions: Suspension<unknown>[] = [sleep(1), call]
export const steps: Steps<unknown>[] = [mutex().with(() => call)]
export const statements: WaitUntil<unknown>[] = [waituntil(sleep(1).do(() => 1))]
export const objects: [Future<unknown>, Channel<unknown>] = [future<number>(), channel<number>()]
`

/** The plugin's types need those of `unplugin`, which need those of all bundlers; so they are checked without these. */
const STRICT_PLUGIN = `
import { esbuild, rollup, transform, vite } from 'charcoal-js/plugin'

declare const name: string | undefined
declare const yes: boolean | undefined
declare const pattern: RegExp | undefined
export const plugins: unknown[] = [
  vite(),
  rollup({ include: undefined, exclude: undefined }),
  esbuild({ include: pattern, exclude: pattern, runtime: name }),
  transform('', { file: name, all: yes, runtime: name, format: undefined }),
]
`

test('the types fit the strictest settings: options may be undefined, and a result may be taken for less', () => {
  install()
  link(['unplugin', 'magic-string'])
  writeFileSync(path.join(project, 'strict.mts'), STRICT)
  writeFileSync(path.join(project, 'strict-plugin.mts'), STRICT_PLUGIN)
  const types = readFileSync(path.join(installed, 'dist/types/plugin/index.d.ts'), 'utf8')
  ok(!/import\(|from '(vite|rollup|webpack)'/.test(types), 'the types of the plugin name no bundler')
  const compiler = path.join(process.cwd(), 'node_modules/typescript/bin/tsc')
  const settings = ['exactOptionalPropertyTypes', 'noUncheckedIndexedAccess', 'verbatimModuleSyntax', 'strict']
  const how = ['noPropertyAccessFromIndexSignature', 'skipDefaultLibCheck', 'noEmit']
  const options = [...settings, ...how].map((option) => `--${option}`)
  const ways = [
    ['nodenext', 'nodenext'],
    ['preserve', 'bundler'],
  ]
  for (const [module, resolution] of ways) {
    const modules = ['--module', module, '--moduleResolution', resolution, '--target', 'es2022']
    run(process.execPath, [compiler, ...options, ...modules, 'strict.mts'])
    run(process.execPath, [compiler, ...options, ...modules, '--skipLibCheck', 'strict-plugin.mts'])
  }
})

test('who copies the files of an import copies those that Node asks for by module-sync', async () => {
  install()
  const { build } = await import('esbuild')
  const folder = path.join(installed, 'dist/node')
  for (const file of readdirSync(folder).filter((f) => /^(?!all).*\.[cm]js$/.test(f))) {
    const entry = path.join(folder, file)
    const made = await build({
      entryPoints: [entry],
      bundle: true,
      metafile: true,
      write: false,
      platform: 'node',
      packages: 'external',
      logLevel: 'error',
    })
    const found = Object.keys(made.metafile.inputs).map((input) => path.basename(input))
    ok(found.includes(file.replace(/\.[cm]js$/, '.js')), `${file} leads to ${found.join(', ')}`)
  }
  // Those that bundlers find lead there, too, in a way that bundlers do not follow.
  const ofBundlers = path.join(installed, 'dist/server')
  for (const file of readdirSync(ofBundlers)) {
    const [, to] = /import\.meta\.resolve\('([^']*)'\)/.exec(readFileSync(path.join(ofBundlers, file), 'utf8'))!
    same(path.join(ofBundlers, to), path.join(folder, file))
  }
})

test('what lives before the first store has none, whoever wakes it, and what is loaded late has its own', () => {
  install()
  const program = `import { AsyncLocalStorage } from 'node:async_hooks'
import { async, channel, finish, sleep, spawn } from 'charcoal-js'
const [storage, jobs, seen] = [new AsyncLocalStorage(), channel(), []]
const note = () => seen.push(storage.getStore() ?? 'none')
const works = (gives) => function* () {
  if (gives) yield* sleep(0)
  for (let i = 0; i < 2; i++) {
    yield* jobs.recv()
    note()
    yield* sleep(1)
    note()
  }
}
const worker = spawn(works(false))
const pair = spawn(() => finish(function* () {
  yield* async(works(true))
  yield* works(true)()
}))
await sleep(5)
for (let i = 0; i < 6; i++) await storage.run('request', () => jobs.send(i))
await Promise.all([worker, pair])
console.log([...new Set(seen)].join(), seen.length)`
  writeFileSync(path.join(project, 'early.mjs'), program)
  same(run(process.execPath, ['early.mjs']).trim(), 'none 12')
  const late = `import { AsyncLocalStorage } from 'node:async_hooks'
const [storage, other] = [new AsyncLocalStorage(), new AsyncLocalStorage()]
let given
await storage.run('request', async () => {
  const { channel, spawn } = await import('charcoal-js')
  const jobs = given = channel()
  spawn(function* () {
    yield* jobs.recv()
    console.log(storage.getStore())
  })
})
other.run(1, () => {})
await given.send(1)`
  writeFileSync(path.join(project, 'late.mjs'), late)
  same(run(process.execPath, ['late.mjs']).trim(), 'request')
})

test('a bundle for workerd keeps the stores of AsyncLocalStorage, which has no enterWith there', async () => {
  install()
  const contents = `
import { atomic, sleep, spawn } from 'charcoal-js'
const storage = new (process.getBuiltinModule('node:async_hooks').AsyncLocalStorage)()
const within = (id) => storage.run(id, () => spawn(function* () {
  yield* atomic(function* () { yield* sleep(1) })
  return storage.getStore()
}))
Promise.all([within('a'), within('b')]).then((stores) => console.log(stores.join()))`
  const { build } = await import('esbuild')
  await build({
    stdin: { contents, resolveDir: project },
    bundle: true,
    format: 'esm',
    conditions: ['workerd', 'worker', 'browser'],
    outfile: path.join(project, 'workerd.mjs'),
    logLevel: 'error',
  })
  // Node 18 has no `getBuiltinModule`.
  const host = `import * as hooks from 'node:async_hooks'
process.getBuiltinModule ??= () => hooks
const { prototype } = hooks.AsyncLocalStorage
const { enterWith } = prototype
prototype.enterWith = () => { throw new Error('enterWith is not implemented') }
// The one of Node 24 calls this.enterWith.
prototype.run = function (store, f, ...args) {
  const prior = this.getStore()
  enterWith.call(this, store)
  try { return f(...args) }
  finally { enterWith.call(this, prior) }
}`
  writeFileSync(path.join(project, 'host.mjs'), host)
  writeFileSync(path.join(project, 'in-workerd.mjs'), `import './host.mjs'\nimport './workerd.mjs'`)
  same(run(process.execPath, ['in-workerd.mjs']).trim(), 'a,b')
})

test('stores are kept where `run` enters and leaves them by enterWith, as in Node 24', () => {
  install()
  const host = `import { AsyncLocalStorage } from 'node:async_hooks'
AsyncLocalStorage.prototype.run = function (store, f, ...args) {
  const prior = this.getStore()
  this.enterWith(store)
  try {
    return f(...args)
  } finally {
    this.enterWith(prior)
  }
}`
  const program = `import './like24.mjs'
const { asyncFn, sleep, spawn } = await import('charcoal-js')
const { AsyncLocalStorage } = await import('node:async_hooks')
const storage = new AsyncLocalStorage()
const load = asyncFn(function* () {
  const before = storage.getStore()
  yield* sleep(1)
  return [before, storage.getStore()]
})
const main = function* () {
  const kept = load()
  const other = storage.run('B', () => load())
  const first = yield* kept
  const entered = spawn(function* () {
    storage.enterWith('C')
    yield* sleep(1)
    return storage.run('D', () => (storage.enterWith('E'), storage.getStore())) + storage.getStore()
  })
  return [...first, ...(yield* other), yield* entered, storage.getStore()].join()
}
console.log(await storage.run('A', () => spawn(main)))`
  writeFileSync(path.join(project, 'like24.mjs'), host)
  writeFileSync(path.join(project, 'stores.mjs'), program)
  same(run(process.execPath, ['stores.mjs']).trim(), 'A,A,B,B,EC,A')
})

/** Bytes that a program may take that imports these names, by what it is bundled for; a little above those of today. */
const SIZES = {
  browser: {
    '{ mutex }': 2070,
    '{ channel }': 2645,
    '{ sleep }': 2305,
    '{ atomic, spawn, asyncFn }': 10_010,
    '*': 17_610,
  },
  // With the sentences of mistakes, AsyncLocalStorage, and what `console.log` shows.
  node: { '{ mutex }': 7710, '{ atomic, spawn, asyncFn }': 15_110, '*': 22_760 },
}

test('who imports a part does not get the whole, in browsers and in Node', async () => {
  install()
  for (const platform of ['browser', 'node'] as const)
    for (const [names, most] of Object.entries(SIZES[platform])) {
      const bytes = await sizeOf(project, names, 'charcoal-js', platform)
      const takes = `${names} takes ${bytes} bytes for ${platform}, minified and gzipped`
      ok(bytes > 500 && bytes <= most, `${takes}; ${most} are allowed`)
    }
})

/** What a program imports alone, and what it awaits then, which ends with 1. */
const ALONE: Record<string, string> = {
  mutex: 'mutex().with(async () => 1)',
  'mutex, wait': `mutex().with(function* () {
    return (yield* wait(0)) + (yield* wait(Promise.resolve(1))) + ((yield* wait(null)) ?? 0)
  })`,
  wait: 'wait(1)',
  sleep: 'sleep(1).then(() => 1)',
  'mutex, sleep': `mutex().with(function* () {
    yield* sleep(1)
    return 1
  })`,
  future: '(async () => { const f = future(); f.set(1); return f.get() })()',
  rwlock: '(async () => { const l = rwlock(), p = await l.write(); p.release(); return (await l.read()) && 1 })()',
  aborted: 'aborted(AbortSignal.abort(1))',
  Clause: `new (class extends Clause {
    poll() { return !!(this.outcome = 1) }
    describe() { return 'ready' }
  })()`,
  semaphore: 'semaphore(2).with(() => { throw 1 }).catch((e) => e)',
  channel: `(async () => {
    let n
    const c = channel(1)
    await c.send(1)
    c.close()
    await c.each((x) => (n = x))
    return n
  })()`,
  each: '(async () => { let n; await each([1], (x) => (n = x)); return n })()',
  finish: 'finish(async () => 1)',
  deadline: 'deadline(9999, async () => 1)',
  noncancellable: 'noncancellable(async () => 1)',
  'select, channel': `(async () => {
    const c = channel(1)
    c.trySend(1)
    return (await select({ c: c.recv() })).value
  })()`,
  'waituntil, sleep': 'waituntil(sleep(0).do(() => 1))',
  'waituntil, channel': `(async () => {
    const c = channel(1)
    c.trySend(1)
    return waituntil(c.recv()).or(channel().recv())
  })()`,
  'mutex, condition': `(async () => {
    const lock = mutex(), changed = condition(), permit = await lock.acquire()
    const waiter = changed.waitWith(lock, permit).then((again) => again.release())
    while (!changed.signal()) await 0
    await waiter
    return lock.tryAcquire() && 1
  })()`,
}

test('what a bundle imports alone can be awaited, although it takes along no scheduler', async () => {
  install()
  const { build } = await import('esbuild')
  const outfile = path.join(project, 'alone.mjs')
  const runAlone = async (contents: string, platform: 'browser' | 'node'): Promise<string> => {
    const stdin = { contents, resolveDir: project }
    await build({ stdin, bundle: true, platform, format: 'esm', target: 'es2022', outfile })
    return run(process.execPath, [outfile])
  }
  for (const platform of ['browser', 'node'] as const)
    for (const [names, awaited] of Object.entries(ALONE)) {
      const contents = `import { ${names} } from 'charcoal-js'; console.log(await ${awaited})`
      same([names, await runAlone(contents, platform)], [names, '1\n'])
    }
  // The steps of an operation run with the stores that it was made with, whoever awaits it.
  const stores = `
    import { AsyncLocalStorage } from 'node:async_hooks'
    import { mutex } from 'charcoal-js'
    const [storage, lock, seen] = [new AsyncLocalStorage(), mutex(), []]
    const see = () => seen.push(storage.getStore())
    const operation = (name) => storage.run(name, () => lock.with(async () => {
      see()
      await 0
      see()
      if (name === 'c') throw name
    }))
    const all = await Promise.allSettled(['a', 'b', 'c'].map(operation))
    see()
    console.log(seen.join(), all.map((one) => one.reason ?? one.status).join(), lock.tryAcquire() !== null)`
  same(await runAlone(stores, 'node'), 'a,a,b,b,c,c, fulfilled,fulfilled,c true\n')
})

test('a bundle for Node asks for React only if the program does, whatever conditions the bundler knows', async () => {
  install()
  const { build } = await import('esbuild')
  const outfile = path.join(project, 'conditions.mjs')
  const asked: string[] = []
  const react = {
    name: 'react',
    setup(builder: any): void {
      builder.onResolve({ filter: /^react$/ }, ({ importer }: { importer: string }) => {
        asked.push(path.basename(importer))
        return { path: 'react', namespace: 'test' }
      })
      const contents = 'exports.useState = exports.useEffect = exports.useRef = () => 0'
      builder.onLoad({ filter: /.*/, namespace: 'test' }, () => ({ contents }))
    },
  }
  const bundled = async (contents: string, conditions: string[]): Promise<string> => {
    const stdin = { contents, resolveDir: project }
    const plugins = [react]
    await build({
      stdin,
      bundle: true,
      platform: 'node',
      format: 'esm',
      conditions,
      plugins,
      outfile,
      logLevel: 'error',
    })
    return run(process.execPath, [outfile]).trim()
  }
  // With conditions of its own esbuild does not know `module`, and Bun never does: they take what old Nodes take.
  const sleeps = `import { atomic, sleep } from 'charcoal-js'; await atomic(sleep(1)); console.log('slept')`
  for (const conditions of [['development'], ['module-sync'], ['module']])
    same([conditions, await bundled(sleeps, conditions), asked], [conditions, 'slept', []])
  const hook = `import { useActivity } from 'charcoal-js/react'; console.log(typeof useActivity)`
  same([await bundled(hook, ['development']), asked], ['function', ['react.mjs', 'react.js']])
})

/** These take along no scheduler, and there is nothing in them to be awaited without one. */
const NOTHING_TO_AWAIT =
  'Activity Call Cancelled Channel ClosedError DeadlineError DeadlockError Future Mutex Permit RwLock Semaphore ' +
  'Suspension async Local local transfer Broadcast TabLock broadcast tabLock once'

test('whatever takes along no scheduler is tried without one', async () => {
  install()
  const { build } = await import('esbuild')
  const known = [...Object.keys(ALONE), NOTHING_TO_AWAIT].flatMap((names) => names.split(/,? /))
  const unknown: string[] = []
  for (const entry of ['index', 'ops', 'events', 'context', 'streams', 'worker', 'tabs']) {
    const from = path.join(installed, `dist/${entry}.js`)
    for (const name of Object.keys(await import(path.join(installed, `dist/node/${entry}.js`)))) {
      const stdin = { contents: `export { ${name} } from ${JSON.stringify(from)}`, resolveDir: project }
      const platform = { bundle: true, platform: 'browser', format: 'esm', target: 'es2022' } as const
      const { metafile } = await build({ stdin, ...platform, write: false, metafile: true })
      const [{ inputs }] = Object.values(metafile.outputs)
      const taken = Object.entries(inputs).filter(([, { bytesInOutput }]) => bytesInOutput > 0)
      if (!taken.some(([file]) => file.endsWith('dist/core/domain.js')) && !known.includes(name)) unknown.push(name)
    }
  }
  same(unknown, [])
})
