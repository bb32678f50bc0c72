/**
 * Makes one whole trace of what recorders left: a file without its end (the process was killed) gets one; the parts of workers are appended, their ids moved behind those before.
 */
import { createWriteStream, statSync, readSync, openSync, closeSync, fstatSync, renameSync, rmSync } from 'node:fs'
import { once } from 'node:events'
import { readTrace } from '../format/read.ts'
import type { End, TraceRecord } from '../format/types.ts'
import type { Recorded } from './recorded.ts'

export async function complete(out: string, parts: string[], fallback: { reason: string }): Promise<Recorded> {
  const end = lastRecord(out)
  if (end !== null && parts.length === 0) return { out, continuations: end.continuations, dropped: end.dropped, reason: end.reason }
  const file = `${out}.whole`
  const stream = createWriteStream(file)
  const total: End = { type: 'end', end: 0, reason: end?.reason ?? fallback.reason, continuations: 0, dropped: 0, ...(end?.exitCode !== undefined && { exitCode: end.exitCode }) }
  const kinds: Record<string, number> = {}
  let base: Ids = { continuation: 0, location: 0, activity: 0, atomic: 0 }
  for (const part of [out, ...parts]) {
    const top = { ...base }
    // A worker that ended before it wrote anything.
    if (part !== out && statSync(part).size === 0) continue
    for await (const batch of readTrace(part, { truncated: true })) {
      let text = ''
      for (const record of batch) {
        if ('end' in record && typeof record.end === 'number') total.end = Math.max(total.end, record.end)
        if (record.type === 'end' || record.type === 'sources' || (record.type === 'charcoal-trace' && part !== out)) continue
        if (record.type === 'continuation') {
          total.continuations++
          kinds[record.kind] = (kinds[record.kind] ?? 0) + 1
        } else if (record.type === 'dropped') total.dropped += record.count
        move(record, base, top)
        text += `${JSON.stringify(record)}\n`
      }
      if (!stream.write(text)) await once(stream, 'drain')
    }
    base = top
  }
  stream.end(`${JSON.stringify({ type: 'sources', kinds })}\n${JSON.stringify(total)}\n`)
  await once(stream, 'finish')
  renameSync(file, out)
  for (const part of parts) rmSync(part, { force: true })
  return { out, continuations: total.continuations, dropped: total.dropped, reason: total.reason }
}

interface Ids {
  continuation: number
  location: number
  activity: number
  atomic: number
}

/** Adds `base` to a record's ids, and notes the highest in `top`. */
function move(r: TraceRecord, base: Ids, top: Ids): void {
  const shift = <K extends string>(object: { [k in K]?: number | null }, name: K, of: keyof Ids): void => {
    const id = object[name]
    if (typeof id !== 'number') return
    ;(object as any)[name] = id + base[of]
    top[of] = Math.max(top[of], id + base[of])
  }
  switch (r.type) {
    case 'continuation':
      shift(r, 'id', 'continuation')
      shift(r, 'parent', 'continuation')
      shift(r, 'at', 'location')
      shift(r, 'from', 'location')
      shift(r, 'activity', 'activity')
      shift(r, 'atomic', 'atomic')
      for (const alternative of r.alternatives ?? []) alternative[0] += base.continuation
      break
    case 'location':
      shift(r, 'id', 'location')
      break
    case 'activity-start':
      shift(r, 'parent', 'activity')
      shift(r, 'at', 'location')
      shift(r, 'id', 'activity')
      break
    case 'activity-end':
      shift(r, 'id', 'activity')
      break
    case 'step':
      shift(r, 'activity', 'activity')
      shift(r, 'continuation', 'continuation')
      break
    case 'atomic-enter':
      shift(r, 'outer', 'atomic')
      shift(r, 'at', 'location')
      shift(r, 'activity', 'activity')
      shift(r, 'id', 'atomic')
      break
    case 'atomic-leave':
      shift(r, 'id', 'atomic')
      break
    case 'unserialisable':
      for (const place of ['first', 'other', 'second'] as const) shift(r, place, 'location')
      break
    case 'mark':
      shift(r, 'continuation', 'continuation')
      break
    case 'interruption':
      shift(r, 'atomic', 'atomic')
      shift(r, 'continuation', 'continuation')
      break
  }
}

/** The `end` record, if the file has one; cheap. */
function lastRecord(file: string): End | null {
  const fd = openSync(file, 'r')
  try {
    const { size } = fstatSync(fd)
    const bytes = Buffer.alloc(Math.min(size, 4096))
    readSync(fd, bytes, 0, bytes.length, size - bytes.length)
    const lines = bytes.toString('utf8').trimEnd().split('\n')
    const last = JSON.parse(lines[lines.length - 1])
    return last.type === 'end' && bytes[bytes.length - 1] === 10 ? last : null
  } catch {
    return null
  } finally {
    closeSync(fd)
  }
}
