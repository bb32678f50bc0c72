// Builds dist/: ES modules for browsers and bundlers, one CommonJS bundle for Node with thin ES and CommonJS entries (so that a program has one domain, however it imports), and types.
import { build } from 'esbuild'
import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { createRequire } from 'node:module'

const js = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..')
const dist = path.resolve(process.argv[2] ?? path.join(js, 'dist'))
rmSync(dist, { recursive: true, force: true })
mkdirSync(path.join(dist, 'node'), { recursive: true })
const common = { absWorkingDir: js, bundle: true, target: 'es2022', logLevel: 'error', tsconfig: path.join(js, 'tsconfig.json') }
const shared = { index: 'src/index.ts', events: 'src/events.ts', context: 'src/context.ts', runtime: 'src/plugin/runtime.ts', dev: 'src/dev/index.ts' }

await build({ ...common, entryPoints: shared, format: 'esm', splitting: true, outdir: dist, chunkNames: 'shared-[hash]' })
await build({ ...common, entryPoints: { plugin: 'src/plugin/index.ts', register: 'src/plugin/register.ts', hooks: 'src/plugin/hooks.ts', eslint: 'src/eslint/index.ts' }, format: 'esm', platform: 'node', packages: 'external', outdir: dist })
await build({
  ...common,
  stdin: { contents: `import './src/node/asyncContext.ts'\n` + Object.entries(shared).map(([name, file]) => `export * as ${name} from './${file}'`).join('\n'), resolveDir: js, loader: 'ts' },
  format: 'cjs',
  platform: 'node',
  outfile: path.join(dist, 'node/all.cjs'),
})
const all = createRequire(import.meta.url)(path.join(dist, 'node/all.cjs'))
for (const name of Object.keys(shared)) {
  const names = Object.keys(all[name]).sort()
  writeFileSync(path.join(dist, `node/${name}.cjs`), `module.exports = require('./all.cjs').${name}\n`)
  writeFileSync(path.join(dist, `node/${name}.mjs`), `import all from './all.cjs'\n${names.map((n) => `export const ${n} = all.${name}.${n}`).join('\n')}\n`)
}

const tsc = spawnSync(process.execPath, [path.join(js, 'node_modules/typescript/bin/tsc'), '-p', path.join(js, 'tsconfig.build.json'), '--outDir', path.join(dist, 'types')], { cwd: js, stdio: 'inherit' })
if (tsc.status !== 0) process.exit(1)
for (const file of readdirSync(path.join(dist, 'types'), { recursive: true }))
  if (file.endsWith('.d.ts')) {
    const full = path.join(dist, 'types', file)
    writeFileSync(full, readFileSync(full, 'utf8').replace(/((?:from|import\()\s*['"]\.{1,2}\/[^'"]+)\.ts(['"])/g, '$1.js$2'))
  }

const core = await build({ ...common, entryPoints: ['src/index.ts'], format: 'esm', minify: true, write: false })
const size = gzipSync(core.outputFiles[0].contents, { level: 9 }).length
console.log(`the core, minified and gzipped: ${size} bytes`)
