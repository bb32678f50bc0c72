/**
 * `async` starts its body at once, on the spot; only if the body blocks does the caller go on beside it (AC, section 2;
 * laws 1 and 2). The branch ends before the enclosing `finish` does.
 *
 * @example
 * let a, b
 * yield* finish(function* () {
 *   a = yield* async(load('a'))
 *   b = yield* async(load('b'))
 * })
 * return a.value + b.value
 */
import { checkBody } from '../core/arguments.ts'
import { contexts } from '../core/asyncContext.ts'
import type * as types from '../core/types.ts'
import { Branch } from '../core/branch.ts'
import { NEXT, START, Suspension } from '../core/suspension.ts'
import { claimed } from '../core/call.ts'
import { othersOf } from '../core/others.ts'
import type { Body } from '../core/atomic.ts'
import { domain } from '../core/current.ts'
import { NOT_ENDED, OUTSIDE_ACTIVITY, say } from '../core/say.ts'
import { membersOf } from './members.ts'
import { innermostScope } from './root.ts'

/**
 * What `async` gives: the result of the branch, which may be read when the enclosing `finish` has ended.
 *
 * @example
 * yield* finish(function* () {
 *   const handle = yield* async(function* () { return 5 })
 *   console.log(handle.ended, handle.value)  // → true 5
 * })
 */
export class BranchHandle<T> {
  ended: boolean = false
  private failed = false
  private result: unknown = undefined

  /** The branch's result; throws what the branch threw, or an error if it has not ended. */
  get value(): T {
    if (!this.ended) throw new Error(say(NOT_ENDED))
    if (this.failed) throw this.result
    return this.result as T
  }

  /** @internal */
  settle(mode: 0 | 1, result: unknown): void {
    this.ended = true
    this.failed = mode !== NEXT
    this.result = result
  }
}

class Async<T> extends Suspension<BranchHandle<T>> {
  private readonly body: Body<T>
  private readonly context: types.AsyncContext | undefined = contexts?.entered()
  constructor(body: Body<T>) {
    super()
    this.body = body
  }

  override then(): never {
    throw new Error(say(OUTSIDE_ACTIVITY))
  }

  begin(branch: types.Branch): boolean {
    const { group } = branch
    const scope = innermostScope(branch)
    const child = new Branch(branch.activity, group)
    child.scope = scope
    child.context = this.context ?? branch.context
    if (contexts !== null && this.context === undefined) contexts.unshare(child)
    child.mode = START
    child.answer = this.body
    const handle = new BranchHandle<T>()
    membersOf(scope).add(child, handle)
    branch.mode = NEXT
    branch.answer = handle
    othersOf(group).suspend(branch)
    group.running = child
    return true
  }
}

/**
 * Starts `body` at once, on the spot, as a branch of the activity. Only if it has to wait, the caller goes on beside
 * it.
 * The `finish` around it ends when the branch has ended.
 *
 * @example
 * yield* finish(function* () {
 *   const slow = yield* async(function* () { yield* sleep(2); return 'slow' })
 *   console.log(slow.ended)           // → false
 *   yield* sleep(5)
 *   console.log(slow.value)           // → slow
 * })
 */
export function async<T>(body: Body<T>): Suspension<BranchHandle<T>> {
  checkBody('async', body)
  if (domain.current === null) throw new Error(say(OUTSIDE_ACTIVITY))
  return new Async(claimed(body))
}
