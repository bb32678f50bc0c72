/**
 * A variable of the activity: each has its own value, whoever runs in between (law 12: what belongs to the branch survives every switch).
 */
import { domain } from './current.ts'
import type { Activity } from './activity.ts'

export class Local<T> {
  private readonly values = new WeakMap<Activity<any>, T>()
  private readonly initial: T
  private outside: T
  constructor(initial: T) {
    this.initial = this.outside = initial
  }
  get value(): T {
    const a = domain.current?.activity
    if (a === undefined) return this.outside
    return this.values.has(a) ? this.values.get(a)! : this.initial
  }
  set value(value: T) {
    const a = domain.current?.activity
    if (a === undefined) this.outside = value
    else this.values.set(a, value)
  }
}

export function local<T>(initial: T): Local<T> {
  return new Local(initial)
}
