/**
 * Records a small part of the time, so that a server in production can be watched: a window of `WINDOW`, then nothing
 * until `PERIOD` is over. Between windows Node calls nothing of ours. What was registered outside a window has no
 * parent inside one.
 */
import { watch } from './adapter.ts'
import type { NodeRecorder } from './recorder.ts'

/** Milliseconds. */
export const WINDOW = 100
export const PERIOD = 4000

export function sample(recorder: NodeRecorder): () => void {
  recorder.note(
    'sampled',
    `${WINDOW} ms of every ${PERIOD / 1000} s were recorded: counts are a sample, and what was registered ` +
      'between two windows has no parent',
  )
  let unwatch: (() => void) | null = watch(recorder)
  let timer: NodeJS.Timeout
  const close = (): void => {
    unwatch?.()
    unwatch = null
    recorder.pause()
    timer = setTimeout(open, PERIOD - WINDOW).unref()
  }
  const open = (): void => {
    timer = setTimeout(close, WINDOW).unref()
    recorder.resume()
    unwatch = watch(recorder)
  }
  timer = setTimeout(close, WINDOW).unref()
  return () => {
    clearTimeout(timer)
    unwatch?.()
    unwatch = null
  }
}
