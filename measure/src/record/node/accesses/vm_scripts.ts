/**
 * Rewrites the program's own files that another program compiles by `node:vm`, as test runners do: texts whose
 * `filename`, or a module's `identifier`, is a file of the program's own. A text may be one that the runner has made
 * of the file, with its source map in it.
 */
import { syncBuiltinESMExports } from 'node:module'
import { types } from 'node:util'
import vm from 'node:vm'
import { knowRealms } from '../../accesses/collections.ts'
import { GLOBAL, MARK, moved, type FileSites } from '../../accesses/sites.ts'
import { transformBody, transformModule, transformScript } from '../../accesses/transform.ts'
import { given } from '../../given.ts'
import { scriptAddress } from '../../script_address.ts'
import { leftText, tooLong } from '../../unwatched_text.ts'
import { heldMap, type ToFile } from '../loader_map.ts'
import { MAX_LENGTH } from './modules.ts'
import { rewriteBodies } from './bodies.ts'
import { isOwn } from './own.ts'
import { tellUnwatched } from './unwatched.ts'

/** What Node's functions take: the name of the file, or that among other things. */
type Options = string | { filename?: unknown; lineOffset?: number; columnOffset?: number } | undefined
type Any = (...args: any[]) => any

/** Told of each text that is rewritten; places are those of stacks. `toFile`: from the text to the file. */
export type Register = (file: number, url: string, sites: FileSites, toFile: ToFile | null) => void

export interface Recorder {
  /** What rewritten code calls. */
  runtime: object
  /** Gives a file its number. */
  nextFile(): number
  register: Register
  /** Keeps the rewriting from a realm's sight; it is told how to run a text there. */
  disguiseRealm(run: (text: string) => unknown): void
}

export function rewriteScripts({ runtime, nextFile, register, disguiseRealm }: Recorder): void {
  const module = vm as any
  const { Script, SourceTextModule, compileFunction, runInContext, runInNewContext, runInThisContext } = module
  /** Scripts that are rewritten; how to have them as they were. */
  const unchanged = new WeakMap<object, () => object>()
  const disguised = new WeakSet<object>()

  /** The text that runs instead; null: it stays as it is. */
  const rewrite = (code: unknown, options: Options, change = transformScript): string | null => {
    const name = typeof options === 'string' ? options : options?.filename
    if (typeof code !== 'string' || typeof name !== 'string') return null
    const url = scriptAddress(name)
    // What another way of compiling has rewritten already is compiled here by a hook of the program's.
    if (!isOwn(url) || code.includes(MARK)) return null
    const left = (why: string): void => tellUnwatched(leftText(url, why))
    if (code.length >= MAX_LENGTH) return (left(tooLong(MAX_LENGTH)), null)
    const file = nextFile()
    const result = change(code, url, file, left)
    if (result === null) return null
    const { lineOffset = 0, columnOffset = 0 } = typeof options === 'object' ? options : {}
    register(file, url, moved(result.sites, lineOffset, columnOffset), heldMap(code, url))
    return result.code
  }

  /**
   * Rewritten code finds the recorder in the context; false: the context cannot be changed. An object becomes a context
   * of Node's when it is run in.
   */
  const prepare = (context: object): boolean => {
    if (!Object.hasOwn(context, GLOBAL) && !Reflect.defineProperty(context, GLOBAL, { value: runtime })) return false
    if (!vm.isContext(context) || disguised.has(context)) return true
    disguised.add(context)
    knowRealms(types)
    disguiseRealm((text) => Reflect.apply(runInContext, module, [text, context]))
    return true
  }

  /** Runs a rewritten text, or the text as it was. */
  const runIn = (
    context: unknown,
    run: (context: object) => unknown,
    runUnchanged: (context: object) => unknown,
  ): unknown => {
    const where = typeof context === 'object' && context !== null ? context : vm.createContext(context as any)
    if (!prepare(where)) return runUnchanged(where)
    const result = run(where)
    prepare(where)
    return result
  }

  const replace = (holder: any, name: string, ours: Any): void => {
    const native = holder[name]
    holder[name] = Object.defineProperties(given(ours), Object.getOwnPropertyDescriptors(native))
  }

  module.Script = new Proxy(Script, {
    construct(target, [code, options, ...rest], self) {
      const text = rewrite(code, options)
      const script = Reflect.construct(target, [text ?? code, options, ...rest], self)
      if (text !== null) unchanged.set(script, () => new Script(code, options, ...rest))
      return script
    },
  })
  // Only there if Node was started with an option.
  if (SourceTextModule !== undefined)
    module.SourceTextModule = new Proxy(SourceTextModule, {
      construct(target, [code, options, ...rest], self) {
        const text = rewrite(code, { ...options, filename: options?.identifier }, transformModule)
        if (text === null || (options.context !== undefined && !prepare(options.context)))
          return Reflect.construct(target, [code, options, ...rest], self)
        // What was kept of the text as it was does not fit, and would be an error.
        const { cachedData: _, ...others } = options
        return Reflect.construct(target, [text, others, ...rest], self)
      },
    })
  for (const name of ['runInContext', 'runInNewContext']) {
    const native = Script.prototype[name]
    replace(Script.prototype, name, function (this: object, context: unknown, ...rest: unknown[]) {
      const before = unchanged.get(this)
      const run = (script: object, where: unknown): unknown => Reflect.apply(native, script, [where, ...rest])
      if (before === undefined) return run(this, context)
      return runIn(
        context,
        (where) => run(this, where),
        (where) => run(before(), where),
      )
    })
  }
  replace(module, 'compileFunction', function (this: unknown, code: unknown, params: unknown, options: any) {
    const text = rewrite(code, options)
    const context = options?.parsingContext
    const changed = text !== null && (context === undefined || prepare(context))
    return Reflect.apply(compileFunction, this, [changed ? text : code, params, options])
  })
  replace(module, 'runInThisContext', function (this: unknown, code: unknown, options: Options) {
    return Reflect.apply(runInThisContext, this, [rewrite(code, options) ?? code, options])
  })
  for (const [name, native] of Object.entries<Any>({ runInContext, runInNewContext }))
    replace(module, name, function (this: unknown, code: unknown, context: unknown, options: Options) {
      const text = rewrite(code, options)
      const run = (what: unknown, where: unknown): unknown => Reflect.apply(native, this, [what, where, options])
      if (text === null) return run(code, context)
      return runIn(
        context,
        (where) => run(text, where),
        (where) => run(code, where),
      )
    })
  rewriteBodies((code, options) => rewrite(code, options, transformBody))
  syncBuiltinESMExports()
}
