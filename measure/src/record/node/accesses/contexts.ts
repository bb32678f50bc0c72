/** Which activation a callback belongs to: that which registered it. The newest callbacks are known, by Node's ids. */
import { type Activation, Flows } from '../../accesses/flows.ts'

const SIZE = 1 << 17
const MASK = SIZE - 1

export class Contexts {
  private readonly ids = new Float64Array(SIZE)
  private readonly contexts: (Activation | null)[] = new Array(SIZE).fill(null)
  private readonly awaits = new Uint8Array(SIZE)
  private readonly flows: Flows
  private running: Activation | null = null

  constructor(flows: Flows) {
    this.flows = flows
  }

  /**
   * `recurring`: each run begins a tree of its own. `awaits`: an activation goes on by itself. `sleep`: µs of a timer.
   */
  made(id: number, recurring: boolean, awaits: boolean, sleep: number, now: number): void {
    const i = id & MASK
    this.ids[i] = id
    this.contexts[i] = recurring ? null : this.flows.current
    this.awaits[i] = awaits ? 1 : 0
    if (sleep > 0 && this.contexts[i] !== null) this.flows.costs.slept(this.contexts[i]!, now, now + sleep)
  }

  before(id: number, now: number): void {
    const { flows } = this
    const i = id & MASK
    const known = this.ids[i] === id
    const context = known ? this.contexts[i] : null
    this.running = known && this.awaits[i] === 1 ? null : flows.make(context, -1, true, now)
    flows.current = this.running ?? context
  }

  after(now: number): void {
    const { flows, running } = this
    if (running !== null) {
      running.ended = ++flows.clock
      flows.stops(running, now)
    }
    this.running = null
    flows.current = null
  }
}
