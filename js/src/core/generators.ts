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

// The prototype of a generator says which function it is a call of, if that function was remembered.
const functions = new WeakMap<object, Function>()

/** From now on a generator that `body` makes has a name: that of `named`. */
export function remember(body: Function, named: Function = body): void {
  const prototype: unknown = body.prototype
  if (typeof prototype === 'object' && prototype !== null) functions.set(prototype, named)
}

/** Gives `f`, which makes calls of `body`, the look of `body`; these have its name. */
export function named<F extends Function>(f: F, body: Function): F {
  for (const key of ['name', 'length'] as const) Object.defineProperty(f, key, { value: body[key], configurable: true })
  remember(body)
  return f
}

/** The name of the function whose call `gen` is; empty if it was not remembered. */
export function nameOfGenerator(gen: object): string {
  return functions.get(Object.getPrototypeOf(gen))?.name ?? ''
}
