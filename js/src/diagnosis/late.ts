/**
 * An activity that an event sets in motion while an atomic block is open begins after the event: its guarantee comes
 * first. `preventDefault` is of no effect then, which the host tells nobody, and a form is sent after all.
 */
import type { Activity, Block } from '../core/types.ts'

/**
 * Legacy code has made `activity` while `block` is open. If an event is the reason, a late `preventDefault` is told.
 */
export function watchEvent(activity: Activity, block: Block): void {
  const { event } = globalThis as { event?: Event }
  if (event?.cancelable !== true || event.eventPhase === 0 || Object.hasOwn(event, 'preventDefault')) return
  const owner = block.owner.activity.name
  const { preventDefault } = event
  const tell = function (this: Event): void {
    if (this.eventPhase === 0 && !this.defaultPrevented) console.warn(lateMessage(this.type, activity.name, owner))
    preventDefault.call(this)
  }
  Object.defineProperty(event, 'preventDefault', { value: tell, configurable: true, writable: true })
}

const lateMessage = (type: string, late: string, owner: string): string =>
  `charcoal: preventDefault of '${type}' comes too late: ${late} has begun after the event, because an atomic block ` +
  `of ${owner} was open. Remedy: call it in the listener, before the activity.`
