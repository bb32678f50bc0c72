/** What is said when an atomic block waits for what it keeps from running. */
import type { Activity, Branch } from '../core/types.ts'

/** A block has waited long for a promise, and perhaps in vain. */
export function longWaitMessage(owner: Branch, held: Activity[], ms: number): string {
  const names = held.slice(0, 5).map((a) => a.name)
  const waits = `an atomic block of ${owner.activity.name} has waited ${ms / 1000} s for ${owner.blocked!.describe()}`
  const remedy = 'If it depends on one of these it never ends: call that inside the block.'
  return `charcoal: ${waits}, and holds back ${held.length}: ${names.join(', ')}. ${remedy}`
}

/** Who waits, for what, and why in vain; then the remedy, and who else waits in the block. */
export function deadlockMessage(branch: Branch, stuck: Branch[]): string {
  const who = (b: Branch): string => `${b.activity.name} waits for ${b.blocked!.describe()}`
  const needed = branch.blocked!.needs?.()
  const delayed = needed?.state === 'spawned'
  const contained = delayed || needed === undefined
  const spawnIt = `spawn ${delayed ? 'it' : 'what ends it'} with { contained: true }, or `
  return [
    `deadlock in an atomic block: ${who(branch)}, and ${reason(needed, delayed)}.`,
    `Remedy: ${contained ? spawnIt : ''}wait before or after the block.`,
    ...stuck.filter((b) => b !== branch).map((b) => `  also ${who(b)}`),
  ].join('\n')
}

function reason(needed: Activity | undefined, delayed: boolean): string {
  if (needed === undefined) return 'nothing that may run inside the block can end that wait'
  const site = needed.info?.site ? `, spawned ${needed.info.site}` : ''
  return `${needed.name} is ${delayed ? 'delayed until its end' : 'kept from running by it'}${site}`
}
