/**
 * AsyncLocalStorage goes with activities as it goes with native `async` functions: an activity has the stores of who
 * spawned it, whoever wakes it; a call, or an operation such as `lock.with(f)`, that is made inside `storage.run`,
 * `storage.exit`, or a function that was bound to a context (`snapshot`, `AsyncResource`) has those of there; what
 * `enterWith` enters stays, until the end of such a function if it was called in one. Node, Bun, Deno, and Cloudflare's
 * workerd with the flag `nodejs_compat`.
 *
 * A program without AsyncLocalStorage pays nothing: it is used from the first call of `run` or `enterWith`, which are
 * wrapped to see that, or from the beginning, if this is loaded where there is a store. From then on one of ours says
 * which atomic block set the running code in motion.
 */
import {
  contextChanged,
  isElsewhere,
  setElsewhere,
  useContexts,
  type AsyncContext,
  type AsyncContexts,
} from '../core/asyncContext.ts'
import { branchesOf } from '../core/branchesOf.ts'
import { domain } from '../core/current.ts'
import { useMade } from '../core/steps.ts'
import type { Block, Branch } from '../core/types.ts'

interface AsyncHooks {
  AsyncLocalStorage: {
    new (): { getStore(): Block | undefined }
    prototype: Record<'run' | 'exit' | 'enterWith', Method> & { [SHARED]?: Shared }
    bind?: (f?: Method) => Method
    snapshot?: (f?: Method) => Method
  }
  AsyncResource: {
    new (type: string): AsyncContext
    prototype: AsyncContext & Record<'runInAsyncScope', Method>
  }
}

type Method = (this: unknown, ...args: any[]) => unknown

declare const $require: ((name: string) => unknown) | undefined

/**
 * Each step of `op` runs in `context`. In programs that start no activities this does what `Domain.within` does, which
 * a lock alone is not to take along.
 */
function* stepwise(op: Generator<unknown, any, any>, context: AsyncContext): Generator<unknown, any, any> {
  let step = context.runInAsyncScope(op.next, op)
  while (!step.done) {
    let answer: unknown
    try {
      answer = yield step.value
    } catch (error) {
      step = context.runInAsyncScope(op.throw, op, error)
      continue
    }
    step = context.runInAsyncScope(op.next, op, answer)
  }
  return step.value
}

const host = (globalThis as { process?: { getBuiltinModule?: (name: string) => unknown } }).process
// Node 18 has no getBuiltinModule; there the library is CommonJS, and the build gives it `require`.
const hooks = (host?.getBuiltinModule ?? (typeof $require === 'function' ? $require : undefined))?.(
  'node:async_hooks',
) as AsyncHooks | undefined

/** What a copy of the library is told of the program's contexts. */
interface Copy {
  /** A function begins that enters another context; `isUse`: and keeps a store there. */
  enters(isUse: boolean): void
  left(): void
  /** The program is about to enter a store for good, and then has. */
  uses(): void
  changed(): void
}

/**
 * The host's functions, which all copies of the library in the process share, in whatever realm: they are replaced
 * once, and tell the copies.
 */
interface Shared {
  readonly run: Method
  readonly enterWith: Method
  readonly runInAsyncScope: AsyncContext['runInAsyncScope']
  readonly copies: Copy[]
}

const SHARED = Symbol.for('charcoal.contexts.1')

function replaced({ AsyncLocalStorage, AsyncResource }: AsyncHooks): Shared {
  const { prototype } = AsyncLocalStorage
  const { enterWith, run } = prototype
  const { runInAsyncScope } = AsyncResource.prototype
  const copies: Copy[] = []
  let running = 0
  const entering = (f: Method, isUse: boolean): Method =>
    function (...args) {
      for (let i = 0; i < copies.length; i++) copies[i].enters(isUse)
      running++
      try {
        return f.apply(this, args)
      } finally {
        running--
        for (let i = 0; i < copies.length; i++) copies[i].left()
      }
    }
  const entersRun = entering(run, true)
  // Node 24 enters and leaves the store of `run` by `enterWith`: that is not the program's, and ends with the function.
  let byHost = false
  prototype.run = function (store, f: Method, ...args) {
    const before = byHost
    const inner = (): unknown => {
      byHost = false
      try {
        return f.apply(null, args)
      } finally {
        byHost = true
      }
    }
    byHost = true
    try {
      return entersRun.call(this, store, inner)
    } finally {
      byHost = before
    }
  }
  prototype.exit = entering(prototype.exit, false)
  AsyncResource.prototype.runInAsyncScope = entering(runInAsyncScope, false) as never
  // In Bun a bound function enters its context without an AsyncResource.
  if (AsyncLocalStorage.bind?.(() => running)() === 0)
    for (const name of ['bind', 'snapshot'] as const) {
      const bind = AsyncLocalStorage[name]!
      AsyncLocalStorage[name] = (f) => entering(bind.call(AsyncLocalStorage, f), false)
    }
  prototype.enterWith = function (...args) {
    if (byHost) return enterWith.apply(this, args)
    for (const copy of copies) copy.uses()
    const result = enterWith.apply(this, args)
    for (const copy of copies) copy.changed()
    return result
  }
  const shared: Shared = { run, enterWith, runInAsyncScope, copies }
  Object.defineProperty(prototype, SHARED, { value: shared })
  return shared
}

