/** A choice waits for the first of several clauses; `waituntil` with `or` alone, `select` and `race` make one. */
import { diagnosis } from '../core/say.ts'
import { NEXT, Suspension, THROW } from '../core/suspension.ts'
import type { Activity, Blocker, Branch } from '../core/types.ts'
import type { Choosable, Waiter } from './case.ts'
import { withdrawn } from '../core/withdrawn.ts'

/**
 * The answer is the index of the clause that was selected; with `orElse`, -1 if none was ready.
 *
 * - `clauses` is the first one while the branch is blocked: it leads to the next by `value`, and the last to the
 *   choice. An array would take as much memory as a clause.
 */
export class Choice<T = number> extends Suspension<T> implements Blocker, Waiter {
  branch: Branch | null = null
  private clauses: readonly Choosable[] | Choosable
  private readonly orElse: boolean

  constructor(clauses: readonly Choosable[], orElse = false) {
    super()
    this.clauses = clauses
    this.orElse = orElse
  }

  protected answer(_winner: Choosable, at: number): unknown {
    return at
  }

  begin(branch: Branch): boolean {
    if (branch.refused()) return true
    this.branch = branch
    const clauses = this.all
    diagnosis?.free(clauses)
    for (let i = 0; i < clauses.length; i++) {
      const clause = clauses[i]
      if (clause.uncertain) return lookAgain(branch, this)
      if (clause.poll()) return this.go(branch, clause, i)
    }
    if (this.orElse) return branch.goOn(NEXT, -1)
    branch.blocked = this
    this.clauses = clauses[0]
    for (let i = 0; i < clauses.length; i++) {
      const clause = clauses[i]
      clause.value = clauses[i + 1] ?? this
      clause.waiter = this
      clause.register()
    }
    return false
  }

  answered(winner: Choosable): void {
    const branch = this.branch!
    this.withdraw(winner)
    this.go(branch, winner, this.all.indexOf(winner))
    branch.wake(branch.mode, branch.answer)
  }

  private go(branch: Branch, winner: Choosable, at: number): true {
    return winner.failed ? branch.goOn(THROW, winner.outcome) : branch.goOn(NEXT, this.answer(winner, at))
  }

  /** Takes all waits back, or all but the winner's, which has ended. */
  withdraw(winner?: Choosable): void {
    for (const clause of (this.clauses = this.all)) {
      clause.value = undefined
      if (clause !== winner) withdrawn(clause)
    }
  }

  private get all(): readonly Choosable[] {
    if (Array.isArray(this.clauses)) return this.clauses
    const all: Choosable[] = []
    // It ends at the choice, or after a mistake that only development tells (see `free`) at another one.
    for (let at = this.clauses as Choosable; at.poll; at = at.value) all.push(at)
    return all
  }

  get outside(): 0 | 1 | 2 {
    return outside(this.all)
  }

  override describe(): string {
    return this.all.map((clause) => clause.describe()).join(' or ')
  }

  needs(): Activity | undefined {
    const [first, second] = this.all
    return second ? undefined : first.needs()
  }
}

/** The answer is the value of the clause that was selected. */
export class First<T> extends Choice<T> {
  protected override answer(winner: Choosable): unknown {
    return winner.outcome
  }
}

/**
 * Whether a promise is settled is known a microtask after it was asked. A clause in front of others would lose without
 * that moment although it is ready, so `branch` asks `op` again then. The run loop has to do so: what is polled may
 * want to know which branch it is for.
 */
export function lookAgain(branch: Branch, op: Suspension<unknown>): false {
  let waits = true
  branch.blocked = {
    withdraw: () => (waits = false),
    describe: () => 'a promise',
    outside: 2,
  }
  queueMicrotask(() => {
    if (!waits) return
    branch.blocked = null
    op.value = undefined // it is not asked yet
    branch.goOn(NEXT, undefined)
    branch.group.home.domain.readyFromHost(branch)
  })
  return false
}

export const outside = (clauses: readonly Choosable[]): 0 | 1 | 2 =>
  Math.max(0, ...clauses.map((c) => c.outside)) as 0 | 1 | 2
