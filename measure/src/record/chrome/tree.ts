/**
 * Makes continuations of one trace's threads.
 *
 * A continuation is the outermost slice of JavaScript in a task of the event loop, with the microtasks that the task
 * drains after it; microtasks that a task begins with are a continuation of their own. Slices in which no JavaScript
 * ran (an event without listeners) are none. Its parent is the continuation in which the registration of its outermost
 * asynchronous task stands; for a batch of microtasks, the registration of the first of them that another continuation
 * made. All others are alternatives.
 */
import type { Batch, Continuation, Via } from '../../format/types.ts'
import { Code, type ChromeThread, type Collection, type Kept } from './collect.ts'
import { repeats, taskKind } from './kinds.ts'
import { callPlace, OWN, stackPlace, Stacks, type Place } from './places.ts'

/** A registration. */
interface Registration {
  by: Node | null
  ts: number
  from: Place | null
  /** The browser's name of it, or a kind of ours after `=`. */
  name: string
  recurring: boolean
  id: number
}

interface Edge {
  /** A flow or message that is looked up when all threads are known. */
  key: number | string | null
  registration: Registration | null
  micro: boolean
}

/** A continuation in the making. */
export interface Node {
  id: number
  thread: number
  task: number
  start: number
  end: number
  cpu: number
  code: Code
  kind: string
  event: string
  javascript: boolean
  edges: Edge[]
  batches: Batch[]
  microtasks: number
  /** The function that the event loop called; null: unknown, or not told by the browser. */
  at: Place | null
  /** The outermost function that was seen in it, directly or not: a registration's, a call's, a sample's. */
  entry: Place | null
  calls: number
  /** Code of this tool ran in it; it was a callback that the shim knows. */
  ours: boolean
  ran: boolean
  dropped: boolean
}

/** Something the JavaScript library told. */
export interface Told {
  ts: number
  thread: number
  node: Node | null
  fields: string[]
}

export interface Tree {
  threads: { thread: ChromeThread; nodes: Node[] }[]
  told: Told[]
}

const MAX_ALTERNATIVES = 8
/**
 * Microtasks run at the end of the callback they belong to; in a later step of the same task they are a batch of their
 * own. Microseconds.
 */
const CHECKPOINT = 100

export class TreeMaker {
  private readonly flows = new Map<number | string, Registration>()
  /** From the flow that a run begins to the one that it ended: runs of one registration. */
  private readonly chain = new Map<number | string, number | string>()
  private readonly collection: Collection
  private registrations = 0
  private readonly told: Told[] = []

  constructor(collection: Collection) {
    this.collection = collection
  }

  make(): Tree {
    const threads = [...this.collection.threads.values()]
      .filter((t) => t.kept.length > 0)
      .map((thread, i) => ({ thread, nodes: this.walk(thread, i) }))
    for (const { nodes } of threads) for (const node of nodes) this.join(node)
    for (const { nodes } of threads) for (const node of nodes) if (this.again.has(node)) this.repeat(node)
    return { threads, told: this.told }
  }

  private readonly primary = new Map<Node, Registration>()
  /** Continuations whose registration turned out to run again. */
  private readonly again = new Set<Node>()

