/**
 * Goes over one thread's events in their order and makes continuations of them. A continuation is the outermost slice
 * of JavaScript in a task of the event loop, with the microtasks that the task drains after it; microtasks that a task
 * begins with are a continuation of their own.
 *
 * Invariants: `stack` has the slices that are open, outermost first; `node` is the continuation that they belong to,
 * and null while there are none; `micro` counts the batches of microtasks among them.
 */
import { Code, type ChromeThread, type Collection, type Kept } from './collect.ts'
import { taskKind } from './kinds.ts'
import { begun, type Edge, type Flows, type Node, type Registration, type Told } from './nodes.ts'
import { callPlace, OWN, stackPlace, Stacks } from './places.ts'

/**
 * Microtasks run at the end of the callback they belong to; in a later step of the same task they are a batch of their
 * own. Microseconds.
 */
const CHECKPOINT = 100

/** What the browser asks for and runs by a number within a frame: the request, the run, and how they are told. */
interface Numbered {
  /** The browser's name of the request, or a kind of ours after `=`. */
  name: string
  kind: string
  id: string
}
const FRAME: Numbered = { name: 'requestAnimationFrame', kind: 'animation-frame', id: 'id' }
const IDLE: Numbered = { name: 'requestIdleCallback', kind: 'idle', id: 'id' }
const POST_TASK: Numbered = { name: '=post-task', kind: 'post-task', id: 'taskId' }

const keyOf = ({ kind, id }: Numbered, { data }: Kept): string => `${kind} ${data?.frame}${data?.[id]}`

export class Walk {
  readonly nodes: Node[] = []
  readonly told: Told[] = []
  private readonly stack: Kept[] = []
  private node: Node | null = null
  private last: Node | null = null
  private task = 0
  private micro = 0
  private readonly timers = new Map<number, Registration>()
  private readonly numbered = new Map<string, Registration>()
  private readonly shims = new Map<string, Registration>()
  private readonly collection: Collection
  private readonly flows: Flows
  private readonly thread: ChromeThread
  private readonly index: number
  private readonly stacks: Stacks

  constructor(collection: Collection, flows: Flows, thread: ChromeThread, index: number) {
    this.collection = collection
    this.flows = flows
    this.thread = thread
    this.index = index
    putInOrder(thread, collection.last)
    this.stacks = new Stacks(collection, thread)
    for (const e of thread.kept) {
      this.leave(e)
      if (isSlice(e)) this.enter(e)
      else this.happens(e)
    }
    // What registered nothing and called nothing that the browser tells of may have run long enough for a sample.
    for (const n of this.nodes) n.entry ??= n.javascript && n.at === null ? this.stacks.during(n.start, n.end) : null
  }

  /** Closes the slices that have ended when `e` comes. */
  private leave(e: Kept): void {
    const { stack } = this
    // Start and length are cut to microseconds, each by itself: what is at the very end of the outermost slice can seem
    // to stand one after it.
    const inside = !isSlice(e)
    while (stack.length > 0) {
      const top = stack[stack.length - 1]
      const touches = top.end === e.ts && (inside || top.ts === e.ts)
      if (top.end > e.ts || touches || (inside && stack.length === 1 && top.end + 1 === e.ts)) return
      stack.pop()
      if (top.code === Code.Microtasks) this.micro--
      if (stack.length === 0) this.node = null
    }
  }

  private enter(e: Kept): void {
    if (this.stack.length === 0) this.node = this.outermost(e)
    // The end of an inner slice can lie beyond the outer one's by rounding.
    const direct = this.stack.every((s) => !runsCode(s, this.collection.sawPromises))
    this.stack.push(e)
    this.learn(this.node!, e, direct)
    if (e.code === Code.Microtasks) this.micro++
  }

