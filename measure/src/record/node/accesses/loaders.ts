/**
 * Keeps this recorder's loader of modules the newest, and so the last that sees a file: a loader that the program
 * registers (`tsx`, for one) makes JavaScript of what is none.
 */
import Module from 'node:module'
import { given } from '../../given.ts'
import { rewriteModule, type Loaded } from './modules.ts'

interface SyncHooks {
  load?(url: string, context: object, next: (url: string, context: object) => Loaded): Loaded
}
type RegisterHooks = (hooks: SyncHooks) => { deregister(): void }

const module = Module as unknown as { register: (...args: unknown[]) => unknown; registerHooks?: RegisterHooks }

/** `nextFile` numbers the files that are rewritten in this thread. */
export function keepNewest(nextFile: () => number): void {
  const { register, registerHooks } = module
  let turn = 0
  let ours: { deregister(): void } | undefined
  const registerOurs = (which: number | 'off'): unknown =>
    Reflect.apply(register, Module, [new URL(`./loader.mjs?turn=${which}`, import.meta.url).href])
  registerOurs(++turn)
  after('register', () => ours === undefined && registerOurs(++turn))
  if (registerHooks === undefined) return
  const hooks: SyncHooks = { load: (url, context, next) => rewriteModule(next(url, context), url, nextFile) }
  // Hooks of this thread see a file after all loaders of the other thread.
  after('registerHooks', () => {
    if (ours === undefined) registerOurs('off')
    ours?.deregister()
    ours = Reflect.apply(registerHooks, Module, [hooks])
  })
}

/** Calls `then` after each call of the program's. */
function after(name: 'register' | 'registerHooks', then: () => void): void {
  const native = module[name] as (...args: unknown[]) => unknown
  const wrapped = {
    [name](this: unknown, ...args: unknown[]) {
      const result = Reflect.apply(native, this, args)
      then()
      return result
    },
  }[name]
  ;(module as any)[name] = Object.defineProperties(given(wrapped), Object.getOwnPropertyDescriptors(native))
}
