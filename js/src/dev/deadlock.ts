/** What is said when an atomic block waits for what it keeps from running. */
import type { Branch } from '../core/branch.ts'

/** Thrown at the wait in an atomic block that can never end. */
export class DeadlockError extends Error {
  override readonly name = 'DeadlockError'
  readonly code = 'EDEADLK'
}

export function deadlockMessage(branch: Branch, stuck: Branch[]): string {
  const needed = branch.blocked!.needs?.()
  const lines = [`deadlock in an atomic block: ${branch.activity.name} waits for ${branch.blocked!.describe()}, and nothing that may run inside the block can end that wait.`]
  if (needed !== undefined) {
    const site = needed.info?.site === undefined ? '' : `\n  spawned${where(needed.info.site)}`
    lines.push(
      needed.state === 'spawned'
        ? `${needed.name} was spawned inside the block and is delayed until its end.${site}\nRemedy: spawn it with { contained: true }, or wait for it after the block.`
        : `${needed.name} is kept from running by the block.${site}\nRemedy: wait for it before the block, or after it.`,
    )
  } else lines.push('Remedy: spawn what ends the wait inside the block with { contained: true }, or wait before or after the block.')
  for (const b of stuck) if (b !== branch) lines.push(`  also blocked inside: ${b.activity.name} on ${b.blocked!.describe()}`)
  return lines.join('\n')
}

/** The first line of a stack that is not the library's own. */
function where(stack: string): string {
  const lines = stack.split('\n').slice(1)
  return ' ' + (lines.find((l) => !/core[\\/](domain|spawn|call|atomic)|Domain\.|asyncFn/.test(l)) ?? lines[0] ?? '').trim()
}