  /** The continuation of an outermost slice: a new one, or the last one goes on. */
  private outermost(e: Kept): Node {
    const task = this.taskAt(e.ts)
    const last = this.last !== null && task !== -1 && this.last.task === task ? this.last : null
    let node: Node
    if (last !== null && e.code === Code.Microtasks && last.javascript && e.ts - last.end <= CHECKPOINT) {
      node = last
      node.end = Math.max(node.end, e.end)
    } else if (last !== null && e.code === Code.Call && isWitness(last) && !isOurs(e)) {
      // Our listener ran just before the page's listener that it stands for.
      node = last
      node.start = e.ts
      node.end = e.end
      node.cpu = 0
    } else {
      node = this.last = begun(this.index, task, e)
      this.nodes.push(node)
    }
    node.cpu += Math.max(0, e.cpu)
    return node
  }

  /** The task that runs at a time, which is none before the last one asked for; -1: none. */
  private taskAt(ts: number): number {
    const { tasks } = this.thread
    while (this.task + 1 < tasks.length && tasks[this.task + 1][0] <= ts) this.task++
    return tasks.length > 0 && tasks[this.task][0] <= ts && ts <= tasks[this.task][1] ? this.task : -1
  }

  private edge(key: Edge['key'], registration: Registration | null = null): void {
    this.node?.edges.push({ key, registration, micro: this.micro > 0 })
  }

  // What a slice tells of its continuation

  /** `direct`: nothing of the page's own stands around the slice. */
  private learn(node: Node, e: Kept, direct: boolean): void {
    switch (e.code) {
      case Code.Microtasks:
        return this.batch(node, e)
      case Code.AsyncRun:
        return this.runs(node, e)
      case Code.Call:
      case Code.Script:
        return this.called(node, e, direct)
      case Code.Timer: {
        const registration = this.timers.get(e.data?.timerId)
        node.kind ||= registration?.recurring === true ? 'interval' : 'timeout'
        if (registration !== undefined) this.edge(null, registration)
        return
      }
      case Code.AnimationFrame:
        return this.ranNumbered(node, e, FRAME)
      case Code.Idle:
        return this.ranNumbered(node, e, IDLE)
      case Code.PostTask:
        return this.ranNumbered(node, e, POST_TASK)
      case Code.Xhr:
        node.kind ||= 'xhr'
        return
      case Code.Message:
        node.kind ||= 'message'
        return this.edge(`message:${e.data?.traceId}`)
      case Code.Event:
        if (node.event === '') node.event = String(e.data?.type ?? '')
    }
  }

  private batch(node: Node, e: Kept): void {
    const count = e.data?.microtask_count ?? null
    if (count === 0) return
    // With the debugger on, each microtask of the page's shows itself; a batch without any is the browser's own.
    if (!this.collection.sawDebugger) node.javascript = true
    node.batches.push([e.ts, e.end, count])
    node.microtasks += count ?? 0
  }

  private runs(node: Node, e: Kept): void {
    if (this.micro > 0) {
      node.javascript = node.reacts = true
      e.data = { ...e.data, micro: true }
    }
    if (e.flowIn === -1) return
    this.edge(e.flowIn)
    if (e.flowOut !== -1) this.flows.goesOn(e.flowOut, e.flowIn)
  }

  private called(node: Node, e: Kept, direct: boolean): void {
    // This tool's own code does not show that the page's code ran, and is no place. A script that the protocol
    // evaluates has no URL.
    const evaluated = e.code === Code.Script && node.code === Code.Script && node.calls === 0 && !e.data?.url
    if (isOurs(e) || evaluated) {
      node.ours = true
      return
    }
    node.javascript = true
    node.calls++
    if (e.code === Code.Script && node.kind === '' && node.event === '') node.kind = 'script'
    // Only a call that nothing of the page's stands around: others are made by what runs (a listener of an event that
    // it dispatches, the constructor of an element), and what comes after a reaction of a promise is not what the
    // continuation began with.
    if (direct && !node.reacts) node.at ??= callPlace(e.data)
    else if (node.entry === null) node.entry = this.stacks.at(e.data?.sample, e.ts).outer
  }

  private ranNumbered(node: Node, e: Kept, numbered: Numbered): void {
    node.kind ||= numbered.kind
    const registration = this.numbered.get(keyOf(numbered, e))
    if (registration !== undefined) this.edge(null, registration)
  }

  // What happens at a moment: registrations, mostly

