/**
 * Makes continuations of what Node's event loop runs. A continuation is one callback that the loop called, with the ticks and microtasks that ran after it; it is written when the next one
 * begins. Its parent is the continuation in which its resource was made.
 *
 * Invariants: `open` is the continuation that runs or ran last and is not written yet; `depth` is the number of callbacks on the stack; what is made while `depth` is 0 belongs to `open`.
 * The recorder's own pauses (writing) are taken out of the clock.
 *
 * Continuations in which only Node's own code ran (the steps of `readFile`, of loading a module) are left out, with their children given to their parent: known only with stacks (mode `full`).
 */
import { TraceWriter } from '../../format/write.ts'
import type { Batch, Continuation, TraceRecord, Via } from '../../format/types.ts'
import { Blocks } from '../blocks.ts'
import type { ActivityHost } from '../activities.ts'
import { running, type Watcher } from './adapter.ts'
import { Resources } from './resources.ts'
import { here, type Place } from './stack.ts'
import { resourceType, type ResourceType } from './types.ts'

/** Microseconds of silence after which a settled promise outside any callback means that the loop has begun something new. */
const SILENCE = 200
const MAX_ALTERNATIVES = 8
/** What is kept before it is written: characters, and microseconds. */
const FLUSH = 1 << 18
const FLUSH_AGE = 1e6

interface Open {
  id: number
  kind: string
  start: number
  parent: number
  registered: number
  from: number
  at: number
  recurring: boolean
  registration: number
  batches: Batch[]
  microtasks: number
  /** What ran has a handle's callback as its task. */
  handle: boolean
  /** Code of the user's was seen in the task, in the whole continuation. */
  userTask: boolean
  user: boolean
  /** Only Node's own code was seen, at least once. */
  internal: boolean
  /** Edges of its microtasks: continuation, registration time, location, and whether it is the one that registered it. */
  edges: { id: number; registered: number; from: number; direct: boolean; via: Via }[]
  top: boolean
}

export interface RecorderOptions {
  out: string
  /** Stacks at registrations. */
  full: boolean
  /** Microseconds since the trace's origin. */
  now: () => number
  thread: { id: number; kind: string; name: string }
  command: string[]
}

export class NodeRecorder implements Watcher, ActivityHost {
  readonly trace: TraceWriter
  readonly kinds: Record<string, number> = {}
  collapsed = 0
  private readonly blocks = new Blocks()
  private readonly resources = new Resources()
  private readonly full: boolean
  private readonly clock: () => number
  readonly threadId: number
  private paused = 0
  private flushed = 0
  private depth = 0
  private open: Open
  private lastEnd = 0
  private written = 0
  private nextId = 1
  private inBatch = false
  private stopped = false
  private recording = false
  private readonly types: ResourceType[] = []
  private readonly typeCodes = new Map<string, number>()
  private readonly locations = new Map<Place, number>()
  /** Continuations left out, to what stands for them: parent, and when that registered. */
  private readonly aliases = new Map<number, { parent: number; registered: number; from: number }>()

  constructor(options: RecorderOptions) {
    this.full = options.full
    this.clock = options.now
    this.threadId = options.thread.id
    this.trace = new TraceWriter(options.out, { source: 'node', tool: `charcoal-measure`, mode: options.full ? 'full' : 'fast', started: new Date().toISOString(), command: options.command })
    this.trace.write({ type: 'thread', id: options.thread.id, kind: options.thread.kind, name: options.thread.name, process: process.pid })
    this.open = this.begin(this.now(), 'script', 0, null)
    this.trace.flush()
    this.flushed = this.now()
    this.recording = true
  }

  /** Microseconds, without the recorder's own pauses. */
  now(): number {
    return this.clock() - this.paused
  }

  /** The continuation that runs, or ran last. */
  get current(): number {
    return this.open.id
  }

