/**
 * Module hooks of the Node loader: transforms JavaScript and TypeScript that is marked, ES modules and CommonJS. Types
 * stay where they are: Node takes them out afterwards, as it does without us. See register.ts.
 */
import { readFileSync } from 'node:fs'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { originOf } from './compiled.ts'
import { isAsWritten, isOfPackage } from './packages.ts'
import { isTransformed, transform } from './transform.ts'

export interface Loaded {
  format?: string | null
  source?: string | ArrayBuffer | Uint8Array | null
  shortCircuit?: boolean
}

/** In files whose path matches, every async function becomes an activity function. */
export class Transformer {
  private readonly include: RegExp | null

  constructor(include: string) {
    this.include = include === '' ? null : new RegExp(include)
  }

  /** What Node has loaded, transformed if it is marked. */
  transformed(url: string, loaded: Loaded): Loaded {
    // Without a format Node decides by the text, as the transformation does.
    const kind = /^(module|commonjs)?(-typescript)?$/.exec(loaded.format ?? '')
    if (kind === null || !url.startsWith('file:')) return loaded
    const file = fileURLToPath(url)
    const ofPackage = isOfPackage(file)
    const typed = kind[2] !== undefined && !/\.[cm]?tsx?$/.test(file)
    const { source } = loaded
    // Node gives the source of a CommonJS module only to hooks that run in the program's own thread.
    const text =
      typeof source === 'string' ? source : source ? new TextDecoder().decode(source) : readFileSync(file, 'utf8')
    if (ofPackage && !isAsWritten(text)) return loaded
    const done = transform(text, {
      file: typed ? `${file}.ts` : file,
      all: !ofPackage && this.include?.test(file),
      format: kind[1] as 'module' | 'commonjs' | undefined,
      origin: originOf(text),
    })
    if (done === null) return loaded
    return { ...loaded, source: `${done.code}\n//# sourceMappingURL=${done.map.toUrl()}` }
  }

  /** The text of a CommonJS module, likewise, unless the hooks have transformed it before. */
  commonjsText(file: string, source: string): string {
    if (isTransformed(source)) return source
    return this.transformed(pathToFileURL(file).href, { format: 'commonjs', source }).source as string
  }

  /** The text of an ES module, likewise. */
  moduleText(file: string, source: string): string {
    return this.transformed(pathToFileURL(file).href, { format: 'module', source }).source as string
  }
}

// For versions of Node whose hooks run in a thread of their own.
let transformer = new Transformer('')

export function initialize(data?: { include?: string }): void {
  transformer = new Transformer(data?.include ?? '')
}

export async function load(
  url: string,
  context: unknown,
  next: (url: string, context: unknown) => Promise<Loaded>,
): Promise<Loaded> {
  const loaded = await next(url, context)
  // Given a source here, Node 20 would run CommonJS with a `require` that fails for ES modules, such as the library's.
  // Without one it loads the module as `require` does, where register.ts transforms it.
  return loaded.format === 'commonjs' ? loaded : transformer.transformed(url, loaded)
}
