/** These are the messages about an atomic block that waits for what it keeps from running. */
import type { Activity, Block, Branch } from '../core/types.ts'

/** Activities that are named in one message. */
const MOST = 5

const REMEDY = 'Remedy: let the block itself wait for the promise, and make the call: yield* f(yield* wait(promise)).'

/** A block has waited long for a promise, and perhaps in vain. */
export function longWaitMessage(owner: Branch, held: Activity[], ms: number): string {
  const names = held.slice(0, MOST).map((a) => a.name)
  const waits = `an atomic block of ${owner.activity.name} has waited ${ms / 1000} s for ${owner.blocked!.describe()}`
  const remedy = 'If it depends on one of these it never ends: call that inside the block.'
  return `charcoal: ${waits}, and holds back ${held.length}: ${names.join(', ')}. ${remedy}`
}

/** A block waits for a promise, and may depend on `held`. */
export function suspectsMessage(owner: Branch, held: Activity[]): string {
  return [
    `charcoal: an atomic block of ${owner.activity.name} waits for ${owner.blocked!.describe()}, and holds back`,
    ...held.map((a) => `  ${shown(a)}`),
    `If the promise depends on one of these, neither ends. ${REMEDY}`,
  ].join('\n')
}

/** The activities that cannot run while the block lasts. */
export function heldBack(block: Block): Activity[] {
  const held: Activity[] = []
  for (let a = block.domain.live; a !== null; a = a.prev) if (a.home !== block && a.queued) held.push(a)
  return held
}

/** Where code of a block awaits an activity that the block holds back. */
export const awaitedAt = new WeakMap<Activity, string>()

/** The name of an activity, and where it was made, or else is awaited. */
export function shown(activity: Activity): string {
  const { name, info } = activity
  const at = awaitedAt.get(activity)
  return info?.site ? `${name}, made ${info.site}` : at ? `${name}, awaited ${at}` : name
}

/** Who waits, for what, and why in vain; then the remedy, and who else waits in the block. */
export function deadlockMessage(branch: Branch, stuck: Branch[]): string {
  const who = (b: Branch): string => `${b.activity.name} waits for ${b.blocked!.describe()}`
  const needed = branch.blocked!.needs?.()
  if (branch.blocked!.outside === 2) return nothingLeftMessage(branch)
  const delayed = needed?.state === 'spawned'
  const contained = delayed || needed === undefined
  const spawnIt = `spawn ${delayed ? 'it' : 'what ends it'} with { contained: true }, or `
  return [
    `deadlock in an atomic block: ${who(branch)}, and ${reason(needed, delayed)}.`,
    `Remedy: ${contained ? spawnIt : ''}wait before or after the block.`,
    ...stuck.filter((b) => b !== branch).map((b) => `  also ${who(b)}`),
  ].join('\n')
}

/** The host has nothing left to do that could settle the promise. */
function nothingLeftMessage(branch: Branch): string {
  const held = heldBack(branch.group.home as Block).slice(0, MOST)
  const waits = `${branch.activity.name} waits for ${branch.blocked!.describe()}, which nothing is left to settle`
  return [
    `deadlock in an atomic block: ${waits}${held.length > 0 ? ', and the block holds back' : '.'}`,
    ...held.map((a) => `  ${shown(a)}`),
    ...(held.length > 0 ? [REMEDY] : []),
  ].join('\n')
}

function reason(needed: Activity | undefined, delayed: boolean): string {
  if (needed === undefined) return 'nothing that may run inside the block can end that wait'
  const site = needed.info?.site ? `, spawned ${needed.info.site}` : ''
  return `${needed.name} is ${delayed ? 'delayed until its end' : 'kept from running by it'}${site}`
}
