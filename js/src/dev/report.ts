/**
 * `activities` and `describeActivities` say which activities live, by name, and where each stands and what it waits
 * for.
 */
import { branchesOf } from '../core/branchesOf.ts'
import { nameOf } from '../core/names.ts'
import type { AnyIterator, Branch } from '../core/types.ts'
import { domain } from '../core/current.ts'

/** What `activities()` says of one branch. */
export interface BranchReport {
  activity: string
  id: number
  state: 'running' | 'ready' | 'blocked' | 'held'
  waitsFor?: string
  /** Innermost first. */
  stack: string[]
  site?: string
}

function functionName(gen: AnyIterator | null): string {
  return gen === null ? '' : nameOf(gen) || '(anonymous)'
}

function stackOf(branch: Branch): string[] {
  const names = [functionName(branch.gen)]
  for (let frame = branch.frame; frame !== null; frame = frame.parent) names.push(functionName(frame.gen))
  return names.filter((name) => name !== '')
}

function stateOf(branch: Branch): BranchReport['state'] {
  if (domain.current === branch) return 'running'
  if (branch.blocked !== null) return 'blocked'
  return branch.group.home === domain.top ? 'ready' : 'held'
}

/**
 * Every branch of every live activity, oldest first.
 *
 * @example
 * const task = spawn(function* () { yield* sleep(99999) }, { name: 'sleeper' })
 * yield* sleep(1)
 * console.log(activities().find((a) => a.activity === 'sleeper')!.waitsFor)  // → sleep(99999)
 * task.cancel()
 * yield* wait(task.catch(() => {}))
 */
export function activities(): BranchReport[] {
  const found: BranchReport[] = []
  for (let a = domain.live; a !== null; a = a.prev) {
    const of = branchesOf(a).map((b): BranchReport => {
      const { name, id, info } = b.activity
      return {
        activity: name,
        id,
        state: stateOf(b),
        waitsFor: b.blocked?.describe(),
        stack: stackOf(b),
        site: info?.site,
      }
    })
    found.unshift(...of)
  }
  return found
}

/**
 * The same as text, one line each.
 *
 * @example
 * const task = spawn(function* () { yield* sleep(99999) }, { name: 'sleeper' })
 * yield* sleep(1)
 * console.log(describeActivities().includes('sleeper'))  // → true
 * task.cancel()
 * yield* wait(task.catch(() => {}))
 */
export function describeActivities(): string {
  return activities()
    .map(({ activity, id, state, waitsFor, stack }) => {
      const wait = waitsFor === undefined ? '' : ` on ${waitsFor}`
      const calls = stack.length === 0 ? '' : `: ${stack.join(' < ')}`
      return `${activity} [${id}] ${state}${wait}${calls}`
    })
    .join('\n')
}
