/**
 * What is known of asynchronous resources, by Node's id. Ids grow by one, so the newest live in a ring of flat arrays. One that is overwritten while it can still run moves to a table,
 * which also has the handles from the start; the table forgets its oldest when it is full.
 *
 * Invariant: a resource that can still run is in exactly one of ring and table, unless it was forgotten (`lost` counts those).
 */
const SIZE = 1 << 17
const MASK = SIZE - 1
const TABLE = 1 << 20

export interface Resource {
  type: number
  /** The continuation that made it. */
  owner: number
  registered: number
  /** Location of the call that made it, or 0. */
  from: number
  /** Made by the user's code itself, not through a function of Node's. */
  direct: boolean
  trigger: number
  /** The continuation that settled the promise, or 0. */
  settler: number
  runs: number
  /** It can run again. */
  recurring: boolean
}

export class Resources {
  lost = 0
  private readonly ids = new Float64Array(SIZE)
  private readonly types = new Uint16Array(SIZE)
  private readonly owners = new Float64Array(SIZE)
  private readonly times = new Float64Array(SIZE)
  private readonly froms = new Uint32Array(SIZE)
  private readonly directs = new Uint8Array(SIZE)
  private readonly triggers = new Float64Array(SIZE)
  private readonly settlers = new Float64Array(SIZE)
  private readonly runs = new Uint8Array(SIZE)
  private readonly table = new Map<number, Resource>()

  add(id: number, type: number, owner: number, time: number, from: number, direct: boolean, trigger: number): void {
    const i = id & MASK
    if (this.ids[i] !== 0 && this.runs[i] === 0 && this.settlers[i] === 0) this.keep(this.ids[i], this.at(i))
    this.ids[i] = id
    this.types[i] = type
    this.owners[i] = owner
    this.times[i] = time
    this.froms[i] = from
    this.directs[i] = direct ? 1 : 0
    this.triggers[i] = trigger
    this.settlers[i] = 0
    this.runs[i] = 0
  }

  addHandle(id: number, type: number, owner: number, time: number, from: number): void {
    this.keep(id, { type, owner, registered: time, from, direct: false, trigger: 0, settler: 0, runs: 0, recurring: true })
  }

  get(id: number): Resource | undefined {
    const i = id & MASK
    return this.ids[i] === id ? this.at(i) : this.table.get(id)
  }

  /** The continuation that settled the promise, or 0. */
  settler(id: number): number {
    const i = id & MASK
    return this.ids[i] === id ? this.settlers[i] : (this.table.get(id)?.settler ?? 0)
  }

  /** The continuation that made it, or 0. */
  owner(id: number): number {
    const i = id & MASK
    return this.ids[i] === id ? this.owners[i] : (this.table.get(id)?.owner ?? 0)
  }

  /** The promise that it hangs on, or 0. */
  trigger(id: number): number {
    const i = id & MASK
    return this.ids[i] === id ? this.triggers[i] : (this.table.get(id)?.trigger ?? 0)
  }

  /** The user's code made it itself, not through a function of Node's. */
  direct(id: number): boolean {
    const i = id & MASK
    return this.ids[i] === id ? this.directs[i] === 1 : (this.table.get(id)?.direct ?? false)
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

  private at(i: number): Resource {
    return { type: this.types[i], owner: this.owners[i], registered: this.times[i], from: this.froms[i], direct: this.directs[i] === 1, trigger: this.triggers[i], settler: this.settlers[i], runs: this.runs[i], recurring: false }
  }

  private keep(id: number, resource: Resource): void {
    if (this.table.size >= TABLE) {
      this.lost++
      this.table.delete(this.table.keys().next().value!)
    }
    this.table.set(id, resource)
  }
}
