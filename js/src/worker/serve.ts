/** `serve` is the worker's side: it offers functions that other threads may call. */
import type { Activity } from '../core/activity.ts'
import { spawn } from '../core/spawn.ts'
import { operationOf } from '../ops/items.ts'
import { checkPort, listen, packed, transfersOf, type Message, type Port } from './protocol.ts'

/** The functions that `serve` lets other threads call. */
export type Handlers = Record<string, (...args: any[]) => unknown>

/**
 * Lets whoever has the other end of `port` call these functions; by default, whoever has made this worker. Each call
 * runs as an activity, which is cancelled when the caller is, or when the port is closed; `signal()` tells what should
 * stop with it. The result ends that.
 *
 * @example
 * const { port1, port2 } = new MessageChannel()
 * const stop = serve({ *add(a: number, b: number) { yield* sleep(1); return a + b } }, port1)
 * const there = connect<{ add(a: number, b: number): number }>(port2)
 * console.log(yield* there.add(1, 2))  // → 3
 * stop()
 * port1.close()
 */
export function serve(handlers: Handlers, port: Port = parent()): () => void {
  checkPort('serve', port)
  const mine = { handlers }
  const all = served.get(port) ?? new Set()
  served.set(port, all.add(mine))
  const running = new Map<number, Activity<unknown>>()
  const answer = (message: Message, transfer: unknown[] = []): void => port.postMessage(message, transfer)
  const refuse = (id: number, name: string, error: unknown): void => {
    try {
      answer({ charcoal: 'error', id, error: packed(error) })
    } catch {
      const what = Object.prototype.toString.call(error)
      const why = new TypeError(`the worker's ${name} threw ${what}, which cannot be copied; throw an Error`)
      answer({ charcoal: 'error', id, error: packed(why) })
    }
  }
  const cancelAll = (why: string): void => {
    for (const activity of running.values()) activity.cancel(why)
  }
  const call = async (id: number, name: string, args: unknown[]): Promise<void> => {
    try {
      if (!Object.hasOwn(handlers, name)) throw new TypeError(`the worker has no function ${name}`)
      const activity: Activity<unknown> = spawn(() => operationOf(() => handlers[name](...args)), { name })
      running.set(id, activity)
      const value = await activity
      answer({ charcoal: 'result', id, value }, transfersOf([value]))
    } catch (error) {
      refuse(id, name, error)
    } finally {
      running.delete(id)
    }
  }
  const stop = listen(
    port,
    (message) => {
      if (message.charcoal === 'call' && mine === whoAnswers(all, message.name))
        void call(message.id, message.name, message.args)
      else if (message.charcoal === 'cancel') running.get(message.id)?.cancel(message.reason)
    },
    () => cancelAll('the caller has closed the port'),
    ['close'],
  )
  return () => {
    stop()
    all.delete(mine)
    cancelAll('the worker serves no longer')
  }
}

/** What is served at each port: the modules of a worker may serve their own functions. */
const served = new WeakMap<Port, Set<{ handlers: Handlers }>>()

/** Who has the function; of several who have none of that name, one says so. */
function whoAnswers(all: Set<{ handlers: Handlers }>, name: string): { handlers: Handlers } {
  const list = [...all]
  return list.find(({ handlers }) => Object.hasOwn(handlers, name)) ?? list[0]
}

/** Who has made this worker. */
function parent(): Port {
  const { process, WorkerGlobalScope } = globalThis as any
  if (WorkerGlobalScope !== undefined) return globalThis as unknown as Port
  const port = process?.getBuiltinModule?.('node:worker_threads').parentPort
  if (!port) throw new Error('serve: this is no worker; give it a port')
  return port
}