  made(id: number, typeName: string, trigger: number, resource: object): void {
    if (!this.recording) return
    const now = this.now()
    if (this.depth === 0) this.silence(now)
    let code = this.typeCodes.get(typeName)
    if (code === undefined) {
      code = this.types.push(resourceType(typeName)) - 1
      this.typeCodes.set(typeName, code)
    }
    const type = this.types[code]
    let from = 0
    let direct = false
    // A promise of its own (a constructor's, an async function's) never runs: only one that hangs on another is a callback.
    if (this.full && !(typeName === 'PROMISE' && trigger === running())) {
      const frames = here(this.made)
      if (frames.inner !== null) {
        from = this.location(frames.inner)
        direct = frames.direct
        this.open.user = true
        if (!this.inBatch) this.open.userTask = true
        if (this.open.at === 0 && frames.outer !== null) {
          this.open.at = this.location(frames.outer)
          this.open.top = frames.outer.name === '' && frames.outer.line === 1
        }
      } else this.open.internal = true
    }
    if (type.handle || (typeName === 'Timeout' && (resource as any)._repeat)) this.resources.addHandle(id, code, this.open.id, now, from)
    else this.resources.add(id, code, this.open.id, now, from, direct, trigger)
  }

  before(id: number): void {
    if (!this.recording || this.depth++ !== 0) return
    const now = this.now()
    const code = this.resources.type(id)
    const micro = code !== -1 && this.types[code].micro
    if (micro && this.open.id !== 0) {
      this.microtask(id, now)
      return
    }
    // A resource from before the recording: its type is unknown.
    if (code === -1 && id <= 1) return
    this.task(id, code, now)
  }

  after(id: number): void {
    if (!this.recording || this.depth === 0 || --this.depth !== 0) return
    const now = this.now()
    this.lastEnd = now
    if (this.inBatch) this.open.batches[this.open.batches.length - 1][1] = now
    this.resources.ran(id)
  }

  settled(id: number): void {
    if (!this.recording) return
    if (this.depth === 0) this.silence(this.now())
    this.resources.settled(id, this.open.id)
  }

  /** Writes what is open. Nothing is recorded after it. */
  stop(reason: string, exitCode?: number): void {
    if (this.stopped) return
    this.stopped = true
    const now = this.now()
    if (this.depth > 0) this.lastEnd = now
    this.recording = false
    this.finish()
    this.trace.write({ type: 'sources', kinds: this.kinds })
    if (this.collapsed > 0) this.trace.write({ type: 'note', code: 'collapsed', text: `${this.collapsed} continuations of Node's own code (steps of reading files, of loading modules) are left out; their children have their parents` })
    if (this.resources.lost > 0) this.trace.write({ type: 'note', code: 'lost-parents', text: `${this.resources.lost} registrations were forgotten because too many were pending; their continuations are roots` })
    this.trace.end({ end: Math.max(now, this.lastEnd), reason, ...(exitCode !== undefined && { exitCode }) })
  }

  write(record: TraceRecord): void {
    if (this.stopped) return
    if (record.type === 'atomic-enter') this.blocks.enter(record.id, record.time, this.open.id)
    else if (record.type === 'atomic-leave') this.blocks.leave(record.id)
    else if (record.type === 'step') this.blocks.step(record.continuation)
    this.trace.write(record)
  }

  /** What the program wants to see in the trace. */
  mark(name: string): void {
    this.open.user = true
    if (!this.inBatch) this.open.userTask = true
    this.write({ type: 'mark', name, time: round(this.now()), thread: this.threadId, continuation: this.open.id })
  }

  location(place: Place): number {
    let id = this.locations.get(place)
    if (id === undefined) this.locations.set(place, (id = this.trace.location(place.url, place.line, place.column, place.name)))
    return id
  }

  private silence(now: number): void {
    if (now - this.lastEnd > SILENCE && this.lastEnd > this.open.start && running() === 0) {
      this.next(now)
      this.open = this.begin(now, 'microtasks', 0, null)
    }
  }

  /** The event loop calls something: the open continuation is over. */
  private task(id: number, code: number, now: number): void {
    this.next(now)
    const resource = code === -1 ? undefined : this.resources.get(id)
    const type = code === -1 ? undefined : this.types[code]
    const recurring = resource !== undefined && (resource.recurring || resource.runs > 0)
    this.open = this.begin(now, type === undefined ? 'callback' : type.kind === 'timeout' && recurring ? 'interval' : type.kind, recurring ? id : 0, resource ?? null)
    this.open.recurring = recurring
    this.open.handle = type?.handle ?? false
  }

