/**
 * Makes continuations of what Node's event loop runs. A continuation is one callback that the loop called, with the
 * ticks and microtasks that ran after it; it is written when the next one begins. Its parent is the continuation in
 * which its resource was made.
 *
 * Invariants: `open` is the continuation that runs or ran last and is not written yet; `depth` is the number of
 * callbacks on the stack; what is made while `depth` is 0 belongs to `open`.
 */
import { counted } from '../../format/counted.ts'
import { executionAsyncResource } from 'node:async_hooks'
import { types } from 'node:util'
import { TraceWriter } from '../../format/write.ts'
import type { End, TraceRecord } from '../../format/types.ts'
import type { ActivityHost } from '../activities.ts'
import { Blocks } from '../blocks.ts'
import { hungText } from '../hung_text.ts'
import type { Contexts } from './accesses/contexts.ts'
import { running, type Watcher } from './adapter.ts'
import { isStarting } from './children.ts'
import { RecorderClock } from './clock.ts'
import { ContinuationWriter } from './continuation_writer.ts'
import { round } from './decide.ts'
import { calls, opened, ranUsers, reopen, runsMicrotask, type Open } from './open.ts'
import { Registrations } from './registrations.ts'
import { blankResource, Resources } from './resources.ts'
import type { Place } from '../place.ts'
import { here } from './stack.ts'
import { TypeNumbers } from './types.ts'

/**
 * Microseconds of silence after which a settled promise outside any callback means that the loop has begun something
 * new.
 */
const SILENCE = 200
/**
 * What is kept before it is written: characters, and microseconds. A process that is killed, or loops for ever, loses
 * no more.
 */
const FLUSH = 1 << 18
const FLUSH_AGE = 20_000

export interface RecorderOptions {
  out: string
  /** Stacks at registrations. */
  full: boolean
  mode: string
  /** Microseconds since the trace's origin. */
  now: () => number
  thread: { id: number; kind: string; name: string }
  command: string[]
  /** Packages whose code counts as the program's own. */
  own?: string[]
  /** What the program's own code reads and writes is watched. */
  accesses?: boolean
}

export class NodeRecorder implements Watcher, ActivityHost {
  readonly trace: TraceWriter
  readonly threadId: number
  /** Told whose callbacks run, if accesses are watched. */
  contexts: Contexts | null = null
  /** Resources with ids between these two are this recorder's. */
  ours: [after: number, before: number] = [0, 0]
  /** Called before the end is written. */
  atEnd: () => void = () => {}
  /** Called before what is kept is written. */
  meanwhile: () => void = () => {}
  private readonly full: boolean
  private readonly clock: RecorderClock
  private readonly blocks = new Blocks()
  private readonly resources = new Resources()
  private readonly types = new TypeNumbers()
  private readonly locations = new Map<Place, number>()
  private readonly registrations: Registrations
  private readonly writer: ContinuationWriter
  private readonly open: Open
  /** The resource that is being made; used again for each. */
  private readonly fresh = blankResource()
  private nextId = 1
  private depth = 0
  /** When the last callback ended, or 0: none has. */
  private lastEnd = 0
  /** When the trace was last written to its file. */
  private flushed = 0
  private recording = false
  private stopped = false

  constructor({ out, full, mode, now, thread, command, own, accesses }: RecorderOptions) {
    this.full = full
    this.clock = new RecorderClock(now)
    this.threadId = thread.id
    this.trace = new TraceWriter(out, {
      source: 'node',
      tool: 'charcoal-measure',
      mode,
      started: new Date().toISOString(),
      command,
      ...(own && { own }),
      ...(accesses && { accesses }),
    })
    const { trace, blocks } = this
    trace.write({ type: 'thread', ...thread, process: process.pid })
    this.writer = new ContinuationWriter({ trace, blocks, thread: thread.id, full })
    this.open = opened(this.nextId++, this.now(), 'script')
    this.registrations = new Registrations(this.open, this.clock, (place) => this.location(place))
    this.flush(this.now())
    this.recording = true
  }