if (hooks !== undefined) {
  const { AsyncLocalStorage, AsyncResource } = hooks
  const { run, enterWith, runInAsyncScope, copies } = AsyncLocalStorage.prototype[SHARED] ?? replaced(hooks)
  let used = false
  /** Programs that keep no contexts are spared the question what they keep. */
  const use = (): void => {
    if (used) return
    used = true
    useContexts({ present, unshare, inherit, entered, opened, block: () => blocks.getStore() ?? null })
    // Nothing was kept until now, so all branches that live have the context of now, whoever wakes them.
    for (let activity = domain.live ?? null; activity !== null; activity = activity.prev)
      for (const branch of branchesOf(activity)) branch.context ??= present()
  }
  /** The calls on the stack of functions that enter another context: who has made each, and in which context. */
  const running: (Branch | null)[] = []
  const before: (AsyncContext | null | undefined)[] = []
  let sharing: Parameters<AsyncContexts['unshare']>[0][] = []
  // In Node 20 `run` changes the context that is there until it ends, so that it can be copied only then.
  const unshare: AsyncContexts['unshare'] = (owner) => {
    if (running.length > 0) sharing.push(owner)
    else if (owner.context) owner.context = owner.context.runInAsyncScope(present, null)
  }
  const inherit: AsyncContexts['inherit'] = (call) => {
    if (call.context !== undefined || domain.current === null) return
    call.context = domain.current.context
    unshare(call)
  }
  const unshareAll = (): void => {
    const owners = sharing
    sharing = []
    owners.forEach(unshare)
  }
  const look = (): void => setElsewhere(used && running.length > 0)
  const copy: Copy = {
    enters(isUse) {
      if (isUse) use()
      const branch = domain.current
      running.push(branch)
      before.push(branch?.context)
      look()
    },
    left() {
      const branch = running.pop()
      const context = before.pop()
      if (branch === undefined) return // it had begun before the copy was loaded
      look()
      if (running.length === 0 && sharing.length > 0) unshareAll()
      // What `enterWith` has entered inside has ended mostly, but not if the function has entered nothing itself.
      if (branch !== null && branch.context !== context) branch.context = present()
    },
    uses() {
      use()
      look()
    },
    changed: contextChanged,
  }
  copies.push(copy)
  /** The run loop enters contexts all the time, which says nothing of the program. */
  class Kept extends AsyncResource {}
  Kept.prototype.runInAsyncScope = runInAsyncScope as never
  const present = (): AsyncContext => new Kept('charcoal')
  const entered = (): AsyncContext | undefined => (isElsewhere ? present() : undefined)
  const blocks = new AsyncLocalStorage()
  let canEnter = true // workerd has no `enterWith`; there code belongs to its block only after its next wait
  const inside = (block: Block): AsyncContext => {
    block.noted = true
    try {
      if (canEnter) enterWith.call(blocks, block)
    } catch {
      canEnter = false
    }
    return canEnter ? present() : (run.call(blocks, block, present) as AsyncContext)
  }
  const opened = (branch: Branch, block: Block, runs: boolean): void => {
    const { context } = branch
    branch.context = runs || context === null ? inside(block) : context.runInAsyncScope(inside, null, block)
  }
  useMade((op) => {
    const context = entered()
    return context === undefined ? op : (domain.within?.(op, context) ?? stepwise(op, context))
  })
  if (hasStores(present())) use()
}

/** A module that is loaded late may be loaded where a store is kept already: resources have them beside their ids. */
function hasStores(context: object): boolean {
  const parts = Object.getOwnPropertySymbols(context).map((key) => (context as Record<symbol, unknown>)[key])
  return parts.some((part) => part !== undefined && typeof part !== 'number')
}
