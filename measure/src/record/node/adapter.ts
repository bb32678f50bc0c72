/**
 * The one place that knows `async_hooks.createHook`, whose documentation recommends other means (nodejs/node#45335),
 * none of which tells when a callback runs. What the recorder needs: a resource is made, is about to run, has run; a
 * promise was settled.
 */
import { createHook, executionAsyncId } from 'node:async_hooks'

export interface Watcher {
  made(id: number, type: string, trigger: number, resource: object): void
  before(id: number): void
  after(id: number): void
  settled(id: number): void
}

/** Calls `watcher` from now on, in this thread. The result stops it. */
export function watch(watcher: Watcher): () => void {
  const hook = createHook({
    init: (id, type, trigger, resource) => watcher.made(id, type, trigger, resource),
    before: (id) => watcher.before(id),
    after: (id) => watcher.after(id),
    promiseResolve: (id) => watcher.settled(id),
  })
  hook.enable()
  return () => void hook.disable()
}

/** 0 when no callback of the event loop is running. */
export const running = executionAsyncId