  private microtask(id: number, now: number): void {
    const { open } = this
    if (!this.inBatch) {
      this.inBatch = true
      open.batches.push([now, now, 0])
    }
    const batch = open.batches[open.batches.length - 1]
    batch[2]!++
    open.microtasks++
    const { resources } = this
    if (resources.direct(id)) open.user = true
    if (open.edges.length >= MAX_ALTERNATIVES) return
    const owner = resources.owner(id)
    if (owner !== open.id && owner !== 0) {
      const resource = resources.get(id)!
      open.edges.push({ id: owner, registered: resource.registered, from: resource.from, direct: resource.direct, via: 'registration' })
    }
    const settler = resources.settler(resources.trigger(id))
    if (settler !== 0 && settler !== open.id && settler !== owner) open.edges.push({ id: settler, registered: now, from: 0, direct: false, via: 'resolution' })
  }

  private begin(start: number, kind: string, registration: number, resource: { owner: number; registered: number; from: number } | null): Open {
    this.inBatch = false
    return {
      id: this.nextId++, kind, start, parent: resource?.owner ?? 0, registered: resource?.registered ?? -1, from: resource?.from ?? 0, at: 0, recurring: false, registration,
      batches: [], microtasks: 0, handle: false, userTask: false, user: false, internal: false, edges: [], top: false,
    }
  }

  /** Writes the open continuation, outside the clock's time. */
  private next(now: number): void {
    this.finish()
    if (this.trace.buffered > FLUSH || now - this.flushed > FLUSH_AGE) {
      this.trace.flush()
      this.flushed = now
    }
    this.paused += this.now() - now
  }

  private resolve(id: number, registered: number, from: number): { id: number; registered: number; from: number } {
    for (let alias = this.aliases.get(id); alias !== undefined; alias = this.aliases.get(id)) {
      id = alias.parent
      registered = alias.registered
      if (alias.from !== 0) from = alias.from
    }
    return { id, registered, from }
  }

  private finish(): void {
    const { open } = this
    const end = Math.max(open.start, this.lastEnd, this.written)
    const start = Math.max(open.start, this.written)
    let primary = this.resolve(open.parent, open.registered, open.from)
    let { kind, recurring } = open
    let edges = open.edges.map((e) => ({ ...e, ...this.resolve(e.id, e.registered, e.from) }))
    const firstLink = edges.find((e) => e.via === 'registration' && e.id !== 0 && e.direct) ?? edges.find((e) => e.via === 'registration' && e.id !== 0)
    // A connection that only delivers what an `await` waits for: the microtasks are the continuation.
    if (firstLink !== undefined && ((open.handle && !open.userTask) || (primary.id === 0 && !open.userTask))) {
      if (primary.id !== 0) edges.push({ ...primary, direct: false, via: 'resolution' })
      primary = firstLink
      kind = open.handle || kind === 'microtasks' ? 'microtasks' : kind
      recurring = false
    }
    if (this.full && open.id !== 1 && open.internal && !open.user) {
      this.collapsed++
      this.aliases.set(open.id, { parent: primary.id, registered: primary.registered, from: primary.from })
      return
    }
    if (open.top && kind !== 'timeout' && kind !== 'immediate' && kind !== 'interval') kind = 'script'
    const seen = new Set([0, open.id, primary.id])
    const alternatives: [number, Via][] = []
    for (const e of edges) if (!seen.has(e.id) && seen.add(e.id)) alternatives.push([e.id, e.via])
    const record: Continuation = { type: 'continuation', id: open.id, thread: this.threadId, kind, start: round(start), end: round(end), parent: primary.id === 0 ? null : primary.id }
    if (primary.registered >= 0) record.registered = Math.min(round(primary.registered), record.start)
    if (alternatives.length > 0) record.alternatives = alternatives
    if (recurring) {
      record.recurring = true
      record.registration = open.registration
    }
    if (open.microtasks > 0) {
      record.microtasks = open.microtasks
      record.batches = open.batches.map(([a, b, n]) => [round(a), Math.max(round(a), round(b)), n])
    }
    if (open.at !== 0) record.at = open.at
    if (primary.from !== 0) record.from = primary.from
    this.kinds[kind] = (this.kinds[kind] ?? 0) + 1
    this.written = end
    this.trace.write(record)
    for (const interruption of this.blocks.ended(record)) this.trace.write(interruption)
  }
}

/** To tenths of a microsecond: shorter lines. */
const round = (x: number): number => Math.round(x * 10) / 10
