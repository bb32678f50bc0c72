/**
 * Converts a Chrome trace (recorded by this tool, by the DevTools' Performance panel, by `chrome://tracing`) into our
 * format.
 *
 * @example
 * await convertTrace('profile.json', 'profile.jsonl')
 */
import { Checker, Violation } from '../../format/check.ts'
import { MeasureError, TraceError } from '../../format/error.ts'
import type { Calibration, End, Header, TraceRecord } from '../../format/types.ts'
import { TraceWriter } from '../../format/write.ts'
import { Blocks } from '../blocks.ts'
import type { Recorded } from '../recorded.ts'
import type { Tell } from '../tell.ts'
import { Collection, type ChromeThread } from './collect.ts'
import { chromeEvents, type ChromeEvent } from './events.ts'
import type { Place } from '../place.ts'
import type { Node, Told } from './nodes.ts'
import { TreeMaker } from './tree.ts'

export interface ConvertOptions {
  /** The error if no JavaScript is in it. */
  nothing?: MeasureError
  header?: Partial<Omit<Header, 'type' | 'version'>>
  reason?: string
  calibration?: Calibration
  notes?: string[]
  /** Read a trace that breaks off as far as it goes. */
  truncated?: boolean
  progress?: Tell
  /** Where a place of the text that ran lies in the text that people wrote. */
  place?(place: Place): Place
  /** Further records, which stand before the end; `found`: what pages told of their reads and writes. */
  more?(location: (place: Place) => number, found: string[]): TraceRecord[]
}

const CATEGORIES =
  'devtools.timeline,disabled-by-default-devtools.timeline,v8.execute,blink.user_timing,' +
  'disabled-by-default-v8.inspector,disabled-by-default-v8.cpu_profiler'

export async function convertTrace(file: string, out: string, options: ConvertOptions = {}): Promise<Recorded> {
  const collection = new Collection()
  let restored: Restored | null = null
  for await (const events of chromeEvents(file, { truncated: options.truncated, warn: options.progress })) {
    // A file that `exportPerfetto` has written contains our records.
    if (collection.events === 0 && events.some(isRecord)) restored = new Restored(file, out)
    if (restored !== null) {
      for (const e of events) if (isRecord(e)) restored.add(e.args.record)
      continue
    }
    for (const e of events) collection.add(e)
    options.progress?.(`${collection.events} events read`, true)
  }
  if (restored !== null) return restored.finish()
  const maker = new TreeMaker(collection)
  const tree = maker.make()
  const origin = Number.isFinite(collection.first) ? collection.first : 0
  const nodes = tree.threads.flatMap((t) => t.nodes).filter((n) => !n.dropped)
  if (nodes.length === 0 && collection.sawTasks && options.nothing !== undefined) throw options.nothing
  if (nodes.length === 0)
    throw new MeasureError(
      collection.events === 0
        ? `${file} has no events`
        : !collection.sawTasks
          ? `${file} lacks the category disabled-by-default-devtools.timeline (no RunTask events), so continuations ` +
            `cannot be told apart; record with the categories ${CATEGORIES}, or with \`charcoal-measure web\``
          : `${file} has no JavaScript in it; record a page that runs some, with the categories ${CATEGORIES}`,
      3,
    )
  nodes.sort((a, b) => a.start - b.start || a.thread - b.thread)
  nodes.forEach((n, i) => (n.id = i + 1))

  const trace = new TraceWriter(out, { source: 'chrome', tool: 'charcoal-measure', ...options.header })
  const used = new Set(nodes.map((n) => n.thread))
  tree.threads.forEach(
    ({ thread }, i) => used.has(i) && trace.write({ type: 'thread', id: i + 1, ...describe(thread, collection) }),
  )
  const locate = (p: Place): number => trace.location(p.url, p.line, p.column, p.name, { begin: p.begin })
  const location = (p: Place): number => locate(options.place?.(p) ?? p)
  const ends = new Map<number, number>()
  const kinds: Record<string, number> = {}
  const library = new Library(tree.told, origin)
  for (const node of nodes) {
    const floor = ends.get(node.thread) ?? 0
    const record = maker.record(node, origin, location, (t) => Math.max(t, floor))
    ends.set(node.thread, record.end)
    kinds[record.kind] = (kinds[record.kind] ?? 0) + 1
    for (const r of library.before(node)) trace.write(r)
    trace.write(record)
    for (const r of library.after(record)) trace.write(r)
  }
  trace.write({ type: 'sources', kinds })
  if (options.calibration !== undefined) trace.write(options.calibration)
  for (const text of options.notes ?? []) trace.write({ type: 'note', text })
  for (const record of options.more?.(locate, collection.found) ?? []) trace.write(record)
  if (!collection.sawFlows)
    trace.write({
      type: 'note',
      code: 'no-flows',
      text:
        'the trace has no asynchronous tasks, so only timers, frames, idle callbacks and messages have ' +
        `parents; record with the categories ${CATEGORIES}`,
    })
  else if (!collection.sawPromises && options.header?.mode !== 'fast')
    trace.write({
      type: 'note',
      code: 'no-promises',
      text: 'no registration of a promise is in the trace: the page uses none, or the debugger was off',
    })
  trace.end({ end: Math.max(0, collection.last - origin, ...ends.values()), reason: options.reason ?? 'finished' })
  return { out, continuations: trace.continuations, dropped: trace.dropped, reason: options.reason ?? 'finished' }
}

