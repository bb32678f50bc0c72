// Coverage of src/ by the suite in Node: lines and branches, mapped back to the TypeScript. Fails below 95 %.
import { build } from 'esbuild'
import { spawnSync } from 'node:child_process'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

const js = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..')
const cache = path.join(js, 'node_modules/.cache/charcoal')
await build({ absWorkingDir: js, bundle: true, target: 'es2022', format: 'esm', sourcemap: 'inline', logLevel: 'error', tsconfig: path.join(js, 'tsconfig.json'), entryPoints: { coverage: 'tests/main.node.ts' }, platform: 'node', packages: 'external', outdir: cache, outExtension: { '.js': '.mjs' } })
const run = spawnSync(
  process.execPath,
  [path.join(js, 'node_modules/c8/bin/c8.js'), '--exclude-after-remap', '--include=src/**/*.ts', '--reporter=text', '--check-coverage', '--lines=95', '--branches=95', '--temp-directory', path.join(cache, 'c8'), process.execPath, '--expose-gc', path.join(cache, 'coverage.mjs')],
  { cwd: js, stdio: 'inherit' },
)
process.exit(run.status ?? 1)
