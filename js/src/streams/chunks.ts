/// <reference lib="es2018.asynciterable" preserve="true" />
/** `chunks` reads a stream chunk by chunk; a cancel of the reader reaches the stream's source. */
import { checkFunction } from '../core/arguments.ts'
import { asCall } from '../core/asCall.ts'
import { domain } from '../core/current.ts'
import { steps, type Steps } from '../core/steps.ts'
import { noncancellable } from '../scope/finish.ts'
import { endedBy, type OperationOptions } from '../scope/scoped.ts'
import { each } from '../wait/each.ts'
import { disregard } from '../wait/promise.ts'
import { waitFor } from '../wait/waitFor.ts'

interface NodeReadable<T> extends AsyncIterable<T> {
  destroy(error?: Error): unknown
}

/**
 * Runs `body` for each chunk of a web stream or a Node stream, one at a time. If it is left early, by an error or a
 * cancel, the stream is cancelled at once, also while a chunk is awaited: a connection behind it is closed.
 *
 * @example
 * const response = new Response('some text')
 * yield* chunks(response.body!, function* (chunk) {
 *   console.log(chunk.length)  // → 9
 * })
 */
export function chunks<T>(
  stream: ReadableStream<T> | NodeReadable<T>,
  body: (chunk: T) => unknown,
  options?: OperationOptions,
): Steps<void> {
  checkFunction('chunks', body)
  return steps(endedBy('chunks', options, 'getReader' in stream ? webChunks(stream, body) : nodeChunks(stream, body)))
}

function* webChunks<T>(stream: ReadableStream<T>, body: (chunk: T) => unknown): Generator<unknown, void, any> {
  const reader = stream.getReader()
  let ended = false
  let why: unknown
  try {
    for (;;) {
      const { done, value } = yield* waitFor(reader.read())
      ended = done
      if (done) return
      domain.own = true
      yield* asCall(body(value))
    }
  } catch (error) {
    throw (why = error)
  } finally {
    if (!ended) {
      // A stream that has failed says so again when it is cancelled.
      const cancelled = reader.cancel(why).catch(() => {})
      yield* noncancellable(waitFor(cancelled))
    }
    reader.releaseLock()
  }
}

function* nodeChunks<T>(stream: NodeReadable<T>, body: (chunk: T) => unknown): Generator<unknown, void, any> {
  let ended = false
  try {
    yield* each(stream, body)
    ended = true
  } finally {
    if (!ended) disregard(Promise.resolve(stream.destroy()))
  }
}
