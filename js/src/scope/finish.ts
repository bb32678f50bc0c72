/**
 * `finish` ends when, and only when, every branch started inside it has ended (law 3). Its scope can be cancelled:
 * `scope.cancel()` makes the blocking operations inside throw `Cancelled`, and `finish` then ends normally with
 * `undefined`. An error in the body or a branch cancels the rest and is thrown.
 *
 * `noncancellable` is a finish behind which a cancel of the scopes around it is not seen. `deadline` is a finish that a
 * timer cancels.
 */
import '../core/domain.ts'
import { checkBody, checkOptions, checkSignal, checkTime } from '../core/arguments.ts'
import { claimed } from '../core/call.ts'
import type { Body } from '../core/atomic.ts'
import type { Blocker, Branch } from '../core/types.ts'
import { NEXT, Suspension, type Operation, type Returned } from '../core/suspension.ts'
import { once } from '../core/generators.ts'
import { asCall } from '../core/asCall.ts'
import { domain } from '../core/current.ts'
import { steps, type Steps } from '../core/steps.ts'
import { after } from '../sync/alarm.ts'
import { combined, membersOf } from './members.ts'
import { innermostScope } from './root.ts'
import { Scope } from './scope.ts'
import { DeadlineError } from './errors.ts'

/** Options of `finish`. */
export interface ScopeOptions {
  name?: string | undefined
  /** Cancels the scope when aborted; `finish` then ends with `undefined`, as after `scope.cancel()`. */
  signal?: AbortSignal | undefined
}

class Open extends Suspension<Scope> {
  private readonly name: string
  private readonly shield: boolean
  constructor(name: string, shield: boolean) {
    super()
    this.name = name
    this.shield = shield
  }
  begin(branch: Branch): boolean {
    const scope = new Scope(branch, innermostScope(branch), this.name, this.shield)
    branch.scope = scope
    return branch.goOn(NEXT, scope)
  }
}

/** Waits until the scope's branches have ended. Not a clause: nothing can interrupt it. */
class Drain extends Suspension<void> implements Blocker {
  private readonly scope: Scope
  constructor(scope: Scope) {
    super()
    this.scope = scope
  }
  begin(branch: Branch): boolean {
    branch.mode = NEXT
    branch.answer = undefined
    const members = membersOf(this.scope)
    if (members.pending === 0) return true
    branch.blocked = this
    members.drained = () => branch.wake(NEXT, undefined)
    return false
  }
  withdraw(): void {}
  get fixed(): boolean {
    return true
  }
  override describe(): string {
    return `finish${this.scope.name === '' ? '' : ` ${this.scope.name}`}: ${membersOf(this.scope).pending} branches`
  }
}

type ScopedBody<T> = ((scope: Scope) => Returned<T>) | Operation<T>

function* inScope<T>(
  body: ScopedBody<T>,
  name: string,
  shield: boolean,
  signal: AbortSignal | undefined,
  started?: (scope: Scope) => () => void,
): Generator<unknown, T | undefined, any> {
  const scope: Scope = yield* new Open(name, shield)
  const abort = (): void => scope.cancel(signal!.reason)
  let value: T | undefined
  let undo: (() => void) | undefined
  try {
    undo = started?.(scope)
    if (signal !== undefined) {
      if (signal.aborted) abort()
      else signal.addEventListener('abort', abort)
    }
    domain.own = true
    value = yield* asCall(typeof body === 'function' ? body(scope) : once(body))
  } catch (error) {
    membersOf(scope).fail(error)
  } finally {
    yield* new Drain(scope)
    undo?.()
    signal?.removeEventListener('abort', abort)
    membersOf(scope.parent!).scopes.delete(scope)
    scope.owner.scope = scope.parent
  }
  const { errors } = membersOf(scope)
  if (errors !== null) throw combined(errors)
  if (scope.marked && scope.origin !== scope) throw scope.error()
  return value
}

/** A body that takes the scope may cancel it, and then there is no result. */
export type Finished<B> = B extends () => Returned<infer T>
  ? T
  : B extends (scope: Scope) => Returned<infer T>
    ? T | undefined
    : B extends Operation<infer T>
      ? T
      : never

/**
 * Runs `body` and waits for all branches that `async` started in it.
 *
 * @example
 * let ended = 0
 * yield* finish(function* () {
 *   for (const n of [3, 1, 2]) yield* async(function* () { yield* sleep(n); ended++ })
 * })
 * console.log(`all ${ended} have ended`)  // → all 3 have ended
 */
export function finish<B extends ScopedBody<any>>(
  body: B,
  options?: Omit<ScopeOptions, 'signal'> & { signal?: undefined },
): Steps<Finished<B>>
export function finish<B extends ScopedBody<any>>(body: B, options: ScopeOptions): Steps<Finished<B> | undefined>
export function finish<B extends ScopedBody<any>>(body: B, options: ScopeOptions = {}): Steps<unknown> {
  checkOptions('finish', options)
  const { name = '', signal } = options
  checkBody('finish', body)
  if (signal !== undefined) checkSignal('finish', signal)
  return steps(inScope(claimed(body), name, false, signal))
}

/**
 * Runs `body` to its end although scopes around it are cancelled; a cancel of its own scope is still seen.
 *
 * @example
 * const task = spawn(function* () {
 *   try { yield* sleep(99999) } finally { yield* noncancellable(sleep(1)); console.log('cleaned up') }
 * })
 * yield* sleep(1)
 * task.cancel()
 * try { yield* task } catch { console.log(task.state) }
 * // → cleaned up
 * // → cancelled
 */
export function noncancellable<T>(body: Body<T>): Steps<T> {
  checkBody('noncancellable', body)
  return steps(inScope(claimed(body), 'noncancellable', true, undefined)) as Steps<T>
}

/**
 * Runs `body` for at most `ms` milliseconds; then cancels it and, when all its branches have ended, throws
 * `DeadlineError`.
 *
 * @example
 * const page = yield* deadline(5000, function* (scope) {
 *   return yield* wait(fetch('data:,hello', { signal: scope.signal }).then((r) => r.text()))
 * })
 * console.log(page)  // → hello
 */
export function deadline<T>(ms: number, body: ScopedBody<T>, options: string | ScopeOptions = {}): Steps<T> {
  checkTime('deadline', ms)
  checkBody('deadline', body)
  const { name = '', signal } = typeof options === 'string' ? { name: options } : options
  if (typeof options !== 'string') checkOptions('deadline', options)
  if (signal !== undefined) checkSignal('deadline', signal)
  claimed(body)
  const late = new DeadlineError(ms, name)
  const run = function* (): Generator<unknown, T, any> {
    let ours: Scope | undefined
    const value = yield* inScope(body, name || `deadline(${ms})`, false, signal, (scope) => {
      ours = scope
      const { host } = scope.owner.group.home.domain
      return after(host, ms, () => domain.fromHost(() => scope.cancel(late)))
    })
    const { origin, reason } = ours!
    if (origin === ours && (reason === late || (signal?.aborted && reason === signal.reason))) throw reason
    return value as T
  }
  return steps(run())
}
