/**
 * `waituntil` waits over several clauses (CFA waituntil, chapter on it; law 9).
 *
 * - With `or` alone exactly one body runs and the losers have had no effect; the first ready clause in textual order
 *   wins.
 * - `and` runs each body as its clause becomes ready, and binds tighter than `or`; a nested `waituntil` groups.
 * - `when(false, x)` removes x and the operator before it. With every clause removed `else` runs, or nothing.
 * - `else` makes the statement non-blocking.
 * - A clause that fails ends the statement with its error. What has had its effect by then has its body run before.
 * - A signal is an alternative before the others of its statement, and its reason is such an error.
 *
 * @example
 * yield* waituntil(jobs.recv().do(work))
 *   .or(when(idle, sleep(1000).do(tidy)))
 *   .else(() => {})
 */
import '../core/domain.ts'
import { checkFunction } from '../core/arguments.ts'
import { contexts } from '../core/asyncContext.ts'
import { domain } from '../core/current.ts'
import { isOperation, runnable } from '../core/generators.ts'
import { GROUP, kindOf, REMOVED } from '../core/kind.ts'
import { diagnosis } from '../core/say.ts'
import { makeAwaitable } from '../core/steps.ts'
import { withdrawn } from '../core/withdrawn.ts'
import { NEXT, Suspension, THROW, type Awaitable, type Operation } from '../core/suspension.ts'
import type { Blocker, Branch } from '../core/types.ts'
import { interruptsOf, type WaitOptions } from './abortable.ts'
import { Choice, First, lookAgain, outside } from './choice.ts'
import { Case, isCase, type Body, type Choosable, type Result, type Waiter } from './case.ts'
import type { Clause } from './clause.ts'
import { expectFailure } from './promise.ts'
import { clauseOf, type Waitable } from './waitable.ts'

type Term<R> = Case<R> | Waitable<R> | WaitUntil<R> | Removed<R>

/** A clause whose guard is false. */
export class Removed<R> {
  declare readonly result: R
  /** @internal */ get $charcoal(): number {
    return REMOVED
  }
}

const isGroup = (term: unknown): term is WaitUntil<unknown> => kindOf(term) === GROUP

/**
 * Guards a clause: a false guard removes it, and the operator before it, from the statement.
 *
 * @example
 * const urgent = false
 * console.log(yield* waituntil(when(urgent, sleep(0).do(() => 'now'))).or(sleep(2).do(() => 'later')))  // → later
 */
export function when<R>(guard: boolean, term: Case<R>): Case<R> | Removed<R>
export function when<R>(guard: boolean, term: Waitable<R>): Case<R> | Removed<R>
export function when<R>(guard: boolean, term: WaitUntil<R>): WaitUntil<R> | Removed<R>
export function when(guard: boolean, term: unknown): unknown {
  return guard ? (isGroup(term) || isCase(term) ? term : caseOf(term)) : new Removed()
}

/** The index of a case, or what `or` and `and` have made of several. */
type Tree = number | { all: boolean; parts: Tree[] }

/**
 * A statement that `waituntil` has begun. One statement can be a part of another.
 *
 * @example
 * const either = waituntil(sleep(1).do(() => 'a')).or(sleep(99999).do(() => 'b'))
 * console.log(yield* waituntil(either).and(sleep(2).do(() => 'both')))  // → both
 */
export class WaitUntil<R> implements Operation<R> {
  private readonly terms: { op: 'or' | 'and'; term: unknown }[] = []
  private otherwise: (() => unknown) | undefined
  private readonly interrupts: Clause<never>[]
  private readonly context = contexts?.entered()

  constructor(term: unknown, options?: WaitOptions) {
    this.terms.push({ op: 'or', term })
    this.interrupts = interruptsOf('waituntil', options)
  }

  /** @internal */ get $charcoal(): number {
    return GROUP
  }

  or<Q>(term: Case<Q>): WaitUntil<R | Q>
  or<Q>(term: WaitUntil<Q>): WaitUntil<R | Q>
  or<Q>(term: Term<Q>): WaitUntil<R | Q>
  or(term: unknown): unknown {
    checkTerm(term)
    this.terms.push({ op: 'or', term })
    return this
  }

  and<Q>(term: Case<Q>): WaitUntil<R | Q>
  and<Q>(term: WaitUntil<Q>): WaitUntil<R | Q>
  and<Q>(term: Term<Q>): WaitUntil<R | Q>
  and(term: unknown): unknown {
    checkTerm(term)
    this.terms.push({ op: 'and', term })
    return this
  }

  /** Runs `body` if the statement cannot be decided now, instead of waiting. */
  else<Q>(body: () => Q): WaitUntil<R | Result<Q>>
  else(body: () => unknown): unknown {
    checkFunction('else', body)
    this.otherwise = body
    return this
  }