  private walk(thread: ChromeThread, index: number): Node[] {
    const { kept, tasks } = thread
    attachFlows(thread)
    for (const open of thread.begun) open.end = Math.max(open.end, this.collection.last)
    for (const start of thread.openTasks) tasks.push([start, this.collection.last])
    tasks.sort((a, b) => a[0] - b[0])
    kept.sort((a, b) => a.ts - b.ts || b.end - a.end)
    const stacks = new Stacks(this.collection, thread)
    const nodes: Node[] = []
    const timers = new Map<number, Registration>()
    const frames = new Map<string, Registration>()
    const shims = new Map<string, Registration>()
    const stack: Kept[] = []
    let node: Node | null = null
    let last: Node | null = null
    let task = 0
    let micro = 0
    const register = (e: Kept, name: string, recurring = false): Registration => ({
      by: node,
      ts: e.ts,
      from: null,
      name,
      recurring,
      id: 0,
    })
    const edge = (key: Edge['key'], registration: Registration | null): void =>
      void node?.edges.push({ key, registration, micro: micro > 0 })
    for (const e of kept) {
      while (stack.length > 0) {
        const top = stack[stack.length - 1]
        // Start and length are cut to microseconds, each by itself: what is at the very end of the outermost slice can
        // seem to stand one after it.
        const inside = e.code >= Code.InstallTimer || e.code === Code.AsyncScheduled
        if (
          top.end > e.ts ||
          (top.end === e.ts && (inside || top.ts === e.ts)) ||
          (inside && stack.length === 1 && top.end + 1 === e.ts)
        )
          break
        stack.pop()
        if (top.code === Code.Microtasks) micro--
        if (stack.length === 0) node = null
      }
      if (e.code < Code.InstallTimer && e.code !== Code.AsyncScheduled) {
        if (stack.length === 0) {
          while (task + 1 < tasks.length && tasks[task + 1][0] <= e.ts) task++
          const inTask = tasks.length > 0 && tasks[task][0] <= e.ts && e.ts <= tasks[task][1] ? task : -1
          if (
            e.code === Code.Microtasks &&
            last !== null &&
            inTask !== -1 &&
            last.task === inTask &&
            last.javascript &&
            e.ts - last.end <= CHECKPOINT
          ) {
            node = last
            node.end = Math.max(node.end, e.end)
          } else if (
            e.code === Code.Call &&
            last !== null &&
            inTask !== -1 &&
            last.task === inTask &&
            last.code === Code.Call &&
            last.ran &&
            last.calls === 0 &&
            !isOurs(e)
          ) {
            // Our witness ran just before the listener that it stands for.
            node = last
            node.start = e.ts
            node.end = e.end
            node.cpu = 0
          } else {
            node = last = blank(index, inTask, e)
            nodes.push(node)
          }
          node.cpu += Math.max(0, e.cpu)
        }
        // The end of an inner slice can lie beyond the outer one's by rounding.
        const direct = stack.every((s) => !runsCode(s, this.collection.sawPromises))
        stack.push(e)
        this.enter(node!, e, direct, micro, stacks, edge, timers, frames)
        if (e.code === Code.Microtasks) micro++
        continue
      }
      switch (e.code) {
        case Code.AsyncScheduled: {
          const registration = register(e, e.data.name)
          // The browser's own microtasks register on nobody's behalf.
          if (
            this.collection.sawDebugger &&
            stack.length > 0 &&
            stack[stack.length - 1].code === Code.Microtasks &&
            taskKind(e.data.name) !== 'promise'
          )
            registration.by = null
          const found = stacks.at(e.data.sample, e.ts)
          registration.from = found.inner
          if (node !== null && node.entry === null) node.entry = found.outer
          if (e.flowOut !== -1) this.flows.set(e.flowOut, registration)
          break
        }
        case Code.InstallTimer:
          timers.set(e.data?.timerId, {
            ...register(e, e.data?.singleShot === false ? 'setInterval' : 'setTimeout', e.data?.singleShot === false),
            from: stackPlace(e.data),
          })
          break
        case Code.RequestFrame:
          frames.set(`f${e.data?.frame}${e.data?.id}`, {
            ...register(e, 'requestAnimationFrame'),
            from: stackPlace(e.data),
          })
          break
        case Code.RequestIdle:
          frames.set(`i${e.data?.frame}${e.data?.id}`, {
            ...register(e, 'requestIdleCallback'),
            from: stackPlace(e.data),
          })
          break
        case Code.SchedulePostTask:
          frames.set(`p${e.data?.frame}${e.data?.taskId}`, { ...register(e, '=post-task'), from: stackPlace(e.data) })
          break
        case Code.SendMessage:
          this.flows.set(`message:${e.data?.traceId}`, register(e, 'postMessage'))
          break
        case Code.Stamp: {
          const fields = (e.data.message as string).split(':')
          if (fields[1] === 's') {
            const registration = register(e, `=${fields.slice(4).join(':')}`, fields[3] === '1')
            registration.from = stacks.at(e.data.sample, e.ts).inner
            shims.set(fields[2], registration)
          } else if (fields[1] === 'r') {
            const registration = shims.get(fields[2])
            // What is dispatched synchronously inside a callback is part of it, not an edge to it.
            if (registration !== undefined && node !== null && (node.calls <= 1 || micro > 0)) {
              edge(null, registration)
              node.javascript = true
              node.ran = true
            }
          } else
            this.told.push({
              ts: e.ts,
              thread: index,
              node,
              fields: [...fields.slice(1, 4), fields.slice(4).join(':')],
            })
          break
        }
      }
    }
    // What registered nothing and called nothing that the browser tells of may have run long enough for a sample.
    for (const n of nodes) n.entry ??= n.javascript && n.at === null ? stacks.during(n.start, n.end) : null
    return nodes
  }

