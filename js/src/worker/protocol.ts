/**
 * The protocol says which messages go between a caller and a worker, through web workers, ports or Node's
 * worker_threads.
 */

import { checkMethod } from '../core/arguments.ts'

/** Something that messages can be sent to and received from. */
export interface Port {
  postMessage(message: unknown, transfer?: any): void
}

export function checkPort(who: string, port: unknown): void {
  checkMethod(who, 'a Worker or a MessagePort', port, 'postMessage')
}

export type Message =
  | { charcoal: 'call'; id: number; name: string; args: unknown[] }
  | { charcoal: 'cancel'; id: number; reason: string }
  | { charcoal: 'result'; id: number; value: unknown }
  | { charcoal: 'error'; id: number; error: unknown }

type Listener = (message: any) => void

interface Emitter {
  on(event: string, f: Listener): unknown
  off(event: string, f: Listener): unknown
}

/** Calls `f` with each message; the result ends that. `broken` is called when the other end is gone, as `ends` say. */
export function listen(
  port: Port,
  f: (message: Message) => void,
  broken: (error: Error) => void,
  ends: string[] = ['error', 'exit', 'close'],
): () => void {
  const ours = (data: any): void => {
    if (typeof data === 'object' && data !== null && typeof data.charcoal === 'string') f(data)
  }
  const gone = (why: unknown): void => {
    if (why instanceof Error) broken(why)
    else {
      const { message = typeof why === 'number' ? `exit code ${why}` : 'closed' } = Object(why) as {
        message?: string
      }
      broken(new Error(`the worker has ended: ${message}`))
    }
  }
  if ('on' in port) {
    const emitter = port as unknown as Emitter
    const events: [string, Listener][] = [['message', ours], ...ends.map((end): [string, Listener] => [end, gone])]
    for (const [name, listener] of events) emitter.on(name, listener)
    return () => events.forEach(([name, listener]) => emitter.off(name, listener))
  }
  const target = port as unknown as EventTarget & { start?(): void }
  const message = (event: Event): void => ours((event as MessageEvent).data)
  const events: [string, Listener][] = [['message', message], ...ends.map((end): [string, Listener] => [end, gone])]
  for (const [name, listener] of events) target.addEventListener(name, listener)
  target.start?.()
  return () => events.forEach(([name, listener]) => target.removeEventListener(name, listener))
}

const transfers = new WeakMap<object, unknown[]>()

/**
 * Marks an argument or a result of a call between workers: these objects (buffers, ports, streams) move to the other
 * side instead of being copied.
 *
 * @example
 * const bytes = new Uint8Array([1, 2, 3])
 * console.log(transfer(bytes, [bytes.buffer]) === bytes)  // → true
 */
export function transfer<T extends object>(value: T, objects: unknown[]): T {
  transfers.set(value, objects)
  return value
}

export function transfersOf(values: unknown[]): unknown[] {
  return values.flatMap((value) => (typeof value === 'object' && value !== null ? (transfers.get(value) ?? []) : []))
}

/** What was thrown; an error in a form that can be copied, whatever it has in it. */
export function packed(error: unknown): unknown {
  if (!(error instanceof Error)) return { thrown: error }
  const { name, message, stack, code } = error as Error & { code?: unknown }
  return { error: { name, message, stack, ...(typeof code === 'string' && { code }) } }
}

export function unpacked(what: any): unknown {
  if (!('error' in what)) return what.thrown
  const { name, message, stack, ...rest } = what.error as Error
  return Object.assign(new Error(message), { name, stack }, rest)
}