  /** Microseconds, without the recorder's own pauses. */
  now(): number {
    return this.clock.now()
  }

  /** The continuation that runs, or ran last. */
  get current(): number {
    return this.open.id
  }

  made(id: number, typeName: string, trigger: number, resource: object): void {
    if (!this.recording) return
    const now = this.now()
    if (this.depth === 0) this.silence(now)
    const type = this.types.of(typeName)
    const { fresh } = this
    fresh.type = type
    fresh.owner = this.open.id
    fresh.registered = now
    fresh.trigger = trigger
    fresh.recurring = this.types.at(type).handle || (typeName === 'Timeout' && (resource as any)._repeat !== null)
    fresh.from = fresh.callback = 0
    fresh.direct = fresh.awaits = false
    // A promise of its own (a constructor's, an async function's) never runs: only one that hangs on another is a
    // callback.
    if (this.full && !(typeName === 'PROMISE' && trigger === running()))
      this.registrations.locate(fresh, typeName, resource, this.made)
    this.resources.add(id, fresh)
    if (this.contexts === null) return
    const sleep = typeName === 'Timeout' ? Number((resource as any)._idleTimeout) * 1000 : 0
    const isOnes = !fresh.recurring || this.types.at(type).once || isStarting()
    this.contexts.made(id, isOnes, fresh.awaits, sleep, now)
  }

  before(id: number): void {
    if (!this.recording || (this.depth === 0 && this.isOurs(id))) return
    if (this.depth++ !== 0) return this.contexts?.beforeInner(id, this.now())
    const now = this.now()
    this.contexts?.before(id, now)
    const type = this.resources.type(id)
    if (type !== -1 && this.types.at(type).micro) return this.microtask(id, now)
    // A resource from before the recording: its type is unknown. Node's first is nobody's callback.
    if (type === -1 && id <= 1) return
    if (type === -1 && types.isPromise(executionAsyncResource())) return runsMicrotask(this.open, UNKNOWN, 0, now)
    this.task(id, type, now)
  }

  after(id: number): void {
    if (!this.recording || this.depth === 0) return
    if (--this.depth !== 0) return this.contexts?.afterInner(this.now())
    const now = this.now()
    this.lastEnd = now
    const { inBatch, batches } = this.open
    if (inBatch) batches[batches.length - 1]![1] = now
    this.resources.ran(id)
    this.contexts?.after(now)
  }

  settled(id: number): void {
    if (!this.recording) return
    if (this.depth === 0) this.silence(this.now())
    this.resources.settled(id, this.open.id)
  }

  /** Writes what is open. Nothing is recorded after it. */
  stop(reason: string, more: Pick<End, 'exitCode' | 'signal'> = {}): void {
    if (this.stopped) return
    this.stopped = true
    const now = this.now()
    if (this.recording) {
      if (this.depth > 0) this.lastEnd = now
      this.recording = false
      this.writer.finish(this.open, this.lastEnd)
    }
    this.atEnd()
    this.trace.write({ type: 'sources', kinds: this.writer.kinds })
    this.noteLosses()
    this.trace.end({ end: round(Math.max(now, this.lastEnd)), reason, ...more })
  }

  /** Nothing is recorded until `resume`. What is registered meanwhile has no parent afterwards. */
  pause(): void {
    if (this.stopped || !this.recording) return
    this.lastEnd = this.now()
    this.recording = false
    this.writer.finish(this.open, this.lastEnd)
    this.flush(this.now())
  }

  resume(): void {
    if (this.stopped || this.recording) return
    this.depth = 0
    reopen(this.open, this.nextId++, this.now(), 'callback')
    this.recording = true
  }

