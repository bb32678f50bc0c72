/** What the run loop needs of the world: the real one here, a simulated one in dev/explore.ts. */
export interface Host {
  /** Runs `f` as soon as the running script has ended. */
  soon(f: () => void): void
  /** Runs `f` after the host's event loop has had a turn. */
  later(f: () => void): void
  now(): number
  /** Runs `f` once after `ms` milliseconds, which may be Infinity. */
  timer(f: () => void, ms: number): unknown
  clear(handle: unknown): void
  /** A timer that does not keep the process alive. Hosts whose time is not real have none. */
  remind?(f: () => void, ms: number): void
  /** An activity failed and nobody has asked for its result: the returned promise makes the host report it. */
  unhandled(error: unknown): Promise<never>
}

// Taken at load, so that `enforce()` can hold back everybody's timers but ours.
const setTimer = globalThis.setTimeout
const clearTimer = globalThis.clearTimeout
const immediate: ((f: () => void) => unknown) | undefined = (
  globalThis as { setImmediate?: (f: () => void) => unknown }
).setImmediate
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

/** The host's timers count milliseconds in 31 bits; what is longer would fire at once. */
const LONGEST = 2 ** 31 - 1

/** A timer of any length, also an infinite one, which keeps the process alive and never fires. */
class LongTimer {
  private handle: unknown = undefined
  private left: number
  private readonly run: () => void

  constructor(run: () => void, ms: number) {
    this.run = run
    this.left = ms
    this.arm()
  }

  private arm(): void {
    const next = Math.min(this.left, LONGEST)
    this.left -= next
    this.handle = setTimer(() => (this.left > 0 ? this.arm() : this.run()), next)
  }

  clear(): void {
    clearTimer(this.handle as number)
  }
}

/** A timer of the test framework's fake clock, where one is installed (Vitest, Jest, Sinon). */
class FakeTimer {
  private readonly handle: unknown
  private readonly clearFake: (handle: any) => void = globalThis.clearTimeout

  constructor(run: () => void, ms: number) {
    this.handle = globalThis.setTimeout(run, ms)
  }

  clear(): void {
    this.clearFake(this.handle)
  }
}

const isFaked = (): boolean => 'clock' in globalThis.setTimeout

export const realHost: Host = {
  soon: (f) => void then.call(resolved, f),
  later: (f) => void (hop ??= immediate ?? channelHop())(f),
  now: () => performance.now(),
  timer: (f, ms) => (isFaked() ? new FakeTimer(f, ms) : ms > LONGEST ? new LongTimer(f, ms) : setTimer(f, ms)),
  clear: (handle) =>
    handle instanceof LongTimer || handle instanceof FakeTimer ? handle.clear() : clearTimer(handle as number),
  remind: (f, ms) => void (setTimer(f, ms) as { unref?: () => void }).unref?.(),
  unhandled: (error) => Promise.reject(error),
}
