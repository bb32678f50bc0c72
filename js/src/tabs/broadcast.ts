/** `broadcast` sends messages to all other tabs and workers of an origin, and activities receive them. */
import type { Steps } from '../core/steps.ts'
import { DISPOSE } from '../core/dispose.ts'
import { channel } from '../sync/channel.ts'
import type { WaitOptions } from '../wait/abortable.ts'
import type { Clause } from '../wait/clause.ts'

/**
 * What `broadcast` gives.
 *
 * @example
 * const news = broadcast('news')
 * console.log(news instanceof Broadcast)  // → true
 * news.close()
 */
export class Broadcast<T> implements Disposable {
  readonly name: string
  private readonly port: BroadcastChannel
  private readonly inbox

  /** @internal */
  constructor(name: string) {
    this.name = name
    this.inbox = channel<T>(Infinity, name)
    this.port = new BroadcastChannel(name)
    this.port.onmessage = (event) => void this.inbox.trySend((event as MessageEvent<T>).data)
  }

  /** Sends to all others that have a broadcast of this name open. Needs no wait. */
  post(message: T): void {
    this.port.postMessage(message)
  }

  /** Waits for the next message from another tab or worker; kept since the broadcast was opened. */
  recv(options?: WaitOptions): Clause<T> {
    const clause = this.inbox.recv(options)
    // Other tabs may send at any time, so such a wait in an atomic block is no deadlock.
    return Object.defineProperty(clause, 'outside', { value: 2 })
  }

  /** Runs `body` for each message, until the broadcast is closed. */
  each(body: (message: T) => unknown, options?: WaitOptions): Steps<void> {
    return this.inbox.each(body, options)
  }

  /** Receives no more. */
  close(): void {
    this.port.close()
    this.inbox.close()
  }

  [DISPOSE](): void {
    this.close()
  }
}

/**
 * Messages between the tabs and workers of an origin. Whoever sends does not receive its own.
 *
 * @example
 * const here = broadcast<string>('news')
 * const there = broadcast<string>('news')
 * here.post('hello')
 * console.log(yield* there.recv())  // → hello
 * here.close()
 * there.close()
 */
export function broadcast<T>(name: string): Broadcast<T> {
  return new Broadcast(name)
}
