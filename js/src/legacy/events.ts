/**
 * Events of the host as clauses: `once(target, 'click')` for an EventTarget, `once(emitter, 'data')` for a Node
 * EventEmitter, whose `error` event fails the wait. The listener exists only while the wait does.
 */
import { checkMethod } from '../core/arguments.ts'
import { abortable, type WaitOptions } from '../wait/abortable.ts'
import { Clause } from '../wait/clause.ts'
import { pass } from './pass.ts'
import { noteOurs } from '../core/current.ts'

/** What `once` needs of an EventEmitter. */
export interface EmitterLike {
  on(name: any, listener: (...args: any[]) => void): unknown
  off(name: any, listener: (...args: any[]) => void): unknown
}

class TargetEvent extends Clause<Event> {
  private readonly target: EventTarget
  private readonly type: string
  private readonly listener = (event: Event): void => {
    noteOurs()
    this.withdraw()
    this.fireFromHost(event)
  }
  constructor(target: EventTarget, type: string) {
    super()
    this.target = target
    this.type = type
  }
  poll(): boolean {
    return false
  }
  override register(): void {
    this.target.addEventListener(this.type, pass(this.listener))
  }
  override withdraw(): void {
    this.target.removeEventListener(this.type, this.listener)
  }
  override get outside(): 2 {
    return 2
  }
  describe(): string {
    return `event ${this.type}`
  }
}

class EmitterEvent extends Clause<any[]> {
  private readonly emitter: EmitterLike
  private readonly type: string | symbol
  /** An emitter calls a listener that was taken off while it calls others. */
  private waits = false
  private readonly listener = (...args: unknown[]): void => {
    noteOurs()
    if (!this.waits) return
    this.withdraw()
    this.fireFromHost(args)
  }
  private readonly onError = (error: unknown): void => {
    noteOurs()
    if (!this.waits) return
    this.withdraw()
    this.failFromHost(error)
  }
  constructor(emitter: EmitterLike, type: string | symbol) {
    super()
    this.emitter = emitter
    this.type = type
  }
  poll(): boolean {
    return false
  }
  override register(): void {
    this.waits = true
    this.emitter.on(this.type, this.listener)
    if (this.type !== 'error') this.emitter.on('error', this.onError)
  }
  override withdraw(): void {
    this.waits = false
    this.emitter.off(this.type, this.listener)
    if (this.type !== 'error') this.emitter.off('error', this.onError)
  }
  override get outside(): 2 {
    return 2
  }
  describe(): string {
    return `event ${String(this.type)}`
  }
}

/** What the handler property of a target (`onclick`) says of its events. */
type EventOf<T, K extends string> = T extends { [P in `on${K}`]?: ((this: any, event: infer E) => any) | null }
  ? E
  : Event

/**
 * The next event: an `Event` from an EventTarget, the arguments from an EventEmitter. An `error` event fails the wait.
 * The listener exists only while the wait does. So an event that is sent in the same turn, before the wait has begun,
 * goes by: let another activity wait first, and send it then.
 *
 * @example
 * const target = new EventTarget()
 * setTimeout(() => target.dispatchEvent(new Event('ready')), 1)
 * console.log((yield* once(target, 'ready')).type)  // → ready
 */
export function once<T extends EventTarget, K extends string>(
  target: T,
  type: K,
  options?: WaitOptions,
): Clause<EventOf<T, K>>
export function once<A extends unknown[] = any[]>(
  emitter: EmitterLike,
  type: string | symbol,
  options?: WaitOptions,
): Clause<A>
export function once(source: EventTarget | EmitterLike, type: string | symbol, options?: WaitOptions): unknown {
  return abortable('once', eventOf(source, type), options)
}

function eventOf(source: EventTarget | EmitterLike, type: string | symbol): Clause<unknown> {
  if (typeof (source as EventTarget | null | undefined)?.addEventListener === 'function')
    return new TargetEvent(source as EventTarget, type as string)
  checkMethod('once', 'an EventTarget or an EventEmitter', source, 'on')
  return new EmitterEvent(source as EmitterLike, type)
}
