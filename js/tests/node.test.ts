/**
 * What only Node can show: the package as it is installed, the loader, the plugin in a bundler, the ESLint rule, real
 * emitters.
 */
import { spawnSync } from 'node:child_process'
import { EventEmitter } from 'node:events'
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { test, ok, rejects, same, throws, until } from './harness.ts'
import { once, spawn, wait, asyncFn, atomic, atomicFn, deadline, sleep, finish, async, pause } from './lib.ts'
import { Domain, each, useDomain } from './lib.ts'
import { activities, record } from '../src/dev/index.ts'
import { connect, serve } from '../src/worker.ts'
import { install, link, linkTools, project, run, work } from './installed.ts'

const js = process.cwd()

test('once waits for events of a Node EventEmitter', async () => {
  const emitter = new EventEmitter()
  setTimeout(() => emitter.emit('data', 1, 'two'), 1)
  same(
    await spawn(function* () {
      return yield* once(emitter, 'data')
    }),
    [1, 'two'],
  )
  same(emitter.listenerCount('data') + emitter.listenerCount('error'), 0)
})

test('sleeps of one length share one timer of Node, which goes with the last of them', async () => {
  const timers = (): number => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length
  await spawn(() => pause()) // the harness has set its own by then
  const before = timers()
  const sleepers = Array.from({ length: 100 }, () => spawn(() => sleep(1e8)))
  await spawn(() => pause())
  same(timers(), before + 1)
  for (const sleeper of sleepers) sleeper.cancel()
  same((await Promise.allSettled(sleepers)).filter((r) => r.status === 'rejected').length, 100)
  same(timers(), before)
})

test('the fake clock of node:test drives sleep and deadline', async () => {
  const { mock } = await import('node:test')
  if (mock.timers === undefined) return // Node 18
  mock.timers.enable({ apis: ['setTimeout'] })
  try {
    const slept = spawn(() => deadline(99_000, sleep(60_000)))
    const late = spawn(() => deadline(60_000, sleep(99_000)))
    // What runs has not always begun to wait: on a busy machine the domain gives way to the host before.
    const waits = (): (string | undefined)[] => activities().map(({ waitsFor }) => waitsFor)
    await until(() => waits().includes('sleep(60000)') && waits().includes('sleep(99000)'))
    mock.timers.tick(60_000)
    same((await Promise.allSettled([slept, late])).map(({ status }) => status).join(), 'fulfilled,rejected')
  } finally {
    mock.timers.reset()
  }
})