  private enter(
    node: Node,
    e: Kept,
    direct: boolean,
    micro: number,
    stacks: Stacks,
    edge: (key: Edge['key'], registration: Registration | null) => void,
    timers: Map<number, Registration>,
    frames: Map<string, Registration>,
  ): void {
    switch (e.code) {
      case Code.Microtasks: {
        const count = e.data?.microtask_count ?? null
        if (count === 0) break
        // With the debugger on, each microtask of the page's shows itself; a batch without any is the browser's own.
        if (!this.collection.sawDebugger) node.javascript = true
        node.batches.push([e.ts, e.end, count])
        node.microtasks += count ?? 0
        break
      }
      case Code.AsyncRun:
        if (micro > 0) {
          node.javascript = true
          e.data = { ...e.data, micro: true }
        }
        if (e.flowIn !== -1) {
          edge(e.flowIn, null)
          if (e.flowOut !== -1) this.chain.set(e.flowOut, e.flowIn)
        }
        break
      case Code.Call:
      case Code.Script:
        // Code of ours is no evidence, and no place.
        // A script that the DevTools protocol evaluates has no URL.
        if (isOurs(e) || (e.code === Code.Script && node.code === Code.Script && node.calls === 0 && !e.data?.url)) {
          node.ours = true
          break
        }
        node.javascript = true
        node.calls++
        if (e.code === Code.Script && node.kind === '' && node.event === '') node.kind = 'script'
        // Only a call that nothing of the page's stands around: others are made by what runs (a listener of an event
        // that it dispatches, the constructor of an element).
        if (direct) node.at ??= callPlace(e.data)
        else if (node.entry === null) node.entry = stacks.at(e.data?.sample, e.ts).outer
        break
      case Code.Timer: {
        const registration = timers.get(e.data?.timerId)
        node.kind ||= registration?.recurring === true ? 'interval' : 'timeout'
        if (registration !== undefined) edge(null, registration)
        break
      }
      case Code.AnimationFrame:
        node.kind ||= 'animation-frame'
        this.frame(frames, `f${e.data?.frame}${e.data?.id}`, edge)
        break
      case Code.Idle:
        node.kind ||= 'idle'
        this.frame(frames, `i${e.data?.frame}${e.data?.id}`, edge)
        break
      case Code.PostTask:
        node.kind ||= 'post-task'
        this.frame(frames, `p${e.data?.frame}${e.data?.taskId}`, edge)
        break
      case Code.Xhr:
        node.kind ||= 'xhr'
        break
      case Code.Message:
        node.kind ||= 'message'
        edge(`message:${e.data?.traceId}`, null)
        break
      case Code.Event:
        if (node.event === '') node.event = String(e.data?.type ?? '')
        break
    }
  }

