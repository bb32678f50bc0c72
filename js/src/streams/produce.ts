/// <reference lib="es2018.asynciterable" preserve="true" />
/** Activities can be sources and sinks: of async iterables, and of readable, writable and transform streams. */
import type { Activity } from '../core/activity.ts'
import { spawn } from '../core/spawn.ts'
import type { Operation } from '../core/suspension.ts'
import { isClosed } from '../scope/errors.ts'
import { channel, type Channel } from '../sync/channel.ts'

/** `yield* emit(item)` hands an item on, and waits until it is wanted. */
export type Emit<T> = (item: T) => Operation<void>
type Producer<T> = (emit: Emit<T>) => Operation<unknown>

/** An activity that emits into a channel, which is closed when the activity has ended. */
class Source<T> {
  readonly items: Channel<T> = channel<T>(0, 'emit')
  readonly activity: Activity<unknown>
  /** Somebody knows, or will be told, how the activity has ended. */
  private told = false

  constructor(body: Producer<T>) {
    const { items } = this
    this.activity = spawn(() => body((item) => items.send(item)))
    const close = (): void => items.close()
    this.activity.then(close, close)
  }

  /** The next item; undefined at the end. Throws what the activity has failed with. */
  async next(): Promise<{ value: T } | undefined> {
    try {
      return { value: await this.items.recv() }
    } catch (error) {
      if (!isClosed(error)) throw error
      if (!this.told) {
        this.told = true
        await this.activity
      }
      return undefined
    }
  }

  /** Cancels the activity; done when it has ended. */
  async stop(reason?: unknown): Promise<void> {
    this.told = true
    this.activity.cancel(reason)
    try {
      await this.activity
    } catch (error) {
      if (this.activity.state === 'failed') throw error
    }
  }
}

/**
 * An async iterable of what an activity emits: `for await` in any code. The activity starts with the first item asked
 * for, waits while none is, and is cancelled when the loop is left early.
 *
 * @example
 * const ticks = iterable<number>(function* (emit) {
 *   for (let i = 1; ; i++) { yield* sleep(1); yield* emit(i) }
 * })
 * const run = async () => {
 *   for await (const tick of ticks) if (tick === 3) return tick
 * }
 * console.log(await run())  // → 3
 */
export function iterable<T>(body: Producer<T>): AsyncIterable<T> {
  return {
    [Symbol.asyncIterator]: () => {
      let source: Source<T> | undefined
      let over = false
      return {
        async next() {
          const got = over ? undefined : await (source ??= new Source(body)).next()
          over ||= got === undefined
          return got === undefined ? { done: true, value: undefined } : { done: false, value: got.value }
        },
        async return(value?: unknown) {
          over = true
          await source?.stop()
          return { done: true, value }
        },
      }
    },
  }
}

/**
 * A `ReadableStream` of what an activity emits. The activity waits while nobody reads; if the stream is cancelled it
 * is cancelled, and if it fails the stream fails.
 *
 * @example
 * const stream = readable<string>(function* (emit) {
 *   yield* emit('some ')
 *   yield* emit('text')
 * })
 * console.log(await new Response(stream.pipeThrough(new TextEncoderStream())).text())  // → some text
 */
export function readable<T>(body: Producer<T>, strategy?: QueuingStrategy<T>): ReadableStream<T> {
  return readableOf(() => new Source(body), strategy)
}

/** `started` is told what controls the stream, and `cancelled` with what its reader has cancelled it. */
function readableOf<T>(
  make: () => Source<T>,
  strategy?: QueuingStrategy<T>,
  started: (controller: ReadableStreamDefaultController<T>) => void = () => {},
  cancelled: (reason: unknown) => void = () => {},
): ReadableStream<T> {
  let source: Source<T>
  return new ReadableStream<T>(
    {
      start: (controller) => {
        started(controller)
        source = make()
      },
      pull: async (controller) => {
        const got = await source.next()
        if (got === undefined) controller.close()
        else controller.enqueue(got.value)
      },
      cancel: (reason) => {
        cancelled(reason)
        return source.stop(reason)
      },
    },
    strategy,
  )
}

