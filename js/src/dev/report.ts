/** Who is there: names, call stacks and waits of all live activities. */
import { branchesOf } from '../core/atomic.ts'
import { functionName } from '../core/call.ts'
import type { Branch } from '../core/branch.ts'
import { domain } from '../core/current.ts'

export interface BranchReport {
  activity: string
  id: number
  state: 'running' | 'ready' | 'blocked' | 'held'
  waitsFor?: string
  /** Innermost first. */
  stack: string[]
  site?: string
}

function stackOf(branch: Branch): string[] {
  const names = [functionName(branch.gen)]
  for (let frame = branch.frame; frame !== null; frame = frame.parent) names.push(functionName(frame.gen))
  return names.filter((name) => name !== '')
}

/** Every branch of every live activity, oldest first. */
export function activities(): BranchReport[] {
  const found: BranchReport[] = []
  for (let a = domain.live; a !== null; a = a.prev) {
    const of = branchesOf(a).map((b): BranchReport => {
      const state = domain.current === b ? 'running' : b.blocked !== null ? 'blocked' : b.group.home === domain.top ? 'ready' : 'held'
      return { activity: a!.name, id: a!.id, state, waitsFor: b.blocked?.describe(), stack: stackOf(b), site: a!.info?.site }
    })
    found.unshift(...of)
  }
  return found
}

/** The same as text, one line each. */
export function describeActivities(): string {
  return activities()
    .map((r) => `${r.activity} [${r.id}] ${r.state}${r.waitsFor === undefined ? '' : ` on ${r.waitsFor}`}${r.stack.length === 0 ? '' : `: ${r.stack.join(' < ')}`}`)
    .join('\n')
}
