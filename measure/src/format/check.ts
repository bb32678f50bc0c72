/**
 * Checks records one after the other against the laws of `FORMAT.md`. State: the threads (with the end and id of their
 * last continuation), the introduced ids, where the file stands. A record that passes has the types that `types.ts`
 * promises in every field that is named there.
 */
import { FORMAT_VERSION, type TraceRecord } from './types.ts'

export const MAX_LINE = 1 << 20
const MAX_THREADS = 1 << 16

type Fields = Record<string, any>
type Test = (value: unknown) => boolean

const isObject = (x: unknown): x is Fields => typeof x === 'object' && x !== null && !Array.isArray(x)
const isString: Test = (x) => typeof x === 'string'
const isId: Test = (x) => Number.isSafeInteger(x) && (x as number) > 0
const isTime: Test = (x) => typeof x === 'number' && x >= 0 && x < 2 ** 53
const isCount: Test = (x) => Number.isSafeInteger(x) && (x as number) >= 0
const isNullOrId: Test = (x) => x === null || isId(x)
const isBoolean: Test = (x) => typeof x === 'boolean'
const isVia: Test = (x) => x === 'registration' || x === 'resolution'
const isKind: Test = (x) => typeof x === 'string' && x.length > 0 && x.length <= 256
const listOf =
  (test: Test): Test =>
  (x) =>
    Array.isArray(x) && x.every(test)
const mapOf =
  (test: Test): Test =>
  (x) =>
    isObject(x) && Object.values(x).every(test)
const isBatch: Test = (x) =>
  Array.isArray(x) && x.length === 3 && isTime(x[0]) && isTime(x[1]) && x[1] >= x[0] && (x[2] === null || isCount(x[2]))
const isAlternative: Test = (x) => Array.isArray(x) && x.length === 2 && isId(x[0]) && isVia(x[1])
const isPlace: Test = (x) => Array.isArray(x) && x.length === 2 && isCount(x[0]) && isCount(x[1])
const isKindCount: Test = (x) => isObject(x) && isCount(x.runs) && isCount(x.edges) && isCount(x.expected)
const isOverhead: Test = (x) => isObject(x) && isTime(x.bare) && isTime(x.recorded)

const names = new Map<Test, string>([
  [isString, 'a string'],
  [isId, 'a positive integer'],
  [isTime, 'a time in microseconds, 0 or more'],
  [isCount, 'a whole number, 0 or more'],
  [isNullOrId, 'a positive integer or null'],
  [isBoolean, 'true or false'],
  [isVia, '"registration" or "resolution"'],
  [isKind, 'a kind (1 to 256 characters)'],
])

interface Shape {
  must: [name: string, test: Test][]
  may: [name: string, test: Test][]
}

const shapes = new Map<string, Shape>(
  Object.entries<[Record<string, Test>, Record<string, Test>]>({
    'charcoal-trace': [
      { version: isId, source: isString, tool: isString },
      {
        mode: isString,
        started: isString,
        command: listOf(isString),
        own: listOf(isString),
        accesses: isBoolean,
        title: isString,
      },
    ],
    thread: [
      { id: isId, kind: isString },
      { name: isString, url: isString, process: isCount },
    ],
    location: [
      { id: isId, url: isString, line: isCount, column: isCount },
      { function: isString, sourceMap: isString, begin: isPlace },
    ],
    original: [
      { location: isId, source: isString, line: isCount, column: isCount },
      { name: isString, begin: isPlace, variable: isString },
    ],
    uses: [{ location: isId, reads: listOf(isString), writes: listOf(isString) }, {}],
    continuation: [
      { id: isId, thread: isId, kind: isKind, start: isTime, end: isTime, parent: isNullOrId },
      {
        registered: isTime,
        via: isVia,
        alternatives: listOf(isAlternative),
        recurring: isBoolean,
        registration: isId,
        microtasks: isCount,
        batches: listOf(isBatch),
        at: isId,
        from: isId,
        cpu: isTime,
        activity: isId,
        callers: listOf(isId),
        atomic: isId,
      },
    ],
    'activity-start': [
      { id: isId, name: isString, time: isTime, thread: isId },
      { parent: isNullOrId, at: isId },
    ],
    'activity-end': [{ id: isId, time: isTime }, { outcome: isString }],
    step: [{ activity: isId, continuation: isId, start: isTime, end: isTime }, {}],
    'atomic-enter': [
      { id: isId, activity: isId, thread: isId, time: isTime },
      { name: isString, at: isId, outer: isId },
    ],
    'atomic-leave': [{ id: isId, time: isTime }, {}],
    interruption: [{ atomic: isId, continuation: isId, start: isTime, end: isTime }, {}],
    unserialisable: [
      { kind: isKind, first: isId, other: isId, second: isId, count: isId },
      {
        variable: isString,
        operation: isId,
        awaits: listOf(isId),
        runs: isCount,
        p50: isTime,
        p99: isTime,
        cpu: listOf(isTime),
        wait: listOf(isTime),
        finding: isCount,
      },
    ],
    sources: [{ kinds: mapOf(isCount) }, {}],
    calibration: [{ kinds: mapOf(isKindCount), overhead: mapOf(isOverhead) }, {}],
    dropped: [
      { thread: isId, count: isCount },
      { from: isTime, to: isTime },
    ],
    mark: [{ name: isString, time: isTime, thread: isId, continuation: isId }, {}],
    note: [{ text: isString }, { code: isString }],
    end: [
      { end: isTime, reason: isString, continuations: isCount, dropped: isCount },
      { exitCode: isCount, signal: isString },
    ],
  }).map(([type, [must, may]]) => [type, { must: Object.entries(must), may: Object.entries(may) }]),
)

