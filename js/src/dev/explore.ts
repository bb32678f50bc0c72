/**
 * `explore` runs a test under many schedules. It fails with the first schedule that fails, after shrinking it to the
 * fewest switches, and says the seed that replays it.
 *
 * A schedule is the list of choices that the simulated scheduler was asked for; choice 0 is what the real scheduler
 * would do. A seed is that list in text.
 *
 * @example
 * await explore(function* () {
 *   let balance = 100
 *   const withdraw = function* () { const b = balance; yield* sleep(1); balance = b - 10 }
 *   const a = spawn(withdraw), b = spawn(withdraw)
 *   yield* a; yield* b
 *   assert(balance === 80)          // fails: the two read the same balance
 * }, { schedules: 1000 })
 */
import { checkCount, checkFunction, checkOptions, refuse } from '../core/arguments.ts'
import { NO_SUCH_METHOD } from '../core/say.ts'
import type { Operation } from '../core/suspension.ts'
import { textOf } from '../scope/errors.ts'
import { simulate, type Decide, type SimulateOptions } from './simulate.ts'

/** Options of `explore`. */
export interface ExploreOptions extends Omit<SimulateOptions, 'decide'> {
  /** How many schedules to run, or 'all' for every one (small tests only). Default 1000. */
  schedules?: number | 'all' | undefined
  /** A seed from an earlier failure: run that schedule alone. Or a number: begin the random choices there. */
  seed?: string | number | undefined
  /** Runs spent on shrinking. */
  shrink?: number | undefined
}

/** What `explore` has found. */
export interface Explored<T> {
  schedules: number
  /** Every result that occurred, as JSON, and how often. */
  outcomes: Map<string, number>
  last: T | undefined
}

/**
 * A schedule under which the test failed; `cause` is the error.
 *
 * @example
 * const failing = function* () { throw new Error('always') }
 * await explore(failing).catch((error) => console.log(error instanceof ExploreError))  // → true
 * await explore(failing).catch((error) => console.log(error.cause.message))            // → always
 */
export class ExploreError extends Error {
  override readonly name = 'ExploreError'
  readonly seed: string
  constructor(message: string, seed: string, cause: unknown) {
    super(message, { cause })
    this.seed = seed
  }
}

/**
 * Small, fast, good enough: mulberry32.
 *
 * @example
 * const [a, b] = [random(7), random(7)]
 * console.log(a() === b(), a() < 1)  // → true true
 */
export function random(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let t = state
    t = Math.imul(t ^ (t >>> 15), t | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296
  }
}

type Body<T> = (() => Operation<T>) | (() => PromiseLike<T>)
type Run<T> = { choices: number[]; limits: number[] } & ({ ok: true; value: T } | { ok: false; error: unknown })

async function runWith<T>(body: Body<T>, choose: Decide, options: ExploreOptions): Promise<Run<T>> {
  const { idleTimeout, settle, maxSteps, globals, epoch } = options
  const choices: number[] = []
  const limits: number[] = []
  const decide: Decide = (n, why) => {
    const c = Math.min(n - 1, choose(n, why), 35)
    choices.push(c)
    limits.push(n)
    return c
  }
  try {
    return {
      ok: true,
      value: await simulate(body, { decide, idleTimeout, settle, maxSteps, globals, epoch }),
      choices,
      limits,
    }
  } catch (error) {
    return { ok: false, error, choices, limits }
  }
}

const scripted = (script: number[]): Decide => {
  let at = 0
  return () => script[at++] ?? 0
}

/**
 * Random choices in one of several tempers: seldom or often set aside, and often or seldom away from first in, first
 * out.
 */
function tempered(next: () => number): Decide {
  const preempt = [0, 0.02, 0.1, 0.3, 0.6][Math.floor(next() * 5)]
  const share = [0.1, 0.5, 1][Math.floor(next() * 3)]
  return (n, why) => {
    if (why === 'preempt') return next() < preempt ? 1 : 0
    return next() < share ? Math.floor(next() * n) : 0
  }
}

export function encode(choices: number[]): string {
  const text: string[] = []
  let zeros = 0
  for (const c of choices) {
    if (c === 0) zeros++
    else {
      text.push(`${zeros === 0 ? '' : zeros.toString(36)}${c.toString(36).toUpperCase()}`)
      zeros = 0
    }
  }
  return `x${text.join('-')}`
}

const SEED = /^x(?:[0-9a-z]*[0-9A-Z](?:-[0-9a-z]*[0-9A-Z])*)?$/

/** The inverse of `encode`, but for trailing zeros: a count of zeros in small letters, then the choice in capitals. */
export function decode(seed: string): number[] {
  const choices: number[] = []
  if (!SEED.test(seed)) refuse(NO_SUCH_METHOD, 'explore: seed', seed, 'the text that a failure has shown')
  for (const [, zeros, choice] of seed.slice(1).matchAll(/([0-9a-z]*)([0-9A-Z])(?:-|$)/g)) {
    for (let i = zeros === '' ? 0 : parseInt(zeros, 36); i > 0; i--) choices.push(0)
    choices.push(parseInt(choice, 36))
  }
  return choices
}

