/**
 * Many plain continuations in one line, for recorders that must not spend their program's time on text: columns of
 * doubles, little-endian, in base64. Traces in this form are put into the plain one (`FORMAT.md`) when the recording is
 * over; nobody but `src/format` sees it.
 */
import type { Continuation } from './types.ts'

/** Columns of one continuation. Zero stands for an absent id, -1 for an absent time. */
const WIDTH = 12
const ROWS = 1024

export interface PackedLine {
  type: 'packed'
  thread: number
  /** Names of the kinds, by number. */
  kinds: string[]
  data: string
}

export class Packer {
  private readonly columns = new Float64Array(WIDTH * ROWS)
  private rows = 0
  private kinds: string[] = []
  private readonly numbers = new Map<string, number>()
  private thread = 0

  get full(): boolean {
    return this.rows === ROWS
  }

  /** Times are rounded to tenths when the line is read. */
  add(
    thread: number,
    id: number,
    kind: string,
    start: number,
    end: number,
    parent: number,
    registered: number,
    registration: number,
    at: number,
    from: number,
    microtasks: number,
    batchStart: number,
    batchEnd: number,
  ): void {
    this.thread = thread
    let number = this.numbers.get(kind)
    if (number === undefined) this.numbers.set(kind, (number = this.kinds.push(kind) - 1))
    const { columns } = this
    let i = WIDTH * this.rows++
    columns[i] = id
    columns[++i] = number
    columns[++i] = start
    columns[++i] = end
    columns[++i] = parent
    columns[++i] = registered
    columns[++i] = registration
    columns[++i] = at
    columns[++i] = from
    columns[++i] = microtasks
    columns[++i] = batchStart
    columns[++i] = batchEnd
  }

  /** The line for what was added, or nothing. */
  take(): string {
    if (this.rows === 0) return ''
    const data = Buffer.from(this.columns.buffer, 0, this.rows * WIDTH * 8).toString('base64')
    const line: PackedLine = { type: 'packed', thread: this.thread, kinds: this.kinds, data }
    this.rows = 0
    return `${JSON.stringify(line)}\n`
  }
}

const round = (x: number): number => Math.round(x * 10) / 10

export function isPacked(value: unknown): value is PackedLine {
  const line = value as PackedLine | null
  return line?.type === 'packed' && Array.isArray(line.kinds) && typeof line.data === 'string'
}

export function unpack({ thread, kinds, data }: PackedLine): Continuation[] {
  const bytes = Buffer.from(data, 'base64')
  const columns = new Float64Array(
    bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length - (bytes.length % (WIDTH * 8))),
  )
  const all: Continuation[] = []
  for (let i = 0; i < columns.length; i += WIDTH) {
    const [id, kind, start, end, parent, registered, registration, at, from, microtasks, batchStart, batchEnd] =
      columns.subarray(i, i + WIDTH)
    const c: Continuation = {
      type: 'continuation',
      id: id!,
      thread,
      kind: kinds[kind!]!,
      start: round(start!),
      end: round(end!),
      parent: parent === 0 ? null : parent!,
    }
    if (registered! >= 0) c.registered = Math.min(round(registered!), c.start)
    if (registration !== 0) {
      c.recurring = true
      c.registration = registration!
    }
    if (microtasks! > 0) {
      c.microtasks = microtasks!
      c.batches = [[round(batchStart!), Math.max(round(batchStart!), round(batchEnd!)), microtasks!]]
    }
    if (at !== 0) c.at = at!
    if (from !== 0) c.from = from!
    all.push(c)
  }
  return all
}
