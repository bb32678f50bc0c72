/**
 * The loader of `register` in Bun, which runs none of Node's module hooks: a plugin of Bun. Such a plugin makes an ES
 * module of whatever it loads, so CommonJS is left alone: files `.cjs` and `.cts`, and `.js` unless the program's
 * package says `"type": "module"`.
 */
import { readFileSync } from 'node:fs'
import path from 'node:path'
import type { Transformer } from './hooks.ts'

interface Loading {
  filter: RegExp
}
interface Contents {
  contents: string
  loader: string
}
/** What is used of the global `Bun`. */
export interface Bun {
  plugin(options: {
    name: string
    setup(build: { onLoad(options: Loading, load: (file: { path: string }) => Contents): void }): void
  }): void
}

/** Transforms marked ES modules outside `node_modules` from now on. */
export function registerInBun(bun: Bun, transformer: Transformer): void {
  const filter = saysModule(process.cwd())
    ? /^(?!.*[\\/]node_modules[\\/]).*\.(mjs|mts|jsx?|tsx?)$/
    : /^(?!.*[\\/]node_modules[\\/]).*\.(mjs|mts|jsx|tsx?)$/
  const load = (file: { path: string }): Contents => {
    const text = readFileSync(file.path, 'utf8')
    if (isCommonJS(text))
      throw new Error(`${file.path} is CommonJS, and Bun's plugins take ES modules alone. Remedy: name it .cjs`)
    return { contents: transformer.moduleText(file.path, text), loader: /\.m?(\w+)$/.exec(file.path)![1] }
  }
  bun.plugin({ name: 'charcoal', setup: (build) => build.onLoad({ filter }, load) })
}

/** Does the package that the folder belongs to consist of ES modules? */
function saysModule(folder: string): boolean {
  for (let at = folder; ; at = path.dirname(at)) {
    try {
      return (JSON.parse(readFileSync(path.join(at, 'package.json'), 'utf8')) as { type?: string }).type === 'module'
    } catch {
      if (at === path.dirname(at)) return false
    }
  }
}

/** Bun would make a module without exports of it. */
const isCommonJS = (text: string): boolean =>
  /^[^/\n]*(\bmodule\.exports\b|\bexports\.\w+\s*=|\brequire\s*\()/m.test(text) && !/^\s*(import|export)\b/m.test(text)
