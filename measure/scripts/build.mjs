// Builds dist/: the command, the library, the hook that recorded Node programs load. Usage: build.mjs [directory]
import { build } from 'esbuild'
import { existsSync, mkdirSync, readFileSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

const measure = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..')

export async function buildAll(dist = path.join(measure, 'dist')) {
  // Built aside and moved file by file, so that a command that starts meanwhile finds whole files.
  const aside = `${dist}.${process.pid}`
  const common = {
    absWorkingDir: measure,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'es2022',
    logLevel: 'error',
    tsconfig: path.join(measure, 'tsconfig.json'),
    outdir: aside,
    define: {
      __VERSION__: JSON.stringify(JSON.parse(readFileSync(path.join(measure, 'package.json'), 'utf8')).version),
    },
    outExtension: { '.js': '.mjs' },
  }
  const entry = (files) =>
    Object.fromEntries(Object.entries(files).filter(([, file]) => existsSync(path.join(measure, file))))
  try {
    // One file each: the hook leaves its own frames out of stacks by their URL.
    await build({
      ...common,
      entryPoints: { hook: 'src/record/node/hook.ts', loader: 'src/record/node/accesses/loader.ts' },
    })
    await buildProgramSide(common, aside)
    await build({
      ...common,
      entryPoints: entry({ cli: 'src/cli/main.ts', index: 'src/index.ts' }),
      packages: 'external',
      splitting: true,
      sourcemap: 'linked',
      chunkNames: 'shared-[hash]',
    })
    // The page of the report, which is put into each report as text.
    if (existsSync(path.join(measure, 'src/report/ui/main.ts')))
      await build({
        ...common,
        entryPoints: { 'report-ui': 'src/report/ui/main.ts' },
        platform: 'browser',
        format: 'iife',
        minify: true,
        charset: 'ascii',
        outExtension: {},
      })
    // What a page gets whose reads and writes are watched.
    await build({
      ...common,
      entryPoints: { 'page-accesses': 'src/record/web/accesses/page.ts' },
      inject: ['src/record/web/accesses/own_builtins.ts'],
      platform: 'browser',
      format: 'iife',
      minify: true,
      charset: 'ascii',
      outExtension: {},
    })
    mkdirSync(dist, { recursive: true })
    const names = readdirSync(aside)
    const last = ['index.mjs', 'cli.mjs']
    for (const name of [...names.filter((n) => !last.includes(n)), ...last.filter((n) => names.includes(n))])
      renameSync(path.join(aside, name), path.join(dist, name))
    for (const name of readdirSync(dist))
      if (name.startsWith('shared-') && !names.includes(name)) rmSync(path.join(dist, name), { force: true })
  } finally {
    rmSync(aside, { recursive: true, force: true })
  }
}

// What the hook runs in a realm of its own: not a module, because Node makes none in another realm. Instead of
// importing Node's modules it finds them in `BUILT_IN`.
async function buildProgramSide(common, directory) {
  const { outputFiles } = await build({
    ...common,
    entryPoints: { 'program-side': 'src/record/node/program_side.ts' },
    define: { ...common.define, 'import.meta.url': 'HOOK_URL' },
    write: false,
  })
  const text = outputFiles[0].text.replace(
    /^import (?:(\w+),? )?(?:\{([^}]*)\} )?from ("node:[^"]+");$/gm,
    (_, all, some, name) => {
      const whole = all === undefined ? '' : `const ${all} = BUILT_IN[${name}].default;`
      return some === undefined ? whole : `${whole}const {${some.replaceAll(' as ', ': ')}} = BUILT_IN[${name}];`
    },
  )
  writeFileSync(path.join(directory, 'program-side.js'), text)
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await buildAll(process.argv[2] && path.resolve(process.argv[2]))
