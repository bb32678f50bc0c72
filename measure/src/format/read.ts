/**
 * Reads a trace: arrays of checked records, in file order, in memory that does not grow with the file.
 *
 * @example
 * for await (const batch of readTrace('run.jsonl')) for (const r of batch) if (r.type === 'continuation') count++
 */
import { createReadStream, openSync, readSync, closeSync } from 'node:fs'
import { constants, createGunzip, gunzipSync } from 'node:zlib'
import { Checker, MAX_LINE, Violation } from './check.ts'
import { MeasureError, TraceError } from './error.ts'
import { isPacked, unpack } from './packed.ts'
import type { TraceRecord } from './types.ts'

export interface ReadOptions {
  /** A file without its end is read as far as it goes, a broken last line left out. */
  truncated?: boolean
  /** Called when `truncated` was needed, with what is missing. */
  warn?: (text: string) => void
}

/** The remedy where a file may have been cut. */
const FAR = 'read it as far as it goes with --truncated'

/** True if the file begins like a trace in our format, compressed or not. */
export function looksLikeTrace(file: string): boolean {
  const head = unzippedHead(firstBytes(file, 1 << 14))
  return /^(?:\xef\xbb\xbf)?\s*\{\s*"type"\s*:\s*"charcoal-trace"/.test(head.toString('latin1', 0, 64))
}

export async function* readTrace(file: string, options: ReadOptions = {}): AsyncGenerator<TraceRecord[]> {
  const compressed = isGzip(firstBytes(file, 2))
  const bytes = createReadStream(file, { highWaterMark: 1 << 18 })
  const stream = compressed ? bytes.pipe(createGunzip()) : bytes
  if (stream !== bytes) bytes.on('error', (error) => stream.destroy(error))
  const lines = new Lines(file, options)
  try {
    for await (const chunk of stream) {
      const records = lines.add(chunk as Buffer)
      if (records.length > 0) yield records
    }
  } catch (error) {
    if (error instanceof MeasureError) throw error
    const isCut = (error as NodeJS.ErrnoException).code === 'Z_BUF_ERROR'
    if (!isCut || options.truncated !== true)
      throw new TraceError(file, lines.line, `cannot be read: ${(error as Error).message}`, isCut ? FAR : '')
  } finally {
    bytes.destroy()
  }
  const records = lines.end()
  if (records.length > 0) yield records
}

/** The records of a whole text, for tests and small traces. */
export function parseTrace(text: string | Buffer, file = 'trace', options: ReadOptions = {}): TraceRecord[] {
  const lines = new Lines(file, options)
  return [...lines.add(Buffer.from(text as string)), ...lines.end()]
}

/** Cuts bytes into lines, and lines into records. */
class Lines {
  line = 0
  private rest: Buffer = Buffer.alloc(0)
  private readonly checker = new Checker()
  private readonly decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false })
  private readonly file: string
  private readonly options: ReadOptions

  constructor(file: string, options: ReadOptions) {
    this.file = file
    this.options = options
  }

  add(chunk: Buffer): TraceRecord[] {
    const bytes = this.rest.length === 0 ? chunk : Buffer.concat([this.rest, chunk])
    const records: TraceRecord[] = []
    let start = 0
    for (let end = bytes.indexOf(10, start); end !== -1; end = bytes.indexOf(10, start)) {
      this.line++
      this.parse(bytes.subarray(start, end), records)
      start = end + 1
    }
    this.rest = bytes.subarray(start)
    if (this.rest.length > MAX_LINE) {
      this.line++
      throw this.error(`a line of more than ${MAX_LINE} bytes`)
    }
    return records
  }

  end(): TraceRecord[] {
    const records: TraceRecord[] = []
    try {
      if (this.rest.length > 0) {
        this.line++
        this.parse(this.rest, records, FAR)
      }
      this.checker.finish()
    } catch (error) {
      const problem = error instanceof Violation ? this.error(error.message, FAR) : error
      if (this.options.truncated !== true || this.line === 0) throw problem
      this.options.warn?.((problem as Error).message)
    }
    return records
  }

  /** `remedy`: where the line may have been cut. */
  private parse(bytes: Buffer, records: TraceRecord[], remedy = ''): void {
    if (bytes.length > MAX_LINE) throw this.error(`a line of more than ${MAX_LINE} bytes`)
    let text: string
    try {
      text = this.decoder.decode(bytes)
    } catch {
      throw this.error('not UTF-8', remedy)
    }
    if (text.trim() === '') return
    let value: unknown
    try {
      value = JSON.parse(text)
    } catch (error) {
      const help = this.line === 1 ? 'is it a trace?' : remedy
      throw this.error(`not JSON (${(error as Error).message.slice(0, 120)})`, help)
    }
    try {
      if (isPacked(value)) {
        for (const c of unpack(value)) if (this.checker.accept(c)) records.push(c)
      } else if (this.checker.accept(value)) records.push(value)
    } catch (error) {
      throw error instanceof Violation ? this.error(error.message) : error
    }
  }

  private error(what: string, remedy = ''): TraceError {
    return new TraceError(this.file, Math.max(1, this.line), what, remedy)
  }
}

/** The beginning of what a compressed file holds. */
function unzippedHead(head: Buffer): Buffer {
  if (!isGzip(head)) return head
  try {
    return gunzipSync(head, { finishFlush: constants.Z_SYNC_FLUSH })
  } catch {
    return head
  }
}

const isGzip = (bytes: Buffer): boolean => bytes[0] === 0x1f && bytes[1] === 0x8b

function firstBytes(file: string, count: number): Buffer {
  let fd: number
  try {
    fd = openSync(file, 'r')
  } catch (error) {
    throw new MeasureError(`${file} cannot be opened: ${(error as Error).message}`, 2)
  }
  try {
    const bytes = Buffer.alloc(count)
    return bytes.subarray(0, readSync(fd, bytes, 0, count, 0))
  } catch (error) {
    throw new MeasureError(`${file} cannot be read: ${(error as Error).message}`, 2)
  } finally {
    closeSync(fd)
  }
}
