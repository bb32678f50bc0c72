/**
 * Sorts the events of a Chrome trace by thread and keeps what continuations are made of. Everything else is dropped at
 * once: of four million events of a session a few hundred thousand stay.
 */
import { STAMP } from '../web/accesses/found.ts'
import type { ChromeEvent } from './events.ts'

/** What an event is. From `InstallTimer` on: instants. */
export const Code = {
  Microtasks: 1,
  AsyncRun: 2,
  AsyncScheduled: 3,
  Timer: 4,
  AnimationFrame: 5,
  Idle: 6,
  PostTask: 7,
  Event: 8,
  Xhr: 9,
  Message: 10,
  Call: 11,
  Script: 12,
  InstallTimer: 13,
  RemoveTimer: 14,
  RequestFrame: 15,
  RequestIdle: 16,
  SchedulePostTask: 17,
  SendMessage: 18,
  Stamp: 19,
} as const
export type Code = (typeof Code)[keyof typeof Code]

const slices: Record<string, Code> = {
  RunMicrotasks: Code.Microtasks,
  'v8::Debugger::AsyncTaskRun': Code.AsyncRun,
  'AsyncTask Run': Code.AsyncRun,
  'v8::Debugger::AsyncTaskScheduled': Code.AsyncScheduled,
  'AsyncTask Scheduled': Code.AsyncScheduled,
  TimerFire: Code.Timer,
  FireAnimationFrame: Code.AnimationFrame,
  FireIdleCallback: Code.Idle,
  RunPostTaskCallback: Code.PostTask,
  EventDispatch: Code.Event,
  XHRReadyStateChange: Code.Xhr,
  XHRLoad: Code.Xhr,
  HandlePostMessage: Code.Message,
  FunctionCall: Code.Call,
  EvaluateScript: Code.Script,
  'v8.evaluateModule': Code.Script,
}

const instants: Record<string, Code> = {
  TimerInstall: Code.InstallTimer,
  TimerRemove: Code.RemoveTimer,
  RequestAnimationFrame: Code.RequestFrame,
  RequestIdleCallback: Code.RequestIdle,
  SchedulePostTaskCallback: Code.SchedulePostTask,
  SchedulePostMessage: Code.SendMessage,
  TimeStamp: Code.Stamp,
}

/** One event that is kept. */
export interface Kept {
  code: Code
  ts: number
  end: number
  cpu: number
  data: any
  /** Flows that end here (runs), and begin here (registrations and runs). */
  flowIn: number | string
  flowOut: number | string
}

export interface ChromeThread {
  pid: number
  tid: number
  name: string
  url: string
  worker: boolean
  /** Start and end of each task of the event loop. */
  tasks: [number, number][]
  kept: Kept[]
  /** Flow events by time, of registrations and runs apart: they stand elsewhere in the file than their slices. */
  flows: { ts: number; id: number | string; end: boolean; run: boolean }[]
  /** Slices that have begun (phase B) and not ended. */
  begun: Kept[]
  openTasks: number[]
}

interface ProfileNode {
  parent: number
  url: string
  line: number
  column: number
  name: string
}

/** The stacks of one isolate's sampling profiler. */
export interface Profile {
  tid: number
  nodes: Map<number, ProfileNode>
  /** From an event's `sampleTraceId` to the node that was on top. */
  samples: Map<number, number>
  /** All samples by time: the node on top, and the line and column (from 1; 0: unknown) that ran in it. */
  taken: { ts: number; node: number; line: number; column: number }[]
  /** Time of the last sample so far. */
  clock: number
}

export class Collection {
  readonly threads = new Map<string, ChromeThread>()
  readonly profiles = new Map<string, Profile>()
  /** What pages whose reads and writes were watched told of them. */
  readonly found: string[] = []
  first = Infinity
  last = 0
  events = 0
  sawTasks = false
  sawFlows = false
  sawPromises = false
  sawDebugger = false

  add(e: ChromeEvent): void {
    this.events++
    const { name, ph } = e
    if (ph === 'X' || ph === 'B' || ph === 'E') {
      if (name === 'RunTask' || name === 'ThreadControllerImpl::RunTask') return this.task(this.thread(e), e)
      const code = slices[name]
      if (code !== undefined) this.slice(this.thread(e), code, e)
    } else if (ph === 's' || ph === 'f' || ph === 't') {
      const run = name === 'v8::Debugger::AsyncTaskRun' || name === 'AsyncTask Run'
      if (!run && name !== 'v8::Debugger::AsyncTaskScheduled' && name !== 'AsyncTask Scheduled') return
      this.sawFlows = true
      if (e.id !== undefined) this.thread(e).flows.push({ ts: e.ts, id: e.id, end: ph !== 's', run })
    } else if (ph === 'I' || ph === 'i' || ph === 'R') {
      const code = instants[name]
      if (code !== undefined) this.keep(this.thread(e), code, e, e.ts)
      // This slice began and ended in the same microsecond.
      else if (slices[name] !== undefined) this.keep(this.thread(e), slices[name], e, e.ts)
      else if (name === 'TracingSessionIdForWorker') this.worker(e)
      else if (name === 'TracingStartedInBrowser' || name === 'FrameCommittedInBrowser') this.frames(e)
    } else if (ph === 'M') {
      if (name === 'thread_name') this.thread(e).name = String(e.args?.name ?? '')
    } else if (ph === 'P') this.profile(e)
  }

