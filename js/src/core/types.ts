/**
 * The parts of the scheduler, as the other parts see them. The classes stand in files of their own and import these
 * interfaces instead of one another, so that no file needs itself. Read this file first:
 *
 * - A domain (a scheduler) serves the newest of its contexts: an atomic block's, or its own.
 * - A context is a queue of groups: activities and atomic blocks.
 * - A group has branches: chains of calls that block on their own.
 * - A branch may be blocked on one thing: a blocker.
 */
import type { Host } from './host.ts'

export type AnyIterator = Iterator<unknown, unknown, any>

/**
 * How a branch goes on: NEXT, THROW or START (see suspension.ts). After the end of an activity this is 3 if it is done,
 * 4 if it has failed, 5 if it was cancelled.
 */
export type Mode = 0 | 1 | 2 | 3 | 4 | 5

/** What a branch can be blocked on. */
export interface Blocker {
  /** Takes the wait back; afterwards it has had no effect and never answers. */
  withdraw(): void
  /** Readable, for reports: `recv(jobs)`. */
  describe(): string
  /**
   * Can something outside the library end the wait? 1: only a timer of ours, 2: a promise or an event; 0 or nothing:
   * no.
   */
  readonly outside?: 0 | 1 | 2
  /** The activity without which the wait cannot end, if there is exactly one. */
  needs?(): Activity | undefined
  /** True if the wait cannot be interrupted: the end of a scope or of an atomic block. */
  readonly fixed?: boolean
}

/**
 * What the host keeps for a chain of calls (see asyncContext.ts). Bound to a branch, it is entered for every step of
 * it.
 */
export interface AsyncContext {
  runInAsyncScope<A extends unknown[], R>(f: (this: any, ...args: A) => R, self: unknown, ...args: A): R
}

/** A call that has suspended, as its branch keeps it: where to go on when the callee has ended. */
export interface Frame {
  /** The caller's generator. */
  gen: AnyIterator | null
  /** The caller's own frame; null if the caller is the body of the branch. */
  parent: Frame | null
  /** The caller's context, if the callee has another one; else undefined. */
  context: AsyncContext | null | undefined
  /** The callee has ended. True: the caller goes on at once; false: there is something to wait for first. */
  leave(branch: Branch, mode: 0 | 1, answer: unknown): boolean
}

/** What a branch sees of the `finish` scope around it (see scope/root.ts). */
export interface Scope {
  /** The scope around it in the same activity. */
  readonly parent: Scope | null
  readonly owner: Branch
  /** The scope is cancelled. */
  marked: boolean
  /** The scope on which `cancel` was called, set together with `marked`. */
  origin: Scope | null
  /** The error that ends a wait in a cancelled scope. */
  error(): Error
  /** Does the error only say that the scope was cancelled? */
  isTold(error: unknown): boolean
  /** What was started in it; null: nothing yet. */
  members: Members | null
  /** The outermost scope of the same activity. */
  root(): Scope
}

/** What was started in a scope: branches, and scopes inside it (see scope/members.ts). */
export interface Members {
  /** Passes a cancel on to the scopes inside. */
  mark(origin: Scope, reason: unknown): void
  /** The scope is cancelled: so are its branches. */
  interrupt(): void
  /** Does `f` hold for a branch in the scope and the scopes inside it? */
  some(f: (branch: Branch) => boolean): boolean
  ended(branch: Branch, mode: 0 | 1, answer: unknown): void
  /** The body of `activity`, whose own scope this is, has ended: calls `bury` when its branches have, too. */
  drain(
    activity: Activity,
    mode: 0 | 1,
    answer: unknown,
    bury: (activity: Activity, mode: 0 | 1, answer: unknown) => void,
  ): void
}

