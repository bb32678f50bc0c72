/**
 * Makes continuations of what Node's event loop runs. A continuation is one callback that the loop called, with the
 * ticks and microtasks that ran after it; it is written when the next one begins. Its parent is the continuation in
 * which its resource was made.
 *
 * Invariants: `open` is the continuation that runs or ran last and is not written yet; `depth` is the number of
 * callbacks on the stack; what is made while `depth` is 0 belongs to `open`. The recorder's own pauses (writing,
 * looking at stacks) are taken out of the clock.
 *
 * Continuations in which only Node's own code ran (the steps of `readFile`, of loading a module) are left out, with
 * their children given to their parent: known only with stacks (mode `full`).
 */
import { executionAsyncResource } from 'node:async_hooks'
import { TraceWriter } from '../../format/write.ts'
import type { TraceRecord } from '../../format/types.ts'
import { Blocks } from '../blocks.ts'
import type { ActivityHost } from '../activities.ts'
import type { Contexts } from './accesses/contexts.ts'
import { running, type Watcher } from './adapter.ts'
import { functionPlace } from './function_place.ts'
import { Guesses, type Guess } from './guesses.ts'
import { hungText } from '../hung_text.ts'
import { Aliases, decide, NONE, opened, recordOf, reopen, round, type Link, type Open } from './open.ts'
import { blankResource, Resources } from './resources.ts'
import { here, isUsers, type Frames, type Place } from './stack.ts'
import { resourceType, type ResourceType } from './types.ts'

/**
 * Microseconds of silence after which a settled promise outside any callback means that the loop has begun something
 * new.
 */
const SILENCE = 200
const MAX_ALTERNATIVES = 8
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
}

export class NodeRecorder implements Watcher, ActivityHost {
  readonly trace: TraceWriter
  readonly kinds: Record<string, number> = {}
  readonly threadId: number
  /** Told whose callbacks run, if accesses are watched. */
  contexts: Contexts | null = null
  /** Resources with ids between these two are this recorder's. */
  ours: [after: number, before: number] = [0, 0]
  /** Called before the end is written. */
  atEnd: () => void = () => {}
  private collapsed = 0
  private readonly blocks = new Blocks()
  private readonly resources = new Resources()
  private readonly guesses = new Guesses()
  private readonly aliases = new Aliases()
  private readonly full: boolean
  private readonly clock: () => number
  private paused = 0
  private flushed = 0
  private depth = 0
  private readonly open: Open
  private lastEnd = 0
  private written = 0
  private nextId = 1
  private inBatch = false
  private stopped = false
  private recording = false
  private readonly types: ResourceType[] = []
  private readonly typeCodes = new Map<string, number>()
  private readonly locations = new Map<Place, number>()
  private readonly fresh = blankResource()
  /** Used again for each continuation, as `open` is. */
  private readonly link: Link = { id: 0, registered: -1, from: 0 }

  constructor(options: RecorderOptions) {
    this.full = options.full
    this.clock = options.now
    this.threadId = options.thread.id
    const { out, mode, command, own } = options
    this.trace = new TraceWriter(out, {
      source: 'node',
      tool: `charcoal-measure`,
      mode,
      started: new Date().toISOString(),
      command,
      ...(own && { own }),
    })
    this.trace.write({
      type: 'thread',
      id: options.thread.id,
      kind: options.thread.kind,
      name: options.thread.name,
      process: process.pid,
    })
    this.open = opened(this.nextId++, this.now(), 'script')
    this.flush(this.now())
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
    const { fresh } = this
    fresh.type = code
    fresh.owner = this.open.id
    fresh.registered = now
    fresh.trigger = trigger
    fresh.recurring = this.types[code].handle || (typeName === 'Timeout' && (resource as any)._repeat !== null)
    fresh.from = fresh.callback = 0
    fresh.direct = fresh.awaits = false
    // A promise of its own (a constructor's, an async function's) never runs: only one that hangs on another is a
    // callback.
    if (this.full && !(typeName === 'PROMISE' && trigger === running())) this.locate(typeName, resource)
    this.resources.add(id, fresh)
    this.contexts?.made(id, fresh.recurring, fresh.awaits)
  }

  before(id: number): void {
    if (!this.recording || this.depth++ !== 0) return
    this.contexts?.before(id)
    const now = this.now()
    const code = this.resources.type(id)
    const micro = code !== -1 && this.types[code].micro
    if (micro && this.open.id !== 0) {
      this.microtask(id, now)
      return
    }
    // A resource from before the recording: its type is unknown. Node's first, and our own, are nobody's callbacks.
    if (code === -1 && (id <= 1 || (id > this.ours[0] && id < this.ours[1]))) return
    this.task(id, code, now)
  }

