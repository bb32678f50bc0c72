/**
 * Writes a trace. Records go out in the order of the calls, in large pieces; locations are introduced on first use and
 * numbered here.
 *
 * @example
 * const trace = new TraceWriter('run.jsonl', { source: 'synthetic', tool: 'example' }) trace.write({ type: 'thread',
 * id: 1, kind: 'node' }) trace.write({ type: 'continuation', id: 1, thread: 1, kind: 'script', parent: null, start: 0,
 * end: 5, at: trace.location('file:///a.js', 1, 1, 'main') }) trace.end({ end: 5, reason: 'finished' })
 */
import { closeSync, openSync, writeSync } from 'node:fs'
import { MeasureError } from './error.ts'
import { ASCII, Packer } from './packed.ts'
import { FORMAT_VERSION, type Continuation, type End, type Header, type TraceRecord } from './types.ts'

const PIECE = 1 << 20

export class TraceWriter {
  readonly file: string
  /** Continuations written so far. */
  continuations = 0
  /** Continuations that are known to be missing; `dropped` records add to it. */
  dropped = 0
  private text = ''
  /** All of `text` is, which is quicker to write. */
  private ascii = true
  private readonly packer = new Packer()
  private readonly fd: number
  private open = true
  private readonly locations = new Map<string, number>()

  /** `file` is replaced. */
  constructor(file: string, header: Omit<Header, 'type' | 'version'>) {
    this.file = file
    try {
      this.fd = openSync(file, 'w')
    } catch (error) {
      throw new MeasureError(
        `the trace cannot be written to ${file}: ${(error as Error).message}; name another file with --out`,
        2,
      )
    }
    this.write({ type: 'charcoal-trace', version: FORMAT_VERSION, ...header })
  }

  /**
   * A continuation that has no more to say than `Packer.add` takes; cheap, in a form that is not the final one. False
   * if it does not fit there: then it must be written.
   */
  pack(...numbers: Parameters<Packer['add']>): boolean {
    if (!this.packer.add(...numbers)) return false
    this.continuations++
    if (this.packer.full) this.unpack()
    return true
  }

  private unpack(): void {
    const line = this.packer.take()
    if (line === '') return
    this.ascii &&= this.packer.ascii
    this.text += line
  }

  write(record: TraceRecord): void {
    this.unpack()
    if (record.type === 'continuation') this.continuations++
    else if (record.type === 'dropped') this.dropped += record.count
    const line = record.type === 'continuation' ? continuationText(record) : `${JSON.stringify(record)}\n`
    this.ascii &&= ASCII.test(line)
    this.text += line
    if (this.text.length > PIECE) this.flush()
  }

  /** The id of a place in source text; line and column from 1, 0 if unknown. */
  location(
    url: string,
    line: number,
    column: number,
    name = '',
    more: { sourceMap?: string; begin?: [number, number] } = {},
  ): number {
    const { sourceMap, begin } = more
    const key = `${line}:${column}:${begin?.join(':') ?? ''}:${name}:${url}`
    let id = this.locations.get(key)
    if (id === undefined) {
      id = this.locations.size + 1
      this.locations.set(key, id)
      this.write({
        type: 'location',
        id,
        url,
        line,
        column,
        ...(name && { function: name }),
        ...(sourceMap && { sourceMap }),
        ...(begin && { begin }),
      })
    }
    return id
  }

  /** Characters that `flush` would write. */
  get buffered(): number {
    return this.text.length
  }

  /** Writes out what is buffered. Synchronous, so that it works while the process exits. */
  flush(): void {
    this.unpack()
    const bytes = Buffer.from(this.text, this.ascii ? 'latin1' : 'utf8')
    this.text = ''
    this.ascii = true
    for (let at = 0; at < bytes.length;) at += writeSync(this.fd, bytes, at)
  }

  end(end: Omit<End, 'type' | 'continuations' | 'dropped'>): void {
    if (!this.open) return
    this.open = false
    this.write({ type: 'end', ...end, continuations: this.continuations, dropped: this.dropped })
    this.flush()
    closeSync(this.fd)
  }
}

const kindTexts = new Map<string, string>()

/** As `JSON.stringify` would have it, in a third of the time: most of a trace is continuations. */
function continuationText(c: Continuation): string {
  let kind = kindTexts.get(c.kind)
  if (kind === undefined) {
    kind = JSON.stringify(c.kind)
    if (kindTexts.size < 1000) kindTexts.set(c.kind, kind)
  }
  let text =
    `{"type":"continuation","id":${c.id},"thread":${c.thread},"kind":${kind},"start":${c.start},` +
    `"end":${c.end},"parent":${c.parent}`
  if (c.registered !== undefined) text += `,"registered":${c.registered}`
  if (c.via !== undefined) text += `,"via":"${c.via}"`
  if (c.alternatives !== undefined) text += `,"alternatives":${JSON.stringify(c.alternatives)}`
  if (c.recurring === true) text += ',"recurring":true'
  if (c.registration !== undefined) text += `,"registration":${c.registration}`
  if (c.microtasks !== undefined) text += `,"microtasks":${c.microtasks}`
  if (c.batches !== undefined) text += `,"batches":${JSON.stringify(c.batches)}`
  if (c.at !== undefined) text += `,"at":${c.at}`
  if (c.from !== undefined) text += `,"from":${c.from}`
  if (c.cpu !== undefined) text += `,"cpu":${c.cpu}`
  if (c.activity !== undefined) text += `,"activity":${c.activity}`
  if (c.callers !== undefined) text += `,"callers":${JSON.stringify(c.callers)}`
  if (c.atomic !== undefined) text += `,"atomic":${c.atomic}`
  return `${text}}\n`
}
