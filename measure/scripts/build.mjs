// Builds dist/: the command, the hook that recorded Node programs load, the script that recorded pages get. Usage: build.mjs [directory]
import { build } from 'esbuild'
import { existsSync, rmSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

const measure = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..')

export async function buildAll(dist = path.join(measure, 'dist')) {
  rmSync(dist, { recursive: true, force: true })
  const common = { absWorkingDir: measure, bundle: true, target: 'es2022', logLevel: 'error', tsconfig: path.join(measure, 'tsconfig.json') }
  const entry = (files) => Object.fromEntries(Object.entries(files).filter(([, file]) => existsSync(path.join(measure, file))))
  await build({
    ...common,
    entryPoints: entry({ cli: 'src/cli/main.ts', hook: 'src/record/node/hook.ts', index: 'src/index.ts' }),
    format: 'esm',
    platform: 'node',
    packages: 'external',
    splitting: true,
    sourcemap: 'linked',
    outdir: dist,
    outExtension: { '.js': '.mjs' },
    chunkNames: 'shared-[hash]',
  })
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await buildAll(process.argv[2] && path.resolve(process.argv[2]))