  private frame(
    frames: Map<string, Registration>,
    key: string,
    edge: (key: Edge['key'], registration: Registration | null) => void,
  ): void {
    const registration = frames.get(key)
    if (registration !== undefined) edge(null, registration)
  }

  /** The registration of an edge, and whether it has run before. */
  private resolve(edge: Edge): { registration: Registration; again: boolean } | null {
    if (edge.registration !== null) return { registration: edge.registration, again: false }
    let key = edge.key!
    let again = false
    for (let before = this.chain.get(key); before !== undefined; before = this.chain.get(key)) {
      key = before
      again = true
    }
    const registration = this.flows.get(key)
    return registration === undefined ? null : { registration, again }
  }

  private join(node: Node): void {
    if (!node.javascript || (node.ours && node.calls === 0 && !node.ran)) {
      node.dropped = true
      return
    }
    let primary: Registration | null = null
    let primaryAgain = false
    let flowed = false
    const others: Registration[] = []
    for (const edge of node.edges) {
      const found = this.resolve(edge)
      if (found === null || found.registration.by === node) continue
      // A flow and a fallback (timer ids, message ids) tell of the same registration: the flow has more to say, the
      // fallback more certainly whether it repeats.
      if (
        !edge.micro &&
        (primary === null ||
          (!flowed && edge.key !== null && primary.by === found.registration.by && !primary.name.startsWith('=')))
      ) {
        primaryAgain ||= found.again || (primary?.recurring ?? false)
        primary = found.registration
        flowed = edge.key !== null
      } else if (found.registration.by !== null) others.push(found.registration)
    }
    const name = primary?.name ?? ''
    if (node.kind === 'timeout' && (repeats(taskKind(name) ?? '') || primaryAgain)) node.kind = 'interval'
    if (node.kind === '' || (node.kind === 'message' && name.startsWith('='))) {
      node.kind = name.startsWith('=') ? name.slice(1) : (taskKind(name) ?? '')
      if (node.kind === 'script' && node.event !== '') node.kind = ''
    }
    if (node.kind === '' && node.event === '' && /^[a-z]+$/.test(name)) node.kind = `event:${name}`
    if (node.kind === '')
      node.kind =
        node.event !== ''
          ? `event:${node.event.slice(0, 100)}`
          : node.code === Code.Microtasks
            ? 'microtasks'
            : 'callback'
    if (primary === null && node.code === Code.Microtasks) primary = others.shift() ?? null
    if (node.kind === 'promise' && node.code === Code.Microtasks) node.kind = 'microtasks'
    if (primary !== null) {
      if (primary.by !== null && primary.by.thread !== node.thread && node.kind === 'message')
        node.kind = 'worker-message'
      if (primaryAgain || primary.recurring || repeats(node.kind)) {
        primary.recurring = true
        this.again.add(node)
      }
      this.primary.set(node, primary)
      this.users(primary).push(node)
      if (primary.recurring) for (const user of this.users(primary)) this.again.add(user)
    }
    node.edges = others.map((registration) => ({ key: null, registration, micro: true }))
  }

  private readonly usersOf = new Map<Registration, Node[]>()

  private users(registration: Registration): Node[] {
    let users = this.usersOf.get(registration)
    if (users === undefined) this.usersOf.set(registration, (users = []))
    return users
  }

  private repeat(node: Node): void {
    const registration = this.primary.get(node)!
    registration.recurring = true
    registration.id ||= ++this.registrations
  }

  /**
   * The place of the `await` after which a continuation goes on: the first of its registrations that is one, if no
   * `then` comes before it.
   */
  private awaited(node: Node, primary: Registration | null): Place | null {
    const promises = [primary, ...node.edges.map((e) => e.registration)].filter(
      (r) => r !== null && taskKind(r.name) === 'promise',
    )
    return promises[0]?.name === 'await' ? promises[0].from : null
  }