/**
 * Runs a test under many schedules, in virtual time; throws an `ExploreError` with the first one that fails.
 *
 * @example
 * let n = 0
 * const vote = function* () { const was = n; yield* sleep(1); n = was + 1 }
 * const two = function* () {
 *   n = 0
 *   const [a, b] = [spawn(vote), spawn(vote)]
 *   yield* a
 *   yield* b
 *   return n
 * }
 * console.log((await explore(two, { schedules: 20 })).outcomes.has('1'))  // → true
 */
export async function explore<T>(body: Body<T>, options: ExploreOptions = {}): Promise<Explored<T>> {
  checkFunction('explore', body)
  checkOptions('explore', options)
  if (typeof options.schedules === 'number') checkCount('explore: schedules', options.schedules, 1)
  const outcomes = new Map<string, number>()
  let last: T | undefined
  const note = (run: Run<T>): run is Run<T> & { ok: true } => {
    if (!run.ok) return false
    last = run.value
    const key = JSON.stringify(run.value) ?? 'undefined'
    outcomes.set(key, (outcomes.get(key) ?? 0) + 1)
    return true
  }
  if (typeof options.seed === 'string') {
    const run = await runWith(body, scripted(decode(options.seed)), options)
    if (!note(run)) throw failure(run, 1, options.seed)
    return { schedules: 1, outcomes, last }
  }
  let count = 0
  if (options.schedules === 'all') {
    for (let script: number[] | null = []; script !== null;) {
      const run: Run<T> = await runWith(body, scripted(script), options)
      count++
      if (!note(run)) throw await shrunk(body, run, count, options)
      if (count >= 200_000) throw new Error('explore: more than 200000 schedules; pass a number instead of all')
      script = successor(run)
    }
    return { schedules: count, outcomes, last }
  }
  const next = random(options.seed ?? 1)
  const total = options.schedules ?? 1000
  for (; count < total;) {
    // The first schedule is the real scheduler's own.
    const run = await runWith(body, count === 0 ? () => 0 : tempered(next), options)
    count++
    if (!note(run)) throw await shrunk(body, run, count, options)
  }
  return { schedules: count, outcomes, last }
}

/** The next schedule in the order of all of them. */
function successor(run: { choices: number[]; limits: number[] }): number[] | null {
  for (let i = run.choices.length - 1; i >= 0; i--)
    if (run.choices[i] + 1 < run.limits[i]) return [...run.choices.slice(0, i), run.choices[i] + 1]
  return null
}

/** Replaces choices by 0 while the test still fails: the fewest switches that show the bug. */
async function shrunk<T>(
  body: Body<T>,
  first: Run<T> & { ok: false },
  schedule: number,
  options: ExploreOptions,
): Promise<ExploreError> {
  let best = first
  let budget = options.shrink ?? 200
  const attempt = async (script: number[]): Promise<boolean> => {
    if (budget-- <= 0) return false
    const run = await runWith(body, scripted(script), options)
    if (run.ok || switches(run.choices) >= switches(best.choices)) return false
    best = run
    return true
  }
  for (let size = Math.max(1, best.choices.length >> 1); size >= 1 && budget > 0; size >>= 1)
    for (let at = 0; at < best.choices.length && budget > 0; at += size) {
      const script = best.choices.slice()
      if (script.slice(at, at + size).every((c) => c === 0)) continue
      script.fill(0, at, at + size)
      await attempt(script)
    }
  // A seed is useful only if the test fails with it again.
  for (const run of best === first ? [best] : [best, first])
    if (await fails(body, run, options)) return failure(run, schedule, encode(run.choices))
  return failure(first, schedule, encode(first.choices), NOT_REPEATABLE)
}

const NOT_REPEATABLE =
  'the same schedule does not fail each time: the test depends on something besides the order, ' +
  'such as time, random numbers or what an earlier run has left'

/** Does the run's schedule fail three times more? */
async function fails<T>(body: Body<T>, run: Run<T>, options: ExploreOptions): Promise<boolean> {
  for (let i = 0; i < 3; i++) if ((await runWith(body, scripted(run.choices), options)).ok) return false
  return true
}

const switches = (choices: number[]): number => choices.reduce((n, c) => n + (c === 0 ? 0 : 1), 0)

function failure(
  run: { error?: unknown; choices: number[] },
  schedule: number,
  seed: string,
  remedy = `replay it with { seed: '${seed}' }`,
): ExploreError {
  const { error } = run
  const what = `${error instanceof Error ? `${error.name}: ` : ''}${textOf(error)}`
  const fails = `schedule ${schedule} fails with ${switches(run.choices)} unusual choices: ${what}`
  return new ExploreError(`${fails}\n${remedy}`, seed, error)
}
