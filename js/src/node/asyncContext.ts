/**
 * AsyncLocalStorage goes with activities as it goes with native `async` functions: an activity has the stores of who
 * spawned it, whoever wakes it; a call made inside `storage.run` has those of that run; what `enterWith` enters stays.
 * Node, Bun, Deno.
 *
 * A program without AsyncLocalStorage pays nothing: it is used from the first call of `run` or `enterWith`, which are
 * wrapped to see that. From then on one of ours says which atomic block set the running code in motion.
 */
import { contextChanged, useContexts, type AsyncContext } from '../core/asyncContext.ts'
import type { Block } from '../core/types.ts'

interface AsyncHooks {
  AsyncLocalStorage: {
    new (): { getStore(): Block | undefined }
    prototype: Record<'run' | 'enterWith', (this: unknown, ...args: any[]) => unknown>
  }
  AsyncResource: new (type: string) => AsyncContext
}

declare const $require: ((name: string) => unknown) | undefined

const host = (globalThis as { process?: { getBuiltinModule?: (name: string) => unknown } }).process
// Node 18 has no getBuiltinModule; there the library is CommonJS, and the build gives it `require`.
const hooks = (host?.getBuiltinModule ?? (typeof $require === 'function' ? $require : undefined))?.(
  'node:async_hooks',
) as AsyncHooks | undefined

if (hooks !== undefined) {
  const { AsyncLocalStorage, AsyncResource } = hooks
  const { prototype } = AsyncLocalStorage
  const { run, enterWith } = prototype
  let used = false
  let running = 0 // how many calls of `run` are on the stack
  prototype.run = function (...args) {
    used = true
    running++
    try {
      return run.apply(this, args)
    } finally {
      running--
    }
  }
  prototype.enterWith = function (...args) {
    used = true
    const result = enterWith.apply(this, args)
    contextChanged()
    return result
  }
  const present = (): AsyncContext => new AsyncResource('charcoal')
  const blocks = new AsyncLocalStorage()
  const inside = (block: Block): AsyncContext => {
    block.noted = true
    enterWith.call(blocks, block)
    return present()
  }
  useContexts({
    present: () => (used ? present() : null),
    entered: () => (running > 0 ? present() : undefined),
    opened(branch, block, runs) {
      if (!used) return
      const { context } = branch
      branch.context = runs || context === null ? inside(block) : context.runInAsyncScope(inside, null, block)
    },
    block: () => (used ? (blocks.getStore() ?? null) : null),
  })
}
