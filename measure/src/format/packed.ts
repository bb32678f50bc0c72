/**
 * Many plain continuations in one line, for recorders that must not spend their program's time on text: rows of 32-bit
 * numbers, little-endian, in base64. Traces in this form are put into the plain one (`FORMAT.md`) when the recording is
 * over; nobody but `src/format` sees it.
 *
 * Times are tenths of a microsecond. A continuation's start takes two numbers; its other times are told from the start,
 * and so fit in one if they lie within seven minutes of it. What does not fit is refused, and written as text.
 */
import type { Continuation } from './types.ts'

/** Numbers of one continuation: its start (low, high), then in the order of `add`. Zero stands for an absent id. */
const WIDTH = 13
const ROWS = 1024
const RANGE = 2 ** 32
export const ASCII = /^[\0-\x7f]*$/
/** Of a time: absent. */
const ABSENT = RANGE - 1

/** A recorded program may replace it. */
const toText = Buffer.prototype.toString

export interface PackedLine {
  type: 'packed'
  thread: number
  /** Names of the kinds, by number. */
  kinds: string[]
  data: string
}

export class Packer {
  private readonly numbers = new Uint32Array(WIDTH * ROWS)
  private rows = 0
  private kinds: string[] = []
  private readonly kindNumbers = new Map<string, number>()
  private thread = 0

  /** The names of the kinds are. */
  ascii = true

  get full(): boolean {
    return this.rows === ROWS
  }

  /** False if a number is too large; then nothing was added. A `registered` below 0 is absent. */
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
  ): boolean {
    const origin = Math.round(start * 10)
    const length = Math.round(end * 10) - origin
    const waited = registered < 0 ? ABSENT : Math.max(0, origin - Math.round(registered * 10))
    if (!(origin >= 0 && length < ABSENT && waited <= ABSENT && registration < RANGE && id < RANGE)) return false
    this.thread = thread
    let number = this.kindNumbers.get(kind)
    if (number === undefined) {
      this.kindNumbers.set(kind, (number = this.kinds.push(kind) - 1))
      this.ascii &&= ASCII.test(kind)
    }
    const { numbers } = this
    let i = WIDTH * this.rows++
    numbers[i] = origin % RANGE
    numbers[++i] = origin / RANGE
    numbers[++i] = id
    numbers[++i] = number
    numbers[++i] = length
    numbers[++i] = parent
    numbers[++i] = waited
    numbers[++i] = registration
    numbers[++i] = at
    numbers[++i] = from
    numbers[++i] = microtasks
    numbers[++i] = Math.max(0, Math.round(batchStart * 10) - origin)
    numbers[++i] = Math.max(0, Math.round(batchEnd * 10) - origin)
    return true
  }

  /** The line for what was added, or nothing. */
  take(): string {
    if (this.rows === 0) return ''
    const bytes = Buffer.from(this.numbers.buffer, 0, this.rows * WIDTH * 4)
    const data = Reflect.apply(toText, bytes, ['base64'])
    this.rows = 0
    // Base64 contains no character that JSON would escape.
    return `{"type":"packed","thread":${this.thread},"kinds":${JSON.stringify(this.kinds)},"data":"${data}"}\n`
  }
}

export function isPacked(value: unknown): value is PackedLine {
  const line = value as PackedLine | null
  return line?.type === 'packed' && Array.isArray(line.kinds) && typeof line.data === 'string'
}

export function unpack({ thread, kinds, data }: PackedLine): Continuation[] {
  const bytes = Buffer.from(data, 'base64')
  const size = bytes.length - (bytes.length % (WIDTH * 4))
  const numbers = new Uint32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + size))
  const all: Continuation[] = []
  for (let i = 0; i < numbers.length; i += WIDTH) {
    const row = Array.from(numbers.subarray(i, i + WIDTH)) as [number, ...number[]]
    const [low, high, id, kind, length, parent, waited, registration, at, from, microtasks, batchStart, batchEnd] = row
    const origin = low + high! * RANGE
    const time = (after: number): number => (origin + after) / 10
    const c: Continuation = {
      type: 'continuation',
      id: id!,
      thread,
      kind: kinds[kind!]!,
      start: time(0),
      end: time(length!),
      parent: parent === 0 ? null : parent!,
    }
    if (waited !== ABSENT) c.registered = time(-waited!)
    if (registration !== 0) {
      c.recurring = true
      c.registration = registration!
    }
    if (microtasks! > 0) {
      c.microtasks = microtasks!
      c.batches = [[time(batchStart!), time(Math.max(batchStart!, batchEnd!)), microtasks!]]
    }
    if (at !== 0) c.at = at!
    if (from !== 0) c.from = from!
    all.push(c)
  }
  return all
}
