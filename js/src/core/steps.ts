/** Operations of several steps, each the generator of a function of the library: `finish`, `select`, `lock.with`. */
import { Suspension, type Operation } from './suspension.ts'

/** An operation of several steps: `yield*` runs it, `await` in legacy code runs it as an activity of its own. */
export interface Steps<T> extends Operation<T>, PromiseLike<T> {}

/** Makes what a generator function of the library returns awaitable. The method stands in the function's prototype. */
export function steps<T>(gen: Generator<unknown, T, any>): Steps<T> {
  if (!('then' in gen)) Object.getPrototypeOf(gen).then = Suspension.prototype.then
  return gen as unknown as Steps<T>
}
