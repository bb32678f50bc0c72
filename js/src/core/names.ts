/**
 * The names of functions, calls and activities, for messages. Nobody keeps a name before it is asked for: what has one
 * is asked when a message is written.
 */
import { CALL, kindOf } from './kind.ts'

// The prototype of a generator says which function it is a call of, if that function was remembered.
const functions = new WeakMap<object, Function>()

/** From now on a generator that `body` makes has a name: that of `body`. */
export function remember(body: Function): void {
  const prototype: unknown = body.prototype
  if (typeof prototype === 'object' && prototype !== null) functions.set(prototype, body)
}

/** Gives `f`, which makes calls of `body`, the look of `body`; these have its name. */
export function named<F extends Function>(f: F, body: Function): F {
  for (const key of ['name', 'length'] as const) Object.defineProperty(f, key, { value: body[key], configurable: true })
  remember(body)
  return f
}

/** The name of what can be run: of a function, a call or a generator; empty if it has none. A name is its own. */
export function nameOf(body: unknown): string {
  // The plugin makes `save$activity` of `save`.
  if (typeof body === 'function') return body.name.split('$activity')[0]
  if (typeof body === 'string') return body
  if (typeof body !== 'object' || body === null) return ''
  return nameOf(kindOf(body) === CALL ? (body as any).source : functions.get(Object.getPrototypeOf(body)))
}
