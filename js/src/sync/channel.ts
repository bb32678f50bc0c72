/// <reference lib="es2018.asynciterable" preserve="true" />
/**
 * A channel hands values from senders to receivers, first in first out. Capacity 0 (the default) is a rendezvous: a
 * send is done when a receive takes the value.
 *
 * - If a receiver waits, the buffer is empty and no sender waits.
 * - If a sender waits, the buffer is full (`buffer.size === capacity`).
 * - A closed channel has no waiting sender and no waiting receiver; what is in its buffer can still be received.
 *
 * @example
 * const jobs = channel<number>(8)
 * spawn(function* () { for (let i = 0; i < 100; i++) yield* jobs.send(i); jobs.close() })
 * yield* jobs.each(function* (job) { ... })
 */
import { abortable, type WaitOptions } from '../wait/abortable.ts'
import { Clause } from '../wait/clause.ts'
import { ClauseList, count } from '../wait/list.ts'
import { checkCount } from '../core/arguments.ts'
import { steps, type Steps } from '../core/steps.ts'
import { Queue } from '../core/queue.ts'
import { diagnosis } from '../core/say.ts'
import { ClosedError, isClosed } from '../scope/errors.ts'
import { asCall } from '../core/asCall.ts'
import { domain } from '../core/current.ts'

class Recv<T> extends Clause<T> {
  readonly channel: Channel<T>
  constructor(channel: Channel<T>) {
    super()
    this.channel = channel
  }
  poll(): boolean {
    return this.channel.take(this)
  }
  override ready(earlier: number): boolean {
    return this.channel.canRecv(earlier)
  }
  override get resource(): unknown {
    return this.channel
  }
  override get list(): ClauseList {
    return this.channel.receivers
  }
  describe(): string {
    return `recv(${this.channel.name})`
  }
}

/** A receive as an async iterator gives it: the end of the channel is no error. */
class Item<T> extends Recv<any> {
  override poll(): boolean {
    if (!super.poll()) return false
    this.outcome = this.failed ? END : { done: false, value: this.outcome as T }
    this.failed = false
    return true
  }
  override fire(value: T): void {
    super.fire({ done: false, value })
  }
  override fail(error: unknown): void {
    if (isClosed(error)) super.fire(END)
    else super.fail(error)
  }
}

const END: IteratorReturnResult<undefined> = { done: true, value: undefined }

class Send<T> extends Clause<void> {
  readonly channel: Channel<T>
  readonly item: T
  constructor(channel: Channel<T>, item: T) {
    super()
    this.channel = channel
    this.item = item
  }
  poll(): boolean {
    return this.channel.put(this)
  }
  override ready(earlier: number): boolean {
    return this.channel.canSend(earlier)
  }
  override get resource(): unknown {
    return this.channel.senders
  }
  override get list(): ClauseList {
    return this.channel.senders
  }
  describe(): string {
    return `send(${this.channel.name})`
  }
}

/**
 * What `channel` makes: values from senders to receivers, first in first out.
 *
 * @example
 * const ch = channel<string>(1)
 * console.log(ch instanceof Channel, ch.trySend('a'), ch.trySend('b'), ch.size)  // → true true false 1
 * console.log(ch.tryRecv())                                // → { value: 'a' }
 */
export class Channel<T> implements AsyncIterable<T> {
  readonly capacity: number
  readonly name: string
  readonly closed: boolean = false
  /** @internal */ readonly senders: ClauseList = new ClauseList()
  /** @internal */ readonly receivers: ClauseList = new ClauseList()
  /** @internal */ readonly buffer: Queue<T> = new Queue<T>()

  constructor(capacity: number, name: string) {
    checkCount('channel', capacity, 0)
    this.capacity = capacity
    this.name = name
  }

  /** Values in the buffer. */
  get size(): number {
    return this.buffer.size
  }

  /**
   * Sends `item`; waits while the buffer is full, or, without a buffer, for a receiver. Throws `ClosedError` if the
   * channel is closed. Cancelled: not sent.
   */
  send(item: T, options?: WaitOptions): Clause<void> {
    return abortable('send', new Send(this, item), options)
  }

  /** Receives the next value. Throws `ClosedError` if the channel is closed and empty. Cancelled: nothing was taken. */
  recv(options?: WaitOptions): Clause<T> {
    return abortable('recv', new Recv(this), options)
  }

