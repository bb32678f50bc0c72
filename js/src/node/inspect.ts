/**
 * What `console.log` shows of activities, calls and other operations in Node: name and state, as of a promise. Without
 * this it would go through the whole scheduler, for everything hangs together.
 *
 *     Activity { name: 'load', state: 'done', result: 5 }
 */
import { Activity } from '../core/activity.ts'
import { Branch } from '../core/branch.ts'
import { Call, nameOf } from '../core/call.ts'
import { Suspension } from '../core/suspension.ts'
import { ClauseList, count } from '../wait/list.ts'

type Inspect = (what: unknown, options: unknown) => string

function show(type: { prototype: object }, shown: string, tell: (what: any) => object): void {
  Object.defineProperty(type.prototype, Symbol.for('nodejs.util.inspect.custom'), {
    value(this: unknown, depth: number, options: object, inspect: Inspect): string {
      return depth < 0 ? `[${shown}]` : `${shown} ${inspect(tell(this), { ...options, depth })}`
    },
    configurable: true,
  })
}

function activity({ name, state, answer }: Activity<unknown>): object {
  if (state === 'spawned' || state === 'running') return { name, state }
  return state === 'done' ? { name, state, result: answer } : { name, state, error: answer }
}

function call(of: Call<unknown>): object {
  if (of.activity !== null) return activity(of.activity)
  return of.done ? { state: 'done', result: of.value } : { name: nameOf(of), state: 'called' }
}

show(ClauseList, 'ClauseList', (list: ClauseList) => ({ waiting: count(list) }))
show(Branch, 'Branch', ({ activity: { name } }: Branch) => ({ of: name }))
show(Activity, 'Activity', activity)
show(Call, 'Call', call)
show(Suspension, 'Operation', (op: Suspension<unknown>) => (op.describe === undefined ? {} : { waits: op.describe() }))
