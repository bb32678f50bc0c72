/** Who runs, and what follows what: the activations of a rewritten program. */
import { Costs } from './costs.ts'
import { withoutFirst } from './lists.ts'

/**
 * Who runs: activations of functions, in a tree. An activation is one call of an asynchronous function, or of one that
 * hands callbacks on; its children are the activations that it makes and the callbacks that it registers. A callback
 * that can run many times (a request's, an interval's) begins a tree of its own each time. A generator is one
 * activation from its first value to its end, whoever asks for the values: schedulers make chains of steps of it
 * (`co`, redux-saga, Effection).
 *
 * Two accesses are *in sequence* if the program's text orders them: the activation of the first had ended, or is the
 * one that made the second's. Otherwise their activations run beside each other.
 */
export interface Activation {
  parent: Activation | null
  /** When the tree in which it is began. */
  root: number
  depth: number
  /** Number of its function's site, -1: a script's top level or a callback. */
  site: number
  /** Counted in accesses and activations: when it began, and ended (0: it still runs). */
  began: number
  ended: number
  /** The site of the `await` after which it went on last, and when; -1: it has not waited. */
  resumed: number
  resumedAt: number
  /** The same of the times before, each behind the other; only the newest are kept. Null: there is none. */
  earlier: number[] | null
  /** µs: when it began to run, or went on; -1: it does not run. */
  runsSince: number
  /** A callback: the event loop called it. */
  called: boolean
  /** Control is back with the event loop when it stops: it has waited, or is a callback. */
  waited: boolean
  /** Of a generator that is not asynchronous; null: it is none. */
  steps: Steps | null
}

/** How a generator is asked for its values. */
export interface Steps {
  /** Who asked for the last one, and runs again when the generator stops. */
  caller: Activation | null
  /** When it handed the last one over; 0: it has not yet. */
  stoppedAt: number
  /** µs: when it had begun to run before that, and when it stopped. */
  ranFrom: number
  ranUntil: number
  /** Nobody but the activation above it has asked, so it is a part of that, as in `for (const x of all())`. */
  isPart: boolean
}

export class Flows {
  current: Activation | null = null
  /** A function whose parameters' defaults have been evaluated, and whose body has not begun; null: there is none. */
  begun: Activation | null = null
  /** What it has awaited has ended, so that it runs, and it has not told where it goes on; null: there is none. */
  woken: Activation | null = null
  clock = 0
  readonly costs = new Costs()
  readonly now: () => number

  /** `now`: in microseconds. */
  constructor(now: () => number = () => 0) {
    this.now = now
  }

  make(parent: Activation | null, site: number, called = false, now = this.now()): Activation {
    const began = ++this.clock
    return {
      parent,
      root: parent === null ? began : parent.root,
      depth: parent === null ? 0 : parent.depth + 1,
      site,
      began,
      ended: 0,
      resumed: -1,
      resumedAt: 0,
      earlier: null,
      runsSince: now,
      called,
      waited: called,
      steps: null,
    }
  }

  /** `owner`: whose callback it is, if the event loop calls it. */
  enter(site: number, owner: Activation | null = null): Activation {
    const activation = this.early(site, owner)
    if (activation === this.begun) this.begun = null
    return (this.current = activation)
  }

  /** The activation that the function at the site is about to enter. */
  early(site: number, owner: Activation | null = null): Activation {
    const { begun, current } = this
    const parent = current ?? owner
    if (begun !== null && begun.site === site && begun.parent === parent) return begun
    return this.make(parent, site, current === null && owner !== null)
  }

  /** Whose access it is that happens now; null: nobody's who is known. */
  accessor(): Activation | null {
    return this.current
  }

  leave(activation: Activation): void {
    activation.ended = ++this.clock
    // Before it has waited it is a part of what called it.
    if (activation.waited) this.stops(activation)
    else activation.runsSince = -1
    if (this.current === activation) this.current = behind(activation)
  }

