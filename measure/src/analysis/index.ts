/**
 * From a trace to figures. The trace is read once; continuations become columns (`loop.ts`), about 48 bytes each,
 * everything else is counted while reading. When the file has ended each analysis goes over the columns by itself. None
 * of them needs a browser, a clock or a file.
 *
 * @example
 * const figures = await analyse('run.jsonl')
 * console.log(figures.subtrees)
 */
import { basename } from 'node:path'
import { grouped } from '../format/counted.ts'
import { readTrace } from '../format/read.ts'
import type { Continuation, TraceRecord } from '../format/types.ts'
import { Atomics } from './atomics.ts'
import { Branching } from './branching.ts'
import { Chains } from './chains.ts'
import { Concurrency } from './concurrency.ts'
import { Durations } from './durations.ts'
import { FIGURES_VERSION, type Figures, type Recording } from './figures.ts'
import { Gaps } from './gaps.ts'
import { LastChild } from './last_child.ts'
import { Loop } from './loop.ts'
import { Microtasks } from './microtasks.ts'
import { compactSites } from './pool.ts'
import { Ranking } from './ranking.ts'
import { siteText, Sites, type Site } from './sites.ts'
import { mapPlaces, type Load } from './sourcemaps.ts'
import { Subtrees } from './subtrees.ts'
import { timelinePieces } from './timeline.ts'
import { Tiny } from './tiny.ts'
import { Waits } from './waits.ts'

export type { Figures } from './figures.ts'
export { pool } from './pool.ts'

export interface AnalyseOptions {
  /** Shown in reports; by default the title in the trace, else the file's name. */
  title?: string
  /** A file without an end is read as far as it goes. */
  truncated?: boolean
  /** False: places stay as the recording has them. Default: see `sourcemaps.ts`. */
  sourceMaps?: false | Load
  progress?: (text: string, passing?: boolean) => void
}

const MAX_NOTES = 100

export async function analyse(file: string, options: AnalyseOptions = {}): Promise<Figures> {
  const analyser = new Analyser(
    options.title ?? basename(file).replace(/\.jsonl?(\.gz)?$/, ''),
    options.title !== undefined,
  )
  let told = 0
  for await (const records of readTrace(file, {
    truncated: options.truncated ?? false,
    warn: (text) => analyser.note(text),
  })) {
    for (const record of records) analyser.add(record)
    if (analyser.continuations - told >= 500_000)
      options.progress?.(`${grouped((told = analyser.continuations))} continuations read`, true)
  }
  options.progress?.(`${grouped(analyser.continuations)} continuations read; figures …`, true)
  const unknown = analyser.sites.list.filter((site) => site.original === undefined)
  if (options.sourceMaps !== false && !analyser.mapped)
    await mapPlaces(unknown, (site, to) => (site.original = to), options.sourceMaps)
  return analyser.finish()
}

/** A page's other callbacks may run between the end of the one that hung and the end of the recording, µs. */
const AFTER_HANGING = 1e6

/** Of a recording that hung: for how long its last turn ran and, if that is known, where. */
function hung(loops: Loop[], sites: Site[]): Pick<Recording, 'hungFor' | 'hungIn'> {
  const last = Math.max(...loops.map(({ n, end }) => end[n - 1]!))
  let hungFor = 0
  let site: Site | undefined
  for (const { n, start, end, site: siteOf } of loops)
    for (let i = n - 1; i >= 0 && end[i]! >= last - AFTER_HANGING; i--)
      if (end[i]! - start[i]! > hungFor) {
        hungFor = end[i]! - start[i]!
        site = sites[siteOf[i]!]
      }
  return { hungFor, ...(site?.url !== undefined && { hungIn: siteText(site, sites) }) }
}

/** Takes the records of one trace in order; `finish` once gives the figures. */
export class Analyser {
  continuations = 0
  /** The recording brings the places in the text that people wrote: maps of today may be those of another build. */
  mapped = false
  private readonly recording: Recording
  private readonly titleGiven: boolean
  readonly sites = new Sites()
  private readonly loops = new Map<number, Loop>()
  private readonly durations = new Durations()
  private readonly microtasks = new Microtasks()
  private readonly atomics = new Atomics(this.sites)
  private readonly waits = new Waits(this.sites)
  private readonly kinds = new Map<string, number>()
  private readonly notes: string[] = []
  /** Last run of each recurring registration, by loop. */
  private readonly lastRun = new Map<Loop, Map<number, number>>()
  /** Parents that this loop did not have: perhaps another one has them. */
  private readonly elsewhere = new Map<number, number>()
  private strangers = 0
  private roots = 0
  private recurring = 0
  private busy = 0
  private byResolution = 0

  constructor(title = 'recording', titleGiven = false) {
    this.recording = {
      title,
      source: 'synthetic',
      tool: '',
      length: 0,
      continuations: 0,
      dropped: 0,
      reason: 'truncated',
    }
    this.titleGiven = titleGiven
  }

  note(text: string): void {
    if (this.notes.length < MAX_NOTES) this.notes.push(text)
  }