  write(record: TraceRecord): void {
    if (record.type === 'atomic-enter') this.blocks.enter(record.id, record.time, this.open.id)
    else if (record.type === 'atomic-leave') this.blocks.leave(record.id)
    else if (record.type === 'step') this.blocks.step(record.continuation)
    this.trace.write(record)
  }

  note(code: string, text: string): void {
    this.trace.write({ type: 'note', code, text })
  }

  /** The open continuation does not end: it is the last, and has its place from where it is. False if none is known. */
  hangs(killed = true): boolean {
    const { inner, outer } = here(this.hangs)
    if (!this.recording || inner === null) return false
    const { open } = this
    ranUsers(open)
    if (open.at === 0 && open.resumed === 0 && outer !== null) open.at = this.location(outer)
    this.note('hung', hungText(this.now() - open.start, inner, killed))
    return true
  }

  /** What the program wants to see in the trace. */
  mark(name: string): void {
    if (this.stopped) return
    ranUsers(this.open)
    this.write({ type: 'mark', name, time: round(this.now()), thread: this.threadId, continuation: this.open.id })
  }

  location(place: Place): number {
    let id = this.locations.get(place)
    if (id === undefined) {
      id = this.trace.location(place.url, place.line, place.column, place.name, { begin: place.begin })
      this.locations.set(place, id)
    }
    return id
  }

  /** Our own callbacks are nobody's continuations, and prolong none. */
  private isOurs(id: number): boolean {
    return id > this.ours[0] && id < this.ours[1]
  }

  private noteLosses(): void {
    const { leftOut } = this.writer
    const { lost } = this.resources
    if (leftOut > 0)
      this.note(
        'collapsed',
        `${counted(leftOut, 'continuation')} of Node's own code (steps of reading files, of loading modules) ` +
          `${leftOut === 1 ? 'is' : 'are'} left out; what they registered counts as registered by what had ` +
          'registered them',
      )
    if (lost > 0)
      this.note(
        'lost-parents',
        `${counted(lost, 'registration was', 'registrations were')} forgotten because too many were pending; ` +
          'their continuations are roots',
      )
  }

  /** Something happens outside of any callback: after a while of nothing it is a new continuation's. */
  private silence(now: number): void {
    if (now - this.lastEnd > SILENCE && this.lastEnd > this.open.start && running() === 0) {
      this.next(now)
      reopen(this.open, this.nextId++, now, 'microtasks')
    }
  }

  /** The event loop calls something: the open continuation is over. */
  private task(id: number, type: number, now: number): void {
    this.next(now)
    const { open } = this
    reopen(open, this.nextId++, now, 'callback')
    const resource = type === -1 ? undefined : this.resources.get(id)
    if (resource === undefined) return
    calls(open, id, resource, this.types.at(type))
    const isTimer = open.kind === 'timeout' || open.kind === 'interval'
    if (open.at !== 0 || (this.full && isTimer && open.from !== 0 && callsUsersTimer())) ranUsers(open)
  }

  private microtask(id: number, now: number): void {
    const resource = this.resources.get(id)!
    runsMicrotask(this.open, resource, this.resources.settler(resource.trigger), now)
  }

  /** Writes the open continuation, outside the clock's time. */
  private next(now: number): void {
    this.writer.finish(this.open, this.lastEnd)
    if (this.trace.buffered <= FLUSH && now - this.flushed <= FLUSH_AGE) return
    this.meanwhile()
    this.flush(now)
    this.clock.pausedSince(now)
  }

  private flush(now: number): void {
    this.trace.flush()
    this.flushed = now
  }
}

/** Stands for a promise's callback that was registered before the recording. */
const UNKNOWN = blankResource()

const textOf = Function.prototype.toString
const isBuiltIn = (f: unknown): boolean => typeof f !== 'function' || textOf.call(f).endsWith('{ [native code] }')

/** The timer that runs now has a callback of the user's. */
const callsUsersTimer = (): boolean => !isBuiltIn((executionAsyncResource() as any)?._onTimeout)
