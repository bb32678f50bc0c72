/**
 * `steps` makes awaitable what takes several steps, each run by a generator of the library: `finish`, `each`,
 * `lock.with`.
 */
import { domain } from './current.ts'
import { diagnosis } from './say.ts'
import { Suspension, type Awaitable, type Operation } from './suspension.ts'

/** An operation of several steps: `yield*` runs it, `await` in legacy code runs it as an activity of its own. */
export interface Steps<T> extends Operation<T>, Awaitable<T> {}

/** Makes what a generator function of the library returns awaitable. The methods stand in the function's prototype. */
export function steps<T>(gen: Generator<unknown, T, any>): Steps<T> {
  const op = diagnosis === null || domain.site === null ? gen : diagnosis.made(gen)
  if (!('then' in op)) makeAwaitable(Object.getPrototypeOf(op))
  return op as unknown as Steps<T>
}

/** Gives operations with this prototype the methods with which legacy code awaits a suspension. */
export function makeAwaitable(prototype: object): void {
  for (const name of ['then', 'catch', 'finally'])
    Object.defineProperty(prototype, name, Object.getOwnPropertyDescriptor(Suspension.prototype, name)!)
}