  add(record: TraceRecord): void {
    switch (record.type) {
      case 'continuation':
        return this.continuation(record)
      case 'location':
        return this.sites.location(record)
      case 'original':
        this.mapped = true
        return this.sites.original(record)
      case 'uses':
        return this.sites.uses(record)
      case 'thread':
        this.loops.set(record.id, new Loop(record.id))
        return
      case 'charcoal-trace': {
        const { source, tool, mode, started, command, own, accesses, title } = record
        Object.assign(this.recording, {
          source,
          tool,
          ...(mode && { mode }),
          ...(started && { started }),
          ...(command && { command }),
          ...(own && { own }),
          ...(accesses && { accesses }),
        })
        if (source === 'native') this.sites.names = new Map()
        if (!this.titleGiven && title) this.recording.title = title
        return
      }
      case 'calibration':
        this.recording.calibration = { kinds: record.kinds, overhead: record.overhead }
        return
      case 'note':
        if (record.code === 'unwatched') return void (this.recording.unwatched ??= []).push(record.text)
        if (record.code !== 'child') return this.note(record.text)
        ;(this.recording.children ??= []).push(record.text)
        return
      case 'dropped':
        return this.note(
          `${record.count} continuations of event loop ${record.thread} are missing: the recorder's buffer was full`,
        )
      case 'end': {
        const { end, dropped, reason, signal } = record
        Object.assign(this.recording, { length: end, dropped, reason, ...(signal && { signal }) })
        return
      }
      default:
        this.atomics.add(record, (id) => this.siteOf(id))
    }
  }

  finish(): Figures {
    const branching = new Branching()
    const concurrency = new Concurrency()
    const gaps = new Gaps()
    const chains = new Chains()
    const subtrees = new Subtrees()
    const ranking = new Ranking(this.sites.list)
    const tiny = new Tiny()
    const lastChild = new LastChild(this.sites.list)
    const loops = [...this.loops.values()].filter((loop) => loop.n > 0)
    for (const loop of loops)
      for (const analysis of [branching, concurrency, gaps, chains, subtrees, ranking, tiny, lastChild])
        analysis.add(loop)
    let crossLoop = 0
    for (const [id, count] of this.elsewhere) if (loops.some((loop) => loop.find(id) >= 0)) crossLoop += count
    this.recording.continuations = this.continuations
    if (this.recording.length === 0) this.recording.length = Math.max(0, ...loops.map((loop) => loop.end[loop.n - 1]!))
    if (this.recording.reason === 'hung') Object.assign(this.recording, hung(loops, this.sites.list))
    return compactSites({
      schema: 'charcoal-figures',
      version: FIGURES_VERSION,
      title: this.recording.title,
      recordings: [this.recording],
      counts: {
        continuations: this.continuations,
        loops: loops.length,
        busy: this.busy,
        edges: this.continuations - this.roots,
        recurring: this.recurring,
        roots: this.roots,
        crossLoop,
        lostParents: this.strangers - crossLoop,
        byResolution: this.byResolution,
        kinds: Object.fromEntries([...this.kinds].sort((a, b) => b[1] - a[1])),
      },
      durations: this.durations.toJson(),
      branching: branching.toJson(),
      concurrency: concurrency.toJson(),
      gaps: gaps.toJson(),
      chains: chains.toJson(),
      microtasks: this.microtasks.toJson(),
      subtrees: subtrees.toJson(),
      ranking: ranking.toJson(),
      tiny: tiny.toJson(),
      lastChild: lastChild.toJson(),
      ...(this.recording.source === 'native' && { waits: this.waits.toJson() }),
      timeline: timelinePieces(loops),
      atomic: this.atomics.toJson(),
      notes: this.notes,
      sites: this.sites.list,
    })
  }

  private continuation(c: Continuation): void {
    const loop = this.loops.get(c.thread)!
    const site = this.sites.of(c)
    const recurring = c.recurring === true
    this.continuations++
    this.busy += c.end - c.start
    this.kinds.set(c.kind, (this.kinds.get(c.kind) ?? 0) + 1)
    this.durations.add(c.start, c.end, recurring, c.batches, c.kind === 'microtasks', site)
    this.microtasks.add(c.batches, site)
    let parent = c.parent === null ? -1 : loop.find(c.parent)
    if (c.parent !== null && parent < 0) {
      this.strangers++
      this.elsewhere.set(c.parent, (this.elsewhere.get(c.parent) ?? 0) + 1)
    }
    if (recurring) {
      this.recurring++
      if (c.registration !== undefined) {
        let runs = this.lastRun.get(loop)
        if (runs === undefined) this.lastRun.set(loop, (runs = new Map()))
        parent = runs.get(c.registration) ?? parent
        runs.set(c.registration, loop.n)
      }
    }
    if (parent < 0) this.roots++
    else if (c.via === 'resolution') this.byResolution++
    this.waits.add(c, parent < 0 ? undefined : loop.end[parent])
    loop.push(c.id, c.start, c.end, parent, site, recurring, c.registered, this.sites.inside(c.at))
  }

  private siteOf(id: number): number {
    for (const loop of this.loops.values()) {
      const i = loop.find(id)
      if (i >= 0) return loop.site[i]!
    }
    return 0
  }
}
