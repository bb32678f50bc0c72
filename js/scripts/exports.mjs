// Writes the entry points into package.json: `npm run exports`, after a change of scripts/entries.mjs.
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { library } from './entries.mjs'

const file = path.join(path.dirname(fileURLToPath(import.meta.url)), '../package.json')
const before = readFileSync(file, 'utf8')
const json = JSON.parse(before)
const exports = {}
const typesVersions = { '*': {} }
const source = (name) => library[name].replace(/^src\//, '').replace(/\.ts$/, '')

for (const name of Object.keys(library)) {
  const types = `./dist/types/${source(name)}.d.ts`
  const typesCjs = `./dist/types-cjs/${source(name)}.d.cts`
  const esm = { types, default: `./dist/node/${name}.js` }
  exports[name === 'index' ? '.' : `./${name}`] = {
    workerd: { types, default: `./dist/server/${name}.js` },
    node: {
      module: { types, default: `./dist/server/${name}.js` },
      'module-sync': esm,
      import: { types, default: `./dist/node/${name}.mjs` },
      require: { types: typesCjs, default: `./dist/node/${name}.cjs` },
    },
    development: { types, default: `./dist/development/${name}.js` },
    default: { types, default: `./dist/${source(name)}.js` },
  }
  if (name !== 'index') typesVersions['*'][name] = [typesCjs]
}
for (const name of ['plugin', 'eslint']) {
  const types = `./dist/types/${name}/index.d.ts`
  const typesCjs = `./dist/types-cjs/${name}/index.d.cts`
  exports[`./${name}`] = {
    import: { types, default: `./dist/${name}.js` },
    require: { types: typesCjs, default: `./dist/${name}.cjs` },
  }
  typesVersions['*'][name] = [typesCjs]
}
const register = './dist/types/plugin/register.d.ts'
exports['./register'] = {
  'module-sync': { types: register, default: './dist/registerSync.js' },
  default: { types: register, default: './dist/register.js' },
}
typesVersions['*'].register = [register]
exports['./package.json'] = './package.json'

const after = JSON.stringify({ ...json, exports, typesVersions }, null, 2) + '\n'
if (process.argv.includes('--check')) process.exit(after === before ? 0 : 1)
writeFileSync(file, after)
