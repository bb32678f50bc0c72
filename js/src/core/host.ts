/** What the run loop needs of the world: the real one here, a simulated one in dev/explore.ts. */
export interface Host {
  /** Runs `f` as soon as the running script has ended. */
  soon(f: () => void): void
  /** Runs `f` after the host's event loop has had a turn. */
  later(f: () => void): void
  now(): number
  timer(f: () => void, ms: number): unknown
  clear(handle: unknown): void
  /** An activity failed and nobody has asked for its result: the returned promise makes the host report it. */
  unhandled(error: unknown): Promise<never>
}

// Taken at load, so that `enforce()` can hold back everybody's timers but ours.
const setTimer = globalThis.setTimeout
const clearTimer = globalThis.clearTimeout
const immediate: ((f: () => void) => unknown) | undefined = (globalThis as { setImmediate?: (f: () => void) => unknown }).setImmediate
const resolved = Promise.resolve()
/** `then` as it was at load. */
export const then = Promise.prototype.then

export function channelHop(): (f: () => void) => void {
  const { port1, port2 } = new MessageChannel()
  const waiting: (() => void)[] = []
  port1.onmessage = () => waiting.shift()!()
  return (f) => {
    waiting.push(f)
    port2.postMessage(0)
  }
}

let hop: ((f: () => void) => void) | undefined

export const realHost: Host = {
  soon: (f) => void then.call(resolved, f),
  later: (f) => void (hop ??= immediate ?? channelHop())(f),
  now: () => performance.now(),
  timer: (f, ms) => setTimer(f, ms),
  clear: (handle) => clearTimer(handle as number),
  unhandled: (error) => Promise.reject(error),
}
