/**
 * Files that a program compiles as bodies of asynchronous functions and names by `//# sourceURL=`: Vite does so with
 * what runs on the server, and with it SvelteKit, Nuxt, Astro and others.
 */
import vm from 'node:vm'
import { copied } from '../../copied.ts'

/** Null: the text stays as it is. */
type Rewrite = (code: string, options: { filename: string; lineOffset: number }) => string | null

/** The lines of a function before its body, as the language makes it: `async function anonymous(a,b`, `) {`. */
const BEFORE_BODY = 2

const NAME = /^\/\/# sourceURL=(\S+)\s*$/gm

export function rewriteBodies(rewrite: Rewrite): void {
  const AsyncFunction = new vm.Script('(async () => {}).constructor').runInThisContext()
  const body = (given: unknown[]): unknown[] => {
    const all = copied(given)
    const code = all.at(-1)
    const name = typeof code === 'string' ? [...code.matchAll(NAME)].at(-1)?.[1] : undefined
    if (name !== undefined) {
      const text = rewrite(code as string, { filename: unescaped(name), lineOffset: BEFORE_BODY })
      if (text !== null) all[all.length - 1] = text
    }
    return all
  }
  const value: object = new Proxy(AsyncFunction, {
    apply: (target, self, given) => Reflect.apply(target, self, body(given)),
    construct: (target, given, self): object => Reflect.construct(target, body(given), self === value ? target : self),
  })
  Object.defineProperty(AsyncFunction.prototype, 'constructor', { value, configurable: true })
}

/** Spaces would end the name. */
function unescaped(name: string): string {
  return name.replace(/%(?:20|09|0[AD])/gi, (code) => String.fromCharCode(parseInt(code.slice(1), 16)))
}
