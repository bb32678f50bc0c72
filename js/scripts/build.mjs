// Builds dist/:
//   *.js, */*.js    ES modules for browsers and bundlers, as the files in src/; they show mistakes by number
//   development/*.js  the same with a sentence for each mistake; bundlers load these in development
//   server/*.js     the same with what Node has besides (AsyncLocalStorage); bundlers of programs for Node and for
//                   Cloudflare's workerd load these
//   node/*.js       the same in few files; `import` in Node and, from Node 20.19 on, `require` load these
//   node/*.cjs      for `require` in older Nodes, all of one bundle; node/*.mjs are their wrappers for `import` there,
//                   so that a program has one copy of the library however it is loaded
//   plugin.*        looks for the packages that bundlers.* needs, and loads that
//   types, types-cjs  declarations, for ES modules and for CommonJS
// Source maps name the library's files to debuggers as code to step over.
import { build } from 'esbuild'
import { spawnSync } from 'node:child_process'
import { appendFileSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { library, tools } from './entries.mjs'
import { sizeOf } from './size.mjs'

const js = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..')
const dist = path.join(js, 'dist')
rmSync(dist, { recursive: true, force: true })
mkdirSync(path.join(dist, 'node'), { recursive: true })
const common = {
  absWorkingDir: js,
  bundle: true,
  target: 'es2022',
  logLevel: 'error',
  tsconfig: path.join(js, 'tsconfig.json'),
  sourcemap: true,
  sourcesContent: false,
}
const node = { ...common, platform: 'node', packages: 'external' }
// The sentences of mistakes come first, for a module may find one when it is loaded.
const ofNode = ['diagnosis/index', 'node/asyncContext', 'node/inspect', 'node/exit']
const inNode = ofNode.map((name) => `import './src/${name}.ts'\n`).join('')

/** Entry points whose text is given. */
const virtual = (texts) => ({
  name: 'virtual',
  setup(builder) {
    builder.onResolve({ filter: /^virtual:/ }, ({ path }) => ({ path: path.slice(8), namespace: 'virtual' }))
    builder.onLoad({ filter: /.*/, namespace: 'virtual' }, ({ path }) => ({
      contents: texts[path],
      resolveDir: js,
      loader: 'ts',
    }))
  },
})

// Each file by itself, so that a bundler leaves out what a program does not use.
const inNodeAlone = /^eslint\/|^plugin\/(?!runtime|block)/
const sources = readdirSync(path.join(js, 'src'), { recursive: true }).filter(
  (file) => file.endsWith('.ts') && !inNodeAlone.test(file),
)
await build({
  ...common,
  bundle: false,
  entryPoints: sources.map((file) => `src/${file}`),
  outbase: 'src',
  format: 'esm',
  outdir: dist,
})
for (const file of sources) {
  const made = path.join(dist, file.replace(/\.ts$/, '.js'))
  writeFileSync(made, readFileSync(made, 'utf8').replace(/((?:from|import) "\.[^"]*)\.ts"/g, '$1.js"'))
}
for (const [folder, first] of Object.entries({ development: ['diagnosis/index'], server: ofNode })) {
  mkdirSync(path.join(dist, folder))
  const before = first.map((name) => `import '../${name}.js'\n`).join('')
  // See forTracers, below. An `import` would be one for bundlers, too.
  const also = (name) => (folder === 'server' ? `const also = () => import.meta.resolve('../node/${name}.js')\n` : '')
  for (const [name, file] of Object.entries(library)) {
    const module = file.replace(/^src\//, '../').replace(/\.ts$/, '.js')
    writeFileSync(path.join(dist, `${folder}/${name}.js`), `${before}export * from '${module}'\n${also(name)}`)
  }
}
const { plugin, eslint, ...loaders } = tools
const ofPlugin = { bundlers: plugin, tools: 'src/plugin/tools.ts' }
await build({ ...node, entryPoints: { ...ofPlugin, eslint, ...loaders }, format: 'esm', outdir: dist })
await build({
  ...node,
  entryPoints: { ...ofPlugin, eslint },
  format: 'cjs',
  define: { 'import.meta.url': '__filename' },
  outdir: dist,
  outExtension: { '.js': '.cjs' },
})
// A module that imports what is missing never comes to say so, so `plugin` looks for that before it loads the rest.
const check = `checkTools('charcoal-js/plugin', 'unplugin')\n`
const names = Object.keys(await import(path.join(dist, 'bundlers.js'))).sort()
writeFileSync(
  path.join(dist, 'plugin.js'),
  `import { checkTools } from './tools.js'\n${check}` +
    `export const { ${names.join(', ')} } = await import('./bundlers.js')\n`,
)
writeFileSync(
  path.join(dist, 'plugin.cjs'),
  `const { checkTools } = require('./tools.cjs')\n${check}module.exports = require('./bundlers.cjs')\n`,
)
// ESLint's plugins are the module itself, in CommonJS.
appendFileSync(path.join(dist, 'eslint.cjs'), '\nmodule.exports = module.exports.default\n')
await build({
  ...node,
  entryPoints: Object.fromEntries(Object.keys(library).map((name) => [name, `virtual:${name}`])),
  plugins: [
    virtual(
      Object.fromEntries(Object.entries(library).map(([name, file]) => [name, `${inNode}export * from './${file}'`])),
    ),
  ],
  format: 'esm',
  splitting: true,
  outdir: path.join(dist, 'node'),
  chunkNames: 'shared-[hash]',
})
// `react.cjs` and `react.mjs` hand React over: if the bundle asked for it, bundlers would fail where there is no React.
const modules = Object.entries(library).map(([name, file]) =>
  name === 'react'
    ? `export const react = (given) => { $given.react = given; return require('./${file}') }`
    : `export * as ${name} from './${file}'`,
)
const givenReact = {
  name: 'given-react',
  setup(builder) {
    builder.onResolve({ filter: /^react$/ }, () => ({ path: 'react', namespace: 'given' }))
    builder.onLoad({ filter: /.*/, namespace: 'given' }, () => ({ contents: 'module.exports = $given.react' }))
  },
}
await build({
  ...node,
  stdin: { contents: inNode + modules.join('\n'), resolveDir: js, loader: 'js' },
  format: 'cjs',
  banner: { js: 'const $require = require, $given = {};' },
  plugins: [givenReact],
  outfile: path.join(dist, 'node/all.cjs'),
})
// Who copies the files that a program needs (Nitro, Vercel, Next's standalone output) finds them by `import`, or by
// `module` as bundlers do (Nitro in SolidStart), and Node then asks for those of `module-sync`. So the ones lead to the
// others, in a function that nobody calls.
const forTracers = (name) => `const also = () => import('./${name}.js')`
const require = createRequire(import.meta.url)
const all = require(path.join(dist, 'node/all.cjs'))
for (const name of Object.keys(library)) {
  const ofReact = name === 'react'
  const names = Object.keys(ofReact ? all.react(require('react')) : all[name]).sort()
  const cjs = [
    `const m = require('./all.cjs').${name}${ofReact ? "(require('react'))" : ''}`,
    ...names.map((n) => `exports.${n} = m.${n}`),
    forTracers(name),
    '',
  ]
  const mjs = [
    `import $all from './all.cjs'`,
    ...(ofReact ? [`import $react from 'react'`] : []),
    `const $m = $all.${name}${ofReact ? '($react)' : ''}`,
    ...names.map((n) => `export const ${n} = $m.${n}`),
    forTracers(name),
    '',
  ]
  writeFileSync(path.join(dist, `node/${name}.cjs`), cjs.join('\n'))
  writeFileSync(path.join(dist, `node/${name}.mjs`), mjs.join('\n'))
}

for (const file of readdirSync(dist, { recursive: true })) {
  if (!/js\.map$/.test(file)) continue
  const full = path.join(dist, file)
  const map = JSON.parse(readFileSync(full, 'utf8'))
  const ignoreList = map.sources.map((_, i) => i)
  writeFileSync(full, JSON.stringify({ ...map, ignoreList, x_google_ignoreList: ignoreList }))
}

const types = path.join(dist, 'types')
const tsc = path.join(js, 'node_modules/typescript/bin/tsc')
const run = spawnSync(process.execPath, [tsc, '-p', path.join(js, 'tsconfig.build.json'), '--outDir', types], {
  cwd: js,
  stdio: 'inherit',
})
if (run.status !== 0) process.exit(1)
/** Declarations without what only the library's own files need: internal interfaces, and imports for their effect. */
const published = (text) =>
  text
    .replace(/ implements types\.\w+(, |(?= \{))/, (_, more) => (more === '' ? '' : ' implements '))
    .replace(/, Frame, Pending \{/, ' {')
    .replace(/^import '[^']*';\n/gm, '')
const imported = /((?:from|import\(|import)\s*['"]\.{1,2}\/[^'"]+)\.ts(['"])/g
for (const file of readdirSync(types, { recursive: true })) {
  if (!/\.d\.ts(\.map)?$/.test(file)) continue
  const full = path.join(types, file)
  const text = published(readFileSync(full, 'utf8'))
  const forRequire = path.join(dist, 'types-cjs', file.replace('.d.ts', '.d.cts'))
  mkdirSync(path.dirname(forRequire), { recursive: true })
  writeFileSync(full, text.replace(imported, '$1.js$2'))
  const cts = text.replace(imported, '$1.cjs$2').replace(/(\w\.d)\.ts(\.map|")/g, '$1.cts$2')
  writeFileSync(forRequire, cts.replace('export default plugin', 'export = plugin'))
}

console.log(`the core, minified and gzipped: ${await sizeOf(js, '*')} bytes`)
