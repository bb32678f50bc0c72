/**
 * What the library must know of generators.
 *
 * A generator that a closure made has a hidden class of its own, so that to look up its methods would cost more than to
 * run it. Therefore all frames are true generators, and the run loop calls the `next` and `throw` that all of them
 * have.
 */
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

/** Can `yield*` run it? An async generator has these methods, too, but only what has an iterator is run. */
export function isOperation(what: object): boolean {
  const { next, throw: fail } = what as Generator
  return typeof next === 'function' && typeof fail === 'function' && Symbol.iterator in what
}

/**
 * Is it run where anything may be given? So is what can be, and also an object of a program's own that has nothing but
 * an iterator. A list is a value, and so is what the host iterates: a map, the headers of a response. These have tags.
 */
export function isRunnable(what: object): boolean {
  if (isOperation(what)) return true
  return Symbol.iterator in what && !Array.isArray(what) && !(Symbol.toStringTag in what)
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
  return yield* op as Generator<unknown, unknown, unknown>
}
