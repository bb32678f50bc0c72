/** Adding to a trace that is complete: what it has, and where more goes. */
import { closeSync, fstatSync, ftruncateSync, openSync, readSync, writeSync } from 'node:fs'
import { readTrace } from '../format/read.ts'
import type { TraceRecord } from '../format/types.ts'

export async function* recordsOf(trace: string): AsyncGenerator<TraceRecord> {
  for await (const records of readTrace(trace)) yield* records
}

/** The last line of a trace is its `end`. */
export function insertBeforeEnd(trace: string, text: string): void {
  const fd = openSync(trace, 'r+')
  try {
    const { size } = fstatSync(fd)
    const tail = Buffer.alloc(Math.min(size, 1 << 16))
    readSync(fd, tail, 0, tail.length, size - tail.length)
    const last = tail.subarray(tail.lastIndexOf(10, tail.length - 2) + 1)
    ftruncateSync(fd, size - last.length)
    writeSync(fd, Buffer.concat([Buffer.from(text), last]), 0, undefined, size - last.length)
  } finally {
    closeSync(fd)
  }
}