  /** The record of a continuation, once all have their ids. */
  record(node: Node, origin: number, location: (place: Place) => number, clamp: (t: number) => number): Continuation {
    const primary = this.primary.get(node) ?? null
    const parent = primary === null ? null : alive(primary.by)
    const start = clamp(node.start - origin)
    const record: Continuation = {
      type: 'continuation',
      id: node.id,
      thread: node.thread + 1,
      kind: node.kind,
      start,
      end: Math.max(start, node.end - origin),
      parent: parent?.id ?? null,
    }
    if (parent !== null) record.registered = Math.max(0, Math.min(primary!.ts - origin, record.start))
    const seen = new Set<number>([node.id, parent?.id ?? 0])
    const alternatives: [number, Via][] = []
    for (const { registration } of node.edges) {
      const by = alive(registration!.by)
      if (by !== null && !seen.has(by.id) && alternatives.length < MAX_ALTERNATIVES) {
        seen.add(by.id)
        alternatives.push([by.id, 'registration'])
      }
    }
    if (alternatives.length > 0) record.alternatives = alternatives
    if (primary?.recurring === true) {
      record.recurring = true
      record.registration = primary.id ||= ++this.registrations
    }
    if (node.microtasks > 0) record.microtasks = node.microtasks
    if (node.batches.length > 0)
      record.batches = node.batches
        .map(([a, b, n]): Batch => [
          Math.max(record.start, a - origin),
          Math.max(record.start, a - origin, b - origin),
          n,
        ])
        .slice(0, 10_000)
    const at = node.at ?? this.awaited(node, primary) ?? node.entry
    if (at !== null) record.at = location(at)
    if (primary !== null && primary.from !== null) record.from = location(primary.from)
    if (node.cpu > 0) record.cpu = node.cpu
    return record
  }
}

/** The continuation itself unless it was left out. */
function alive(node: Node | null): Node | null {
  return node === null || node.dropped ? null : node
}

function blank(thread: number, task: number, e: Kept): Node {
  return {
    id: 0,
    thread,
    task,
    start: e.ts,
    end: e.end,
    cpu: 0,
    code: e.code,
    kind: '',
    event: '',
    javascript: false,
    edges: [],
    batches: [],
    microtasks: 0,
    at: null,
    entry: null,
    calls: 0,
    ours: false,
    ran: false,
    dropped: false,
  }
}

/** True if what stands inside this slice was called by the page's own code. */
function runsCode(e: Kept, sawPromises: boolean): boolean {
  if (e.code === Code.Call || e.code === Code.Script) return !isOurs(e)
  // A reaction of a promise shows itself as a run inside the batch; without the debugger none does, and any call in a
  // batch may be one of its.
  return (e.code === Code.AsyncRun && e.data?.micro === true) || (e.code === Code.Microtasks && !sawPromises)
}

const isOurs = (e: Kept): boolean => typeof e.data?.url === 'string' && e.data.url.startsWith(OWN)

/** Gives each slice the flows that begin and end at its start. */
function attachFlows(thread: ChromeThread): void {
  const outs = new Map<string, (number | string)[]>()
  const ins = new Map<number, (number | string)[]>()
  for (const { ts, id, end, run } of thread.flows) {
    const push = <K>(map: Map<K, (number | string)[]>, key: K): void => {
      const list = map.get(key)
      if (list === undefined) map.set(key, [id])
      else list.push(id)
    }
    if (end) push(ins, ts)
    else push(outs, `${ts}${run}`)
  }
  for (const e of thread.kept) {
    if (e.code !== Code.AsyncRun && e.code !== Code.AsyncScheduled) continue
    e.flowOut = outs.get(`${e.ts}${e.code === Code.AsyncRun}`)?.shift() ?? -1
    if (e.code === Code.AsyncRun) e.flowIn = ins.get(e.ts)?.shift() ?? -1
  }
  thread.flows = []
}
