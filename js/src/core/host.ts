/** A host is what the run loop needs of the world. The real one stands here, a simulated one in dev/simulate.ts. */
export interface Host {
  /** Runs `f` as soon as the running script has ended. */
  soon(f: () => void): void
  /** Runs `f` after the host's event loop has had a turn. */
  later(f: () => void): void
  now(): number
  /** Its time is real. Its timers are those of the realm, and are shared (see sync/alarm.ts). */
  readonly real?: true
  /** Runs `f` once after `ms` milliseconds; a host whose time is not real takes any number, also Infinity. */
  timer(f: () => void, ms: number): unknown
  clear(handle: unknown): void
  /** A timer that does not keep the process alive. Hosts whose time is not real have none. */
  remind?(f: () => void, ms: number): void
  /** An activity failed and nobody has asked for its result: the returned promise makes the host report it. */
  unhandled(error: unknown): Promise<never>
}

// Taken at load, so that `enforce()` can hold back everybody's timers but ours.
export const setTimer = globalThis.setTimeout
export const clearTimer = globalThis.clearTimeout
/** The clock of the timers, also while a simulation or a test framework has put another in its place. */
export const realNow: () => number = /* @__PURE__ */ performance.now.bind(performance)
const immediate: ((f: () => void) => unknown) | undefined = (
  globalThis as { setImmediate?: (f: () => void) => unknown }
).setImmediate
const resolved = Promise.resolve()
/** The class of promises, and its `then`, as they were at load. Others, zone.js for one, put theirs in the place. */
export const NativePromise = Promise
export const then = NativePromise.prototype.then

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

/** The host's timers count milliseconds in 31 bits; what is longer would fire at once. */
export const LONGEST = 0x7fff_ffff

/** Runs `f` as soon as the running script, and the jobs that wait, have ended. */
export function soon(f: () => void): void {
  void then.call(resolved, f)
}

export const realHost: Host = {
  soon,
  later: (f) => void (hop ??= immediate ?? channelHop())(f),
  now: () => performance.now(),
  real: true,
  timer: (f, ms) => setTimer(f, ms),
  clear: (handle) => clearTimer(handle as number),
  remind: (f, ms) => void (setTimer(f, ms) as { unref?: () => void }).unref?.(),
  unhandled: (error) => Promise.reject(error),
}