export interface Branch {
  /** The innermost generator; null before the body has begun and after it has ended. */
  gen: AnyIterator | null
  /** The call that `gen` belongs to; null if it is the body of the branch. */
  frame: Frame | null
  /** How the branch goes on. Valid while it is ready or set aside, not while it runs. */
  mode: Mode
  answer: unknown
  /** What the branch waits for; null while it is ready, set aside or running. A blocked branch is on no queue. */
  blocked: Blocker | null
  /** The innermost scope; null: the activity's own, which is made when it is first needed. */
  scope: Scope | null
  /** The cell through which promises answer the branch, made by its first wait for one. */
  cell: Blocker | null
  /** The host's context of the branch; null where the host keeps nothing. */
  context: AsyncContext | null
  group: Group
  activity: Activity
  /** Answers what the branch has asked for; returns true, for `begin` to return. */
  goOn(mode: Mode, answer: unknown): true
  /** Is the scope cancelled? Then the answer is the error. Every blocking operation asks this first. */
  refused(): boolean
  /** Ends the wait with an answer and queues the branch. */
  wake(mode: Mode, answer: unknown): void
  /** Withdraws what the branch waits for; it goes on with `error`. */
  interrupt(error: unknown): void
  /** The branch, as one who waits for a clause (see Waiter in wait/case.ts). */
  readonly branch: Branch
  answered(clause: { readonly failed?: boolean; readonly outcome: unknown }): void
}

/** The branches of one activity that may run under the same atomic context: an activity, or an atomic block. */
export interface Group {
  /** The branch that runs, or will run when the group's turn comes, or waits and is `alone` (see scheduler.ts). */
  running: Branch | null
  /** What else is ready. Null exactly if no branch was started in the group, or in a block inside it. */
  others: Others | null
  /** True exactly while the group is on its context's queue. */
  readonly queued: boolean
  /** The next group on that queue; undefined while this one is not on it. */
  link: Group | null | undefined
  /** True for the group of a block's own branches: they are never set aside. */
  readonly atomic: boolean
  /** The context that the group is served in. */
  readonly home: Context
  /** True for a block that has ended: its branches belong to the `survivor`, which is the group itself before that. */
  readonly over: boolean
  survivor(): Group
}

/** The branches of a group that are ready while another one runs (see others.ts). */
export interface Others {
  push(branch: Branch): void
  /** Takes the branch that runs next when the running one has blocked or ended (law 2). */
  next(): Branch | null
  /** The block whose branches these are has ended: they go on in `group`, and so does `running`, which is ready too. */
  handOver(running: Branch | null, group: Group): void
}

/** A queue of groups that may run: the domain's own, or one atomic block's. Only the newest context is served. */
export interface Context {
  readonly domain: Domain
  parent: Context | null
  head: Group | null
  push(group: Group): void
  remove(group: Group): void
  shift(): Group | null
  /** Everything in the context waits. */
  idle(): void
  /** An activity that was spawned in the context has ended. */
  ended(): void
}

/** What few activities have. */
export interface ActivityInfo {
  name?: string
  /** The place of the spawn, in development mode. */
  site?: string
  /** Called when the activity has ended. */
  ended?: () => unknown
  /** The values of `local` variables. The map is never changed, but replaced. */
  locals?: ReadonlyMap<object, unknown>
}

export interface Activity extends Branch, Group, PromiseLike<any> {
  readonly id: number
  name: string
  readonly state: 'spawned' | 'running' | 'done' | 'failed' | 'cancelled'
  home: Context
  /** What it was made of, from which it has its name. */
  source: unknown
  /** 0: it lives, 1: done, 2: failed, 3: cancelled. From then on `answer` is the result. */
  readonly ended: 0 | 1 | 2 | 3
  info: ActivityInfo | null
  /** All live activities of the domain, linked. */
  prev: Activity | null
  next: Activity | null
  /** Somebody has asked for the result, so an error is theirs now. */
  handled(): void
  /** The body and all branches have ended. */
  settle(mode: 0 | 1, answer: unknown): void
  /** Blocks `branch` until the activity has ended. */
  joinFrom(branch: Branch): boolean
}

/** A call that was made and not awaited yet: it becomes an activity when its caller does anything else first. */
export interface Pending {
  start(): unknown
}

/**
 * Told what runs when (see dev/trace.ts). One at `globalThis[Symbol.for('charcoal.tracer')]` is told from the start.
 */
export interface Tracer {
  registered(activity: Activity): void
  started(branch: Branch): void
  stopped(branch: Branch): void
  /** The owner has entered or left a block; `name` is that of the block's body, if it has one. */
  atomic(owner: Branch, entered: boolean, name?: string): void
  /** The activity and all its branches have ended. */
  ended?(activity: Activity): void
}

/** A block that activities can be taken into. */
export interface Block extends Context {
  readonly owner: Branch
  /** How often everything in the block has come to wait. */
  readonly turns: number
  /** A branch of the block waits for a promise. */
  readonly waitsForPromise: boolean
  /** It has ended. */
  readonly over: boolean
  /** Somebody has noted the block, so it is not to be opened again. */
  noted: boolean
  /** Runs an activity that was held back inside the block, like a contained one. */
  admit(activity: Activity): void
}

