/**
 * Who runs in a page. Nothing tells when the event loop calls: whoever runs first in a turn asks for a microtask, which
 * comes when that callback has returned.
 */
import { Flows, type Activation } from '../../accesses/flows.ts'

export class PageFlows extends Flows {
  /** The browser's own; a worker does not have it yet before its script begins. */
  private later = globalThis.queueMicrotask
  /** Stands for a callback that is not known; null: none runs. */
  private turn: Activation | null = null
  private asked = false

  override enter(site: number, owner?: Activation): Activation {
    if (this.current === null) this.ask()
    return super.enter(site, owner)
  }

  override accessor(): Activation {
    if (this.current === null) {
      this.endTurn()
      this.current = this.turn = this.make(null, -1, true)
      this.ask()
    }
    return this.current
  }

  /** No function of the page is on the stack. */
  private readonly over = (): void => {
    this.asked = false
    this.current = null
    this.endTurn()
  }

  private endTurn(): void {
    if (this.turn !== null) {
      this.turn.ended = ++this.clock
      this.stops(this.turn)
    }
    this.turn = null
  }

  private ask(): void {
    if (this.asked) return
    this.asked = true
    this.later ??= globalThis.queueMicrotask
    Reflect.apply(this.later, globalThis, [this.over])
  }
}