  [Symbol.iterator](): Iterator<unknown, R, any> {
    if (this.otherwise === undefined && this.terms.every(isBareAlternative)) {
      // All alternatives have no bodies, so the wait itself is the result.
      const clauses = this.terms.map(({ term }) => (isCase(term) ? term.clause : clauseOf(term)))
      return new First<R>([...this.interrupts, ...clauses])[Symbol.iterator]()
    }
    const cases: Case<any>[] = []
    const tree = this.build(cases)
    const statement = run(cases, tree, this.otherwise)
    const { context } = this
    const op: Iterable<unknown> = context === undefined ? statement : domain.within!(statement, context)
    return op[Symbol.iterator]() as Iterator<unknown, R, any>
  }

  /** @internal The name of the activity that runs the statement for legacy code. */
  describe(): string {
    return 'waituntil'
  }

  /** The statement as a tree; removed clauses take the operator before them along. */
  private build(cases: Case<any>[]): Tree | null {
    const first: Tree[] = this.interrupts.map((clause) => cases.push(caseOf(clause)) - 1)
    const sums: Tree[][] = []
    for (const { op, term } of this.terms) {
      if (kindOf(term) === REMOVED) continue
      let part: Tree | null
      if (isGroup(term)) {
        part = term.build(cases)
        if (part === null) continue
      } else {
        part = cases.length
        cases.push(caseOf(term))
      }
      if (op === 'or' || sums.length === 0) sums.push([part])
      else sums[sums.length - 1].push(part)
    }
    if (sums.length > 0) return joined(false, [...first, ...sums.map((parts) => joined(true, parts))])
    cases.length -= first.length
    return null
  }
}

/** For legacy code: `await waituntil(…)`. The statement is an activity of its own. */
export interface WaitUntil<R> extends Awaitable<R> {}
makeAwaitable(WaitUntil.prototype)

/** Of one part there is nothing to join. */
function joined(all: boolean, parts: Tree[]): Tree {
  return parts.length === 1 ? parts[0] : { all, parts }
}

const isLeaf = (tree: Tree): tree is number => typeof tree === 'number'

/** Clauses are looked at when the statement runs; what can never be one is refused where it is written. */
function checkTerm(term: unknown): void {
  if (typeof term !== 'object' || term === null) clauseOf(term)
  expectFailure(term)
}

function isBareAlternative({ op, term }: { op: 'or' | 'and'; term: unknown }): boolean {
  if (isGroup(term) || kindOf(term) === REMOVED) return false
  return op === 'or' && !(isCase(term) && term.body !== null)
}

function caseOf(term: unknown): Case<any> {
  return isCase(term) ? term : new Case(clauseOf(term), null)
}

/**
 * Begins a statement. The first term is a clause, a clause with a body, anything that can be waited for, or a group.
 * A signal ends the whole statement, not its first term alone, and its reason is thrown.
 *
 * @example
 * const jobs = channel<string>(1)
 * yield* jobs.send('job')
 * const got = yield* waituntil(jobs.recv().do((job) => `got ${job}`)).or(sleep(99999).do(() => 'nothing'))
 * console.log(got)                                             // → got job
 * console.log(yield* waituntil(jobs.recv()).else(() => 'empty'))  // → empty
 */
export function waituntil<R>(term: Case<R>, options?: WaitOptions): WaitUntil<R>
export function waituntil<R>(term: WaitUntil<R>, options?: WaitOptions): WaitUntil<R>
export function waituntil<R>(term: Term<R>, options?: WaitOptions): WaitUntil<R>
export function waituntil(term: unknown, options?: WaitOptions): unknown {
  checkTerm(term)
  return new WaitUntil(term, options)
}

function* run(
  cases: Case<any>[],
  tree: Tree | null,
  otherwise: (() => unknown) | undefined,
): Generator<unknown, unknown, any> {
  if (tree === null) return otherwise === undefined ? undefined : yield* bodyOf(otherwise, undefined)
  const clauses = cases.map((c) => c.clause)
  if (isLeaf(tree) || (!tree.all && tree.parts.every(isLeaf))) {
    const at: number = yield* new Choice(clauses, otherwise !== undefined)
    if (at < 0) return yield* bodyOf(otherwise!, undefined)
    return yield* bodyOf(cases[at].body, clauses[at].outcome)
  }
  const statement = new Statement(clauses, tree)
  if (statement.uncertain) yield* new Moment(statement)
  if (otherwise !== undefined && !statement.decidable()) return yield* bodyOf(otherwise, undefined)
  let value: unknown
  try {
    for (let at: number = yield* new Next(statement); at >= 0; at = yield* new Next(statement)) {
      value = yield* bodyOf(cases[at].body, clauses[at].outcome)
    }
  } finally {
    statement.withdraw()
  }
  return value
}

function* bodyOf(body: Body<any, any> | (() => unknown) | null, value: unknown): Generator<unknown, unknown, any> {
  if (body === null) return value
  domain.own = true
  const result: unknown = body(value)
  domain.own = false
  return isOperation(result) ? yield* runnable(result) as Generator<unknown, unknown, any> : result
}

const WAITING = 0
const FIRED = 1
const DONE = 2
const DROPPED = 3

/**
 * A statement with `and` in it. Each clause is waiting, fired (its effect has been had, its body has not run), done, or
 * dropped because the statement no longer needs it. A clause is dropped, so that it has no effect, at the very moment
 * another one decides its part of the tree. If a clause fails, all that wait are dropped; its error is thrown when the
 * bodies of those that have had their effect before have run.
 */
