/**
 * A variable of the activity: each has its own value, whoever runs in between (law 12: what belongs to the branch
 * survives every switch). A spawned activity begins with the values that its spawner has then; one that legacy code
 * makes, with the initial ones.
 */
import { domain } from './current.ts'

/**
 * What `local` makes.
 *
 * @example
 * const depth = local(0)
 * depth.value++
 * console.log(depth instanceof Local, depth.value)  // → true 1
 */
export class Local<T> {
  private readonly initial: T
  private outside: T
  constructor(initial: T) {
    this.initial = this.outside = initial
  }
  get value(): T {
    const a = domain.current?.activity
    if (a === undefined) return this.outside
    const locals = a.info?.locals
    return locals?.has(this) ? (locals.get(this) as T) : this.initial
  }
  set value(value: T) {
    const a = domain.current?.activity
    if (a === undefined) this.outside = value
    else {
      const info = (a.info ??= {})
      info.locals = new Map(info.locals).set(this, value) // activities that were spawned before keep theirs
    }
  }
}

/**
 * Makes a variable of the activity, with the value that it has at first.
 *
 * @example
 * const user = local('nobody')
 * user.value = 'anna'
 * const child = spawn(function* () { return user.value })
 * user.value = 'bert'
 * console.log(yield* child, user.value)  // → anna bert
 */
export function local<T>(initial: T): Local<T> {
  return new Local(initial)
}
