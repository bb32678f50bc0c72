/**
 * charcoal-js/register: `node --import charcoal-js/register app.mjs` transforms marked modules as they are loaded: ES
 * modules, CommonJS, and TypeScript where Node itself runs it. `bun --preload charcoal-js/register app.ts` transforms
 * ES modules (see bun.ts). CHARCOAL_INCLUDE is a regular expression for files in which every async function becomes an
 * activity function.
 */
import * as modules from 'node:module'
import { registerInBun, type Bun } from './bun.ts'
import { Transformer, type Loaded } from './hooks.ts'

interface Compiled {
  _compile(source: string, file: string): unknown
}
type Next = (url: string, context: unknown) => Loaded
/** Node 22.15 and later: hooks in this thread, which `require` passes through, too. */
const { registerHooks } = modules as {
  registerHooks?: (hooks: { load(url: string, context: unknown, next: Next): Loaded }) => void
}
const include = process.env.CHARCOAL_INCLUDE ?? ''

const transformer = new Transformer(include)
const bun = (globalThis as { Bun?: Bun }).Bun

if (bun !== undefined) registerInBun(bun, transformer)
else if (registerHooks !== undefined)
  registerHooks({ load: (url, context, next) => transformer.transformed(url, next(url, context)) })
else {
  modules.register('./hooks.js', import.meta.url, { data: { include } })
  // In this version of Node `require` does not call the hooks.
  const extensions = (
    modules.Module as unknown as { _extensions: Record<string, (module: Compiled, file: string) => void> }
  )._extensions
  const load = extensions['.js']
  extensions['.js'] = (module, file) => {
    const compile = module._compile
    module._compile = (source, name) => compile.call(module, transformer.commonjsText(name, source), name)
    load(module, file)
  }
}
