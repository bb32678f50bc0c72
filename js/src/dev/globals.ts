/**
 * The host's clock and timers in virtual time: `Date`, `performance.now`, `setTimeout`, `setInterval`,
 * `requestAnimationFrame`, for all code that runs while a simulation does. See simulate.ts.
 */
import type { Host } from '../core/host.ts'

/** A timer that has not fired. */
interface Pending {
  kind: string
  ms: number
  site: string
  handle: unknown
}

export interface VirtualGlobals {
  /** Timers that have not fired, with the place that began each. */
  unfinished(): string[]
  undo(): void
}

/** What a timer of Node has beside its number. */
class Handle {
  readonly id: number
  constructor(id: number) {
    this.id = id
  }
  ref(): this {
    return this
  }
  unref(): this {
    return this
  }
  hasRef(): boolean {
    return true
  }
  [Symbol.toPrimitive](): number {
    return this.id
  }
}

export function virtualGlobals(host: Host, epoch: number): VirtualGlobals {
  const g = globalThis as any
  const pending = new Map<number, Pending>()
  const inNode = typeof g.process?.versions?.node === 'string'
  let last = 0
  // `at` was made in the function that the program has called, so the second frame is the program's. Names tell nothing
  // in a bundle, and Safari leaves out functions that end with a call.
  const begin = (kind: string, f: (...args: any[]) => void, ms: number, args: () => unknown[], at: Error): unknown => {
    const id = ++last
    const wait = Math.max(kind === 'setInterval' ? 1 : 0, Number(ms) || 0)
    const site = (at.stack ?? '').split('\n').filter((l) => /:\d+:\d+/.test(l))[1]
    const fire = (): void => {
      if (kind === 'setInterval') timer.handle = host.timer(fire, wait)
      else pending.delete(id)
      f(...args())
    }
    const timer: Pending = { kind, ms: wait, site: (site ?? '').trim(), handle: host.timer(fire, wait) }
    pending.set(id, timer)
    return inNode ? new Handle(id) : id
  }
  const clear = (handle: unknown): void => {
    const timer = pending.get(Number(handle as number))
    if (timer === undefined) return
    pending.delete(Number(handle as number))
    host.clear(timer.handle)
  }
  const setTimeout = (f: () => void, ms = 0, ...args: unknown[]): unknown =>
    begin('setTimeout', f, ms, () => args, new Error())
  const setInterval = (f: () => void, ms = 0, ...args: unknown[]): unknown =>
    begin('setInterval', f, ms, () => args, new Error())
  const requestFrame = (f: () => void): unknown =>
    begin('requestAnimationFrame', f, 16, () => [host.now()], new Error())
  // util.promisify(setTimeout) returns this function in Node.
  const promised = (ms: number, value: unknown): Promise<unknown> => {
    const at = new Error()
    return new Promise((done) => begin('setTimeout', () => done(value), ms, () => [], at))
  }
  Object.assign(setTimeout, { [Symbol.for('nodejs.util.promisify.custom')]: promised })
  const RealDate = Date
  class VirtualDate extends RealDate {
    constructor(...args: []) {
      if (args.length === 0) super(epoch + host.now())
      else super(...args)
    }
    static override now(): number {
      return epoch + host.now()
    }
  }
  const put: [object: any, name: string, value: unknown][] = [
    [g, 'setTimeout', setTimeout],
    [g, 'setInterval', setInterval],
    [g, 'clearTimeout', clear],
    [g, 'clearInterval', clear],
    [g, 'requestAnimationFrame', requestFrame],
    [g, 'cancelAnimationFrame', clear],
    [g, 'Date', VirtualDate],
    [g.performance, 'now', () => host.now()],
  ]
  const undo = put.flatMap(([object, name, value]) => {
    if (typeof object?.[name] !== 'function') return []
    const own = Object.getOwnPropertyDescriptor(object, name)
    Object.defineProperty(object, name, {
      value,
      configurable: true,
      writable: true,
      enumerable: own?.enumerable ?? false,
    })
    return [() => void (own === undefined ? delete object[name] : Object.defineProperty(object, name, own))]
  })
  return {
    unfinished: () => [...pending.values()].map((t) => `${t.kind}(${t.ms})${t.site === '' ? '' : ` ${t.site}`}`),
    undo: () => undo.forEach((f) => f()),
  }
}
