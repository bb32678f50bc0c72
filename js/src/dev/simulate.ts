/**
 * A simulated host: virtual time, and a scheduler whose every choice is made by a `Chooser`. Read this first to see all
 * that the run loop needs of the world.
 *
 * - Time stands still while anything can run; then it jumps to the next timer.
 * - `decide(n)` is asked whenever one of n > 1 ready groups goes next, and at every call and return (n = 2: go on, or
 *   be set aside) when somebody else is ready.
 * - Promises of the outside settle in real time: before each choice the host's event loop has a turn if anybody waits
 *   for one.
 */
import { checkFunction, checkOptions } from '../core/arguments.ts'
import { useDomain } from '../core/current.ts'
import { DrivenDomain } from './driven.ts'
import { branchesOf } from '../core/branchesOf.ts'
import type { Context, Group } from '../core/types.ts'
import type { Host } from '../core/host.ts'
import { realHost } from '../core/host.ts'
import type { Operation } from '../core/suspension.ts'
import { describeActivities } from './report.ts'
import { virtualGlobals } from './globals.ts'

interface Timer {
  at: number
  order: number
  run: () => void
}

/**
 * The host that `simulate` gives its domain: time passes when nothing can run.
 *
 * @example
 * const host = new SimulatedHost()
 * host.timer(() => console.log(host.now()), 5000)
 * host.advance()                    // → 5000
 */
export class SimulatedHost implements Host {
  time: number = 0
  readonly failures: { error: unknown; handled: boolean }[] = []
  private timers: Timer[] = []
  private order = 0

  soon(): void {}
  later(): void {}
  now(): number {
    return this.time
  }
  timer(run: () => void, ms: number): unknown {
    const timer = { at: this.time + Math.max(0, ms), order: this.order++, run }
    this.timers.push(timer)
    return timer
  }
  clear(handle: unknown): void {
    this.timers = this.timers.filter((t) => t !== handle)
  }
  unhandled(error: unknown): Promise<never> {
    const failure = { error, handled: false }
    this.failures.push(failure)
    return { catch: () => (failure.handled = true) } as unknown as Promise<never>
  }
  /** Jumps to the next timer and runs it; false if there is none, or none that ever fires. */
  advance(): boolean {
    if (!this.timers.some(({ at }) => at < Infinity)) return false
    const next = this.timers.reduce((a, b) => (b.at < a.at || (b.at === a.at && b.order < a.order) ? b : a))
    this.clear(next)
    this.time = next.at
    next.run()
    return true
  }
}

/**
 * Chooses the schedule: which of `options`, where 0 is what the real scheduler would do.
 *
 * @example
 * const newest: Decide = (options, why) => (why === 'next' ? options - 1 : 0)
 * const body = function* () {
 *   for (const name of ['ann', 'bob']) spawn(function* () { console.log(name) })
 * }
 * await simulate(body, { decide: newest })
 * // → bob
 * // → ann
 */
export type Decide = (options: number, why: 'next' | 'preempt') => number

/** Options of `simulate`. */
export interface SimulateOptions {
  decide?: Decide | undefined
  /** Real milliseconds that a program with nothing else to do may wait for the outside. */
  idleTimeout?: number | undefined
  /**
   * Real milliseconds to wait, before each choice, until all waits for the outside are answered: it makes programs with
   * real I/O repeatable.
   */
  settle?: number | undefined
  maxSteps?: number | undefined
  /**
   * Whether `Date`, `performance.now`, `setTimeout`, `setInterval` and animation frames are in virtual time, too, for
   * all code that runs meanwhile. Default: yes.
   */
  globals?: boolean | undefined
  /** What `Date` says at the beginning. Default: the time. */
  epoch?: number | undefined
}

/**
 * Nothing can run and nothing will come.
 *
 * @example
 * await simulate(function* () { yield* future().get() })
 *   .catch((error) => console.log(error instanceof StuckError))  // → true
 */
export class StuckError extends Error {
  override readonly name = 'StuckError'
}

