/**
 * What is known of asynchronous resources, by Node's id. Ids grow by one, so the newest live in a ring of flat arrays.
 * One that is overwritten while it can still run moves to a table, which also has the handles from the start; the table
 * forgets its oldest when it is full.
 *
 * Invariant: a resource that can still run is in exactly one of ring and table, unless it was forgotten (`lost` counts
 * those).
 */
const SIZE = 1 << 19
const MASK = SIZE - 1
const TABLE = 1 << 20

export interface Resource {
  type: number
  /** The continuation that made it. */
  owner: number
  registered: number
  /** Location of the call that made it, or 0. */
  from: number
  /** Location of the callback, where that is a function of the user's that is known already; else 0. */
  callback: number
  /** Made by the user's code itself, not through a function of Node's. */
  direct: boolean
  /** An `await` of the user's code: what runs is the function that goes on after it, at `from`. */
  awaits: boolean
  /** The promise that it hangs on, or 0. */
  trigger: number
  /** The continuation that settled the promise, or 0. */
  settler: number
  runs: number
  /** It can run again. */
  recurring: boolean
}

export const blankResource = (): Resource => ({
  type: 0,
  owner: 0,
  registered: 0,
  from: 0,
  callback: 0,
  direct: false,
  awaits: false,
  trigger: 0,
  settler: 0,
  runs: 0,
  recurring: false,
})

const DIRECT = 1
const AWAITS = 2

export class Resources {
  lost = 0
  private readonly ids = new Float64Array(SIZE)
  private readonly types = new Uint16Array(SIZE)
  private readonly owners = new Float64Array(SIZE)
  private readonly times = new Float64Array(SIZE)
  private readonly froms = new Uint32Array(SIZE)
  private readonly callbacks = new Uint32Array(SIZE)
  private readonly flags = new Uint8Array(SIZE)
  private readonly triggers = new Float64Array(SIZE)
  private readonly settlers = new Float64Array(SIZE)
  private readonly runs = new Uint8Array(SIZE)
  private readonly table = new Map<number, Resource>()
  private readonly found = blankResource()

  /** `resource` is copied. */
  add(id: number, resource: Resource): void {
    if (resource.recurring) return this.keep(id, { ...resource })
    const i = id & MASK
    if (this.ids[i] !== 0 && this.runs[i] === 0 && this.settlers[i] === 0)
      this.keep(this.ids[i], this.at(i, blankResource()))
    this.ids[i] = id
    this.types[i] = resource.type
    this.owners[i] = resource.owner
    this.times[i] = resource.registered
    this.froms[i] = resource.from
    this.callbacks[i] = resource.callback
    this.flags[i] = (resource.direct ? DIRECT : 0) | (resource.awaits ? AWAITS : 0)
    this.triggers[i] = resource.trigger
    this.settlers[i] = 0
    this.runs[i] = 0
  }

  /** Valid until the next call. */
  get(id: number): Resource | undefined {
    const i = id & MASK
    return this.ids[i] === id ? this.at(i, this.found) : this.table.get(id)
  }

  /** The continuation that settled the promise, or 0. */
  settler(id: number): number {
    const i = id & MASK
    return this.ids[i] === id ? this.settlers[i] : (this.table.get(id)?.settler ?? 0)
  }

  /** The type alone, or -1. */
  type(id: number): number {
    const i = id & MASK
    return this.ids[i] === id ? this.types[i] : (this.table.get(id)?.type ?? -1)
  }

  ran(id: number): void {
    const i = id & MASK
    if (this.ids[i] === id) {
      if (this.runs[i] < 255) this.runs[i]++
      return
    }
    const kept = this.table.get(id)
    if (kept === undefined) return
    if (kept.recurring) kept.runs++
    else this.table.delete(id)
  }

  settled(id: number, by: number): void {
    const i = id & MASK
    if (this.ids[i] === id) {
      if (this.settlers[i] === 0) this.settlers[i] = by
    } else {
      const kept = this.table.get(id)
      if (kept !== undefined && kept.settler === 0) kept.settler = by
    }
  }

  private at(i: number, into: Resource): Resource {
    into.type = this.types[i]
    into.owner = this.owners[i]
    into.registered = this.times[i]
    into.from = this.froms[i]
    into.callback = this.callbacks[i]
    into.direct = (this.flags[i] & DIRECT) !== 0
    into.awaits = (this.flags[i] & AWAITS) !== 0
    into.trigger = this.triggers[i]
    into.settler = this.settlers[i]
    into.runs = this.runs[i]
    into.recurring = false
    return into
  }

  private keep(id: number, resource: Resource): void {
    if (this.table.size >= TABLE) {
      this.lost++
      this.table.delete(this.table.keys().next().value!)
    }
    this.table.set(id, resource)
  }
}
