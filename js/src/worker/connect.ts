/** `connect` is the caller's side: it makes activity functions of a worker's functions. */
import { asyncFn } from '../core/asyncFn.ts'
import type { Call } from '../core/call.ts'
import { DISPOSE } from '../core/dispose.ts'
import { isCancelled } from '../scope/errors.ts'
import { noncancellable } from '../scope/finish.ts'
import type { Result } from '../ops/items.ts'
import { waitFor } from '../wait/waitFor.ts'
import { checkPort, listen, transfersOf, unpacked, type Message, type Port } from './protocol.ts'

/** The functions of the other side, as they are called from here. */
export type Remote<H> = {
  readonly [K in keyof H]: H[K] extends (...args: infer A) => infer R ? (...args: A) => Call<Result<R>> : never
} & Disposable

interface Reply {
  resolve(value: unknown): void
  reject(error: unknown): void
}

/**
 * The number of the last call. Several connections may have one port, and hear the answers of all: so each call has a
 * number of its own, and copies of the library begin with numbers that are far from one another's.
 */
let last = Math.floor(Math.random() * 2 ** 21) * 2 ** 31

class Link {
  private readonly replies = new Map<number, Reply>()
  private readonly port: Port
  private broken: Error | undefined
  readonly close: () => void

  constructor(port: Port) {
    this.port = port
    const stop = listen(
      port,
      (message) => this.answered(message),
      (error) => this.fail(error),
    )
    this.close = () => {
      stop()
      this.fail(new Error('the connection to the worker was closed'))
    }
  }

  private answered(message: Message): void {
    const reply = this.replies.get(message.id)
    this.replies.delete(message.id)
    if (message.charcoal === 'result') reply?.resolve(message.value)
    else if (message.charcoal === 'error') reply?.reject(unpacked(message.error))
  }

  private fail(error: Error): void {
    this.broken ??= error
    for (const reply of this.replies.values()) reply.reject(error)
    this.replies.clear()
  }

  /** Sends the call; the promise is of its result. */
  send(name: string, args: unknown[]): { id: number; reply: Promise<unknown> } {
    if (this.broken !== undefined) throw this.broken
    const id = ++last
    this.port.postMessage({ charcoal: 'call', id, name, args } satisfies Message, transfersOf(args))
    return { id, reply: new Promise((resolve, reject) => this.replies.set(id, { resolve, reject })) }
  }

  cancel(id: number, reason: string): void {
    if (this.replies.has(id)) this.port.postMessage({ charcoal: 'cancel', id, reason } satisfies Message)
  }
}

const call = asyncFn(function* remote(link: Link, name: string, args: unknown[]): Generator<unknown, unknown, any> {
  const { id, reply } = link.send(name, args)
  try {
    return yield* waitFor(reply)
  } catch (error) {
    if (!isCancelled(error)) throw error
    link.cancel(id, error.message)
    // The call ends in this thread when it has ended in the worker.
    yield* noncancellable(waitFor(reply.then(ignore, ignore)))
    throw error
  }
})
const ignore = (): void => {}

/**
 * The functions that a worker serves (`new Worker(…)` of the web or of Node, or a `MessagePort`), to be called like
 * activity functions: with `yield*`, or with `await`. A cancel goes over to the worker, and the call ends when it has
 * ended there. If the worker breaks, all calls fail. Arguments and results are copied; see `transfer`.
 *
 * @example
 * const { port1, port2 } = new MessageChannel()
 * serve({ *slow() { try { yield* sleep(10_000) } finally { console.log('stopped') } } }, port1)
 * using there = connect<{ slow(): void }>(port2)
 * yield* timeout(200, there.slow(), () => console.log('too late'))  // → stopped
 * port1.close()                                                   // → too late
 */
export function connect<H>(port: Port): Remote<H> {
  checkPort('connect', port)
  const link = new Link(port)
  const functions = new Map<string, unknown>()
  return new Proxy({} as any, {
    get(target, name) {
      if (name === DISPOSE) return link.close
      // It is no promise, and whoever looks at it, or writes it into a log, calls nothing there.
      if (typeof name === 'symbol' || name === 'then' || name === 'toJSON' || name in target) return target[name]
      if (!functions.has(name)) functions.set(name, (...args: unknown[]) => call(link, name, args))
      return functions.get(name)
    },
  })
}