test('npm pack installs into an empty project and works from ESM, CJS, a bundle, the loader and types', async () => {
  install()
  const program = `spawn(function* () { const n = yield* atomic(function* () {
    return yield* wait(Promise.resolve(5)) }); console.log('got ' + n) })`
  writeFileSync(
    path.join(project, 'a.mjs'),
    `import { spawn, atomic, wait } from 'charcoal-js'\nimport { simulate } from 'charcoal-js/dev'
import { createRequire } from 'node:module'\nconst same = createRequire(import.meta.url)('charcoal-js').spawn === spawn
${program}\nsimulate(function* () {}).then(() => console.log('one domain: ' + same))`,
  )
  writeFileSync(path.join(project, 'b.cjs'), `const { spawn, atomic, wait } = require('charcoal-js')\n${program}`)
  same(run(process.execPath, ['a.mjs']).trim().split('\n').sort(), ['got 5', 'one domain: true'])
  same(run(process.execPath, ['b.cjs']).trim(), 'got 5')
  // A browser bundle, run where there is neither `process` nor `setImmediate` nor `require`.
  writeFileSync(path.join(project, 'a2.mjs'), `import { spawn, atomic, wait } from 'charcoal-js'\n${program}`)
  const { build } = await import('esbuild')
  await build({
    absWorkingDir: project,
    entryPoints: ['a2.mjs'],
    bundle: true,
    platform: 'browser',
    format: 'iife',
    outfile: 'bundle.js',
    logLevel: 'error',
  })
  const bundle = readFileSync(path.join(project, 'bundle.js'), 'utf8')
  ok(!/require\(|node:/.test(bundle), 'the bundle asks for nothing of Node')
  writeFileSync(
    path.join(project, 'a4.mjs'),
    `import { twait } from 'charcoal-js/events'\nimport { spawn } from 'charcoal-js'
spawn(() => twait((mk) => setTimeout(mk((v) => console.log('event ' + v)), 1, 7)))`,
  )
  await build({
    absWorkingDir: project,
    entryPoints: ['a4.mjs'],
    bundle: true,
    minify: true,
    platform: 'browser',
    format: 'iife',
    outfile: 'bundle4.js',
    logLevel: 'error',
  })
  same(
    [run(process.execPath, ['bundle.js']).trim(), run(process.execPath, ['bundle4.js']).trim()],
    ['got 5', 'event 7'],
  )
  // In Node, too, a bundler leaves out what a program does not use.
  const inNode = async (what: string): Promise<number> => {
    const stdin = { contents: `export ${what} from 'charcoal-js'`, resolveDir: project }
    const made = await build({ stdin, bundle: true, minify: true, platform: 'node', format: 'esm', write: false })
    return made.outputFiles[0].contents.length
  }
  ok((await inNode('{ spawn }')) < 0.8 * (await inNode('*')), 'a part of the library is smaller than the whole')
  // The way of older Nodes: one copy, whether imported or required.
  const old = `import { spawn } from './node_modules/charcoal-js/dist/node/index.mjs'
import { all } from './node_modules/charcoal-js/dist/node/ops.mjs'\nimport { createRequire } from 'node:module'
const same = createRequire(import.meta.url)('./node_modules/charcoal-js/dist/node/index.cjs').spawn === spawn
console.log(same, (await all([spawn(() => 5)]))[0])`
  writeFileSync(path.join(project, 'old.mjs'), old)
  same(run(process.execPath, ['old.mjs']).trim(), 'true 5')
  // A debugger steps over the library's code.
  const map = JSON.parse(readFileSync(path.join(project, 'node_modules/charcoal-js/dist/index.js.map'), 'utf8'))
  same(map.ignoreList.length, map.sources.length)
  ok(/^\.\.\/src\//.test(map.sources[0] ?? '../src/'), 'maps lead to the sources in the package')
  // Every entry point can be imported and required, and they share one domain.
  writeFileSync(
    path.join(project, 'd.mjs'),
    `import { once, rendezvous } from 'charcoal-js/events'\nimport { local, asyncFnX } from 'charcoal-js/context'
import { enter } from 'charcoal-js/runtime'\nimport { spawn, self } from 'charcoal-js'\nconst l = local(1)
spawn(function* () { l.value = 2;
  console.log(l.value, typeof once, typeof rendezvous, typeof asyncFnX, typeof enter)
}).then(() => console.log(l.value))`,
  )
  same(run(process.execPath, ['d.mjs']).trim(), '2 function function function function\n1')
  writeFileSync(
    path.join(project, 'd.cjs'),
    `const found = [require('charcoal-js/events').once, require('charcoal-js/context').local,
      require('charcoal-js/runtime').enter, require('charcoal-js/dev').explore]
console.log(found.every((f) => typeof f === 'function'))`,
  )
  same(run(process.execPath, ['d.cjs']).trim(), 'true')
  // Types, as a consumer sees them.
  writeFileSync(
    path.join(project, 'c.ts'),
    `import { asyncFn, spawn } from 'charcoal-js'\nconst f = asyncFn(function* (s: string) { return s.length })
export const n: Promise<number> = spawn(f('x'))\n// @ts-expect-error wrong type
export const s: Promise<string> = spawn(f('x'))\n`,
  )
  for (const resolution of [
    ['--moduleResolution', 'bundler', '--module', 'esnext'],
    ['--moduleResolution', 'nodenext', '--module', 'nodenext'],
  ])
    run(process.execPath, [
      path.join(js, 'node_modules/typescript/bin/tsc'),
      '--noEmit',
      '--strict',
      '--skipDefaultLibCheck',
      '--target',
      'es2022',
      '--lib',
      'esnext,dom',
      ...resolution,
      'c.ts',
    ])
  // The loader: the plain program loses an update, the marked one does not.
  const update = (mark: string): string =>
    `let n = 0
async function bump() { ${mark} { const was = n; await new Promise((r) => setTimeout(r, 1)); n = was + 1 } }
await Promise.all([bump(), bump(), bump()])\nconsole.log(n, new Error('x').stack.includes('update.mjs:4'))\n`
  writeFileSync(path.join(project, 'update.mjs'), update('atomic:'))
  linkTools()
  same(
    run(process.execPath, ['--enable-source-maps', '--import', 'charcoal-js/register', 'update.mjs']).trim(),
    '3 true',
  )
  same(run(process.execPath, ['update.mjs']).trim(), '1 true')
  // Packages that stand in node_modules as they were written: as ES module, and as CommonJS.
  const written = update('atomic:').replace("update.mjs:4", "node_modules/kept")
  for (const [name, text] of Object.entries({ 'kept.mjs': written, 'old.cjs': `(async () => {${written}})()` })) {
    const dir = path.join(project, 'node_modules', `kept-${name.slice(0, 3)}`)
    mkdirSync(dir, { recursive: true })
    writeFileSync(path.join(dir, 'package.json'), `{ "name": "kept-${name.slice(0, 3)}", "main": "${name}" }`)
    writeFileSync(path.join(dir, name), text)
  }
  writeFileSync(path.join(project, 'packages.mjs'), `import 'kept-kep'\nimport 'kept-old'`)
  same(run(process.execPath, ['--import', 'charcoal-js/register', 'packages.mjs']).trim(), '3 true\n3 true')
  // CommonJS, also what is required by what is not marked.
  writeFileSync(
    path.join(project, 'bump.cjs'),
    `let n = 0
async function bump() { atomic: { const was = n; await new Promise((r) => setTimeout(r, 1)); n = was + 1 } }
exports.main = async () => { await Promise.all([bump(), bump(), bump()]); return n }\n`,
  )
  writeFileSync(path.join(project, 'main.cjs'), `require('./bump.cjs').main().then((n) => console.log(n))\n`)
  same(run(process.execPath, ['--import', 'charcoal-js/register', 'main.cjs']).trim(), '3')
  same(run(process.execPath, ['main.cjs']).trim(), '1')
  // CommonJS that is the program itself, that an ES module imports, and that has no ending of its own.
  const alone = `${readFileSync(path.join(project, 'bump.cjs'), 'utf8')}exports.main().then((n) => console.log(n))\n`
  writeFileSync(path.join(project, 'program.cjs'), alone)
  writeFileSync(path.join(project, 'program.js'), alone)
  writeFileSync(path.join(project, 'imports.mjs'), `import './program.cjs'\n`)
  for (const file of ['program.cjs', 'program.js', 'imports.mjs'])
    same(run(process.execPath, ['--import', 'charcoal-js/register', file]).trim(), '3', file)
  // TypeScript, where Node runs it.
  const [major, minor] = process.versions.node.split('.').map(Number)
  if (major > 22 || (major === 22 && minor >= 18)) {
    writeFileSync(
      path.join(project, 'typed.mts'),
      `let n: number = 0
async function bump(): Promise<void> { atomic: { const was = n; await new Promise<void>((r) => setTimeout(r, 1));
  n = was + 1 } }\nawait Promise.all([bump(), bump()])\nconsole.log(n)\n`,
    )
    same(run(process.execPath, ['--import', 'charcoal-js/register', 'typed.mts']).trim(), '2')
    // Where the program itself is CommonJS.
    writeFileSync(path.join(project, 'typed.cts'), alone.replace('n = 0', 'n: number = 0'))
    same(run(process.execPath, ['--import', 'charcoal-js/register', 'typed.cts']).trim(), '3')
  }
})

test('register transforms CommonJS that another loader has compiled, and stacks lead to what that has read', () => {
  install()
  linkTools()
  // As tsx and ts-node do: types go, and a line comes before the others.
  writeFileSync(
    path.join(project, 'compiler.cjs'),
    `const { readFileSync } = require('node:fs')
require.extensions['.ts'] = (module, file) => {
  const text = '"use strict"\\n' + readFileSync(file, 'utf8').replace(/: number/, '')
  const map = { version: 3, sources: [file], names: [], mappings: ';AAAA' + ';AACA'.repeat(9) }
  const url = 'data:application/json;base64,' + Buffer.from(JSON.stringify(map)).toString('base64')
  module._compile(text + '\\n//# sourceMappingURL=' + url, file)
}\n`,
  )
  writeFileSync(
    path.join(project, 'typed.ts'),
    `let n: number = 0
async function bump() { atomic: { const was = n; await null; await null; n = was + 1 } }
exports.main = async () => { await Promise.all([bump(), bump(), bump()])
  return n + ' ' + /typed.ts:\\d+/.exec(new Error('x').stack) }\n`,
  )
  writeFileSync(path.join(project, 'main.cjs'), `require('./typed.ts').main().then((n) => console.log(n))\n`)
  const loaders = ['--enable-source-maps', '--require', './compiler.cjs', '--import', 'charcoal-js/register']
  same(run(process.execPath, [...loaders, 'main.cjs']).trim(), '3 typed.ts:4')
})

/** The ways to load `register`. With the flag, as in older versions, Node does not `require` ES modules. */
const WAYS = (process.features as { require_module?: boolean }).require_module
  ? [['--import'], ['--require'], ['--no-experimental-require-module', '--import']]
  : [['--import']]

test('register transforms however it is loaded, and says which packages it lacks and how to get them', () => {
  install()
  const bare = path.join(work, 'bare')
  rmSync(bare, { recursive: true, force: true })
  cpSync(path.join(project, 'node_modules/charcoal-js'), path.join(bare, 'node_modules/charcoal-js'), {
    recursive: true,
  })
  writeFileSync(
    path.join(bare, 'main.cjs'),
    `let n = 0
async function bump() { atomic: { const was = n; await null; await null; n = was + 1 } }
Promise.all([bump(), bump(), bump()]).then(() => console.log(n))\n`,
  )
  const tell = (): string[] =>
    WAYS.map((way) => {
      const { stdout, stderr } = spawnSync(process.execPath, [...way, 'charcoal-js/register', 'main.cjs'], {
        cwd: bare,
        encoding: 'utf8',
      })
      return stdout.trim() || (/^Error: (.*)$/m.exec(stderr)?.[1] ?? stderr)
    })
  const lacks = (names: string): string[] =>
    WAYS.map(
      () =>
        `charcoal-js/register needs ${names.replace(' ', ' and ')} to transform modules. ` +
        `Remedy: npm install --save-dev ${names}`,
    )
  const give = (name: string): void => symlinkSync(path.join(js, 'node_modules', name), `${bare}/node_modules/${name}`)
  same(tell(), lacks('@babel/parser magic-string'))
  give('@babel')
  same(tell(), lacks('magic-string'))
  give('magic-string')
  give('@jridgewell')
  same(
    tell(),
    WAYS.map(() => '3'),
  )
})

test('the plugin says which packages it lacks and how to get them, imported and required', () => {
  install()
  const bare = path.join(work, 'bare-plugin')
  rmSync(bare, { recursive: true, force: true })
  cpSync(path.join(project, 'node_modules/charcoal-js'), path.join(bare, 'node_modules/charcoal-js'), {
    recursive: true,
  })
  const programs = {
    'imports.mjs': `import { transform, vite } from 'charcoal-js/plugin'\nconsole.log(typeof vite)`,
    'requires.cjs': `const { transform, vite } = require('charcoal-js/plugin')\nconsole.log(typeof vite)`,
  }
  for (const [file, text] of Object.entries(programs)) writeFileSync(path.join(bare, file), text)
  const tell = (): string[] =>
    Object.keys(programs).map((file) => {
      const { stdout, stderr } = spawnSync(process.execPath, [file], { cwd: bare, encoding: 'utf8' })
      return stdout.trim() || (/^Error: (.*)$/m.exec(stderr)?.[1] ?? stderr)
    })
  const told = (names: string[]): string[] => {
    const lacks = `charcoal-js/plugin needs ${names.join(' and ')} to transform modules`
    return Object.keys(programs).map(() => `${lacks}. Remedy: npm install --save-dev ${names.join(' ')}`)
  }
  const give = (name: string): void => symlinkSync(path.join(js, 'node_modules', name), `${bare}/node_modules/${name}`)
  same(tell(), told(['@babel/parser', 'magic-string', 'unplugin']))
  for (const name of ['@babel', 'magic-string', '@jridgewell']) give(name)
  same(tell(), told(['unplugin']))
  give('unplugin')
  const [imported, required] = tell()
  same(imported, 'function')
  if ((process.features as { require_module?: boolean }).require_module) same(required, 'function')
})

test('package.json has the entry points that scripts/entries.mjs names', () => {
  same(spawnSync(process.execPath, [path.join(js, 'scripts/exports.mjs'), '--check']).status, 0, 'npm run exports')
})

test('the plugin transforms the same whether it is imported or required', () => {
  if (!(process.features as { require_module?: boolean }).require_module) return // unplugin is an ES module
  install()
  linkTools()
  link(['unplugin'])
  const block = 'async function f() { atomic: { await g() } }'
  const shown = `JSON.stringify([Object.keys(plugin).sort(), plugin.transform('${block}')])`
  writeFileSync(path.join(project, 'tool.mjs'), `import * as plugin from 'charcoal-js/plugin'\nconsole.log(${shown})`)
  writeFileSync(path.join(project, 'tool.cjs'), `const plugin = require('charcoal-js/plugin')\nconsole.log(${shown})`)
  const required = run(process.execPath, ['tool.cjs'])
  ok(/vite.*enter\(/.test(required), required)
  same(required, run(process.execPath, ['tool.mjs']))
})

test('the plugin works in esbuild, with TypeScript', async () => {
  const { build } = await import('esbuild')
  const { esbuild } = await import('../src/plugin/index.ts')
  const dir = path.join(work, 'plugin')
  mkdirSync(dir, { recursive: true })
  writeFileSync(
    path.join(dir, 'in.ts'),
    `let n: number = 0\nconst tick = (): Promise<void> => new Promise((r) => setTimeout(r, 1))
class A { private by = 1; async bump(): Promise<void> { atomic: { const was = n; await tick(); n = was + this.by } } }
export async function main(): Promise<number> { const a = new A(); await Promise.all([a.bump(), a.bump(), a.bump()]);
  return n }`,
  )
  const result = await build({
    entryPoints: [path.join(dir, 'in.ts')],
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'node',
    target: 'es2022',
    plugins: [esbuild({ runtime: path.join(js, 'src/plugin/runtime.ts'), include: /never/ })],
    tsconfig: path.join(js, 'tsconfig.json'),
    logLevel: 'error',
  })
  const out = path.join(dir, 'out.mjs')
  writeFileSync(out, result.outputFiles[0].text)
  same(await (await import(out)).main(), 3)
})

test('Vite knows in development what transformed files import, and need not load the page again', async () => {
  install()
  const { createServer } = await import('vite')
  const { vite } = await import('../src/plugin/index.ts')
  const known = async (root: string): Promise<string[]> => {
    mkdirSync(root, { recursive: true })
    writeFileSync(path.join(root, 'index.html'), '<script type="module" src="/empty.js"></script>')
    writeFileSync(path.join(root, 'empty.js'), '')
    const cacheDir = path.join(root, '.vite')
    const server = await createServer({ root, cacheDir, configFile: false, logLevel: 'silent', plugins: [vite({})] })
    try {
      const optimizer = (server.environments.client as any).depsOptimizer
      await optimizer.init()
      await optimizer.scanProcessing
      return Object.keys({ ...optimizer.metadata.optimized, ...optimizer.metadata.discovered })
    } finally {
      await server.close()
    }
  }
  same(await known(path.join(project, 'served')), ['charcoal-js/runtime'])
  // Where only a linked package has the library, Vite would warn of a module that it does not find.
  same(await known(path.join(work, 'without')), [])
})

test('register makes a plugin where the host runs none of the hooks of Node, as Bun does', () => {
  install()
  linkTools()
  const dir = path.join(project, 'as-bun')
  mkdirSync(dir, { recursive: true })
  const counter = `let n = 0
    export async function add() { atomic: { const was = n; await null; await null; n = was + 1 } }
    export const count = () => n`
  const files = {
    'package.json': '{ "type": "module" }',
    // Loads a module as Bun does with a plugin: by the text that the plugin gives.
    'host.mjs': `globalThis.Bun = { plugin: ({ setup }) => setup({ onLoad({ filter }, load) {
      globalThis.takes = (file) => filter.test(file)
      globalThis.loaded = (path) => load({ path })
    } }) }`,
    'counter.js': counter,
    'typed.mts': counter.replace('n = 0', 'n: number = 0'),
    'plain.js': 'export const five = 5',
    'old.js': 'exports.five = require("five")',
    'main.mjs': `import { writeFileSync } from 'node:fs'
      const files = ['a.js', 'a.ts', 'a.tsx', 'a.mjs', 'a.cjs', 'a.cts', 'a.json', 'node_modules/a.js']
      console.log(files.filter((file) => takes('/home/' + file)).join())
      const { contents, loader } = loaded(import.meta.dirname + '/counter.js')
      writeFileSync('made.mjs', contents)
      const { add, count } = await import('./made.mjs')
      await Promise.all([add(), add(), add()])
      console.log(loader, count())
      const typed = loaded(import.meta.dirname + '/typed.mts')
      console.log(typed.loader, /n: number = 0/.test(typed.contents), /enter\\("add"\\)/.test(typed.contents))
      console.log(loaded(import.meta.dirname + '/plain.js').contents)
      try { loaded(import.meta.dirname + '/old.js') } catch (error) { console.log(error.message.split('/').at(-1)) }`,
  }
  for (const [file, text] of Object.entries(files)) writeFileSync(path.join(dir, file), text)
  same(
    run(process.execPath, ['--import', './host.mjs', '--import', 'charcoal-js/register', 'main.mjs'], dir).split('\n'),
    [
      'a.js,a.ts,a.tsx,a.mjs',
      'js 3',
      'ts true true',
      'export const five = 5',
      "old.js is CommonJS, and Bun's plugins take ES modules alone. Remedy: name it .cjs",
      '',
    ],
  )
})

/** Compiles components as the plugin of Vue does: the script is code of the component, or a module of its own. */
const framework = (isApart: boolean): any => {
  const scriptOf = (file: string): string => /<script[^>]*>(.*)<\/script>/s.exec(readFileSync(file, 'utf8'))![1]
  return {
    name: 'framework',
    resolveId: (id: string) => (id.includes('?vue') ? id : undefined),
    load: (id: string) => (id.includes('?vue') ? scriptOf(id.replace(/\?.*/, '')) : undefined),
    async transform(_code: string, id: string) {
      if (!id.endsWith('.vue')) return
      if (isApart) return `export * from ${JSON.stringify(`${id}?vue&type=script&setup=true&lang.ts`)}`
      const { transform } = await import('esbuild')
      return (await transform(scriptOf(id), { loader: 'ts', target: 'esnext' })).code
    },
  }
}

test('a component is transformed when its framework has compiled it, in one module or as a part', async () => {
  install()
  const { build } = await import('vite')
  const { rollup: bundle } = await import('rollup')
  const { rollup, vite } = await import('../src/plugin/index.ts')
  const dir = path.join(project, 'components')
  mkdirSync(dir, { recursive: true })
  writeFileSync(
    path.join(dir, 'App.vue'),
    `<script setup lang="ts">
let n: number = 0
const tick = (): Promise<void> => new Promise((done) => setTimeout(done, 1))
async function bump(): Promise<void> { atomic: { const was = n; await tick(); n = was + 1 } }
export async function main(): Promise<number> { await Promise.all([bump(), bump(), bump()]); return n }
</script>
<template>{{ n }}</template>`,
  )
  writeFileSync(path.join(dir, 'main.js'), `import { main } from './App.vue'\nconsole.log(await main())`)
  for (const isApart of [false, true])
    for (const plugins of [
      [vite({}), framework(isApart)],
      [framework(isApart), vite({})],
    ]) {
      const lib = { entry: path.join(dir, 'main.js'), formats: ['es' as const], fileName: () => 'out.mjs' }
      const made = { outDir: path.join(dir, 'out'), minify: false, target: 'es2022', lib }
      await build({ root: dir, configFile: false, logLevel: 'error', plugins, build: made })
      same([isApart, run(process.execPath, [path.join(dir, 'out/out.mjs')])], [isApart, '3\n'])
    }
  // Rollup knows no other order than that of the list.
  const input = path.join(dir, 'main.js')
  await rejects(
    bundle({ input, plugins: [rollup({}), framework(false)] }),
    /App.vue is not compiled yet: put charcoal's/,
  )
})

// A module whose three updates are lost without the plugin, and an error whose place must be found again.
const STORE = `const tick = () => new Promise((done) => setTimeout(done, 1))

export class Counter {
  #n = 0
  async bump(by = 1) {
    atomic: {
      const was = this.#n
      await tick()
      this.#n = was + by
    }
  }
  async all(times) {
    const bumps = []
    for (let i = 0; i < times; i++) bumps.push(this.bump())
    await Promise.all(bumps)
    return this.#n
  }
  async fail() {
    "use activity"
    await tick()
    throw new Error('from the store')
  }
}
`
// The same stands in a package, as it was written.
const MAIN = `import { Counter } from './store.js'
import { Counter as Kept } from './node_modules/kept/store.js'
const counter = new Counter()
console.log(await counter.all(3), await new Kept().all(3))
await counter.fail().catch((error) => console.log(error.message))
`

const BUNDLERS: Record<string, (dir: string, plugin: boolean) => Promise<string>> = {
  async rollup(dir, plugin) {
    const { rollup } = await import('rollup')
    const charcoal = (await import('../src/plugin/index.ts')).rollup
    const bundle = await rollup({
      input: path.join(dir, 'main.js'),
      plugins: plugin
        ? [charcoal({ runtime: path.join(project, 'node_modules/charcoal-js/dist/plugin/runtime.js') })]
        : [],
      onwarn(warning) {
        throw new Error(warning.message)
      },
    })
    await bundle.write({ file: path.join(dir, 'out.mjs'), format: 'es', sourcemap: true })
    return path.join(dir, 'out.mjs')
  },
  async webpack(dir, plugin) {
    const { default: webpack } = await import('webpack')
    const charcoal = (await import('../src/plugin/index.ts')).webpack
    await new Promise<void>((done, failed) =>
      webpack(
        {
          context: dir,
          mode: 'production',
          devtool: 'source-map',
          target: 'node20',
          entry: './main.js',
          output: { path: dir, filename: 'out.mjs', module: true, chunkFormat: 'module' },
          experiments: { outputModule: true },
          optimization: { minimize: false },
          performance: { hints: false },
          plugins: plugin ? [charcoal({})] : [],
        },
        (error, stats) =>
          error
            ? failed(error)
            : stats!.hasErrors() || stats!.hasWarnings()
              ? failed(new Error(stats!.toString()))
              : done(),
      ),
    )
    return path.join(dir, 'out.mjs')
  },
  async vite(dir, plugin) {
    const { build } = await import('vite')
    const charcoal = (await import('../src/plugin/index.ts')).vite
    await build({
      root: dir,
      configFile: false,
      logLevel: 'error',
      plugins: plugin ? [charcoal({})] : [],
      build: {
        outDir: dir,
        emptyOutDir: false,
        copyPublicDir: false,
        sourcemap: true,
        minify: false,
        target: 'es2022',
        lib: { entry: path.join(dir, 'main.js'), formats: ['es'], fileName: () => 'out.mjs' },
      },
    })
    return path.join(dir, 'out.mjs')
  },
  async esbuild(dir, plugin) {
    const { build } = await import('esbuild')
    const charcoal = (await import('../src/plugin/index.ts')).esbuild
    await build({
      absWorkingDir: dir,
      entryPoints: ['main.js'],
      outfile: 'out.mjs',
      bundle: true,
      format: 'esm',
      platform: 'node',
      sourcemap: true,
      logLevel: 'error',
      plugins: plugin ? [charcoal({})] : [],
    })
    return path.join(dir, 'out.mjs')
  },
}

test('it does not matter which module of the library is loaded first', async () => {
  const { build } = await import('esbuild')
  const files = readdirSync(path.join(js, 'src'), { recursive: true })
    .map(String)
    .filter((f) => f.endsWith('.ts') && !/plugin.(index|hooks|loader|register|transform)|eslint/.test(f))
  ok(files.length > 40)
  const outdir = path.join(work, 'first')
  await build({
    absWorkingDir: js,
    entryPoints: files.map((f) => `src/${f}`),
    outdir,
    outbase: 'src',
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'es2022',
    logLevel: 'error',
    outExtension: { '.js': '.mjs' },
  })
  writeFileSync(
    path.join(outdir, 'all-of-them.mjs'),
    files.map((f) => `import './${f.replace(/\.ts$/, '.mjs')}'\n`).join(''),
  )
  run(process.execPath, [path.join(outdir, 'all-of-them.mjs')], outdir)
})

for (const [name, bundle] of Object.entries(BUNDLERS))
  test(`the plugin works in ${name}: atomic blocks hold, and the source map leads back`, async () => {
    install()
    const { TraceMap, originalPositionFor } = await import('@jridgewell/trace-mapping')
    for (const plugin of [true, false]) {
      // Inside the project, so that the transformed code finds the installed package.
      const dir = path.join(project, `${name}-${plugin ? 'with' : 'without'}`)
      mkdirSync(dir, { recursive: true })
      mkdirSync(path.join(dir, 'node_modules/kept'), { recursive: true })
      for (const file of ['store.js', 'node_modules/kept/store.js']) writeFileSync(path.join(dir, file), STORE)
      writeFileSync(path.join(dir, 'main.js'), MAIN)
      const out = await bundle(dir, plugin)
      same(run(process.execPath, [out]).trim().split('\n'), [plugin ? '3 3' : '1 1', 'from the store'])
      if (!plugin) continue
      const code = readFileSync(out, 'utf8').split('\n')
      const map = new TraceMap(readFileSync(`${out}.map`, 'utf8'))
      for (const text of [`'from the store'`, 'was + by']) {
        const line = code.findIndex((l) => l.replaceAll('"', "'").includes(text))
        const at = originalPositionFor(map, { line: line + 1, column: code[line].replaceAll('"', "'").indexOf(text) })
        const lines = STORE.split('\n')
        const want = lines.findIndex((l) => l.includes(text))
        same(
          [path.basename(at.source ?? ''), at.line, at.column],
          ['store.js', want + 1, lines[want].indexOf(text)],
          `${name}: ${text}`,
        )
      }
      ok(
        map.sourcesContent?.some((s) => s === STORE),
        `${name}: the map carries the source as it was written`,
      )
    }
  })

test('a trace passes the checks of the measuring tool', async () => {
  const { build } = await import('esbuild')
  const { outputFiles } = await build({
    entryPoints: [path.join(js, '../measure/src/format/check.ts')],
    bundle: true,
    format: 'esm',
    platform: 'node',
    write: false,
    logLevel: 'error',
  })
  const file = path.join(work, 'check.mjs')
  mkdirSync(work, { recursive: true })
  writeFileSync(file, outputFiles[0].text)
  const { Checker } = await import(file)
  const seen = new Set<string>()
  const recording = record()
  const add = asyncFn(function* add(n: number) {
    yield* sleep(1)
    return n
  })
  const guarded = atomicFn(function* traceGuarded() {
    spawn(add(1), { contained: true })
    yield* finish(function* () {
      yield* async(add(2))
      yield* async(add(3))
    })
  })
  await Promise.all([spawn(guarded()), spawn(guarded()), guarded(), add(4)])
  await spawn(function* () {
    for (let i = 0; i < 2000; i++) yield* pause()
  })
  recording.stop()
  const checker = new Checker()
  for (const line of recording.lines().trimEnd().split('\n')) {
    const record = JSON.parse(line)
    ok(checker.accept(record), `a record that the format does not know: ${line}`)
    seen.add(record.type + (record.name === 'traceGuarded' ? ' guarded' : ''))
  }
  checker.finish()
  for (const type of [
    'continuation',
    'activity-end',
    'atomic-enter guarded',
    'activity-start guarded',
    'atomic-leave',
    'end',
  ])
    ok(seen.has(type), `${type}: ${[...seen]}`)
})

test('a tracer that stands on the global object is told from the start, by name, in plain syntax too', async () => {
  install()
  const dir = path.join(project, 'told')
  mkdirSync(dir, { recursive: true })
  writeFileSync(
    path.join(dir, 'tracer.mjs'),
    `globalThis[Symbol.for('charcoal.tracer')] = {
      registered: (a) => console.log('registered', a.name),
      started() {},
      stopped() {},
      atomic: (owner, entered, name) =>
        console.log([entered ? 'entered' : 'left', owner.activity.name, name].join(' ').trim()),
      ended: (a) => console.log('ended', a.name, a.state),
    }`,
  )
  writeFileSync(path.join(dir, 'store.js'), STORE)
  writeFileSync(
    path.join(dir, 'main.js'),
    `import { Counter } from './store.js'\nimport { activities } from 'charcoal-js/dev'\nconst c = new Counter()
const p = c.bump()\nawait Promise.resolve()\nconsole.log(activities()[0].stack.join(' < '))\nawait p`,
  )
  const out = await BUNDLERS.esbuild(dir, true)
  same(
    run(process.execPath, ['--import', path.join(dir, 'tracer.mjs'), out])
      .trim()
      .split('\n'),
    ['registered bump', 'entered bump bump', 'bump', 'left bump', 'ended bump done'],
  )
})

test('TypeScript: decorators of parameters, of which some move, and accessors mean the same', async () => {
  const { transformSync } = await import('esbuild')
  const { transform } = await import('../src/plugin/transform.ts')
  const runtime = await import('../src/plugin/runtime.ts')
  const AsyncFunction = Object.getPrototypeOf(async function () {}).constructor
  const older = `const seen: unknown[] = []
const P = (k: string) => (t: any, name: any, i: number): void => { seen.push([k, String(name), i]) }
const M = (t: any, name: any, d: any): any => { seen.push(name); return d }
class A { constructor(@P('new') private readonly x: number) {}
  @M async plain(@P('plain') x: number, @P('second') y?: string) { return [await x, y, this.x] }
  @M async moved(@P('pattern') { a, b = 2 }: { a: number; b?: number }, @P('default') z = 5, w?: number) {
    return [await a, b, z, w] }
  async two(@P('one') @P('two') x: number, { y }: any = { y: 1 }) { return [x, y, arguments.length] }
  static async all(@P('static') x = 3) { return x }
  sync(@P('sync') x: number) { return (async () => await x)() } }
async function main() { const a: any = new A(7); return [await a.plain(1, 's'), await a.moved({ a: 1 }),
  await a.two(4), await A.all(), await a.sync(9), a.moved.length, a.two.length, seen] }`
  const current = `const twice = (_: any, c: any): any => ({ init: (x: number) => 2 * x })
class B { @twice accessor n = 4; static accessor made = 1; async more() { this.n += await 1; return this.n } }
async function main() { return [await new B().more(), B.made] }`
  for (const [source, experimentalDecorators] of [
    [older, true],
    [current, false],
  ] as const) {
    const tsconfigRaw = { compilerOptions: { experimentalDecorators } }
    const run = (text: string): Promise<unknown> => {
      const { code } = transformSync(text, { loader: 'ts', target: 'es2022', tsconfigRaw })
      return new AsyncFunction('charcoal$', `${code}\nreturn main()`)(runtime)
    }
    const done = transform(source, { file: 'x.ts', all: true, format: 'commonjs' })!
    same(await run(done.code.replace(/const charcoal\$ = .*?;/, '')), await run(source), done.code)
  }
  const typed = transform('class A { @M async f(@P() { a }: Note, b: B) { return a } }', { file: 'x.ts', all: true })!
  ok(typed.code.includes('f( @P() arg1$: Note, arg2$: B) : Promise<any> {'), typed.code)
  const given = 'class A { @M async f({ a }: N, b: B = 1, ...c: C[]): P { await a } }'
  const more = transform(given, { file: 'x.ts', all: true })!
  ok(more.code.includes('f(arg1$: N, arg2$: B = undefined): P {'), more.code)
  throws(() => transform('class A { async f(@P(async () => 1) { a }) {} }', { file: 'x.ts', all: true }), /decorator/)
})

test('TypeScript: enums, decorators, satisfies, overloads, generics, abstract classes, parameters', async () => {
  const { transformSync } = await import('esbuild')
  const { transform } = await import('../src/plugin/transform.ts')
  const runtime = await import('../src/plugin/runtime.ts')
  const AsyncFunction = Object.getPrototypeOf(async function () {}).constructor
  const tick = (): Promise<void> => new Promise((done) => setTimeout(done, 1))
  const source = `enum Kind { A = 1, B = 'b' as any }
type Shape<T> = { [K in keyof T]?: T[K] }
const log: string[] = []
function traced(method: any, context: ClassMethodDecoratorContext) {
  return async function (this: any, ...args: any[]) { log.push(String(context.name)); return method.apply(this, args) }
    }
abstract class Base<T extends object = {}> { constructor(protected readonly by: number, public tag?: string) {}
  abstract make(): Promise<T>; async both<U>(this: Base<T>, u: U): Promise<[T, U]> {
    return [await this.make(), u] as [T, U] } }
class Store extends Base<{ n: number }> {
  #n: number = 0
  declare ghost: string
  async get(k: 'n'): Promise<number>
  async get(k: string): Promise<unknown>
  async get(k: string) { await tick(); return k === 'n' ? this.#n : undefined! }
  @traced async bump(times = 1 as const, ...rest: [] | [x: number]): Promise<number> { for (let i = 0; i < times;
    i++) { atomic: { const was = this.#n satisfies number; await (tick() as Promise<void>); this.#n = was + this.by } }
      return this.#n! }
  override async make(): Promise<{ n: number }> { return { n: await this.get('n') } satisfies { n: number } }
}
namespace N { export const f = async <T,>(x: T, y?: Shape<T>): Promise<T> => { await tick(); return <T>x } }
async function main(): Promise<unknown> { const s = new Store(2, 't');
  await Promise.all([s.bump(), s.bump(), s.bump()]); return [await s.both(Kind.A), await N.f({
    q: 1 }), log, (await s.get('zz')) ?? Kind.B, s.tag] }`
  const js = (text: string): string => transformSync(text, { loader: 'ts', target: 'es2022', tsconfigRaw: {} }).code
  const done = transform(source, { file: 'x.ts', all: true })!
  const run = (text: string): Promise<unknown> =>
    new AsyncFunction('charcoal$', 'tick', `${js(text)}\nreturn main()`)(runtime, tick)
  const ours = await run(done.code.replace(/const charcoal\$ = require\(.*?\);|import \* as charcoal\$ from .*?;/, ''))
  same(ours, [[{ n: 6 }, 1], { q: 1 }, ['bump', 'bump', 'bump'], 'b', 't'], done.code)
  same(await run(source), [[{ n: 2 }, 1], { q: 1 }, ['bump', 'bump', 'bump'], 'b', 't'])
})

test('ESLint: no-interrupted-update reports a read before and a write after a wait, outside a block', async () => {
  const { Linter } = await import('eslint')
  const { default: charcoal } = await import('../src/eslint/index.ts')
  const lint = (code: string): string[] =>
    new Linter()
      .verify(code, [
        charcoal.configs.recommended as any,
        { languageOptions: { ecmaVersion: 2024, sourceType: 'module' } },
      ])
      .map((m) => `${m.line}: ${m.message}`)
  const bad = [
    'let n = 0; async function f() { const was = n\n await g()\n n = was + 1 }',
    'let n = 0; async function f() { n += await g() }',
    'let n = 0; const f = async () => { n = n + await g() }',
    'class A { async m() { if (!this.cache) this.cache = await load() } }',
    'const s = {}; async function f() { for (const x of y) { s.total = s.total + x; await g() } ' +
      'if (s.total) { await g(); s.total = 0 } }',
    'let n = 0; async function f() { for (;;) { await g(); n = t; t = n } } let t',
    'let n = 0; function* f() { const was = n; yield* g(); n = was }',
    'let n = 0; async function f() { atomic: { const was = n } await g(); atomic: { n = 1 } }',
    'let n = 0; async function f() { const { a } = n; for await (const x of y) n = x; n++ }',
  ]
  for (const code of bad)
    ok(
      lint(code).some((m) => /was read on line \d+, and anything may have changed it during the wait/.test(m)),
      `not reported: ${code}: ${lint(code)}`,
    )
  const good = [
    'let n = 0; async function f() { atomic: { const was = n; await g(); n = was + 1 } }',
    'let n = 0; async function f() { await g(); n = n + 1 }',
    'async function f() { let n = 0; n += await g(); const [x] = y; let { z, ...w } = x; z = await g(z); ' +
      'w = await g(w); try { } catch (e) { e = await g(e) } }',
    'let n = 0; async function f() { const was = n; await g(); if (n === was) n = 5 }',
    'let n = 0; function f() { const was = n; n = was + 1 }',
    'let n = 0; async function f() { n = 1; await g(); n = 2; a[n] = await g(); h[await g()].x = 1; n++ }',
  ]
  for (const code of good) same(lint(code), [], code)
  throws(() => {
    throw new Error('x')
  }, /x/)
})

test('ESLint: what others recommend does not take the label of an atomic block away', async () => {
  const { Linter } = await import('eslint')
  const { default: charcoal } = await import('../src/eslint/index.ts')
  const others = { rules: { 'no-unused-labels': 'error', 'no-labels': 'error', 'no-lone-blocks': 'error' } }
  const config = [
    others,
    charcoal.configs.recommended,
    { languageOptions: { ecmaVersion: 2024, sourceType: 'module' } },
  ] as any
  const source = 'export async function f() { atomic: { await g() } }'
  const repaired = new Linter().verifyAndFix(source, config)
  same([repaired.output, repaired.messages.length], [source, 0])
  same(
    new Linter().verifyAndFix(source, [others, config[2]] as any).output.includes('atomic'),
    false,
    'without the preset it is taken away',
  )
  const unused = 'outer: { g() }\ninner: for (;;) { for (;;) break inner }\natomic: { inner: for (;;) continue inner }'
  same(
    new Linter().verify(unused, config).map((m) => `${m.line}: ${m.message}`),
    ['1: outer: is defined but never used.'],
  )
})

test('ESLint: an operation that is neither waited for nor spawned is reported', async () => {
  const { Linter } = await import('eslint')
  const { default: charcoal } = await import('../src/eslint/index.ts')
  const lint = (body: string): string[] =>
    new Linter()
      .verify(
        `import { sleep, waituntil as until, spawn, atomic } from 'charcoal-js'\nimport { wait } from 'elsewhere'
${body}`,
        [charcoal.configs.recommended as any, { languageOptions: { ecmaVersion: 2024, sourceType: 'module' } }],
      )
      .map((m) => m.message)
  same(lint('spawn(function* () { sleep(1) })'), ['sleep(…) is not waited for: write yield* sleep(…), or spawn it.'])
  same(lint('async function f() { until(a).or(sleep(1)) }'), [
    'until(…) is not waited for: write await until(…), or spawn it.',
  ])
  same(lint('atomic(function* () {})'), ['atomic(…) is not waited for, and cannot be here: spawn it.'])
  same(lint('async function f() { sleep(1).catch(log); until(a).then(g) }'), [])
  const objects = `import { channel, mutex as lockOf } from 'charcoal-js'
const ch = channel(), lock = lockOf(); let other = channel(); const { length } = lockOf()
function f(lock) { lock.acquire() }
`
  same(lint(`${objects}spawn(function* () { ch.send(1); ch.recv().do(f); ch.trySend(1); ch.close(); other.recv() })`), [
    'ch.send(…) is not waited for: write yield* ch.send(…), or spawn it.',
    'ch.recv(…) is not waited for: write yield* ch.recv(…), or spawn it.',
  ])
  same(lint(`${objects}async () => { lock.acquire(); lock.with(f); await lock.with(f); lock.with(f).catch(g) }`), [
    'lock.acquire(…) is not waited for: write await lock.acquire(…), or spawn it.',
    'lock.with(…) is not waited for: write await lock.with(…), or spawn it.',
  ])
  same(
    lint('spawn(function* () { yield* sleep(1); const c = sleep(2); yield* until(c); spawn(sleep(3)); wait(5) })'),
    [],
  )
})

test('a waiting activity takes no more than 450 bytes, and than 600 if it waits for one of two', async () => {
  if (typeof globalThis.gc !== 'function') return
  for (const kind of ['receive', 'join', 'mutex', 'waituntil of two', 'select of two']) {
    const most = kind.endsWith('of two') ? 600 : 450
    const args = ['--expose-gc', path.join(js, 'bench/memory.mjs'), '20000', kind]
    const { stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' })
    const bytes = Number(/: (\d+) bytes/.exec(stdout)?.[1])
    ok(bytes > 100 && bytes <= most, `${kind}: ${bytes} bytes\n${stderr}`)
  }
  void wait
})

/** Calls `f` while the library leaves the host its turn, because an activity has computed for longer than a slice. */
async function whileTheHostWaits<T>(f: () => PromiseLike<T>): Promise<T> {
  const before = useDomain(new Domain({ slice: 1 }))
  try {
    const end = performance.now() + 5
    const busy = spawn(function* () {
      while (performance.now() < end) yield* wait(1)
    })
    for (let i = 0; i < 10; i++) await null // now it has been set aside
    const outcome = Promise.resolve(f())
    await Promise.allSettled([busy, outcome])
    return await outcome
  } finally {
    useDomain(before)
  }
}

test('a promise that failed before is no unhandled rejection although the host has its turn first', async () => {
  const lost: unknown[] = []
  const note = (error: unknown): void => void lost.push(error)
  const failed = (): Promise<number> => Promise.reject(new Error('no'))
  const waits = (p: Promise<number>) =>
    function* () {
      yield* wait(p)
    }
  const made = [
    () => wait(failed()),
    () => asyncFn(waits(failed()))(),
    () => spawn(waits(failed())),
    () => finish(waits(failed())),
    () => deadline(99_999, waits(failed())),
    () => atomicFn(waits(failed()))(),
  ]
  process.on('unhandledRejection', note)
  try {
    for (const make of made) await rejects(whileTheHostWaits(make as () => PromiseLike<unknown>), /no/)
    await new Promise((done) => setTimeout(done, 1))
    same(lost.length, 0)
  } finally {
    process.off('unhandledRejection', note)
  }
})

test('a promise that failed before is no unhandled rejection although an atomic block is open', async () => {
  const lost: unknown[] = []
  const note = (error: unknown): void => void lost.push(error)
  process.on('unhandledRejection', note)
  try {
    let leave = (): void => {}
    const left = new Promise<void>((done) => (leave = done))
    const block = spawn(function* () {
      yield* atomic(function* () {
        yield* wait(left)
      })
    })
    await new Promise((done) => setTimeout(done, 1))
    const told = wait(Promise.reject(new Error('no'))).catch((error) => error.message)
    await new Promise((done) => setTimeout(done, 1)) // the host has had its turn
    leave()
    same([await told, await block, lost.length], ['no', undefined, 0])
  } finally {
    process.off('unhandledRejection', note)
  }
})

test('activities that legacy code begins in each turn of the host do not keep the others from running', async () => {
  let turns = 0
  await whileTheHostWaits(async () => {
    const other = spawn(function* () {
      for (let i = 0; i < 50; i++) yield* pause()
      return turns
    })
    let over = false
    void other.then(() => (over = true))
    for (; !over && turns < 10_000; turns++) {
      spawn(function* () {
        const end = performance.now() + 2
        while (performance.now() < end) yield* wait(1)
      })
      await new Promise((done) => setImmediate(done))
    }
    ok(over && turns < 1000, `${turns} turns`)
  })
})

// Chromium does not tell the other end of a port that it was closed.
test('calls that run for a caller who has closed the port are cancelled', async () => {
  const { port1, port2 } = new MessageChannel()
  let how = ''
  const stop = serve(
    {
      *late() {
        try {
          how = 'begun'
          yield* sleep(1e6)
        } finally {
          how = 'ended'
        }
      },
    },
    port1,
  )
  const there = connect<{ late(): void }>(port2)
  const calling = there.late().catch((error: Error) => error.message)
  await until(() => how === 'begun')
  port2.close()
  await until(() => how === 'ended')
  ok(/has ended: closed/.test(String(await calling)))
  stop()
})

test('an iterator that fails to close is no unhandled rejection, though the host has its turn before', async () => {
  const d = new Domain({ slice: -1 })
  const before = useDomain(d)
  const unhandled: unknown[] = []
  const note = (error: unknown): void => void unhandled.push(error)
  process.on('unhandledRejection', note)
  try {
    const close = async (): Promise<never> => {
      d.steps = 1 // at the next step the slice is over
      throw new Error('closing')
    }
    const next = async (): Promise<IteratorResult<number>> => ({ done: false, value: 1 })
    const ones = { [Symbol.asyncIterator]: () => ({ next, return: close }) }
    let waits = false
    const task = spawn(() => each(ones, () => ((waits = true), sleep(99_999))))
    await until(() => waits)
    task.cancel()
    await rejects(task, /closing/)
    same(unhandled, [])
  } finally {
    process.off('unhandledRejection', note)
    useDomain(before)
  }
})