/** What the open blocks hold back (see held.ts). */
export interface Held {
  /** A reminder is set for a block that waits long. There is one at a time. */
  reminding: boolean
  /** The calls that were made in the open blocks and not awaited at once; null: none. */
  readonly calls: ReadonlyMap<Activity, boolean> | null
  /** `activity` is a call that was made in a block and not awaited at once. */
  note(activity: Activity): void
  /** A native promise waits for `activity`. */
  want(activity: Activity, top: Context): void
  /** Everything in `block` waits, for `activity` among others. True: it is such a call, and runs in the block now. */
  need(activity: Activity, block: Block): boolean
  /** Everything in `block` waits, for a promise among others. */
  waitsForPromise(block: Block): void
  /** The outermost block has ended. */
  clear(): void
}

/** Which block legacy code belongs to (see belonging.ts). */
export interface Belonging {
  /** The innermost open block that the running code belongs to. */
  now(): Block | null
  /** Runs `f` as code of `block`. */
  run<R>(block: Block, f: () => R): R
  /** Runs `f`, which settles promises of the host: the reactions belong to `block`. */
  settle<R>(block: Block, f: () => R): R
}

/** What `yield*` can run, as suspension.ts has it. */
interface Runnable<T> {
  [Symbol.iterator](): Iterator<unknown, T, any>
}

/** What stands for something that a body has returned. */
export type AsOperation<O> = O extends Runnable<any> ? O : Runnable<O extends PromiseLike<infer T> ? T : O>

/** The scheduler (see scheduler.ts and domain.ts). */
export interface Domain {
  readonly host: Host
  /** The domain's own context, in which all activities run that are not contained in a block. */
  readonly base: Context
  /** The newest context, the only one that is served: the innermost atomic block, or `base`. */
  readonly top: Context
  /** Milliseconds that a stuck atomic block waits for legacy code before it reports a deadlock. */
  readonly grace: number
  /** The run loop is on the JavaScript stack. */
  readonly pumping: boolean

  /** The branch whose code runs now; null in legacy code. */
  current: Branch | null
  /** The branch that goes on by itself when a promise answers it (see scheduler.ts), or null. */
  alone: Branch | null
  /** The call that the current branch made last and has not awaited yet. */
  pending: Pending | null
  /** Steps until the clock is looked at. Whoever does a step without the run loop counts it here. */
  steps: number
  /** Calls on the JavaScript stack above the run loop. */
  depth: number
  /** Set by an operation that wants its activity set aside. */
  aside: boolean
  /** The call that is made next belongs to who makes it: it is awaited in place (see plugin/runtime/called.ts). */
  own: boolean
  /** First parts of calls that run on the stack of other activities, one inside the other. No block may open there. */
  nested: number

  /** What the open blocks hold back. */
  readonly held: Held
  /** Which block legacy code belongs to. */
  readonly belonging: Belonging
  /** The newest live activity; the list goes on with `prev`. */
  live: Activity | null
  tracer: Tracer | null
  /** In development mode: says where the caller of `spawn` is. */
  site: (() => string) | null
  /** `enforce()` is in force: atomic blocks hold back continuations of legacy code. */
  enforced: boolean
  /** Called whenever the newest context changes. */
  onTop: (() => void) | null

  spawn(body: unknown, contained?: boolean, name?: string, context?: AsyncContext | null): Activity
  standIn(name: string): Activity
  called(call: Pending): void
  startPending(): void
  /** Says who waits for whom if `branch` has closed a circle of activities by its present wait. */
  circle(branch: Branch): string | null
  // Programs that start no activities do without these.

  /** What runs an operation in place; undefined: it is none (see asCall.ts). */
  asCall?(what: unknown): Runnable<any> | undefined
  /** What runs `op` in `context`. */
  within?(op: AnyIterator, context: AsyncContext): Runnable<any>
  /** The activity of a call, or another operation, that is not a part of the branch that has made it. */
  adopt?(body: unknown, name?: string, context?: AsyncContext | null): Activity
  buried(activity: Activity): void

  enter(context: Context): void
  leave(context: Context): void
  enqueue(group: Group): void
  ready(branch: Branch): void
  readyFromHost(branch: Branch): void
  resume(branch: Branch, value: unknown): void
  fromHost(f: () => void): void
}
