/**
 * `steps` makes awaitable what takes several steps, each run by a generator of the library: `finish`, `each`,
 * `lock.with`.
 */
import { alone } from '../wait/alone.ts'
import { Suspension, type Awaitable, type Operation } from './suspension.ts'

/** An operation of several steps: `yield*` runs it, `await` in legacy code runs it as an activity of its own. */
export interface Steps<T> extends Operation<T>, Awaitable<T> {}

type Made = (op: Generator<unknown, any, any>) => Operation<any>

/** Each is told an operation that was just made, and gives what is to stand for it. */
const made: Made[] = []

export function useMade(f: Made): void {
  made.push(f)
}

/** Makes what a generator function of the library returns awaitable. The methods stand in the function's prototype. */
export function steps<T>(gen: Generator<unknown, T, any>): Steps<T> {
  let op: Operation<T> = gen
  for (const f of made) op = f(op as typeof gen)
  if (!('then' in op)) makeAwaitable(Object.getPrototypeOf(op))
  return op as Steps<T>
}

/** Gives operations with this prototype the methods with which legacy code awaits a suspension. */
export function makeAwaitable(prototype: object): void {
  for (const name of ['then', 'catch', 'finally'])
    Object.defineProperty(prototype, name, Object.getOwnPropertyDescriptor(Suspension.prototype, name)!)
  ;(prototype as { unscheduled?: unknown }).unscheduled = alone
}