/**
 * What gives chunks to an activity. An abort is not told to a stream before its present write is done, which may wait
 * for an activity that reads no more; the signal is told at once.
 */
function sinkOf<T>(
  chunks: Channel<T>,
  controller: WritableStreamDefaultController,
  activity: Activity<unknown>,
  aborted: (reason: unknown) => void,
): (chunk: T) => Promise<void> {
  const { signal } = controller
  signal?.addEventListener('abort', () => aborted(signal.reason))
  const close = (): void => chunks.close()
  activity.then(close, (error) => {
    controller.error(error) // of no effect if the stream has failed with something else
    close()
  })
  return async (chunk) => {
    try {
      await chunks.send(chunk)
    } catch (error) {
      if (signal?.aborted) throw signal.reason
      if (activity.state === 'failed' || activity.state === 'cancelled') await activity // throws what that has thrown
      throw error
    }
  }
}

/**
 * A `WritableStream` whose chunks an activity receives from a channel, which is closed when the stream is. A write is
 * done when the activity has taken the chunk. If the stream is aborted the activity is cancelled; if that fails, or
 * ends before it has read everything, further writes fail.
 *
 * @example
 * const stream = writable<string>(function* (chunks) {
 *   yield* chunks.each((chunk) => console.log(chunk))  // → one
 * })                                                   // → two
 * await new Blob(['one']).stream().pipeThrough(new TextDecoderStream()).pipeTo(stream, { preventClose: true })
 * const writer = stream.getWriter()
 * await writer.write('two')
 * await writer.close()
 */
export function writable<T>(body: (chunks: Channel<T>) => Operation<unknown>): WritableStream<T> {
  const chunks = channel<T>(0, 'chunks')
  let activity: Activity<unknown>
  let write: (chunk: T) => Promise<void>
  const stop = (reason: unknown): void => activity.cancel(reason)
  return new WritableStream<T>({
    start: (controller) => {
      activity = spawn(() => body(chunks))
      write = sinkOf(chunks, controller, activity, stop)
    },
    write: (chunk) => write(chunk),
    close: async () => {
      chunks.close()
      await activity
    },
    abort: async (reason) => {
      stop(reason)
      await activity.catch(() => {})
    },
  })
}

/**
 * A transform stream whose work is done by one activity: it receives from `chunks`, and emits. If the writable side is
 * aborted, as by a source that fails, the readable side fails with the same reason; if the readable side is cancelled,
 * the writable side does. To close the writable side tells the activity so; how the activity ends, the reader is told.
 *
 * @example
 * const lines = () => through<string, string>(function* (chunks, emit) {
 *   let rest = ''
 *   yield* chunks.each(function* (chunk) {
 *     const parts = (rest + chunk).split('\n')
 *     rest = parts.pop()!
 *     for (const line of parts) yield* emit(line)
 *   })
 *   if (rest !== '') yield* emit(rest)
 * })
 * const text = new Blob(['a\nb', 'b\nc']).stream().pipeThrough(new TextDecoderStream())
 * await text.pipeThrough(lines()).pipeTo(new WritableStream({ write: (line) => console.log(line) }))  // → a
 * // → bb
 * // → c
 */
export function through<I, O>(
  body: (chunks: Channel<I>, emit: Emit<O>) => Operation<unknown>,
): { readable: ReadableStream<O>; writable: WritableStream<I> } {
  const chunks = channel<I>(0, 'chunks')
  let source!: Source<O>
  let output: ReadableStreamDefaultController<O>
  let input: WritableStreamDefaultController
  let write: (chunk: I) => Promise<void>
  const readable = readableOf<O>(
    () => (source = new Source<O>((emit) => body(chunks, emit))),
    undefined,
    (controller) => (output = controller),
    (reason) => input.error(reason),
  )
  const abort = (reason: unknown): Promise<void> => {
    output.error(reason)
    return source.stop(reason)
  }
  return {
    readable,
    writable: new WritableStream<I>({
      start: (controller) => {
        input = controller
        write = sinkOf(chunks, controller, source.activity, (reason) => void abort(reason).catch(() => {}))
      },
      write: (chunk) => write(chunk),
      close: () => chunks.close(),
      abort,
    }),
  }
}
