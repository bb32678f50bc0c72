/**
 * Makes one whole trace of what recorders left: continuations are unpacked; a file without its end (the process was
 * killed) gets one; the parts of workers are appended, with ids that follow those before.
 */
import {
  closeSync,
  createWriteStream,
  existsSync,
  fstatSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs'
import { once } from 'node:events'
import { readTrace } from '../format/read.ts'
import type { Continuation, End, TraceRecord } from '../format/types.ts'
import { hungText } from './hung_text.ts'
import { Child } from './child.ts'
import type { Recorded } from './recorded.ts'

export interface Fallback {
  /** Why it ended, if the file does not say so. */
  reason: string
  /** With the reason `signal`: its name. */
  signal?: string
  /** When it ended, µs: `hung` means that the last continuation ran until then. */
  end?: number
  /** The program's exit status. */
  exitCode?: number
}

/** Node's exit status if its event loop has nothing left to do while a module still waits. */
const UNSETTLED = 13

export async function complete(out: string, parts: string[], fallback: Fallback): Promise<Recorded> {
  const end = existsSync(out) ? lastRecord(out) : null
  const file = `${out}.whole`
  const stream = createWriteStream(file)
  const { signal } = end ?? fallback
  // The program may have changed its status after the recorder's end, and Node does in one case.
  const exitCode = end === null ? undefined : (fallback.exitCode ?? end.exitCode)
  const reason = reasonOf(end, fallback)
  const total: End = {
    type: 'end',
    end: 0,
    reason,
    continuations: 0,
    dropped: 0,
    ...(exitCode !== undefined && { exitCode }),
    ...(signal !== undefined && { signal }),
  }
  const kinds: Record<string, number> = {}
  let base: Ids = { thread: 0, continuation: 0, location: 0, activity: 0, atomic: 0 }
  let headed = false
  // A worker that ended before it wrote anything leaves an empty file.
  const files = [out, ...parts].filter((part) => existsSync(part) && statSync(part).size > 0)
  for (const part of files) {
    const top = { ...base }
    let last: Continuation | null = null
    let ended = false
    const child = part === out ? null : new Child()
    for await (const batch of readTrace(part, { truncated: true })) {
      let text = ''
      for (const record of batch) {
        if ('end' in record && typeof record.end === 'number') total.end = Math.max(total.end, record.end)
        if (record.type === 'end') ended = true
        child?.add(record)
        if (record.type === 'end' || record.type === 'sources' || (record.type === 'charcoal-trace' && headed)) continue
        headed = true
        if (record.type === 'continuation') {
          total.continuations++
          kinds[record.kind] = (kinds[record.kind] ?? 0) + 1
        } else if (record.type === 'dropped') total.dropped += record.count
        move(record, base, top)
        if (record.type === 'continuation') last = record
        text += `${JSON.stringify(record)}\n`
      }
      if (!stream.write(text)) await once(stream, 'drain')
    }
    if (part === files[0] && !ended && fallback.reason === 'hung' && fallback.end !== undefined) {
      const thread = last?.thread ?? 1
      const start = last?.end ?? 0
      const hung: Continuation = {
        type: 'continuation',
        id: (last?.id ?? base.continuation) + 1,
        thread,
        kind: 'callback',
        start,
        end: Math.max(start, fallback.end),
        parent: null,
      }
      top.continuation = Math.max(top.continuation, hung.id)
      total.end = Math.max(total.end, hung.end)
      total.continuations++
      kinds.callback = (kinds.callback ?? 0) + 1
      const note = { type: 'note', code: 'hung', text: hungText(hung.end - hung.start) }
      stream.write(`${JSON.stringify(hung)}\n${JSON.stringify(note)}\n`)
    }
    const note = reason === 'stopped' ? null : (child?.note() ?? null)
    if (note !== null) stream.write(`${JSON.stringify(note)}\n`)
    base = top
  }
  stream.end(`${JSON.stringify({ type: 'sources', kinds })}\n${JSON.stringify(total)}\n`)
  await once(stream, 'finish')
  renameSync(file, out)
  for (const part of parts) rmSync(part, { force: true })
  return {
    out,
    continuations: total.continuations,
    dropped: total.dropped,
    reason,
    ...(signal !== undefined && { signal }),
  }
}

function reasonOf(end: End | null, { reason, exitCode = 0 }: Fallback): string {
  if (end === null) return reason
  if (end.reason !== 'finished' || exitCode === 0) return end.reason
  return exitCode === UNSETTLED && end.exitCode !== UNSETTLED ? 'unsettled' : 'exit'
}

interface Ids {
  thread: number
  continuation: number
  location: number
  activity: number
  atomic: number
}

/** The fields of each kind of record that hold an id, and of what. */
const IDS: { [type in TraceRecord['type']]?: { [field: string]: keyof Ids } } = {
  thread: { id: 'thread' },
  dropped: { thread: 'thread' },
  original: { location: 'location' },
  uses: { location: 'location' },
  continuation: {
    thread: 'thread',
    id: 'continuation',
    parent: 'continuation',
    at: 'location',
    from: 'location',
    activity: 'activity',
    atomic: 'atomic',
  },
  location: { id: 'location' },
  'activity-start': { thread: 'thread', parent: 'activity', at: 'location', id: 'activity' },
  'activity-end': { id: 'activity' },
  step: { activity: 'activity', continuation: 'continuation' },
  'atomic-enter': { thread: 'thread', outer: 'atomic', at: 'location', activity: 'activity', id: 'atomic' },
  'atomic-leave': { id: 'atomic' },
  unserialisable: { first: 'location', other: 'location', second: 'location', operation: 'location' },
  mark: { thread: 'thread', continuation: 'continuation' },
  interruption: { atomic: 'atomic', continuation: 'continuation' },
}

/** Adds `base` to a record's ids, and notes the highest in `top`. */
function move(record: TraceRecord, base: Ids, top: Ids): void {
  const fields = record as unknown as Record<string, unknown>
  for (const [field, of] of Object.entries(IDS[record.type] ?? {})) {
    const id = fields[field]
    if (typeof id !== 'number') continue
    fields[field] = id + base[of]
    top[of] = Math.max(top[of], id + base[of])
  }
  if (record.type === 'continuation') {
    for (const alternative of record.alternatives ?? []) alternative[0] += base.continuation
  }
  if (record.type === 'unserialisable') record.awaits = record.awaits?.map((id) => id + base.location)
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
