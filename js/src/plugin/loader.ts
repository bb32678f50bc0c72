/**
 * What charcoal-js/register loads: from then on marked modules are transformed as they are loaded, ES modules,
 * CommonJS, and TypeScript where Node itself runs it, or tsx, ts-node or their like compile it. In Bun it is a plugin
 * for ES modules (see bun.ts). CHARCOAL_INCLUDE is a regular expression for files in which every async function becomes
 * an activity function.
 */
import * as modules from 'node:module'
import { registerInBun, type Bun } from './bun.ts'
import { Transformer, type Loaded } from './hooks.ts'

/** What runs the text of a CommonJS module. */
interface Compiles {
  _compile(source: string, file: string, ...rest: unknown[]): unknown
}
/** `conditions` has `import` or `require`, whichever asks for the module. */
interface Context {
  conditions?: string[]
}
type Next = (url: string, context: Context) => Loaded
/** Node 22.15 and later: hooks in this thread, which `require` passes through, too. */
const { registerHooks } = modules as {
  registerHooks?: (hooks: { load(url: string, context: Context, next: Next): Loaded }) => void
}
const include = process.env.CHARCOAL_INCLUDE ?? ''

const transformer = new Transformer(include)
const bun = (globalThis as { Bun?: Bun }).Bun

if (bun !== undefined) registerInBun(bun, transformer)
else {
  if (registerHooks !== undefined) registerHooks({ load })
  else modules.register('./hooks.js', import.meta.url, { data: { include } })
  // `require` does not call the hooks in older versions of Node, nor in any for TypeScript that tsx or ts-node
  // compiles. But every text of a CommonJS module comes here in the end.
  const { prototype } = modules.Module as unknown as { prototype: Compiles }
  const compile = prototype._compile
  prototype._compile = function (source, file, ...rest) {
    return compile.call(this, transformer.commonjsText(file, source), file, ...rest)
  }
}

/** What Node loads, transformed. */
function load(url: string, context: Context, next: Next): Loaded {
  const loaded = next(url, context)
  // Given a source, Node 22 runs CommonJS in TypeScript that is imported, such as the program itself, with a `require`
  // that fails for ES modules, such as the library's. Without one it loads the module as `require` does.
  if (loaded.format === 'commonjs-typescript' && context.conditions?.includes('import'))
    return { ...loaded, format: 'commonjs', source: null }
  return transformer.transformed(url, loaded)
}