class Statement implements Waiter {
  readonly state: number[]
  branch: Branch | null = null
  waiting: Next | null = null
  readonly clauses: readonly Choosable[]
  private readonly tree: Tree
  private registered = false

  constructor(clauses: readonly Choosable[], tree: Tree) {
    this.clauses = clauses
    this.tree = tree
    this.state = clauses.map(() => WAITING)
  }

  /** Could the statement be decided without waiting? Changes nothing. */
  decidable(): boolean {
    let taken = new Map<unknown, number>()
    const possible = (tree: Tree): boolean => {
      if (isLeaf(tree)) {
        const clause = this.clauses[tree]
        const earlier = taken.get(clause.resource) ?? 0
        if (!clause.ready(earlier)) return false
        taken.set(clause.resource, earlier + (clause.amount ?? 1))
        return true
      }
      if (tree.all) return tree.parts.every(possible)
      return tree.parts.some((part) => {
        const before = new Map(taken)
        if (possible(part)) return true
        taken = before
        return false
      })
    }
    return possible(this.tree)
  }

  /** A clause cannot know yet whether it is ready. */
  get uncertain(): boolean {
    return this.clauses.some((clause) => clause.uncertain)
  }

  start(): void {
    if (this.registered) return
    diagnosis?.free(this.clauses)
    this.registered = true
    this.clauses.forEach((clause, i) => {
      if (this.state[i] !== WAITING) return
      if (clause.poll()) this.fired(i)
    })
    this.clauses.forEach((clause, i) => {
      if (this.state[i] !== WAITING) return
      clause.waiter = this
      clause.value = this
      clause.register()
    })
  }

  private fired(at: number): void {
    this.state[at] = FIRED
    this.clauses[at].value = undefined
    if (this.clauses[at].failed) this.drop(this.tree)
    else this.prune(this.tree)
  }

  private satisfied(tree: Tree): boolean {
    if (isLeaf(tree)) return this.state[tree] === FIRED || this.state[tree] === DONE
    const satisfied = (part: Tree): boolean => this.satisfied(part)
    return tree.all ? tree.parts.every(satisfied) : tree.parts.some(satisfied)
  }

  private prune(tree: Tree): void {
    if (this.satisfied(tree)) this.drop(tree)
    else if (!isLeaf(tree)) for (const part of tree.parts) this.prune(part)
  }

  private drop(tree: Tree): void {
    if (!isLeaf(tree)) for (const part of tree.parts) this.drop(part)
    else if (this.state[tree] === WAITING) {
      this.state[tree] = DROPPED
      const clause = this.clauses[tree]
      if (clause.waiter !== this) return
      clause.value = undefined
      withdrawn(clause)
    }
  }

  answered(clause: Choosable): void {
    this.fired(this.clauses.indexOf(clause))
    const { branch, waiting } = this
    if (waiting !== null) {
      this.waiting = null
      waiting.go(branch!)
      branch!.wake(branch!.mode, branch!.answer)
    }
  }

  /** The next clause whose body is to run: its index; -1 when the statement is done, undefined when it must wait. */
  take(): number | undefined {
    let at = this.state.findIndex((state, i) => state === FIRED && !this.clauses[i].failed)
    if (at < 0) at = this.state.indexOf(FIRED)
    if (at >= 0) {
      this.state[at] = DONE
      return at
    }
    return this.satisfied(this.tree) ? -1 : undefined
  }

  withdraw(): void {
    this.drop(this.tree)
  }
}

/** Waits until all clauses know whether they are ready. */
class Moment extends Suspension<void> {
  private readonly statement: Statement
  constructor(statement: Statement) {
    super()
    this.statement = statement
  }

  begin(branch: Branch): boolean {
    if (branch.refused()) return true
    return this.statement.uncertain ? lookAgain(branch, this) : branch.goOn(NEXT, undefined)
  }
}

class Next extends Suspension<number> implements Blocker {
  private readonly statement: Statement
  constructor(statement: Statement) {
    super()
    this.statement = statement
  }

  begin(branch: Branch): boolean {
    const { statement } = this
    statement.branch = branch
    const refused = branch.refused()
    if (!refused) statement.start()
    // A clause that has had its effect is reported even after a cancel.
    if (this.go(branch) || refused) return true
    branch.blocked = this
    statement.waiting = this
    return false
  }

  /** Leaves the next index in `branch.answer`; false if there is none yet. */
  go(branch: Branch): boolean {
    const at = this.statement.take()
    if (at === undefined) return false
    const clause = this.statement.clauses[at]
    return clause?.failed ? branch.goOn(THROW, clause.outcome) : branch.goOn(NEXT, at)
  }

  withdraw(): void {
    this.statement.waiting = null
    this.statement.withdraw()
  }

  private get open(): Choosable[] {
    return this.statement.clauses.filter((_, i) => this.statement.state[i] === WAITING)
  }

  get outside(): 0 | 1 | 2 {
    return outside(this.open)
  }

  override describe(): string {
    return this.open.map((c) => c.describe()).join(' and/or ')
  }
}
