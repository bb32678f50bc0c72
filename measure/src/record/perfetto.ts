/**
 * Our format as trace events for Perfetto and chrome://tracing: a slice for each continuation, with its microtask
 * batches inside, an arrow from each parent, a track for each activity's atomic blocks. The continuation's own record
 * stands in its slice's arguments, so that `convertTrace` of the result gives the same trace again.
 */
import { createWriteStream } from 'node:fs'
import { once } from 'node:events'
import { baseName } from '../format/address.ts'
import { MeasureError } from '../format/error.ts'
import { readTrace } from '../format/read.ts'
import type { Continuation, Location, TraceRecord } from '../format/types.ts'
import type { Recorded } from './recorded.ts'

export async function exportPerfetto(
  file: string,
  out: string,
  options: { truncated?: boolean } = {},
): Promise<Recorded> {
  const stream = createWriteStream(out)
  const failed = new Promise<never>((_, fail) =>
    stream.on('error', (error) => fail(new MeasureError(`${out} cannot be written: ${error.message}`, 2))),
  )
  failed.catch(() => {})
  const exporter = new Exporter()
  let separator = '{"displayTimeUnit":"ms","traceEvents":[\n'
  let reason = 'finished'
  for await (const batch of readTrace(file, { truncated: options.truncated })) {
    let text = ''
    for (const record of batch) {
      if (record.type === 'end') reason = record.reason
      for (const event of exporter.events(record)) {
        text += separator + JSON.stringify(event)
        separator = ',\n'
      }
    }
    if (text !== '' && !stream.write(text)) await Promise.race([once(stream, 'drain'), failed])
  }
  stream.end(separator === ',\n' ? '\n]}\n' : `${separator}]}\n`)
  await Promise.race([once(stream, 'finish'), failed])
  return { out, continuations: exporter.continuations, dropped: exporter.dropped, reason }
}

/** Sent with every event of a kind that has no slice of its own. */
const RECORD = 'charcoal.record'

class Exporter {
  continuations = 0
  dropped = 0
  private readonly threads = new Map<number, { pid: number; tid: number }>()
  private readonly locations = new Map<number, Location>()
  /** Ends of continuations whose children are still to come: where their arrows begin. */
  private readonly ends = new Map<number, { end: number; thread: number }>()

  events(r: TraceRecord): object[] {
    if (r.type === 'continuation') return this.continuation(r)
    const events: object[] = []
    if (r.type === 'thread') {
      const at = { pid: r.process ?? 1, tid: r.id }
      this.threads.set(r.id, at)
      events.push({
        ph: 'M',
        name: 'thread_name',
        ...at,
        ts: 0,
        args: { name: [r.name ?? r.kind, r.url].filter(Boolean).join(' ') },
      })
    } else if (r.type === 'location') this.locations.set(r.id, r)
    else if (r.type === 'dropped') this.dropped += r.count
    const time =
      'time' in r && typeof r.time === 'number'
        ? r.time
        : 'start' in r && typeof r.start === 'number'
          ? r.start
          : r.type === 'end'
            ? r.end
            : 0
    const at = this.threads.get('thread' in r && typeof r.thread === 'number' ? r.thread : 1) ?? { pid: 1, tid: 1 }
    if (r.type === 'atomic-enter')
      events.push({
        ph: 'b',
        cat: 'charcoal.atomic',
        name: `atomic${r.name === undefined ? '' : ` ${r.name}`}`,
        id: r.id,
        ...at,
        ts: time,
        args: { activity: r.activity },
      })
    if (r.type === 'atomic-leave')
      events.push({ ph: 'e', cat: 'charcoal.atomic', name: 'atomic', id: r.id, ...at, ts: time })
    events.push({ ph: 'I', s: 't', cat: RECORD, name: RECORD, ...at, ts: time, args: { record: r } })
    return events
  }

  private continuation(r: Continuation): object[] {
    const events: object[] = []
    this.continuations++
    const at = this.threads.get(r.thread)!
    const place = this.locations.get(r.at ?? r.from ?? 0)
    const where = place && `${baseName(place.url)}:${place.line}`
    const name = [r.kind, place?.function, where].filter(Boolean).join(' ')
    events.push({ ph: 'X', cat: 'charcoal', name, ...at, ts: r.start, dur: r.end - r.start, args: { record: r } })
    for (const [start, end, count] of r.batches ?? [])
      events.push({
        ph: 'X',
        cat: 'charcoal.microtasks',
        name: `microtasks${count === null ? '' : ` (${count})`}`,
        ...at,
        ts: start,
        dur: Math.min(end, r.end) - start,
        args: {},
      })
    const parent = r.parent === null ? undefined : this.ends.get(r.parent)
    if (parent !== undefined) {
      const from = this.threads.get(parent.thread)!
      // An arrow is bound to the slice that encloses it, so it leaves just before the parent's end.
      events.push({ ph: 's', cat: 'charcoal.parent', name: 'registered', id: r.id, ...from, ts: parent.end, args: {} })
      events.push({
        ph: 'f',
        bp: 'e',
        cat: 'charcoal.parent',
        name: 'registered',
        id: r.id,
        ...at,
        ts: r.start,
        args: {},
      })
    }
    this.ends.set(r.id, { end: Math.max(r.start, r.end - 0.1), thread: r.thread })
    if (this.ends.size > 1 << 20) this.ends.delete(this.ends.keys().next().value!)
    return events
  }
}
