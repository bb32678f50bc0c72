/** The examples in the comments of these entry points run, and print what their `// →` comments say. */
import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { tmpdir } from 'node:os'
import { format } from 'node:util'
import { test, same } from './harness.ts'
import { aliases } from './aliases.ts'
import { printed, programOf } from '../scripts/examples.mjs'
import { all } from './exported.ts'

const js = process.cwd()
const work = path.join(process.env.CHARCOAL_BUILD ?? tmpdir(), 'js/examples')

const { found } = all
const examples = found.filter((e) => e.example !== undefined && !/\/react$/.test(e.entry))
const programs = new Map<string, string>()
/** The number keeps `channel` and `Channel` apart: for esbuild files are the same that differ in case alone. */
const keyOf = (e: { entry: string; name: string }): string =>
  `${e.entry.replace(/\W/g, '-')}-${e.name}-${found.findIndex((f) => f.entry === e.entry && f.name === e.name)}`
for (const e of examples) {
  const text = programOf(e.example!, found)
  if (text !== null) programs.set(keyOf(e), text)
}

let built: Promise<Record<string, { run(): Promise<unknown> }>> | undefined

/** All examples in one bundle: the library is in it once. */
async function bundle(): Promise<Record<string, { run(): Promise<unknown> }>> {
  const { build } = await import('esbuild')
  mkdirSync(work, { recursive: true })
  for (const [name, text] of programs) writeFileSync(path.join(work, `${name}.ts`), text)
  writeFileSync(
    path.join(work, 'all.ts'),
    [...programs.keys()].map((name) => `export * as ${name.replace(/\W/g, '_')} from './${name}.ts'`).join('\n'),
  )
  // Where the packages are found that the plugin needs.
  const outfile = path.join(js, 'node_modules/.cache/charcoal/examples.mjs')
  await build({
    entryPoints: [path.join(work, 'all.ts')],
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'node',
    packages: 'external',
    target: 'es2022',
    logLevel: 'error',
    tsconfig: path.join(js, 'tsconfig.json'),
    alias: aliases(js),
    define: { 'process.env.NODE_PATH': '""' },
  })
  return import(pathToFileURL(outfile).href)
}

for (const { entry, name, example } of examples) {
  const key = keyOf({ entry, name })
  if (!programs.has(key)) continue
  test(`the example of ${name} in ${entry} runs`, async () => {
    const program = (await (built ??= bundle()))[key.replace(/\W/g, '_')]
    const lines: string[] = []
    const { log, warn } = console
    console.warn = () => {}
    console.log = (...args: unknown[]) => void lines.push(...format(...args).split('\n'))
    try {
      await program.run()
    } finally {
      Object.assign(console, { log, warn })
    }
    same(lines, printed(example!))
  })
}

test('a simulation has its domain also after a garbage collection', async () => {
  const [key] = [...programs.keys()].filter((name) => /dev-simulate-/.test(name))
  const program = (await (built ??= bundle()))[key.replace(/\W/g, '_')]
  for (let i = 0; i < 5; i++) {
    ;(globalThis as any).gc()
    await new Promise((done) => setTimeout(done, 5))
  }
  const { log } = console
  console.log = () => {}
  await program.run().finally(() => Object.assign(console, { log }))
})

/** What stands in the configuration of a bundler or of ESLint: the tests of those run it. */
const CONFIGURED = ['esbuild', 'farm', 'rolldown', 'rollup', 'rspack', 'unplugin', 'vite', 'webpack', 'default']

test('every exported value has an example', () => {
  const without = found.filter((e) => e.value && e.example === undefined).map((e) => e.name)
  same(
    without.filter((name) => !CONFIGURED.includes(name)),
    [],
  )
})

test('every exported type has an example, or belongs to a function or a class that has one', () => {
  const without = found.filter((e) => !e.value && e.example === undefined && e.shownBy.length === 0)
  same(
    without.map((e) => e.name),
    ['PluginOptions'], // of what stands in configurations
  )
})

test('every export has a comment', () => {
  const without = found.filter((e) => !e.documented).map((e) => e.name)
  same(
    without.filter((name) => !CONFIGURED.includes(name)),
    [],
  )
})
