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
  type WriteStream,
} from 'node:fs'
import { once } from 'node:events'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
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

/** What the recorder in the program did not know. */
export interface About {
  /** What reports are called, unless the file says so. */
  title: string
  /** Where the names of source files begin; files that are not there keep their names. Absent: they are addresses. */
  folders?: string[]
  /** What it did not see. */
  note?: string
}

export async function complete(out: string, parts: string[], fallback: Fallback, about: About): Promise<Recorded> {
  const total = totalOf(existsSync(out) ? lastRecord(out) : null, fallback)
  const whole = new Whole(`${out}.whole`, total, about)
  // A worker that ended before it wrote anything leaves an empty file.
  const files = [out, ...parts].filter((part) => existsSync(part) && statSync(part).size > 0)
  for (const part of files) {
    const child = part === out ? null : new Child()
    const ended = await whole.add(part, child)
    if (part === files[0] && !ended && fallback.reason === 'hung') whole.hung(fallback.end)
    const note = total.reason === 'stopped' ? null : (child?.note() ?? null)
    if (note !== null) whole.write(note)
    whole.endPart()
  }
  if (about.note !== undefined) whole.write({ type: 'note', code: 'not-recorded', text: about.note })
  await whole.end()
  renameSync(`${out}.whole`, out)
  for (const part of parts) rmSync(part, { force: true })
  const { continuations, dropped, reason, signal } = total
  return { out, continuations, dropped, reason, ...(signal !== undefined && { signal }) }
}

/** The end of the whole trace, before anything is counted. `end`: what the first file says. */
function totalOf(end: End | null, fallback: Fallback): End {
  const { signal } = end ?? fallback
  // The program may have changed its status after the recorder's end.
  const exitCode = end === null ? undefined : (fallback.exitCode ?? end.exitCode)
  return {
    type: 'end',
    end: 0,
    reason: reasonOf(end, fallback),
    continuations: 0,
    dropped: 0,
    ...(exitCode !== undefined && { exitCode }),
    ...(signal !== undefined && { signal }),
  }
}

/** The trace that is being put together. */
class Whole {
  private readonly stream: WriteStream
  private readonly total: End
  private readonly about: About
  /** What was told last of each finding of a part. */
  private readonly found = new Map<number, TraceRecord>()
  private readonly kinds: Record<string, number> = {}
  private headed = false
  /** What is added to the ids of the part that is being read; the highest ids so far. */
  private base: Ids = { thread: 0, continuation: 0, location: 0, activity: 0, atomic: 0 }
  private top: Ids = { ...this.base }
  /** The last continuation of the part that is being read. */
  private last: Continuation | null = null

  constructor(file: string, total: End, about: About) {
    this.stream = createWriteStream(file)
    this.total = total
    this.about = about
  }

  /** True if the part has its end. `child` is told of all its records. */
  async add(part: string, child: Child | null): Promise<boolean> {
    let ended = false
    for await (const batch of readTrace(part, { truncated: true })) {
      let text = ''
      for (const record of batch) {
        child?.add(record)
        if (record.type === 'end') ended = true
        text += this.taken(record)
      }
      if (!this.stream.write(text)) await once(this.stream, 'drain')
    }
    for (const record of this.found.values()) this.write(record)
    this.found.clear()
    return ended
  }

  /** Its line in the whole trace; empty: it has none. */
  private taken(record: TraceRecord): string {
    const { total } = this
    if ('end' in record && typeof record.end === 'number') total.end = Math.max(total.end, record.end)
    if (record.type === 'end' || record.type === 'sources') return ''
    if (record.type === 'charcoal-trace') {
      if (this.headed) return ''
      record.title ??= this.about.title
    }
    if (record.type === 'location') record.url = this.addressOf(record.url)
    this.headed = true
    if (record.type === 'dropped') total.dropped += record.count
    move(record, this.base, this.top)
    if (record.type === 'continuation') this.count(record)
    if (record.type === 'unserialisable' && record.finding !== undefined) {
      const { finding, ...told } = record
      this.found.set(finding, told)
      return ''
    }
    return `${JSON.stringify(record)}\n`
  }

  private addressOf(name: string): string {
    const files = (this.about.folders ?? []).map((folder) => path.resolve(folder, name))
    const found = files.find((file) => existsSync(file))
    return found === undefined ? name : pathToFileURL(found).href
  }

  private count(c: Continuation): void {
    this.total.continuations++
    this.kinds[c.kind] = (this.kinds[c.kind] ?? 0) + 1
    this.last = c
  }

  /** The event loop had not returned from something when the part's process was killed, at `end`. */
  hung(end: number | undefined): void {
    if (end === undefined) return
    const { last, base, top, total } = this
    const start = last?.end ?? 0
    const hung: Continuation = {
      type: 'continuation',
      id: (last?.id ?? base.continuation) + 1,
      thread: last?.thread ?? 1,
      kind: 'callback',
      start,
      end: Math.max(start, end),
      parent: null,
    }
    top.continuation = Math.max(top.continuation, hung.id)
    total.end = Math.max(total.end, hung.end)
    this.count(hung)
    this.write(hung)
    this.write({ type: 'note', code: 'hung', text: hungText(hung.end - hung.start) })
  }

  write(record: TraceRecord): void {
    this.stream.write(`${JSON.stringify(record)}\n`)
  }

  /** The ids of the next part follow those of this one. */
  endPart(): void {
    this.base = { ...this.top }
    this.last = null
  }

  async end(): Promise<void> {
    this.write({ type: 'sources', kinds: this.kinds })
    this.stream.end(`${JSON.stringify(this.total)}\n`)
    await once(this.stream, 'finish')
  }
}

function reasonOf(end: End | null, { reason, exitCode = 0 }: Fallback): string {
  if (end === null) return reason
  return end.reason === 'finished' && exitCode !== 0 ? 'exit' : end.reason
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