  /** It is about to wait: whoever called it goes on, or the event loop. */
  away(activation: Activation): void {
    if (this.current === activation) this.current = behind(activation)
    activation.waited = true
    this.stops(activation)
  }

  /** A generator is asked for its first value. */
  begin(site: number): Activation {
    const caller = this.accessor()
    const activation = this.make(caller, site)
    activation.steps = { caller, stoppedAt: 0, ranFrom: -1, ranUntil: -1, isPart: true }
    return (this.current = activation)
  }

  /** It hands a value to its caller, who goes on. */
  handsOver(activation: Activation): void {
    const steps = activation.steps!
    if (this.current === activation) this.current = steps.caller
    steps.stoppedAt = ++this.clock
    steps.ranFrom = activation.runsSince
    steps.ranUntil = this.now()
    activation.runsSince = -1
  }

  /** It is asked for another value. If its caller is another than before, or has waited, then it has waited, too. */
  askedFor(activation: Activation, site: number): void {
    const steps = activation.steps!
    const caller = this.accessor()
    const isSame = caller === steps.caller && (caller === null || caller.resumedAt < steps.stoppedAt)
    steps.caller = caller
    if (caller !== activation.parent) steps.isPart = false
    this.current = activation
    if (isSame) {
      activation.runsSince = steps.ranFrom
      return
    }
    if (steps.ranFrom >= 0) this.costs.ran(activation, steps.ranFrom, steps.ranUntil)
    activation.waited = true
    this.resumed(activation, site)
  }

  /** It gives control away. */
  stops(activation: Activation, now = this.now()): void {
    if (activation.runsSince >= 0) this.costs.ran(activation, activation.runsSince, now)
    activation.runsSince = -1
  }

  /** It goes on in a `catch`, a `finally` or a `for await`; if it had waited, that is where the waiting ended. */
  again(activation: Activation): void {
    if (this.current === activation && this.woken !== activation) return
    if (activation.steps === null) this.back(activation, -1)
    else this.askedFor(activation, -1)
  }

  back(activation: Activation, site: number): void {
    this.resumed(activation, site)
    this.current = activation
  }

  private resumed(activation: Activation, site: number): void {
    this.woken = null
    const { resumed, resumedAt } = activation
    if (resumedAt > 0 && resumed !== site) {
      const earlier = (activation.earlier ??= [])
      earlier[earlier.length] = resumed
      earlier[earlier.length] = resumedAt
      if (earlier.length > 2 * MAX_EARLIER) withoutFirst(earlier, 2)
    }
    activation.resumed = site
    activation.resumedAt = ++this.clock
    activation.runsSince = this.now()
  }
}

const MAX_EARLIER = 8

/** Who runs when it stops; null: the event loop. */
function behind({ steps, waited, parent }: Activation): Activation | null {
  if (steps !== null) return steps.caller
  return waited ? null : parent
}

/** What it does is a part of what the activation above it does. */
const isPart = ({ steps }: Activation): boolean => steps !== null && steps.isPart

/** The activation below which both lie; null: none. */
export function common(a: Activation, b: Activation): Activation | null {
  let x: Activation | null = a
  let y: Activation | null = b
  while (x !== null && y !== null && x !== y) {
    if (x.depth >= y.depth) x = x.parent
    else y = y.parent
  }
  return x !== null && y !== null ? x : null
}

/** True if an access of `first` at the time `at` comes before what `second` does now, by the program's text. */
export function inSequence(first: Activation, at: number, second: Activation, together: Activation | null): boolean {
  if (together === null) return false
  // The activation below the common one, on the way to `second`.
  let towards: Activation | null = null
  for (let a = second; a !== together; a = a.parent!) if (!isPart(a)) towards = a
  const until = towards === null ? Infinity : towards.began
  let isOwn = true
  for (let a = first; a !== together; a = a.parent!) {
    if (isPart(a)) continue
    if (a.ended === 0 || a.ended > until) return false
    isOwn = false
  }
  return !isOwn || towards === null || at < towards.began
}