  private happens(e: Kept): void {
    switch (e.code) {
      case Code.AsyncScheduled:
        return this.scheduled(e)
      case Code.InstallTimer: {
        const repeats = e.data?.singleShot === false
        const registration = this.registered(e, repeats ? 'setInterval' : 'setTimeout', repeats)
        this.timers.set(e.data?.timerId, { ...registration, from: stackPlace(e.data) })
        return
      }
      case Code.RequestFrame:
        return this.requested(e, FRAME)
      case Code.RequestIdle:
        return this.requested(e, IDLE)
      case Code.SchedulePostTask:
        return this.requested(e, POST_TASK)
      case Code.SendMessage:
        return this.flows.begins(`message:${e.data?.traceId}`, this.registered(e, 'postMessage'))
      case Code.Stamp:
        return this.stamped(e)
    }
  }

  private registered(e: Kept, name: string, recurring = false): Registration {
    return { by: this.node, ts: e.ts, from: null, name, recurring, id: 0 }
  }

  private requested(e: Kept, numbered: Numbered): void {
    this.numbered.set(keyOf(numbered, e), { ...this.registered(e, numbered.name), from: stackPlace(e.data) })
  }

  private scheduled(e: Kept): void {
    const { stack, node } = this
    const registration = this.registered(e, e.data.name)
    // What the browser's own microtasks register is registered by no continuation.
    const inBatch = stack.length > 0 && stack[stack.length - 1].code === Code.Microtasks
    if (this.collection.sawDebugger && inBatch && taskKind(e.data.name) !== 'promise') registration.by = null
    const found = this.stacks.at(e.data.sample, e.ts)
    registration.from = found.inner
    if (node !== null && node.entry === null) node.entry = found.outer
    if (e.flowOut !== -1) this.flows.begins(e.flowOut, registration)
  }

  /** What the shim in the page says (`s`: registers, `r`: runs), or the JavaScript library. */
  private stamped(e: Kept): void {
    const { node } = this
    const fields = (e.data.message as string).split(':')
    const [, what, id, recurring] = fields
    const rest = fields.slice(4).join(':')
    if (what === 's') {
      const registration = this.registered(e, `=${rest}`, recurring === '1')
      registration.from = this.stacks.at(e.data.sample, e.ts).inner
      this.shims.set(id, registration)
    } else if (what === 'r') {
      const registration = this.shims.get(id)
      // What is dispatched synchronously inside a callback is part of it, not an edge to it.
      if (registration === undefined || node === null || (node.calls > 1 && this.micro === 0)) return
      this.edge(null, registration)
      node.javascript = true
      node.ran = true
    } else this.told.push({ ts: e.ts, thread: this.index, node, fields: [...fields.slice(1, 4), rest] })
  }
}

/** It has a length; all else happens at a moment. */
const isSlice = (e: Kept): boolean => e.code < Code.InstallTimer && e.code !== Code.AsyncScheduled

/** A continuation in which only the shim's own function has run so far. */
const isWitness = (node: Node): boolean => node.code === Code.Call && node.ran && node.calls === 0

/** True if what stands inside this slice was called by the page's own code. */
function runsCode(e: Kept, sawPromises: boolean): boolean {
  if (e.code === Code.Call || e.code === Code.Script) return !isOurs(e)
  // A reaction of a promise shows itself as a run inside the batch; without the debugger none does, and any call in a
  // batch may be one of its.
  return (e.code === Code.AsyncRun && e.data?.micro === true) || (e.code === Code.Microtasks && !sawPromises)
}

const isOurs = (e: Kept): boolean => typeof e.data?.url === 'string' && e.data.url.startsWith(OWN)

/** What is open at the end of the trace ends with it; events and tasks are sorted. */
function putInOrder(thread: ChromeThread, last: number): void {
  const { kept, tasks } = thread
  attachFlows(thread)
  for (const open of thread.begun) open.end = Math.max(open.end, last)
  for (const start of thread.openTasks) tasks.push([start, last])
  tasks.sort((a, b) => a[0] - b[0])
  kept.sort((a, b) => a.ts - b.ts || b.end - a.end)
}

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
