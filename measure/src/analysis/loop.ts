/**
 * The continuations of one event loop, as columns: continuation number i is the i-th that ran. About 48 bytes each,
 * whatever their number. Invariants: `start` and `end` never decrease from one i to the next, and continuations do not
 * overlap; a parent's number is smaller than its children's, or -1 for a root; what lies between two numbers ran
 * between them, so "is this gap interrupted" is a subtraction.
 */
export class Loop {
  /** Continuations so far. */
  n = 0
  readonly thread: number
  id = new Float64Array(64)
  start = new Float64Array(64)
  end = new Float64Array(64)
  /**
   * Number of the continuation that registered this one; for a recurring one from its second run on, of the previous
   * run.
   */
  parent = new Int32Array(64)
  site = new Int32Array(64)
  recurring = new Uint8Array(64)
  /** When it was registered; its start, where that is unknown. */
  registered = new Float64Array(64)
  /** 1: it goes on after an `await`, and its site is the place of that. */
  resumed = new Uint8Array(64)

  constructor(thread: number) {
    this.thread = thread
  }

  push(
    id: number,
    start: number,
    end: number,
    parent: number,
    site: number,
    recurring: boolean,
    registered = start,
    resumed = false,
  ): number {
    const i = this.n++
    if (i === this.id.length) this.grow(Math.ceil(i * 1.5))
    this.id[i] = id
    this.start[i] = start
    this.end[i] = end
    this.parent[i] = parent
    this.site[i] = site
    this.recurring[i] = recurring ? 1 : 0
    this.registered[i] = registered
    this.resumed[i] = resumed ? 1 : 0
    return i
  }

  /**
   * The number of the continuation with this id, or -1. Ids grow, so a search by halves does; they are usually dense,
   * so the first guess is usually right.
   */
  find(id: number): number {
    let low = 0
    let high = this.n - 1
    let guess = high - (this.n === 0 ? 0 : this.id[high]! - id)
    while (low <= high) {
      if (!(guess >= low && guess <= high)) guess = (low + high) >>> 1
      const at = this.id[guess]!
      if (at === id) return guess
      if (at < id) low = guess + 1
      else high = guess - 1
      guess = (low + high) >>> 1
    }
    return -1
  }

  /**
   * The parent along an edge that chains and subtrees follow: not into a recurring continuation. -1 if there is none.
   */
  edge(i: number): number {
    return this.recurring[i] === 1 ? -1 : this.parent[i]!
  }

  private grow(size: number): void {
    this.id = copy(this.id, new Float64Array(size))
    this.start = copy(this.start, new Float64Array(size))
    this.end = copy(this.end, new Float64Array(size))
    this.parent = copy(this.parent, new Int32Array(size))
    this.site = copy(this.site, new Int32Array(size))
    this.recurring = copy(this.recurring, new Uint8Array(size))
    this.registered = copy(this.registered, new Float64Array(size))
    this.resumed = copy(this.resumed, new Uint8Array(size))
  }
}

function copy<T extends Float64Array | Int32Array | Uint8Array>(from: T, to: T): T {
  to.set(from)
  return to
}
