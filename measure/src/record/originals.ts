/**
 * Stores in a trace where its places lie in the text that people wrote, while the scripts and their maps are still
 * those that ran. A trace that is looked at after the next build shows the right lines.
 */
import { closeSync, fstatSync, ftruncateSync, openSync, readSync, writeSync } from 'node:fs'
import { loadLocal, mapPlaces, type Load } from '../analysis/sourcemaps.ts'
import { readTrace } from '../format/read.ts'
import type { Location } from '../format/types.ts'

export async function storeOriginals(trace: string, load: Load = loadLocal): Promise<void> {
  const locations = new Map<number, Location>()
  for await (const records of readTrace(trace)) {
    for (const record of records) {
      if (record.type === 'location') locations.set(record.id, record)
      else if (record.type === 'original') locations.delete(record.location)
    }
  }
  let text = ''
  await mapPlaces(
    locations.values(),
    ({ id }, to) => (text += `${JSON.stringify({ type: 'original', location: id, ...to })}\n`),
    load,
  )
  if (text !== '') insertBeforeEnd(trace, text)
}

/** The last line of a trace is its `end`. */
function insertBeforeEnd(trace: string, text: string): void {
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
