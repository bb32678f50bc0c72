/**
 * Writes a trace. Records go out in the order of the calls, in large pieces; locations are introduced on first use and numbered here.
 *
 * @example
 * const trace = new TraceWriter('run.jsonl', { source: 'synthetic', tool: 'example' })
 * trace.write({ type: 'thread', id: 1, kind: 'node' })
 * trace.write({ type: 'continuation', id: 1, thread: 1, kind: 'script', parent: null, start: 0, end: 5, at: trace.location('file:///a.js', 1, 1, 'main') })
 * trace.end({ end: 5, reason: 'finished' })
 */
import { closeSync, openSync, writeSync } from 'node:fs'
import { MeasureError } from './error.ts'
import { FORMAT_VERSION, type End, type Header, type TraceRecord } from './types.ts'

const PIECE = 1 << 20

export class TraceWriter {
  readonly file: string
  /** Continuations written so far. */
  continuations = 0
  /** Continuations that are known to be missing; `dropped` records add to it. */
  dropped = 0
  private text = ''
  private readonly fd: number
  private open = true
  private readonly locations = new Map<string, number>()

  /** `file` is replaced. */
  constructor(file: string, header: Omit<Header, 'type' | 'version'>) {
    this.file = file
    try {
      this.fd = openSync(file, 'w')
    } catch (error) {
      throw new MeasureError(`the trace cannot be written to ${file}: ${(error as Error).message}; name another file with --out`, 2)
    }
    this.write({ type: 'charcoal-trace', version: FORMAT_VERSION, ...header })
  }

  write(record: TraceRecord): void {
    if (record.type === 'continuation') this.continuations++
    else if (record.type === 'dropped') this.dropped += record.count
    this.text += `${JSON.stringify(record)}\n`
    if (this.text.length > PIECE) this.flush()
  }

  /** The id of a place in source text; line and column from 1, 0 if unknown. */
  location(url: string, line: number, column: number, name = '', sourceMap = ''): number {
    const key = `${line}:${column}:${name}:${url}`
    let id = this.locations.get(key)
    if (id === undefined) {
      id = this.locations.size + 1
      this.locations.set(key, id)
      this.write({ type: 'location', id, url, line, column, ...(name && { function: name }), ...(sourceMap && { sourceMap }) })
    }
    return id
  }

  /** Characters that `flush` would write. */
  get buffered(): number {
    return this.text.length
  }

  /** Writes out what is buffered. Synchronous, so that it works while the process exits. */
  flush(): void {
    const bytes = Buffer.from(this.text)
    this.text = ''
    for (let at = 0; at < bytes.length; ) at += writeSync(this.fd, bytes, at)
  }

  end(end: Omit<End, 'type' | 'continuations' | 'dropped'>): void {
    if (!this.open) return
    this.open = false
    this.write({ type: 'end', ...end, continuations: this.continuations, dropped: this.dropped })
    this.flush()
    closeSync(this.fd)
  }
}
