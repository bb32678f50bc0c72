// Runs the quick tests: types, then all of tests/*.test.ts in one process, and some of them in other versions of Node
// (scripts/hosts). Usage: run-tests.mjs [builddir] [--filter=text]
import { build } from 'esbuild'
import { spawnSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildAll } from './build.mjs'

const measure = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..')
const args = process.argv.slice(2)
const builddir = path.resolve(args.find((a) => !a.startsWith('--')) ?? path.join(measure, '../build'))
const filter = args.find((a) => a.startsWith('--filter='))?.slice(9) ?? ''

let passed = 0
let failed = 0
const note = (ok, name) => (ok ? passed++ : (failed++, console.log(`FAIL ${name}`)))

await buildAll()
const tsc = spawnSync(process.execPath, [path.join(measure, 'node_modules/typescript/bin/tsc'), '--noEmit'], {
  cwd: measure,
  encoding: 'utf8',
})
if (tsc.status !== 0) console.log(tsc.stdout)
note(tsc.status === 0, 'types')

const prettier = spawnSync(
  process.execPath,
  [path.join(measure, 'node_modules/prettier/bin/prettier.cjs'), '--check', '.'],
  {
    cwd: measure,
    encoding: 'utf8',
  },
)
if (prettier.status !== 0) console.log(`${prettier.stdout}${prettier.stderr}Remedy: npm run format`)
note(prettier.status === 0, 'formatted')

// All of tests/*.test.ts in one bundle and one process.
const tests = readdirSync(path.join(measure, 'tests'))
  .filter((f) => f.endsWith('.test.ts'))
  .sort()
const bundle = path.join(measure, 'node_modules/.cache/charcoal/tests.mjs')
await build({
  absWorkingDir: measure,
  stdin: {
    contents: [
      ...tests.map((f) => `import './tests/${f}'`),
      "import { finish } from './tests/harness.ts'",
      'await finish()',
    ].join('\n'),
    resolveDir: measure,
    loader: 'ts',
  },
  bundle: true,
  target: 'es2022',
  format: 'esm',
  platform: 'node',
  packages: 'external',
  sourcemap: 'inline',
  logLevel: 'error',
  tsconfig: path.join(measure, 'tsconfig.json'),
  outfile: bundle,
})
runTests(process.execPath, filter)
if (filter === '') inOtherNodes()
console.log(`${passed} passed, ${failed} failed`)
process.exit(failed === 0 ? 0 : 1)

function runTests(node, chosen, name = '') {
  const run = spawnSync(node, ['--enable-source-maps', bundle, chosen], {
    cwd: measure,
    encoding: 'utf8',
    env: { ...process.env, CHARCOAL_MEASURE: measure, CHARCOAL_BUILD: builddir },
    maxBuffer: 1 << 26,
  })
  process.stdout.write((run.stdout + run.stderr).replaceAll(/^FAIL /gm, `$&${name}`))
  const last = /(\d+) passed, (\d+) failed\s*$/.exec(run.stdout)
  if (last === null) return note(false, `${name}the tests did not end`)
  passed += Number(last[1])
  failed += Number(last[2])
  if (Number(last[1]) === 0) note(false, `${name}no test ran`)
}

function inOtherNodes() {
  const hosts = path.join(measure, '../scripts/hosts')
  const { status, stderr } = spawnSync(path.join(hosts, 'install'), { encoding: 'utf8' })
  if (status !== 0) return console.log(`not run: the tests in other versions of Node: ${stderr.trim()}`)
  for (const name of ['node22', 'node24'])
    runTests(path.join(hosts, 'node_modules', name, 'bin/node'), '--in-each-node', `in ${name}: `)
}
