/** Every snippet of the documentation runs, and prints what its `// →` comments say. The reference is up to date. */
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { spawnSync } from 'node:child_process'
import path from 'node:path'
import { tmpdir } from 'node:os'
import { test, ok, same } from './harness.ts'
import { referencePage } from '../scripts/referencePage.mjs'
import { aliases } from './aliases.ts'
import { all } from './exported.ts'

const js = process.cwd()
const work = path.join(process.env.CHARCOAL_BUILD ?? tmpdir(), 'js/snippets')

const pages = [
  'README.md',
  ...readdirSync(path.join(js, 'docs'))
    .filter((f) => f !== 'reference.md')
    .map((f) => `docs/${f}`),
]
for (const page of pages) {
  const text = readFileSync(path.join(js, page), 'utf8')
  let count = 0
  for (const [, language, flags, code] of text.matchAll(/^```(js|ts)( [\w-]+)?\n([\s\S]*?)^```/gm)) {
    if (flags?.includes('no-run')) continue
    const name = `${page.replace(/\W/g, '-')}-${++count}`
    test(`a snippet runs: ${page} ${count}`, async () => {
      const { build } = await import('esbuild')
      const { esbuild } = await import('../src/plugin/index.ts')
      mkdirSync(work, { recursive: true })
      const file = path.join(work, `${name}.${language}`)
      writeFileSync(file, code)
      const outfile = path.join(work, `${name}.mjs`)
      await build({
        entryPoints: [file],
        outfile,
        bundle: true,
        format: 'esm',
        platform: 'node',
        target: 'es2022',
        logLevel: 'error',
        tsconfig: path.join(js, 'tsconfig.json'),
        alias: aliases(js),
        inject: [path.join(js, 'src/diagnosis/index.ts')],
        plugins: [esbuild({ runtime: path.join(js, 'src/plugin/runtime.ts') })],
      })
      const run = spawnSync(process.execPath, [outfile], { encoding: 'utf8', timeout: 300_000 })
      same(run.stderr, '', name)
      const want = [...code.matchAll(/\/\/ → (.*)$/gm)].map((m) => m[1].trim())
      same(run.stdout.trim() === '' ? [] : run.stdout.trim().split('\n'), want, name)
    })
  }
}

test('the reference is what npm run docs writes', () => {
  const file = path.join(js, 'docs/reference.md')
  ok(readFileSync(file, 'utf8') === referencePage(all), 'docs/reference.md is out of date: npm run docs')
})