  /** Sends without waiting, from anywhere; false if that is not possible now. */
  trySend(item: T): boolean {
    const send = new Send(this, item)
    const put = this.put(send)
    if (send.failed) throw send.outcome
    return put
  }

  /** Receives without waiting, from anywhere; undefined if nothing is there. */
  tryRecv(): { value: T } | undefined {
    const recv = new Recv(this)
    if (!this.take(recv)) return undefined
    if (recv.failed) throw recv.outcome
    return { value: recv.outcome }
  }

  /** No more sends. Waiting senders fail, waiting receivers too (they wait only if the buffer is empty). */
  close(): void {
    if (this.closed) return
    ;(this as { closed: boolean }).closed = true
    for (const list of [this.senders, this.receivers])
      for (let c = list.shift(); c !== null; c = list.shift()) c.fail(new ClosedError(this.name))
  }

  /**
   * Runs `body` for every value until the channel is closed and empty, and waits for what it returns. A signal ends the
   * wait for the next value; that of `each(channel, body, { signal })` cancels a body that runs, too.
   */
  each(body: (item: T) => unknown, options?: WaitOptions): Steps<void> {
    diagnosis?.body(`${this.name}: each`, body)
    return steps(this.run(body, options))
  }

  private *run(body: (item: T) => unknown, options: WaitOptions | undefined): Generator<unknown, void, any> {
    for (;;) {
      let item: T
      try {
        item = yield* this.recv(options)
      } catch (error) {
        if (isClosed(error)) return
        throw error
      }
      domain.own = true
      yield* asCall(body(item))
    }
  }

  /** For `for await`, and for `each`: what `next` gives is a clause, so that a cancelled loop takes no value. */
  [Symbol.asyncIterator](): AsyncIterator<T, undefined> {
    return {
      next: () => new Item<T>(this) as any,
      return: async () => END,
    }
  }

  /** @internal */
  canRecv(earlier: number): boolean {
    return this.closed || this.buffer.size + count(this.senders) > earlier
  }

  /** @internal */
  canSend(earlier: number): boolean {
    return this.closed || this.capacity - this.buffer.size + count(this.receivers) > earlier
  }

  /** @internal Does a receive now, if that is possible. */
  take(recv: Recv<T>): boolean {
    if (this.buffer.size > 0) {
      recv.outcome = this.buffer.shift()
      const sender = this.senders.shift() as Send<T> | null
      if (sender !== null) {
        this.buffer.push(sender.item)
        sender.fire(undefined)
      }
      return true
    }
    const sender = this.senders.shift() as Send<T> | null
    if (sender !== null) {
      recv.outcome = sender.item
      sender.fire(undefined)
      return true
    }
    if (!this.closed) return false
    recv.failed = true
    recv.outcome = new ClosedError(this.name)
    return true
  }

  /** @internal Does a send now, if that is possible. */
  put(send: Send<T>): boolean {
    if (this.closed) {
      send.failed = true
      send.outcome = new ClosedError(this.name)
      return true
    }
    const receiver = this.receivers.shift() as Recv<T> | null
    if (receiver !== null) {
      receiver.fire(send.item)
      return true
    }
    if (this.buffer.size >= this.capacity) return false
    this.buffer.push(send.item)
    return true
  }
}

/**
 * Makes a channel; `capacity` 0 is a rendezvous, Infinity never makes a sender wait.
 *
 * @example
 * const jobs = channel<number>(2)
 * spawn(function* () { for (let i = 1; i < 4; i++) yield* jobs.send(i); jobs.close() })
 * yield* jobs.each(function* (job) { console.log(job) })
 * // → 1
 * // → 2
 * // → 3
 */
export function channel<T>(capacity = 0, name = 'channel'): Channel<T> {
  return new Channel<T>(capacity, name)
}

/** Asserts the invariants above. */
export function checkChannel(ch: Channel<any>): void {
  const s = count(ch.senders)
  const r = count(ch.receivers)
  if (r > 0 && (ch.buffer.size > 0 || s > 0))
    throw new Error('channel: a receiver waits although there is something to receive')
  if (s > 0 && ch.buffer.size < ch.capacity) throw new Error('channel: a sender waits although there is room')
  if (ch.closed && (s > 0 || r > 0)) throw new Error('channel: somebody waits on a closed channel')
}
