/**
 * The host's clock and timers in virtual time: `Date`, `performance.now`, `setTimeout`, `setInterval`,
 * `requestAnimationFrame`, for all code that runs while a simulation does. See simulate.ts.
 */
import { refuse } from '../core/arguments.ts'
import { DISPOSE } from '../core/dispose.ts'
import { NO_FUNCTION } from '../core/say.ts'
import { LONGEST, type Host } from '../core/host.ts'

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
  private readonly begin: (id: number) => void
  private readonly end: (id: number) => void
  private hasReference = true
  /** `begin` begins the timer anew, `end` clears it. */
  constructor(id: number, begin: (id: number) => void, end: (id: number) => void) {
    this.id = id
    this.begin = begin
    this.end = end
  }
  ref(): this {
    this.hasReference = true
    return this
  }
  unref(): this {
    this.hasReference = false
    return this
  }
  hasRef(): boolean {
    return this.hasReference
  }
  refresh(): this {
    this.begin(this.id)
    return this
  }
  close(): this {
    this.end(this.id)
    return this
  }
  [DISPOSE](): void {
    this.end(this.id)
  }
  [Symbol.toPrimitive](): number {
    return this.id
  }
}

/** Numbers of virtual timers. The host's own, which began before, are far below. */
const FIRST = 2 ** 40

/** As the host counts: what its 31 bits cannot hold, or is no number, is 1 ms. */
function delayOf(ms: unknown): number {
  const wait = Number(ms)
  return wait >= 1 && wait <= LONGEST ? wait : wait < 1 ? 0 : 1
}

/** `Date`, with `now` as the time. What was made by the host's own is a `Date`, too, and the other way round. */
function virtualDate(now: () => number): DateConstructor {
  const RealDate = Date
  const VirtualDate = function (...given: unknown[]): unknown {
    if (new.target === undefined) return new RealDate(now()).toString()
    const made = new.target === VirtualDate ? RealDate : new.target
    return Reflect.construct(RealDate, given.length === 0 ? [now()] : given, made)
  } as unknown as DateConstructor
  Object.defineProperties(VirtualDate, Object.getOwnPropertyDescriptors(RealDate))
  return Object.assign(VirtualDate, { now })
}

export function virtualGlobals(host: Host, epoch: number): VirtualGlobals {
  const g = globalThis as any
  const pending = new Map<number, Pending>()
  const inNode = typeof g.process?.versions?.node === 'string'
  let last = FIRST
  // `at` was made in the function that the program has called, so the second frame is the program's. Names tell nothing
  // in a bundle, and Safari leaves out functions that end with a call.
  const begin = (kind: string, f: (...args: any[]) => void, ms: number, args: () => unknown[], at: Error): unknown => {
    if (typeof f !== 'function') refuse(NO_FUNCTION, kind, f)
    const id = ++last
    const wait = Math.max(kind === 'setInterval' ? 1 : 0, delayOf(ms))
    const site = (at.stack ?? '').split('\n').filter((l) => /:\d+:\d+/.test(l))[1]
    const fire = (): void => {
      if (kind === 'setInterval') timer.handle = host.timer(fire, wait)
      else pending.delete(id)
      f(...args())
    }
    const timer: Pending = { kind, ms: wait, site: (site ?? '').trim(), handle: host.timer(fire, wait) }
    pending.set(id, timer)
    const again = (): void => {
      host.clear(timer.handle)
      timer.handle = host.timer(fire, wait)
      pending.set(id, timer)
    }
    return inNode ? new Handle(id, again, end) : id
  }
  const end = (id: number): void => {
    const timer = pending.get(id)
    if (timer === undefined) return
    pending.delete(id)
    host.clear(timer.handle)
  }
  /** One of the host's own, which began before the simulation, is cleared there. */
  const clearing =
    (real: typeof clearTimeout) =>
    (handle: unknown): void => {
      const id = handle instanceof Handle ? handle.id : /^(number|string)$/.test(typeof handle) ? Number(handle) : 0
      if (id > FIRST) end(id)
      else real(handle as number)
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
    return new Promise((done) =>
      begin(
        'setTimeout',
        () => done(value),
        ms,
        () => [],
        at,
      ),
    )
  }
  Object.assign(setTimeout, { [Symbol.for('nodejs.util.promisify.custom')]: promised })
  const VirtualDate = virtualDate(() => epoch + host.now())
  const put: [object: any, name: string, value: unknown][] = [
    [g, 'setTimeout', setTimeout],
    [g, 'setInterval', setInterval],
    [g, 'clearTimeout', clearing(g.clearTimeout)],
    [g, 'clearInterval', clearing(g.clearInterval)],
    [g, 'requestAnimationFrame', requestFrame],
    [g, 'cancelAnimationFrame', clearing(g.cancelAnimationFrame)],
    [g, 'Date', VirtualDate],
    [Date.prototype, 'constructor', VirtualDate],
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
