/**
 * Writes continuations that have ended, or leaves them out: those in which only Node's own code ran (the steps of
 * `readFile`, of loading a module), with their children given to their parent. Known only with stacks (mode `full`).
 */
import type { TraceWriter } from '../../format/write.ts'
import type { Blocks } from '../blocks.ts'
import { Aliases, decide, recordOf, type Link } from './decide.ts'
import { NONE, type Open } from './open.ts'

export interface ContinuationWriterOptions {
  trace: TraceWriter
  blocks: Blocks
  thread: number
  full: boolean
}

export class ContinuationWriter {
  /** How many of each kind were written. */
  readonly kinds: Record<string, number> = {}
  /** How many were left out. */
  leftOut = 0
  private readonly trace: TraceWriter
  private readonly blocks: Blocks
  private readonly thread: number
  private readonly full: boolean
  private readonly aliases = new Aliases()
  /** Code of the program's was seen: microtasks before that are steps of loading it. */
  private began = false
  /** When the last one ended: the next does not begin before. */
  private written = 0
  /** Used again for each continuation, as `open` is. */
  private readonly link: Link = { id: 0, registered: -1, from: 0 }

  constructor({ trace, blocks, thread, full }: ContinuationWriterOptions) {
    this.trace = trace
    this.blocks = blocks
    this.thread = thread
    this.full = full
  }

  /** `open` has ended at `ended`. */
  finish(open: Open, ended: number): void {
    const start = Math.max(open.start, this.written)
    const end = Math.max(start, ended)
    const simple = open.edges.length === 0 && open.batches.length <= 1 && this.blocks.none
    if (!simple) return this.finishWhole(open, start, end)
    const { link } = this
    link.id = open.parent
    link.registered = open.registered
    link.from = open.from
    const parent = this.aliases.resolve(link)
    if (this.isNodes(open, parent)) this.leaveOut(open, { ...parent })
    else this.writeSimple(open, parent, start, end)
  }

  private finishWhole(open: Open, start: number, end: number): void {
    const decision = decide(open, this.aliases)
    if (this.isNodes(open, decision.parent)) return this.leaveOut(open, decision.parent)
    decision.kind = kindOf(open, decision.kind)
    const record = recordOf(open, decision, this.thread, start, end)
    this.count(record.kind, end)
    this.trace.write(record)
    for (const interruption of this.blocks.ended(record)) this.trace.write(interruption)
  }

  /** By far the most frequent case: neither a choice of parents, nor several batches, nor an atomic block. */
  private writeSimple(open: Open, parent: Link, start: number, end: number): void {
    const { thread } = this
    const kind = kindOf(open, open.kind)
    const batch = open.batches[0]
    this.count(kind, end)
    const packed = this.trace.pack(
      thread,
      open.id,
      kind,
      start,
      end,
      parent.id,
      parent.registered,
      open.recurring ? open.registration : 0,
      open.at !== 0 ? open.at : open.resumed,
      parent.from,
      open.microtasks,
      batch?.[0] ?? 0,
      batch?.[1] ?? 0,
    )
    if (packed) return
    const decision = { parent, others: NONE, kind, recurring: open.recurring }
    this.trace.write(recordOf(open, decision, thread, start, end))
  }

  private count(kind: string, end: number): void {
    this.written = end
    this.kinds[kind] = (this.kinds[kind] ?? 0) + 1
  }

  /** True if only Node's own code ran in it. */
  private isNodes(open: Open, parent: Link): boolean {
    this.began ||= open.user
    if (!this.full || open.user) return false
    // The recorder's start, which every trace has. It has registered nothing for the program.
    if (open.id === 1) {
      this.aliases.add(1, { ...parent })
      return false
    }
    // No code of the program has made this port: it is Node's own, to the thread that loads modules.
    const loading = open.kind === 'message-port' && open.from === 0 && parent.id === 0
    return open.internal || loading || (open.kind === 'microtasks' && !this.began)
  }

  /** Its children will be its parent's. */
  private leaveOut(open: Open, parent: Link): void {
    this.leftOut++
    this.aliases.add(open.id, parent)
  }
}

const TIMERS = new Set(['timeout', 'immediate', 'interval'])

/** What calls a script's top level is the loading of a script, unless a timer does. */
const kindOf = (open: Open, kind: string): string => (open.top && !TIMERS.has(kind) ? 'script' : kind)
