/**
 * What the library must know of generators.
 *
 * A generator that a closure made has a hidden class of its own, so that to look up its methods would cost more than to
 * run it. Therefore all frames are true generators, and the run loop calls the `next` and `throw` that all of them
 * have.
 */
import { CASE, kindOf, REMOVED } from './kind.ts'
import { RUN_ALREADY, say } from './say.ts'
import type { AnyIterator } from './types.ts'

const functionPrototype = Object.getPrototypeOf(function* () {}) as Function
const prototype = functionPrototype.prototype as Generator

export const generatorNext = prototype.next as (this: AnyIterator, value?: unknown) => IteratorResult<unknown, unknown>
export const generatorThrow = prototype.throw as (this: AnyIterator, error: unknown) => IteratorResult<unknown, unknown>

export function isGeneratorFunction(f: unknown): f is () => AnyIterator {
  return typeof f === 'function' && Object.getPrototypeOf(f) === functionPrototype
}

export function isGenerator(what: unknown): what is AnyIterator {
  return Object.prototype.isPrototypeOf.call(prototype, what as object)
}

const RUN: unique symbol = Symbol.for('charcoal.run') as never

/** A generator that is given as it is, and not by a function that makes it, can be run once: it keeps its place. */
export function once<B>(body: B): B {
  if (isGenerator(body)) {
    const gen = body as { [RUN]?: true }
    if (gen[RUN]) throw new Error(say(RUN_ALREADY))
    gen[RUN] = true
  }
  return body
}

/**
 * Is it run where anything may be given, or returned by a body? So is what the library makes, except for the parts of a
 * `waituntil`, a generator, and an object of a program's own that has an iterator. What has `then` is waited for; all
 * else is a value: a list, too, and what the host iterates, a map or the headers of a response, which have tags.
 */
export function isOperation(what: unknown): what is Iterable<unknown> {
  if (typeof what !== 'object' || what === null) return false
  const kind = kindOf(what)
  if (kind !== undefined) return kind !== CASE && kind !== REMOVED
  try {
    if (!(Symbol.iterator in what)) return false
    // A generator, perhaps of another realm.
    const { next, throw: fail } = what as unknown as Generator
    if (typeof next === 'function' && typeof fail === 'function') return true
    return !('then' in what || Array.isArray(what) || Symbol.toStringTag in what)
  } catch {
    return false // a window of another origin may not be asked
  }
}

/** What `yield*` can run of an operation. A promise of the plugin's is one, and has no iterator (see called.ts). */
export function runnable<O>(op: O): O {
  return op instanceof Promise ? (op as unknown as { operation(): O }).operation() : op
}

/** A generator of one request, or of a value. */
export function* just(value: unknown): Generator<unknown, unknown, unknown> {
  return yield value
}

/** A generator that ends at once; `mode` 1: with an error. */
export function* ending(mode: 0 | 1, answer: unknown): Generator<unknown, unknown, unknown> {
  if (mode === 1) throw answer
  return answer
}

export function* delegate(op: Iterable<unknown>): Generator<unknown, unknown, unknown> {
  return yield* runnable(op) as Generator<unknown, unknown, unknown>
}
