/**
 * Stacks that read like those of native async functions: below the frame that threw, the functions that wait for it,
 * each with the line of its call. For development: each call is noted where it is made.
 *
 * The engine's stack ends at the run loop, because the callers are no longer on it. So the place of each call is
 * kept, and an error that leaves a call gets the places of all calls that it leaves the branch through.
 */
import type { Branch } from '../core/branch.ts'
import type { Domain } from '../core/types.ts'
import { Call } from '../core/call.ts'
import { domain } from '../core/current.ts'
import { THROW } from '../core/suspension.ts'
import { isOurs } from '../diagnosis/place.ts'
import { RootScope } from '../scope/root.ts'

interface Place {
  stack?: string
}

const capture: (place: Place) => void =
  (Error as any).captureStackTrace ?? ((place) => (place.stack = new Error().stack))

/** Where the run loop begins: below are whoever happened to wake it. */
const LOOP = /^\s*at Domain\.\w+ |[\\/]src[\\/]core[\\/](domain|scheduler)\.ts/

const linesOf = (stack: string | undefined): string[] => (stack ?? '').split('\n').filter((l) => /^\s*at /.test(l))
const asWritten = (line: string): string => line.replace(/\$activity\b/g, '')

/** The line that has made a call. */
function callerIn(stack: string | undefined): string | undefined {
  const lines = linesOf(stack).slice(1) // the first frame is the function that captures the stack
  let at = lines.findIndex((l) => !isOurs(l))
  // A transformed function stands before its caller, and so does the wrapper that asyncFn makes, in a bundle.
  if (at > 0 && /^\s*at [^(/]*\b(go|goFlat|goPlain|made)\b/.test(lines[at - 1])) at++
  return lines[at]
}

function asyncFrame(line: string): string {
  return asWritten(line).replace(/^(\s*at )(?:async )?/, '$1async ')
}

/**
 * Gives errors of activities stacks like those of native `async` functions, and `Cancelled` the place of the cancel,
 * from now on; the result ends that. Costs a stack for each call: for development and tests.
 *
 * @example
 * // not run in a bundle: it needs source maps
 * const stop = asyncStacks()
 * const inner = asyncFn(function* () { yield* sleep(1); throw new Error('deep') })
 * const middle = asyncFn(function* middle() { yield* inner() })
 * try { yield* middle() } catch (error) { console.log(/at async middle/.test((error as Error).stack!)) }  // → true
 * stop()
 */
export function asyncStacks(): () => void {
  const d = domain
  if (inForce.size === 0) restore = watchCalls()
  const own = { d }
  inForce.add(own)
  d.called = function (call) {
    if (d.current !== null) note(call)
    Object.getPrototypeOf(d).called.call(d, call)
  }
  return () => {
    inForce.delete(own)
    if (![...inForce].some((other) => other.d === d)) delete (d as { called?: unknown }).called
    if (inForce.size === 0) restore()
  }
}

/** Who wants such stacks, each in its domain. */
const inForce = new Set<{ readonly d: Domain }>()
let restore = (): void => {}

const places = new WeakMap<object, Place>()
const told = new WeakSet<Error>()

function note(of: object): void {
  const place: Place = {}
  capture(place)
  places.set(of, place)
}

/** Replaces the methods that an error, and a cancel, come through. */
function watchCalls(): () => void {
  const { prototype } = Call
  const { leave } = prototype
  const { cancel, error: cancelled } = RootScope.prototype
  prototype.leave = function (this: Call<any>, branch: Branch, mode: 0 | 1, answer: unknown) {
    if (mode === THROW && answer instanceof Error && !told.has(answer)) {
      told.add(answer)
      const calls: object[] = [this]
      for (let frame: { parent: any } | null = branch.frame; frame !== null; frame = frame.parent) calls.push(frame)
      tell(answer, calls, branch)
    }
    return leave.call(this, branch, mode, answer)
  }
  RootScope.prototype.cancel = function (reason) {
    if (!this.marked) note(this)
    cancel.call(this, reason)
  }
  RootScope.prototype.error = function () {
    const error = cancelled.call(this)
    const place = this.origin === null ? undefined : places.get(this.origin)
    const by = linesOf(place?.stack).filter((l) => !isOurs(l))
    const text = by.map((l) => asWritten(l).replace(/^(\s*at )/, '$1cancel by '))
    error.stack = [`${error.name}: ${error.message}`, ...text].join('\n')
    return error
  }
  return () => {
    prototype.leave = leave
    Object.assign(RootScope.prototype, { cancel, error: cancelled })
    restore = () => {}
  }
}

function tell(error: Error, calls: object[], branch: Branch): void {
  const stack = error.stack ?? String(error)
  const lines = linesOf(stack)
  const head = lines.length === 0 ? stack : stack.slice(0, stack.indexOf(lines[0])).trimEnd()
  const loop = lines.findIndex((l) => LOOP.test(l))
  const own = (loop < 0 ? lines : lines.slice(0, loop)).filter((l) => !isOurs(l)).map(asWritten)
  const callers = calls.map((call) => callerIn(places.get(call)?.stack)).filter((l) => l !== undefined)
  const site = branch.activity.info?.site
  const spawned = site === undefined ? [] : [`    ${site}`]
  error.stack = [head, ...own, ...[...callers, ...spawned].map(asyncFrame)].join('\n')
}
