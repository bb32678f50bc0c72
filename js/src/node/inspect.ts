/**
 * What `console.log` shows of activities, calls and other operations in Node: name and state, as of a promise. Without
 * this it would go through the whole scheduler, for everything hangs together.
 *
 *     Activity { name: 'load', state: 'done', result: 5 }
 *
 * It asks objects for their kind. If it needed the classes, a bundled program would have them all.
 */
import type { Activity } from '../core/activity.ts'
import { Branch } from '../core/branch.ts'
import { isCall, type Call } from '../core/call.ts'
import { ACTIVITY, kindOf } from '../core/kind.ts'
import { nameOf } from '../core/names.ts'
import { Suspension } from '../core/suspension.ts'
import { ClauseList, count } from '../wait/list.ts'

type Inspect = (what: unknown, options: unknown) => string

/** What is shown: a word, and what belongs to it. */
type Shown = [string, object]

function show<T>(type: { prototype: T }, tell: (what: T) => Shown): void {
  Object.defineProperty(type.prototype, Symbol.for('nodejs.util.inspect.custom'), {
    value(this: T, depth: number, options: object, inspect: Inspect): string {
      const [shown, parts] = tell(this)
      return depth < 0 ? `[${shown}]` : `${shown} ${inspect(parts, { ...options, depth })}`
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

show(ClauseList, (list) => ['ClauseList', { waiting: count(list) }])
show(Branch, (branch) =>
  kindOf(branch) === ACTIVITY
    ? ['Activity', activity(branch as Activity<unknown>)]
    : ['Branch', { of: branch.activity.name }],
)
show(Suspension, (op: Suspension<unknown>) =>
  isCall(op) ? ['Call', call(op)] : ['Operation', op.describe === undefined ? {} : { waits: op.describe() }],
)