  private thread(e: { pid: number; tid: number }): ChromeThread {
    const key = `${e.pid}:${e.tid}`
    let thread = this.threads.get(key)
    if (thread === undefined)
      this.threads.set(
        key,
        (thread = {
          pid: e.pid,
          tid: e.tid,
          name: '',
          url: '',
          worker: false,
          tasks: [],
          kept: [],
          flows: [],
          begun: [],
          openTasks: [],
        }),
      )
    return thread
  }

  private extent(from: number, to: number): void {
    if (from < this.first) this.first = from
    if (to > this.last) this.last = to
  }

  private task(thread: ChromeThread, e: ChromeEvent): void {
    this.sawTasks = true
    if (e.ph === 'X') thread.tasks.push([e.ts, e.ts + (e.dur ?? 0)])
    else if (e.ph === 'B') thread.openTasks.push(e.ts)
    else {
      const start = thread.openTasks.pop()
      if (start !== undefined) thread.tasks.push([start, e.ts])
    }
  }

  private slice(thread: ChromeThread, code: Code, e: ChromeEvent): void {
    if (e.ph === 'X') this.keep(thread, code, e, e.ts + (e.dur ?? 0))
    else if (e.ph === 'B') {
      this.keep(thread, code, e, e.ts)
      thread.begun.push(thread.kept[thread.kept.length - 1])
    } else {
      const at = thread.begun.findLastIndex((k) => k.code === code)
      if (at === -1) return
      const [kept] = thread.begun.splice(at, 1)
      kept.end = Math.max(kept.ts, e.ts)
      if (e.args?.microtask_count !== undefined) kept.data = e.args
      this.extent(kept.ts, kept.end)
    }
  }

  private keep(thread: ChromeThread, code: Code, e: ChromeEvent, end: number): void {
    const args = e.args ?? {}
    let data: any = args.data ?? null
    if (code === Code.Microtasks) data = typeof args.microtask_count === 'number' ? args : null
    else if (code === Code.AsyncScheduled) {
      if (e.name !== 'AsyncTask Scheduled') this.sawDebugger = true
      data = { name: String(args.taskName ?? ''), sample: args.data?.sampleTraceId }
      if (/^(await|Promise\.)/.test(data.name)) this.sawPromises = true
    } else if (code === Code.Call || code === Code.Script)
      data =
        data === null
          ? null
          : {
              url: data.url,
              line: data.lineNumber,
              column: data.columnNumber,
              name: data.functionName ?? '',
              sample: data.sampleTraceId,
            }
    else if (code === Code.Stamp) {
      const message = data?.message ?? data?.name
      if (typeof message !== 'string' || !message.startsWith('charcoal:')) return
      if (message.startsWith(STAMP)) return void this.found.push(message.slice(STAMP.length))
      data = { message, sample: data.sampleTraceId }
    } else if (code === Code.AsyncRun) data = { sample: args.data?.sampleTraceId }
    thread.kept.push({ code, ts: e.ts, end, cpu: e.tdur ?? -1, data, flowIn: -1, flowOut: -1 })
    this.extent(e.ts, end)
  }

  private worker(e: ChromeEvent): void {
    const { workerThreadId, url } = e.args?.data ?? {}
    if (typeof workerThreadId !== 'number') return
    const thread = this.thread({ pid: e.pid, tid: workerThreadId })
    thread.worker = true
    thread.url = String(url ?? '')
  }

  private frames(e: ChromeEvent): void {
    const data = e.args?.data ?? {}
    for (const frame of Array.isArray(data.frames) ? data.frames : [data]) {
      if (
        typeof frame?.processId !== 'number' ||
        typeof frame.url !== 'string' ||
        frame.url === '' ||
        frame.url === 'about:blank'
      )
        continue
      const main = frame.parent === undefined
      const known = this.documents.get(frame.processId)
      if (known === undefined || main || !known.main)
        this.documents.set(frame.processId, { url: frame.url, main: main || (known?.main ?? false) })
    }
  }

  /** What each process shows; `main`: a page, not only frames of pages elsewhere. */
  readonly documents = new Map<number, { url: string; main: boolean }>()

  private profile(e: ChromeEvent): void {
    const key = `${e.pid}:${e.id}`
    let profile = this.profiles.get(key)
    if (profile === undefined)
      this.profiles.set(key, (profile = { tid: -1, nodes: new Map(), samples: new Map(), taken: [], clock: 0 }))
    if (e.name === 'Profile') {
      profile.tid = e.tid
      profile.clock = Number(e.args?.data?.startTime ?? e.ts)
    } else if (e.name === 'ProfileChunk') {
      const { cpuProfile, timeDeltas, lines, columns } = e.args?.data ?? {}
      const { taken } = profile
      for (const [i, node] of (cpuProfile?.samples ?? []).entries()) {
        profile.clock += Number(timeDeltas?.[i] ?? 0)
        taken.push({ ts: profile.clock, node, line: Number(lines?.[i] ?? 0), column: Number(columns?.[i] ?? 0) })
      }
      for (const node of cpuProfile?.nodes ?? []) {
        const frame = node?.callFrame ?? {}
        profile.nodes.set(node.id, {
          parent: node.parent ?? 0,
          url: String(frame.url ?? ''),
          line: (frame.lineNumber ?? 0) + 1,
          column: (frame.columnNumber ?? 0) + 1,
          name: String(frame.functionName ?? ''),
        })
      }
      for (const [sample, node] of Object.entries(cpuProfile?.trace_ids ?? {}))
        profile.samples.set(Number(sample), node as number)
    }
  }
}
