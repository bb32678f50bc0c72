/** A choice waits for the first of several clauses; `waituntil` with `or` alone, `select` and `race` make one. */
import { NEXT, Suspension, THROW } from '../core/suspension.ts'
import type { Activity, Blocker, Branch } from '../core/types.ts'
import type { Choosable, Waiter } from './case.ts'

/** The answer is the index of the clause that was selected; with `orElse`, -1 if none was ready. */
export class Choice<T = number> extends Suspension<T> implements Blocker, Waiter {
  branch: Branch | null = null
  protected readonly clauses: readonly Choosable[]
  private readonly orElse: boolean

  constructor(clauses: readonly Choosable[], orElse = false) {
    super()
    this.clauses = clauses
    this.orElse = orElse
  }

  protected answer(at: number): unknown {
    return at
  }

  begin(branch: Branch): boolean {
    if (branch.refused()) return true
    this.branch = branch
    const { clauses } = this
    for (let i = 0; i < clauses.length; i++) {
      const clause = clauses[i]
      if (clause.uncertain) return lookAgain(branch, () => this.begin(branch))
      if (clause.poll()) return branch.goOn(clause.failed ? THROW : NEXT, this.result(clause, i))
    }
    if (this.orElse) return branch.goOn(NEXT, -1)
    branch.blocked = this
    for (const clause of clauses) {
      clause.waiter = this
      clause.register()
    }
    return false
  }

  answered(winner: Choosable): void {
    for (const clause of this.clauses) if (clause !== winner) clause.withdraw()
    this.branch!.wake(winner.failed ? THROW : NEXT, this.result(winner, this.clauses.indexOf(winner)))
  }

  private result(clause: Choosable, at: number): unknown {
    return clause.failed ? clause.outcome : this.answer(at)
  }

  withdraw(): void {
    for (const clause of this.clauses) clause.withdraw()
  }

  get outside(): 0 | 1 | 2 {
    return outside(this.clauses)
  }

  override describe(): string {
    return this.clauses.map((clause) => clause.describe()).join(' or ')
  }

  needs(): Activity | undefined {
    return this.clauses.length === 1 ? this.clauses[0].needs() : undefined
  }
}

/** The answer is the value of the clause that was selected. */
export class First<T> extends Choice<T> {
  protected override answer(at: number): unknown {
    return this.clauses[at].outcome
  }
}

/**
 * Whether a promise is settled is known a microtask after it was asked. A clause in front of others would lose without
 * that moment although it is ready, so the branch begins the statement again then.
 */
export function lookAgain(branch: Branch, begin: () => boolean): false {
  let waits = true
  branch.blocked = {
    withdraw: () => (waits = false),
    describe: () => 'a promise',
    outside: 2,
  }
  queueMicrotask(() => {
    if (!waits) return
    branch.blocked = null
    if (begin()) branch.group.home.domain.readyFromHost(branch)
  })
  return false
}

export const outside = (clauses: readonly Choosable[]): 0 | 1 | 2 =>
  Math.max(0, ...clauses.map((c) => c.outside)) as 0 | 1 | 2