function describe(
  thread: ChromeThread,
  collection: Collection,
): { kind: string; name?: string; url?: string; process: number } {
  const { name, pid, url } = thread
  const kind =
    /DedicatedWorker/i.test(name) || thread.worker
      ? 'worker'
      : /ServiceWorker/i.test(name)
        ? 'service-worker'
        : /SharedWorker/i.test(name)
          ? 'shared-worker'
          : /Worklet|Audio/i.test(name)
            ? 'worklet'
            : collection.documents.get(pid)?.main === false
              ? 'frame'
              : 'page'
  const shown = url || (kind === 'page' || kind === 'frame' ? collection.documents.get(pid)?.url : undefined)
  return { kind, ...(name && { name }), ...(shown && { url: shown }), process: pid }
}

const isRecord = (e: ChromeEvent): boolean =>
  typeof e.args?.record?.type === 'string' && (e.cat === 'charcoal' || e.cat === 'charcoal.record')

/** A trace of ours that has been to Perfetto's format: its records are taken as they are. */
class Restored {
  private readonly checker = new Checker()
  private readonly file: string
  private readonly out: string
  private trace: TraceWriter | null = null
  private end: End | null = null

  constructor(file: string, out: string) {
    this.file = file
    this.out = out
  }

  add(record: unknown): void {
    try {
      if (!this.checker.accept(record)) return
    } catch (error) {
      throw error instanceof Violation
        ? new TraceError(this.file, 1, `the records in it are not a trace: ${error.message}`)
        : error
    }
    if (record.type === 'charcoal-trace') this.trace = new TraceWriter(this.out, record)
    else if (record.type === 'end') this.end = record
    else this.trace!.write(record)
  }

  finish(): Recorded {
    if (this.end === null || this.trace === null) throw new TraceError(this.file, 1, 'the records in it are truncated')
    this.trace.end({
      end: this.end.end,
      reason: this.end.reason,
      ...(this.end.exitCode !== undefined && { exitCode: this.end.exitCode }),
    })
    return {
      out: this.out,
      continuations: this.trace.continuations,
      dropped: this.trace.dropped,
      reason: this.end.reason,
    }
  }
}

/** What the JavaScript library told, as records at the right places. */
class Library {
  private readonly told: Told[]
  private readonly origin: number
  private at = 0
  private readonly blocks = new Map<number, Blocks>()
  private readonly steps = new Map<string, { start: number; activity: number; node: Node | null }>()
  private readonly known = new Map<string, number>()
  private readonly blockIds = new Map<string, number>()

  constructor(told: Told[], origin: number) {
    this.told = told.sort((a, b) => a.ts - b.ts)
    this.origin = origin
  }

  /** Everything up to the end of `node`. */
  before(node: Node): TraceRecord[] {
    const records: TraceRecord[] = []
    for (; this.at < this.told.length && this.told[this.at].ts <= node.end; this.at++)
      this.tell(this.told[this.at], records)
    return records
  }

  after(record: {
    id: number
    thread: number
    start: number
    end: number
    parent: number | null
    registered?: number
  }): TraceRecord[] {
    return this.blocks.get(record.thread)?.ended(record) ?? []
  }

  private tell({ ts, thread, node, fields }: Told, records: TraceRecord[]): void {
    const time = Math.max(0, ts - this.origin)
    const [what, n, m, rest] = fields
    const activity = this.known.get(`${thread}:${n}`)
    const blocks = this.blocks.get(thread + 1) ?? new Blocks()
    this.blocks.set(thread + 1, blocks)
    if (what === 'mark') {
      if (node !== null && !node.dropped)
        records.push({
          type: 'mark',
          name: [n, m, rest].filter((x) => x !== undefined && x !== '').join(':'),
          time,
          thread: thread + 1,
          continuation: node.id,
        })
    } else if (what === 'a') {
      const id = this.known.size + 1
      this.known.set(`${thread}:${n}`, id)
      const parent = this.known.get(`${thread}:${m}`)
      records.push({
        type: 'activity-start',
        id,
        name: rest,
        time,
        thread: thread + 1,
        ...(parent !== undefined && { parent }),
      })
    } else if (what === 'b' && activity !== undefined) {
      this.steps.set(String(thread), { start: time, activity, node })
      if (node !== null) blocks.step(node.id)
    } else if (what === 'p' && activity !== undefined) {
      const step = this.steps.get(String(thread))
      this.steps.delete(String(thread))
      if (step !== undefined && step.node !== null && !step.node.dropped)
        records.push({ type: 'step', activity, continuation: step.node.id, start: step.start, end: time })
      if (m === '1') records.push({ type: 'activity-end', id: activity, time })
    } else if (what === 'e' && activity !== undefined) {
      const id = this.blockIds.size + 1
      this.blockIds.set(`${thread}:${m}`, id)
      blocks.enter(id, time, node?.id ?? 0)
      records.push({ type: 'atomic-enter', id, activity, thread: thread + 1, time })
    } else if (what === 'l') {
      const id = this.blockIds.get(`${thread}:${n}`)
      if (id === undefined) return
      blocks.leave(id)
      records.push({ type: 'atomic-leave', id, time })
    }
  }
}