  after(id: number): void {
    if (!this.recording || this.depth === 0 || --this.depth !== 0) return
    const now = this.now()
    this.lastEnd = now
    if (this.inBatch) this.open.batches[this.open.batches.length - 1][1] = now
    this.resources.ran(id)
    this.contexts?.after()
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
    if (this.recording) {
      if (this.depth > 0) this.lastEnd = now
      this.recording = false
      this.finish()
    }
    this.atEnd()
    this.trace.write({ type: 'sources', kinds: this.kinds })
    if (this.collapsed > 0)
      this.note(
        'collapsed',
        `${this.collapsed} continuations of Node's own code (steps of reading files, of loading modules) are ` +
          'left out; their children have their parents',
      )
    if (this.resources.lost > 0)
      this.note(
        'lost-parents',
        `${this.resources.lost} registrations were forgotten because too many were pending; their ` +
          'continuations are roots',
      )
    this.trace.end({ end: round(Math.max(now, this.lastEnd)), reason, ...(exitCode !== undefined && { exitCode }) })
  }

  /** Nothing is recorded until `resume`. What is registered meanwhile has no parent afterwards. */
  pause(): void {
    if (this.stopped || !this.recording) return
    this.lastEnd = this.now()
    this.recording = false
    this.finish()
    this.flush(this.now())
  }

