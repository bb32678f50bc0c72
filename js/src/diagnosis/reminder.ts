/**
 * Says of a block that waits for a promise which activities it holds back, if the promise may depend on them: after a
 * tenth of `grace` those that legacy code has made or awaited meanwhile, or code of the block before, with the place;
 * after ten times `grace` all.
 */
import type { Activity, Block } from '../core/types.ts'
import { awaitedAt, heldBack, longWaitMessage, shown, suspectsMessage } from './deadlock.ts'
import { watchEvent } from './late.ts'
import { placeOfCaller } from './place.ts'

/** Stacks that are looked at in one wait of a block. */
const MOST = 5

/** What legacy code has made or awaited during the present wait of a block. */
const suspects = new WeakMap<Block, { turns: number; made: Activity[] }>()

/** Whose promises code of the block has wanted, in `Promise.all([activity])` for one: it may wait for them later. */
const wanted = new WeakMap<Block, Activity[]>()

/** What has been told, with its place: once is enough. */
const told = new Set<string>()

/**
 * The block waits for a promise. Blocks do that often, so what is seldom needed stands behind fields that are quick to
 * read.
 */
export function remind(block: Block): void {
  const { domain } = block
  if (block.noted) for (const activity of wanted.get(block) ?? []) if (activity.ended === 0) suspect(activity, block)
  if (domain.held.reminding || domain.host.remind === undefined) return
  domain.held.reminding = true
  const wait = 10 * domain.grace
  const waitsStill = sameWait(block)
  domain.host.remind(() => {
    domain.held.reminding = false
    const held = waitsStill() ? heldBack(block) : []
    if (held.length > 0) console.warn(longWaitMessage(block.owner, held, wait))
  }, wait)
}

/** What the block waits for, or will, may depend on `activity`: legacy code has made it, or somebody awaits it. */
export function suspect(activity: Activity, block: Block): void {
  watchEvent(activity, block)
  const { domain, owner, turns } = block
  if (domain.belonging.now() !== null) want(activity, block)
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

/** Code of the block wants the promise of an activity that the block holds back. */
function want(activity: Activity, block: Block): void {
  const before = wanted.get(block)
  if (before === undefined) wanted.set(block, [placed(activity)])
  else if (before.length < MOST && !before.includes(activity)) before.push(placed(activity))
  block.noted = true // so the object is not reused for another block, which this does not concern
}

/** Notes where the activity is awaited by code of a block, or else is made. */
function placed(activity: Activity): Activity {
  if (awaitedAt.has(activity)) return activity
  if (activity.home.domain.belonging.now() !== null) awaitedAt.set(activity, placeOfCaller(2))
  else (activity.info ??= {}).site ??= placeOfCaller(2)
  return activity
}

function isNew(activity: Activity): boolean {
  const what = shown(activity)
  if (told.has(what)) return false
  if (told.size < 100) told.add(what)
  return true
}

/** Asks later whether the block is still in the wait that it is in now. */
function sameWait(block: Block): () => boolean {
  const { domain, owner, turns } = block
  return () => domain.top === block && block.owner === owner && block.turns === turns && block.head === null
}
