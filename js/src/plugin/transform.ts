/**
 * Turns `async` functions into activity functions, `await` into calls and waits, and `atomic: { }` into atomic blocks.
 * The text is edited in place (see rewrite.ts), so that types, comments and line numbers stay, and a source map is
 * exact.
 *
 * Transformed are all `async` functions of a file that begins with the directive "use activity" (or of all files, with
 * `all`), functions that begin with that directive, and functions that contain an `atomic:` block; and whatever `async`
 * functions are inside those.
 *
 * @example
 * const done = transform(`async function f() { atomic: { n = (await g()) + 1 } }`, { file: 'store.js' })
 * if (done !== null) write(done.code, done.map)
 */
import { parse, type ParserOptions } from '@babel/parser'
import magicString, { SourceMap, type SourceMapSegment } from 'magic-string'
import { DIRECTIVE } from './staying.ts'
import { Edits } from './edits.ts'
import { Rewriter } from './rewrite.ts'
import { hasDirective, isTypeScript, some, type Node } from './syntax.ts'
import { TransformError } from './transformError.ts'

export { TransformError } from './transformError.ts'

// Where this file is CommonJS and magic-string is an ES module, what is imported is the module.
const MagicString = (magicString as { default?: typeof magicString }).default ?? magicString

/** Options of `transform`. */
export interface TransformOptions {
  /** Name for messages and the source map; `.ts`, `.tsx`, `.jsx` say the syntax. */
  file?: string | undefined
  /** Transform every async function. */
  all?: boolean | undefined
  /** The module that the transformed code imports. */
  runtime?: string | undefined
  /** What kind of module it is. By default its name and text decide. */
  format?: 'module' | 'commonjs' | undefined
  /** @internal If the text was compiled from another one, the source map leads to that. */
  origin?: Origin | undefined
}

/** Where a place of a text was before that was compiled: the file, the line and the column, which count from 0. */
export type Origin = (line: number, column: number) => [file: string, line: number, column: number] | undefined

/** What `transform` gives. */
export interface Transformed {
  code: string
  map: SourceMap
}

/**
 * Transforms a module; null if there is nothing to transform in it.
 *
 * @example
 * const done = transform('async function f() { atomic: { n = (await g()) + 1 } }', { file: 'store.js' })!
 * console.log(done.code.includes('charcoal$.enter("f")'))  // → true
 */
export function transform(source: string, options: TransformOptions = {}): Transformed | null {
  const { file = 'input.js', all = false, runtime = 'charcoal-js/runtime' } = options
  if (!all && !isMarked(source)) return null
  const tree = treeOf(source, file)
  const text = new MagicString(source)
  const edits = new Edits(source, text)
  const variables = new Rewriter(edits, file).rewrite(tree, all || hasDirective(tree, DIRECTIVE))
  if (!edits.any) return null
  refuseOurName(tree, source, file)
  edits.finish()
  const start = tree.body[0]?.start ?? tree.directives[0]?.end ?? 0
  text.prependRight(start, `${importOf(JSON.stringify(runtime), formatOf(file, tree, options.format), variables)} `)
  // The directive is not needed any more, and bundlers would warn of it.
  for (const d of tree.directives) if (d.value.value === DIRECTIVE) text.remove(d.start, d.end)
  return { code: text.toString(), map: mapOf(text, file, options.origin) }
}

type Mappings = SourceMapSegment[][]

function mapOf(text: magicString, source: string, origin: Origin | undefined): SourceMap {
  const map = text.generateDecodedMap({ source, hires: true, includeContent: origin === undefined })
  return new SourceMap(origin === undefined ? map : { ...map, ...through(map.mappings, origin) })
}

/** The files that the places of a compiled text come from, and what leads to these instead. */
function through(compiled: Mappings, origin: Origin): { sources: string[]; mappings: Mappings } {
  const sources: string[] = []
  const mappings = compiled.map((line) =>
    line.flatMap(([column, , ...place]): Mappings[number] => {
      const [file, ...original] = origin(place[0]!, place[1]!) ?? []
      if (file === undefined) return []
      if (!sources.includes(file)) sources.push(file)
      return [[column, sources.indexOf(file), ...(original as [number, number])]]
    }),
  )
  return { sources, mappings }
}

