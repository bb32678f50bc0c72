/** What is said when an atomic block waits for what it keeps from running. */
import type { Activity } from './activity.ts'
import type { Branch } from './branch.ts'

/** A block has waited long for a promise, and perhaps in vain. */
export function longWaitMessage(owner: Branch, held: Activity<any>[], ms: number): string {
  const names = held.slice(0, 5).map((a) => a.name)
  const waits = `charcoal: an atomic block of ${owner.activity.name} has waited ${ms / 1000} s for ${owner.blocked!.describe()}`
  return `${waits}, and holds back ${held.length}: ${names.join(', ')}. If it depends on one of these it never ends: call that inside the block.`
}

/** Who waits, for what, and why in vain; then the remedy, and who else waits in the block. */
export function deadlockMessage(branch: Branch, stuck: Branch[]): string {
  const who = (b: Branch): string => `${b.activity.name} waits for ${b.blocked!.describe()}`
  const needed = branch.blocked!.needs?.()
  const delayed = needed?.state === 'spawned'
  const why = needed === undefined ? 'nothing that may run inside the block can end that wait' : `${needed.name} is ${delayed ? 'delayed until its end' : 'kept from running by it'}${needed.info?.site ? `, spawned ${needed.info.site}` : ''}`
  const contained = delayed || needed === undefined ? `spawn ${delayed ? 'it' : 'what ends it'} with { contained: true }, or ` : ''
  return [`deadlock in an atomic block: ${who(branch)}, and ${why}.`, `Remedy: ${contained}wait before or after the block.`, ...stuck.filter((b) => b !== branch).map((b) => `  also ${who(b)}`)].join('\n')
}
