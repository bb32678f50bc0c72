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
  /** The callbacks that are called inside of it: who ran before each, and who runs in it, if that is known. */
  private readonly inner: { around: Activation | null; entered: Activation | null }[] = []

  constructor(flows: Flows) {
    this.flows = flows
  }

  /**
   * `isOnes`: its runs belong to the activation that made it; else each begins a tree of its own. `awaits`: an
   * activation goes on by itself. `sleep`: µs of a timer.
   */
  made(id: number, isOnes: boolean, awaits: boolean, sleep: number, now: number): void {
    const i = id & MASK
    this.ids[i] = id
    this.contexts[i] = isOnes ? this.flows.current : null
    this.awaits[i] = awaits ? 1 : 0
    if (sleep > 0 && this.contexts[i] !== null) this.flows.costs.slept(this.contexts[i]!, now, now + sleep)
  }

  before(id: number, now: number): void {
    const { flows } = this
    const i = id & MASK
    const known = this.ids[i] === id
    const context = known ? this.contexts[i] : null
    const goesOn = known && this.awaits[i] === 1
    this.running = goesOn ? null : flows.make(context, -1, true, now)
    flows.woken = goesOn ? context : null
    flows.current = this.running ?? context
  }

  after(now: number): void {
    const { running } = this
    if (running !== null) this.ends(running, now)
    this.running = null
    // Setting a length takes long, even to what it is.
    if (this.inner.length > 0) this.inner.length = 0
    this.flows.current = this.flows.woken = null
  }

  /** A callback inside another: an answer belongs to who asked, and not to the socket on which it came. */
  beforeInner(id: number, now: number): void {
    const { flows } = this
    const i = id & MASK
    const owner = this.ids[i] === id && this.awaits[i] === 0 ? this.contexts[i] : null
    const entered = owner === null ? null : flows.make(owner, -1, true, now)
    this.inner.push({ around: flows.current, entered })
    if (entered !== null) flows.current = entered
  }

  afterInner(now: number): void {
    const { around, entered } = this.inner.pop() ?? {}
    if (!entered) return
    this.ends(entered, now)
    this.flows.current = around!
  }

  private ends(activation: Activation, now: number): void {
    const { flows } = this
    activation.ended = ++flows.clock
    flows.stops(activation, now)
  }
}