/** What is wrong with a record, as a sentence. */
export class Violation extends Error {}

const show = (x: unknown): string => {
  const text = JSON.stringify(x) ?? 'nothing'
  return text.length > 60 ? `${text.slice(0, 60)}…` : text
}

export class Checker {
  private begun = false
  private ended = false
  private continuations = 0
  private readonly threads = new Map<number, { end: number; id: number }>()
  private readonly locations = new Set<number>()
  private readonly activities = new Set<number>()
  private readonly atomics = new Set<number>()

  /** Throws a `Violation` unless `value` may be the next record; true if it is one that is known. */
  accept(value: unknown): value is TraceRecord {
    if (!isObject(value) || typeof value.type !== 'string') throw new Violation('a record is an object with a "type"')
    if (this.ended) throw new Violation('there is more after the "end" record')
    const { type } = value
    if (!this.begun) {
      if (type !== 'charcoal-trace')
        throw new Violation(`the first record must be the header ("charcoal-trace"), not ${show(type)}`)
      if (isId(value.version) && value.version > FORMAT_VERSION)
        throw new Violation(
          `version ${value.version} of the format is newer than this reader, which knows version ${FORMAT_VERSION}`,
        )
      this.begun = true
    } else if (type === 'charcoal-trace') throw new Violation('a second header')
    const shape = shapes.get(type)
    if (shape === undefined) return false
    for (const [name, test] of shape.must)
      if (!test(value[name]))
        throw new Violation(name in value ? this.wrong(type, name, test, value) : `"${type}" without "${name}"`)
    for (const [name, test] of shape.may)
      if (value[name] !== undefined && !test(value[name])) throw new Violation(this.wrong(type, name, test, value))
    this.laws(value as TraceRecord)
    return true
  }

  /** Throws unless the file may end here. */
  finish(): void {
    if (!this.begun) throw new Violation('the file is empty')
    if (!this.ended) throw new Violation('the file ends without an "end" record: it is truncated')
  }

  private wrong(type: string, name: string, test: Test, value: Fields): string {
    const expected = names.has(test) ? `not ${names.get(test)}` : 'which the format does not allow'
    return `"${name}" of "${type}" is ${show(value[name])}, ${expected}`
  }

  private laws(r: TraceRecord): void {
    switch (r.type) {
      case 'continuation': {
        const thread = this.thread(r.thread)
        if (r.end < r.start) throw new Violation(`continuation ${r.id} ends before it starts`)
        if (r.registered !== undefined && r.registered > r.start)
          throw new Violation(`continuation ${r.id} is registered after it starts`)
        if (r.start < thread.end)
          throw new Violation(
            `continuation ${r.id} starts at ${r.start}, before the end (${thread.end}) of continuation ` +
              `${thread.id} on the same thread`,
          )
        if (r.id <= thread.id)
          throw new Violation(`continuation ${r.id} stands after continuation ${thread.id} of the same thread`)
        if (r.parent === r.id) throw new Violation(`continuation ${r.id} is its own parent`)
        thread.end = r.end
        thread.id = r.id
        this.known(this.locations, r.at, 'location')
        this.known(this.locations, r.from, 'location')
        this.known(this.activities, r.activity, 'activity')
        this.known(this.atomics, r.atomic, 'atomic block')
        this.continuations++
        break
      }
      case 'thread':
        if (this.threads.has(r.id)) throw new Violation(`thread ${r.id} is introduced twice`)
        if (this.threads.size >= MAX_THREADS) throw new Violation(`more than ${MAX_THREADS} threads`)
        this.threads.set(r.id, { end: 0, id: 0 })
        break
      case 'location':
        this.introduce(this.locations, r.id, 'location')
        break
      case 'original':
      case 'uses':
        this.known(this.locations, r.location, 'location')
        break
      case 'activity-start':
        this.thread(r.thread)
        this.introduce(this.activities, r.id, 'activity')
        this.known(this.locations, r.at, 'location')
        break
      case 'activity-end':
        this.known(this.activities, r.id, 'activity')
        break
      case 'atomic-enter':
        this.thread(r.thread)
        this.known(this.activities, r.activity, 'activity')
        this.known(this.atomics, r.outer, 'atomic block')
        this.known(this.locations, r.at, 'location')
        this.introduce(this.atomics, r.id, 'atomic block')
        break
      case 'atomic-leave':
        this.known(this.atomics, r.id, 'atomic block')
        break
      case 'step':
        this.known(this.activities, r.activity, 'activity')
        if (r.end < r.start) throw new Violation('a step ends before it starts')
        break
      case 'interruption':
        this.known(this.atomics, r.atomic, 'atomic block')
        if (r.end < r.start) throw new Violation('an interruption ends before it starts')
        break
      case 'unserialisable':
        for (const id of [r.first, r.other, r.second]) this.known(this.locations, id, 'location')
        break
      case 'mark':
      case 'dropped':
        this.thread(r.thread)
        break
      case 'end':
        if (r.continuations !== this.continuations)
          throw new Violation(`"end" counts ${r.continuations} continuations, the file has ${this.continuations}`)
        this.ended = true
        break
    }
  }

  private thread(id: number): { end: number; id: number } {
    const thread = this.threads.get(id)
    if (thread === undefined) throw new Violation(`thread ${id} has not been introduced`)
    return thread
  }

  private introduce(table: Set<number>, id: number, what: string): void {
    if (table.has(id)) throw new Violation(`${what} ${id} is introduced twice`)
    table.add(id)
  }

  private known(table: Set<number>, id: number | undefined, what: string): void {
    if (id !== undefined && !table.has(id)) throw new Violation(`${what} ${id} has not been introduced`)
  }
}