  resume(): void {
    if (this.stopped || this.recording) return
    this.depth = 0
    reopen(this.open, this.nextId++, this.now(), 'callback')
    this.inBatch = false
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
  hangs(): boolean {
    const { inner, outer } = here(this.hangs)
    if (!this.recording || inner === null) return false
    const { open } = this
    this.users()
    if (open.at === 0 && open.resumed === 0 && outer !== null) open.at = this.location(outer)
    this.note('hung', hungText(this.now() - open.start, inner))
    return true
  }

  /** What the program wants to see in the trace. */
  mark(name: string): void {
    if (this.stopped) return
    this.users()
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

  /** Code of the user's runs in the open continuation. */
  private users(): void {
    this.open.user = true
    if (!this.inBatch) this.open.userTask = true
  }

  /** Fills in where `fresh` is being registered, and learns what the open continuation is. */
  private locate(typeName: string, resource: object): void {
    const callback = callbackOf(typeName, resource)
    const guess = callback === null ? null : this.guesses.of(this.open.from * 4 + (this.inBatch ? 1 : 0), callback)
    if (guess === null || Guesses.asks(guess)) {
      const began = this.clock()
      this.look(typeName, guess, callback)
      this.paused += this.clock() - began
    } else if (guess.from !== 0) this.registers(guess.from, guess.direct, guess.outer, false)
    else this.open.internal = true
    if (guess !== null && guess.callback > 0) this.fresh.callback = guess.callback
  }

  private look(typeName: string, guess: Guess | null, callback: Function | null): void {
    const frames: Frames = here(this.made)
    const { inner, outer, direct, bare } = frames
    const from = inner === null ? 0 : this.location(inner)
    const out = outer === null ? 0 : this.location(outer)
    if (guess !== null) {
      Guesses.learn(guess, from, out, direct)
      if (guess.callback === -1) {
        const place = functionPlace(callback!)
        guess.callback = place !== null && isUsers(place.url) ? this.location(place) : 0
      }
    }
    if (from === 0) this.open.internal = true
    else {
      this.fresh.awaits = bare && typeName === 'PROMISE'
      this.registers(from, direct, out, outer !== null && outer.name === '' && outer.line === 1)
    }
  }

  private registers(from: number, direct: boolean, outer: number, top: boolean): void {
    this.fresh.from = from
    this.fresh.direct = direct
    this.users()
    const { open } = this
    if (open.at !== 0 || open.resumed !== 0 || outer === 0) return
    open.at = outer
    open.top = top
  }

  private silence(now: number): void {
    if (now - this.lastEnd > SILENCE && this.lastEnd > this.open.start && running() === 0) {
      this.next(now)
      reopen(this.open, this.nextId++, now, 'microtasks')
    }
  }

  /** The event loop calls something: the open continuation is over. */
  private task(id: number, code: number, now: number): void {
    this.next(now)
    const resource = code === -1 ? undefined : this.resources.get(id)
    const { open } = this
    reopen(open, this.nextId++, now, 'callback')
    if (resource === undefined) return
    const type = this.types[code]
    open.recurring = resource.recurring || resource.runs > 0
    open.kind = type.kind === 'timeout' && open.recurring ? 'interval' : type.kind
    if (open.recurring) open.registration = id
    open.parent = resource.owner
    open.registered = resource.registered
    open.from = resource.from
    open.handle = type.handle
    if (resource.callback !== 0) {
      open.at = resource.callback
      this.users()
    } else if (
      this.full &&
      type.kind === 'timeout' &&
      open.from !== 0 &&
      !isBuiltIn((executionAsyncResource() as any)?._onTimeout)
    )
      this.users()
  }

  private microtask(id: number, now: number): void {
    const { open, resources } = this
    if (!this.inBatch) {
      this.inBatch = true
      if (open.batches === NONE) open.batches = []
      open.batches.push([now, now, 0])
    }
    open.batches[open.batches.length - 1][2]!++
    open.microtasks++
    const resource = resources.get(id)!
    if (resource.direct) open.user = true
    // Not after the callback itself, if that is the user's: then it is what the loop called.
    if (resource.awaits && open.at === 0 && open.resumed === 0 && !open.userTask) open.resumed = resource.from
    if (open.edges === NONE) open.edges = []
    if (open.edges.length >= MAX_ALTERNATIVES) return
    const { owner, trigger } = resource
    if (owner !== open.id && owner !== 0) {
      open.edges.push({
        id: owner,
        registered: resource.registered,
        from: resource.from,
        direct: resource.direct,
        via: 'registration',
      })
    }
    const settler = resources.settler(trigger)
    if (settler !== 0 && settler !== open.id && settler !== owner)
      open.edges.push({ id: settler, registered: now, from: 0, direct: false, via: 'resolution' })
  }

  /** Writes the open continuation, outside the clock's time. */
  private next(now: number): void {
    this.finish()
    this.inBatch = false
    if (this.trace.buffered <= FLUSH && now - this.flushed <= FLUSH_AGE) return
    this.flush(now)
    this.paused += this.now() - now
  }

  private flush(now: number): void {
    this.trace.flush()
    this.flushed = now
  }

  /** Writes the open continuation, or leaves it out. */
  private finish(): void {
    const { open } = this
    const start = Math.max(open.start, this.written)
    const end = Math.max(start, this.lastEnd)
    const simple = open.edges.length === 0 && open.batches.length <= 1 && this.blocks.none
    if (!simple) return this.finishWhole(start, end)
    const { link } = this
    link.id = open.parent
    link.registered = open.registered
    link.from = open.from
    const parent = this.aliases.resolve(link)
    if (this.isNodes(parent)) this.leaveOut({ ...parent })
    else this.writeSimple(parent, start, end)
  }

  private finishWhole(start: number, end: number): void {
    const { open } = this
    const decision = decide(open, this.aliases)
    if (this.isNodes(decision.parent)) return this.leaveOut(decision.parent)
    decision.kind = this.kindOf(decision.kind)
    const record = recordOf(open, decision, this.threadId, start, end)
    this.count(record.kind, end)
    this.trace.write(record)
    for (const interruption of this.blocks.ended(record)) this.trace.write(interruption)
  }

  /** By far the most frequent case: neither a choice of parents, nor several batches, nor an atomic block. */
  private writeSimple(parent: Link, start: number, end: number): void {
    const { open, threadId } = this
    const kind = this.kindOf(open.kind)
    const at = open.at !== 0 ? open.at : open.resumed
    const registration = open.recurring ? open.registration : 0
    const batch = open.batches[0]
    this.count(kind, end)
    const packed = this.trace.pack(
      threadId,
      open.id,
      kind,
      start,
      end,
      parent.id,
      parent.registered,
      registration,
      at,
      parent.from,
      open.microtasks,
      batch?.[0] ?? 0,
      batch?.[1] ?? 0,
    )
    if (packed) return
    const decision = { parent, others: NONE, kind, recurring: open.recurring }
    this.trace.write(recordOf(open, decision, threadId, start, end))
  }

  private count(kind: string, end: number): void {
    this.written = end
    this.kinds[kind] = (this.kinds[kind] ?? 0) + 1
  }

  /** What calls a script's top level is the loading of a script, unless a timer does. */
  private kindOf(kind: string): string {
    return this.open.top && !TIMERS.has(kind) ? 'script' : kind
  }

  /** True if only Node's own code ran in the open continuation. */
  private isNodes(parent: Link): boolean {
    const { open } = this
    if (!this.full || open.id === 1 || open.user) return false
    // A port that nobody's code made: Node's own, to the thread that loads modules.
    const loading = open.kind === 'message-port' && open.from === 0 && parent.id === 0
    return open.internal || loading
  }

  /** Its children will be its parent's. */
  private leaveOut(parent: Link): void {
    this.collapsed++
    this.aliases.add(this.open.id, parent)
  }
}

const TIMERS = new Set(['timeout', 'immediate', 'interval'])

/** What runs when the resource does, where Node keeps it on the resource. */
function callbackOf(typeName: string, resource: any): Function | null {
  const f =
    typeName === 'Timeout'
      ? resource._onTimeout
      : typeName === 'Immediate'
        ? resource._onImmediate
        : typeName === 'TickObject'
          ? resource.callback
          : undefined
  return typeof f === 'function' ? f : null
}

const textOf = Function.prototype.toString
const isBuiltIn = (f: unknown): boolean => typeof f !== 'function' || textOf.call(f).endsWith('{ [native code] }')
