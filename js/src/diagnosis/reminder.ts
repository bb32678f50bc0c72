/** Says of a block that has waited for ten times `grace` which activities it holds back. */
import type { Activity, Block, Domain } from '../core/types.ts'
import { longWaitMessage } from './deadlock.ts'

/** Domains for which a reminder is set. There is one at a time, for a block may wait often. */
const reminding = new WeakSet<Domain>()

export function remind(block: Block): void {
  const { domain, owner, turns } = block
  if (reminding.has(domain) || domain.host.remind === undefined) return
  reminding.add(domain)
  domain.host.remind(() => {
    reminding.delete(domain)
    const waitsStill = domain.top === block && block.owner === owner && block.turns === turns && block.head === null
    const held = waitsStill ? heldBack(block) : []
    if (held.length > 0) console.warn(longWaitMessage(owner, held, 10 * domain.grace))
  }, 10 * domain.grace)
}

/** The activities that cannot run while the block lasts. */
function heldBack(block: Block): Activity[] {
  const held: Activity[] = []
  for (let a = block.domain.live; a !== null; a = a.prev) if (a.home !== block && a.queued) held.push(a)
  return held
}
