/**
 * Says of a block that waits for a promise which activities it holds back, if the promise may depend on them: after a
 * tenth of `grace` those that legacy code has made or asked for meanwhile, with the place, and after ten times `grace`
 * all.
 */
import type { Activity, Block, Domain } from '../core/types.ts'
import { heldBack, longWaitMessage, suspectsMessage } from './deadlock.ts'
import { placeOfCaller } from './place.ts'

/** Stacks that are looked at in one wait of a block. */
const MOST = 5

/** Domains for which a reminder is set. There is one at a time, for a block may wait often. */
const reminding = new WeakSet<Domain>()

/** What legacy code has made, or asked for, during the present wait of a block. */
const suspects = new WeakMap<Block, { turns: number; made: Activity[] }>()

/** What has been told, with its place: once is enough. */
const told = new Set<string>()

export function remind(block: Block): void {
  const { domain } = block
  const wait = 10 * domain.grace
  if (reminding.has(domain) || domain.host.remind === undefined) return
  reminding.add(domain)
  const waitsStill = sameWait(block)
  domain.host.remind(() => {
    reminding.delete(domain)
    const held = waitsStill() ? heldBack(block) : []
    if (held.length > 0) console.warn(longWaitMessage(block.owner, held, wait))
  }, wait)
}

/** What the block waits for may depend on `activity`: legacy code has made it, or waits for it. */
export function suspect(activity: Activity, block: Block): void {
  const { domain, owner, turns } = block
  if (owner.blocked?.outside !== 2) return
  const before = suspects.get(block)
  if (before?.turns === turns) {
    if (before.made.length < MOST) before.made.push(placed(activity))
    return
  }
  const made = [placed(activity)]
  suspects.set(block, { turns, made })
  const waitsStill = sameWait(block)
  domain.host.remind?.(() => {
    const held = waitsStill() ? made.filter((a) => a.queued && isNew(a)) : []
    if (held.length > 0) console.warn(suspectsMessage(owner, held))
  }, domain.grace / 10)
}

function placed(activity: Activity): Activity {
  ;(activity.info ??= {}).site ??= placeOfCaller(2)
  return activity
}

function isNew({ name, info }: Activity): boolean {
  const what = `${name} ${info!.site}`
  if (told.has(what)) return false
  if (told.size < 100) told.add(what)
  return true
}

/** Asks later whether the block is still in the wait that it is in now. */
function sameWait(block: Block): () => boolean {
  const { domain, owner, turns } = block
  return () => domain.top === block && block.owner === owner && block.turns === turns && block.head === null
}