/** May there be something to transform? */
export const isMarked = (source: string): boolean => source.includes(DIRECTIVE) || /\batomic\s*:/.test(source)

function treeOf(source: string, file: string): Node {
  const typed = isTypeScript(file)
  const jsx = /x$/.test(file) || !typed
  const options: ParserOptions = {
    sourceType: 'unambiguous',
    allowReturnOutsideFunction: true,
    allowAwaitOutsideFunction: true,
    createParenthesizedExpressions: false,
    plugins: [
      ...(typed ? (['typescript'] as const) : []),
      ...(jsx ? (['jsx'] as const) : []),
      'decorators',
      'decoratorAutoAccessors',
      'explicitResourceManagement',
      'sourcePhaseImports',
      'deferredImportEvaluation',
    ],
  }
  try {
    return parse(source, options).program as unknown as Node
  } catch (error) {
    if (reasonOf(error) !== PARAMETER_DECORATOR) throw named(error, file)
  }
  const { errors, program } = parse(source, { ...options, errorRecovery: true })
  const wrong = errors!.find((error) => reasonOf(error) !== PARAMETER_DECORATOR)
  if (wrong !== undefined) throw named(wrong, file)
  return program as unknown as Node
}

/** A mistake in the syntax, with the file it is in: the loader's caller may have loaded any. */
function named(error: unknown, file: string): unknown {
  const { loc, message } = error as { loc?: { line: number; column: number }; message: string }
  return loc === undefined ? error : new TransformError(file, loc, message.replace(/ \(\d+:\d+\)$/, ''))
}

/** TypeScript's older decorators may stand before parameters, too; in all else the parser takes them for today's. */
const PARAMETER_DECORATOR = 'UnsupportedParameterDecorator'
const reasonOf = (error: unknown): string | undefined => (error as { reasonCode?: string }).reasonCode

/** What a transformed file or a function in it declares: a variable of such a name would be hidden, or hide ours. */
const OURS = /^(charcoal\w*|awaited|(arg|body|loop|using)\d+)\$$|\$activity$/

function refuseOurName(tree: Node, source: string, file: string): void {
  let taken: Node | undefined
  const isTaken = (n: Node): boolean => n.type === 'Identifier' && OURS.test(n.name) && source[n.start - 1] !== '.'
  some(
    tree,
    (n) => isTaken(n) && ((taken = n), true),
    () => true,
  )
  if (taken !== undefined)
    throw new TransformError(
      file,
      taken.loc.start,
      `the name ${taken.name} is taken in a transformed file, which declares it for its own use; choose another name`,
    )
}

function importOf(runtime: string, format: 'module' | 'commonjs', variables: string[]): string {
  // Not `let`: in a circle of imports a function may run before this line.
  const own = variables.length > 0 ? ` var ${variables.join(', ')};` : ''
  if (format === 'module') return `import * as charcoal$ from ${runtime};${own}`
  return `const charcoal$ = require(${runtime});${own}`
}

/** Has it been transformed to a CommonJS module already? */
export const isTransformed = (source: string): boolean => source.includes('const charcoal$ = require(')

const COMMONJS = new Set(['require', 'module', 'exports', '__dirname', '__filename'])

/** A script without `import` and `export` is a CommonJS module only if it uses what only those have. */
function formatOf(file: string, tree: Node, known: TransformOptions['format']): 'module' | 'commonjs' {
  if (tree.sourceType === 'module') return 'module'
  if (known !== undefined) return known
  if (/\.m[jt]s$/.test(file)) return 'module'
  if (/\.c[jt]s$/.test(file)) return 'commonjs'
  const everywhere = (): boolean => true
  return some(tree, (n) => n.type === 'Identifier' && COMMONJS.has(n.name), everywhere) ? 'commonjs' : 'module'
}