/** What has failed before, and nobody has asked for. */
function causedBy(failures: SimulatedHost['failures']): { cause?: unknown } {
  const first = failures.find(({ handled }) => !handled)
  return first === undefined ? {} : { cause: first.error }
}

/** The simulations that have begun and not ended. The last goes on; the others stand still until it has ended. */
const running: object[] = []

const turn = (): Promise<void> => new Promise((done) => realHost.later(done))
const pauseFor = (ms: number): Promise<void> => new Promise((done) => realHost.timer(done, ms))

/**
 * Runs `body` as an activity of a simulated domain until it and all it spawned have ended. The result is the body's.
 * A simulation that begins while another one runs comes first: the other stands still until it has ended.
 *
 * @example
 * await simulate(function* () { yield* sleep(3600_000); console.log('an hour later') })  // → an hour later
 */
export async function simulate<T>(
  body: (() => Operation<T>) | (() => PromiseLike<T>),
  options: SimulateOptions = {},
): Promise<T> {
  checkFunction('simulate', body)
  checkOptions('simulate', options)
  const decide = options.decide ?? (() => 0)
  const host = new SimulatedHost()
  const d: DrivenDomain = new DrivenDomain(host, () => d.top.head !== null && decide(2, 'preempt') === 1)
  const before = useDomain(d)
  const real = performance.now.bind(performance)
  const virtual = options.globals === false ? null : virtualGlobals(host, options.epoch ?? Date.now())
  const who = (): string => {
    const timers = virtual === null ? [] : virtual.unfinished()
    return [describeActivities(), ...timers.map((timer) => `unfinished: ${timer}`)].join('\n')
  }
  let steps = 0
  running.push(d)
  try {
    const root = d.spawn<T>(body, false, body.name || 'main')
    let idleSince = real()
    for (;;) {
      const foreign = waitsOutside(d)
      if (foreign > 0) {
        await turn()
        const until = real() + (options.settle ?? 0)
        while (waitsOutside(d) > 0 && real() < until) await pauseFor(1)
      }
      if (running[running.length - 1] !== d) {
        await turn()
        idleSince = real()
        continue
      }
      const ready = readyGroups(d.top)
      if (ready > 0) {
        if (++steps > (options.maxSteps ?? 100_000)) {
          throw new StuckError(`still running after ${steps} steps; a loop that never ends?\n${who()}`)
        }
        runOne(d, ready === 1 ? 0 : decide(ready, 'next'))
        idleSince = real()
        continue
      }
      if (d.live === null) break
      if (d.top !== d.base) {
        d.top.idle()
        if (d.top.head !== null) continue
      }
      if (waitsOutside(d) > 0 && real() - idleSince < (options.idleTimeout ?? 20)) {
        await pauseFor(1)
        continue
      }
      if (host.advance()) continue
      // If the body has failed, the others may wait because of that.
      if (root.ended > 1 || (root.ended === 1 && waitsOutside(d) > 0)) break
      throw new StuckError(`nothing can run any more:\n${who()}`, causedBy(host.failures))
    }
    root.handled()
    for (const failure of host.failures) if (!failure.handled) throw failure.error
    if (root.ended !== 1) throw root.answer
    return root.answer as T
  } finally {
    running.pop()
    virtual?.undo()
    useDomain(before)
  }
}

function readyGroups(context: Context): number {
  let n = 0
  for (let g = context.head; g !== null; g = g.link!) n++
  return n
}

/** Runs the turn of the ready group at `index`. */
function runOne(d: DrivenDomain, index: number): void {
  const ready: Group[] = []
  for (let g = d.top.shift(); g !== null; g = d.top.shift()) ready.push(g)
  const [group] = ready.splice(index, 1)
  for (const g of ready) d.top.push(g)
  d.turn(group)
}

function waitsOutside(d: DrivenDomain): number {
  let n = 0
  for (let a = d.live; a !== null; a = a.prev) for (const b of branchesOf(a)) if (b.blocked?.outside === 2) n++
  return n
}
