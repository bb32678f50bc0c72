/**
 * Reads a Chrome JSON trace piece by piece: an array of events, or an object with `traceEvents`. Events come in file
 * order; memory holds one piece of the file. A file that is not such a trace, or breaks off, gives a `TraceError` with
 * the line.
 */
import { createReadStream, openSync, readSync, closeSync } from 'node:fs'
import { createGunzip } from 'node:zlib'
import { MeasureError, TraceError } from '../../format/error.ts'

export interface ChromeEvent {
  name: string
  ph: string
  ts: number
  pid: number
  tid: number
  cat?: string
  dur?: number
  tdur?: number
  id?: string | number
  args?: any
  bp?: string
}

const MAX_EVENT = 64 << 20
const [QUOTE, BACKSLASH, OPEN, CLOSE, OPEN_ARRAY, CLOSE_ARRAY, NEWLINE] = Buffer.from('"\\{}[]\n')

export async function* chromeEvents(
  file: string,
  options: { truncated?: boolean; warn?: (text: string) => void } = {},
): AsyncGenerator<ChromeEvent[]> {
  const compressed = zipped(file)
  const bytes = createReadStream(file, { highWaterMark: 1 << 20 })
  const stream = compressed ? bytes.pipe(createGunzip()) : bytes
  if (stream !== bytes) bytes.on('error', (error) => stream.destroy(error))
  const scanner = new Scanner(file)
  try {
    for await (const chunk of stream) {
      const events = scanner.add(chunk as Buffer)
      if (events.length > 0) yield events
      if (scanner.done) return
    }
  } catch (error) {
    if (error instanceof MeasureError) throw error
    if (!(options.truncated === true && (error as NodeJS.ErrnoException).code === 'Z_BUF_ERROR'))
      throw new TraceError(file, scanner.line, `cannot be read: ${(error as Error).message}`)
  } finally {
    bytes.destroy()
  }
  if (options.truncated !== true) scanner.finish()
  else if (!scanner.done) options.warn?.(`${file}:${scanner.line}: the trace is truncated`)
}

function zipped(file: string): boolean {
  let fd: number
  try {
    fd = openSync(file, 'r')
  } catch (error) {
    throw new MeasureError(`${file} cannot be opened: ${(error as Error).message}`, 2)
  }
  const head = Buffer.alloc(2)
  try {
    readSync(fd, head, 0, 2, 0)
  } catch (error) {
    throw new MeasureError(`${file} cannot be read: ${(error as Error).message}`, 2)
  } finally {
    closeSync(fd)
  }
  return head[0] === 0x1f && head[1] === 0x8b
}

class Scanner {
  line = 1
  done = false
  private readonly file: string
  private rest: Buffer = Buffer.alloc(0)
  private begun = false

  constructor(file: string) {
    this.file = file
  }

  add(chunk: Buffer): ChromeEvent[] {
    let bytes = this.rest.length === 0 ? chunk : Buffer.concat([this.rest, chunk])
    if (!this.begun) {
      const start = this.findArray(bytes)
      if (start === -1) {
        if (bytes.length > 1 << 20) throw this.error('not a Chrome trace: it has no "traceEvents" in its first MiB')
        this.rest = bytes
        return []
      }
      this.begun = true
      bytes = bytes.subarray(start)
    }
    const events: ChromeEvent[] = []
    let at = 0
    while (at < bytes.length) {
      const c = bytes[at]
      if (c === OPEN) {
        const end = this.endOf(bytes, at)
        if (end === -1) break
        this.parse(bytes, at, end, events)
        at = end
      } else if (c === CLOSE_ARRAY) {
        this.done = true
        return events
      } else {
        if (c === NEWLINE) this.line++
        else if (c !== 0x2c && c !== 0x20 && c !== 0x0d && c !== 0x09)
          throw this.error(`unexpected ${JSON.stringify(String.fromCharCode(c))} between events`)
        at++
      }
    }
    this.rest = bytes.subarray(at)
    if (this.rest.length > MAX_EVENT) throw this.error('an event of more than 64 MiB')
    return events
  }

  finish(): void {
    if (this.done) return
    if (!this.begun)
      throw this.error(
        'not a trace: neither our format nor a Chrome trace (an array of events, or an object with "traceEvents")',
      )
    throw this.error('the trace breaks off; read it as far as it goes with --truncated')
  }

  /** After the `[` of the events, or -1. */
  private findArray(bytes: Buffer): number {
    const text = bytes.subarray(0, 1 << 20).toString('latin1')
    const array = /^(?:\xef\xbb\xbf)?\s*\[/.exec(text)
    if (array !== null) return array[0].length
    if (!/^(?:\xef\xbb\xbf)?\s*(\{|$)/.test(text))
      throw this.error(
        'not a trace: neither our format nor a Chrome trace (an array of events, or an object with "traceEvents")',
      )
    const object = /"traceEvents"\s*:\s*\[/.exec(text)
    if (object === null) return -1
    this.line += (text.slice(0, object.index).match(/\n/g) ?? []).length
    return object.index + object[0].length
  }

  /** After the object that begins at `at`, or -1 if it is not all here. */
  private endOf(bytes: Buffer, at: number): number {
    let depth = 0
    for (let i = at; i < bytes.length; i++) {
      const c = bytes[i]
      if (c === QUOTE) {
        for (i++; i < bytes.length && bytes[i] !== QUOTE; i++) if (bytes[i] === BACKSLASH) i++
        if (i >= bytes.length) return -1
      } else if (c === OPEN || c === OPEN_ARRAY) depth++
      else if ((c === CLOSE || c === CLOSE_ARRAY) && --depth === 0) return i + 1
    }
    return -1
  }

  private parse(bytes: Buffer, from: number, to: number, events: ChromeEvent[]): void {
    const text = bytes.toString('utf8', from, to)
    let event: any
    try {
      event = JSON.parse(text)
    } catch (error) {
      throw this.error(`not JSON (${(error as Error).message.slice(0, 120)})`)
    }
    if (
      typeof event.name === 'string' &&
      typeof event.ph === 'string' &&
      Number.isFinite(event.ts) &&
      event.ts >= 0 &&
      event.ts < 2 ** 53 &&
      Number.isFinite(event.pid) &&
      Number.isFinite(event.tid)
    ) {
      if (event.dur !== undefined && !(event.dur >= 0 && event.dur < 2 ** 53)) event.dur = undefined
      events.push(event)
    } else if (typeof event.ph !== 'string') throw this.error('an event without "ph"')
    for (let i = from; i < to; i++) if (bytes[i] === NEWLINE) this.line++
  }

  private error(what: string): TraceError {
    return new TraceError(this.file, this.line, what)
  }
}
