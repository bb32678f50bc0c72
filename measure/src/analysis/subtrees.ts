/**
 * The table of paper 000, section "Do Programs Actually Do this Weird Stuff?": potentially atomic subtrees (PASs) of a
 * continuation tree, and their shapes.
 *
 * For a root r and a limit L, S(r) is the set of r's descendants, r included, that end before start(r) + L. Ends grow
 * along a path, so S(r) is connected, and it is the largest connected set with first continuation r that keeps the
 * limit. It is a PAS if it has two or more continuations and is maximal. Every set that keeps the limit lies in the S
 * of its own root, and if an ancestor's S contains S(r), the parent's does; so S(r) is maximal unless S(parent of r)
 * contains it, that is, unless nothing below r ends within [start(parent)+L, start(r)+L). PASs may overlap.
 *
 * With, over S: nodes; kids (all children, inside or not); childless nodes; open nodes (with a child outside S); and
 * out = kids - (nodes - 1), the children outside:
 *   Linear L: no node has two children.  Linear S: nor when recurring children are counted.
 *   Multi L: out >= 2.                   Multi S: open >= 2.
 *   Contain L: childless >= 1 and out >= 1.  Contain S: also some node of S ran after the first childless one.
 *
 * All of these are sums over "the nodes below r that ended before T". Numbers are an order in time, so one sweep over T
 * inserts nodes into a binary indexed tree over the preorder of the forest, where "below r" is an interval: O(log n) a
 * node. In small trees the nodes are simply walked.
 */
import type { Loop } from './loop.ts'

export const LIMITS_MS = [0.1, 1, 10, 100, 1000] as const

export interface SubtreeRow {
  limitMs: number
  total: number
  linearL: number
  linearS: number
  multiL: number
  multiS: number
  containL: number
  containS: number
  /** PASs in which a continuation from outside ran between the first and the last. */
  interrupted: number
  /** Continuations in all PASs together, those in several counted several times. */
  nodes: number
  largest: number
}

/** What the shapes are decided from; see above. `last`: number of the last continuation of S. */
interface Sums {
  nodes: number
  kids: number
  childless: number
  branchy: number
  branchyAll: number
  open: number
}

const STRIDE = 6

export class Subtrees {
  private readonly rows: SubtreeRow[]
  private readonly walkUpTo: number

  /** `walkUpTo`: trees of more continuations than this use the sweep. Both ways give the same. */
  constructor(limits: readonly number[] = LIMITS_MS, walkUpTo = 48) {
    this.rows = limits.map((limitMs) => ({
      limitMs,
      total: 0,
      linearL: 0,
      linearS: 0,
      multiL: 0,
      multiS: 0,
      containL: 0,
      containS: 0,
      interrupted: 0,
      nodes: 0,
      largest: 0,
    }))
    this.walkUpTo = walkUpTo
  }

  add(loop: Loop): void {
    const forest = new Forest(loop, this.walkUpTo)
    for (const row of this.rows) {
      walkSmallTrees(forest, row)
      sweepLargeTrees(forest, row)
    }
  }

  toJson(): SubtreeRow[] {
    return this.rows.map((row) => ({ ...row }))
  }
}

/**
 * The non-recurring edges of a loop as preorder intervals: what is below i stands at `pre[i]` … `pre[i] + size[i] - 1`.
 * Small trees come first, large ones from `largeFrom` on; lone continuations are left out (`pre` -1).
 */
class Forest {
  readonly n: number
  readonly loop: Loop
  readonly parent: Int32Array
  readonly kids: Int32Array
  readonly allKids: Int32Array
  readonly size: Int32Array
  readonly pre: Int32Array
  readonly nodeAt: Int32Array
  readonly lastKid: Int32Array
  readonly firstChildless: Int32Array
  readonly largeFrom: number
  readonly total: number

  constructor(loop: Loop, walkUpTo: number) {
    const n = (this.n = loop.n)
    this.loop = loop
    const parent = (this.parent = new Int32Array(n))
    const kids = (this.kids = new Int32Array(n))
    const allKids = (this.allKids = new Int32Array(n))
    const size = (this.size = new Int32Array(n).fill(1))
    const lastKid = (this.lastKid = new Int32Array(n).fill(-1))
    const firstChildless = (this.firstChildless = new Int32Array(n).fill(n))
    for (let c = 0; c < n; c++) {
      if (loop.parent[c]! >= 0) allKids[loop.parent[c]!]!++
      const p = (parent[c] = loop.edge(c))
      if (p < 0) continue
      kids[p]!++
      lastKid[p] = c
    }
    for (let c = n - 1; c >= 0; c--) {
      if (kids[c] === 0) firstChildless[c] = c
      const p = parent[c]!
      if (p < 0) continue
      size[p]! += size[c]!
      if (firstChildless[c]! < firstChildless[p]!) firstChildless[p] = firstChildless[c]!
    }
    let small = 0
    let large = 0
    for (let i = 0; i < n; i++)
      if (parent[i]! < 0 && size[i]! > 1) size[i]! <= walkUpTo ? (small += size[i]!) : (large += size[i]!)
    this.largeFrom = small
    this.total = small + large
    const pre = (this.pre = new Int32Array(n).fill(-1))
    const nodeAt = (this.nodeAt = new Int32Array(small + large))
    const next = new Int32Array(n)
    let smallAt = 0
    let largeAt = small
    for (let i = 0; i < n; i++) {
      const p = parent[i]!
      if (p >= 0) {
        pre[i] = next[p]!
        next[p]! += size[i]!
      } else if (size[i] === 1) continue
      else if (size[i]! <= walkUpTo) {
        pre[i] = smallAt
        smallAt += size[i]!
      } else {
        pre[i] = largeAt
        largeAt += size[i]!
      }
      nodeAt[pre[i]!] = i
      next[i] = pre[i]! + 1
    }
  }
}

/** Counts one PAS with first continuation `r`. `last` is the number of its last continuation. */
function count(row: SubtreeRow, forest: Forest, r: number, s: Sums, last: number): void {
  const out = s.kids - (s.nodes - 1)
  row.total++
  if (s.branchy === 0) row.linearL++
  if (s.branchyAll === 0) row.linearS++
  if (out >= 2) row.multiL++
  if (s.open >= 2) row.multiS++
  if (s.childless >= 1 && out >= 1) {
    row.containL++
    if (last > forest.firstChildless[r]!) row.containS++
  }
  if (last - r + 1 > s.nodes) row.interrupted++
  row.nodes += s.nodes
  if (s.nodes > row.largest) row.largest = s.nodes
}

function walkSmallTrees(forest: Forest, row: SubtreeRow): void {
  const { nodeAt, size, parent, kids, allKids, lastKid } = forest
  const { start, end } = forest.loop
  const limit = row.limitMs * 1000
  const s: Sums = { nodes: 0, kids: 0, childless: 0, branchy: 0, branchyAll: 0, open: 0 }
  for (let first = 0; first < forest.largeFrom; first++) {
    const r = nodeAt[first]!
    if (kids[r] === 0) continue
    const until = start[r]! + limit
    s.nodes = s.kids = s.childless = s.branchy = s.branchyAll = s.open = 0
    let last = -1
    for (let at = first; at < first + size[r]!;) {
      const i = nodeAt[at]!
      if (end[i]! >= until) {
        at += size[i]!
        continue
      }
      at++
      s.nodes++
      s.kids += kids[i]!
      if (kids[i] === 0) s.childless++
      else if (end[lastKid[i]!]! >= until) s.open++
      if (kids[i]! > 1) s.branchy++
      if (allKids[i]! > 1) s.branchyAll++
      if (i > last) last = i
    }
    const p = parent[r]!
    if (s.nodes > 1 && (p < 0 || end[last]! >= start[p]! + limit)) count(row, forest, r, s, last)
  }
}

function sweepLargeTrees(forest: Forest, row: SubtreeRow): void {
  const width = forest.total - forest.largeFrom
  if (width === 0) return
  const { n, size, pre, parent, kids, allKids, lastKid } = forest
  const { start, end } = forest.loop
  const limit = row.limitMs * 1000
  const tree = new Int32Array((width + 1) * STRIDE)
  const latest = new Latest(width)
  const low: Sums = { nodes: 0, kids: 0, childless: 0, branchy: 0, branchyAll: 0, open: 0 }
  const high: Sums = { nodes: 0, kids: 0, childless: 0, branchy: 0, branchyAll: 0, open: 0 }

  const insert = (i: number): void => {
    const place = pre[i]! - forest.largeFrom
    const k = kids[i]!
    for (let b = place + 1; b <= width; b += b & -b) {
      const at = b * STRIDE
      tree[at]!++
      tree[at + 1]! += k
      if (k === 0) tree[at + 2]!++
      else tree[at + 5]!++
      if (k > 1) tree[at + 3]!++
      if (allKids[i]! > 1) tree[at + 4]!++
    }
    latest.set(place, i)
    const p = parent[i]!
    if (p >= 0 && lastKid[p] === i)
      for (let b = pre[p]! - forest.largeFrom + 1; b <= width; b += b & -b) tree[b * STRIDE + 5]!--
  }
  const prefix = (place: number, into: Sums): void => {
    into.nodes = into.kids = into.childless = into.branchy = into.branchyAll = into.open = 0
    for (let b = place; b > 0; b -= b & -b) {
      const at = b * STRIDE
      into.nodes += tree[at]!
      into.kids += tree[at + 1]!
      into.childless += tree[at + 2]!
      into.branchy += tree[at + 3]!
      into.branchyAll += tree[at + 4]!
      into.open += tree[at + 5]!
    }
  }

  let inserted = 0
  for (let r = 0; r < n; r++) {
    const first = pre[r]! - forest.largeFrom
    if (first < 0 || kids[r] === 0) continue
    const until = start[r]! + limit
    for (; inserted < n && end[inserted]! < until; inserted++) if (pre[inserted]! >= forest.largeFrom) insert(inserted)
    const last = latest.max(first, first + size[r]!)
    const p = parent[r]!
    // Not even r fits, or nothing but r, or the set of the parent contains this one: this is no PAS.
    if (last <= r || (p >= 0 && end[last]! < start[p]! + limit)) continue
    prefix(first, low)
    prefix(first + size[r]!, high)
    high.nodes -= low.nodes
    high.kids -= low.kids
    high.childless -= low.childless
    high.branchy -= low.branchy
    high.branchyAll -= low.branchyAll
    high.open -= low.open
    count(row, forest, r, high, last)
  }
}

/** The largest number set within an interval of places; -1 where none is. */
class Latest {
  private readonly width: number
  private readonly tree: Int32Array

  constructor(width: number) {
    this.width = width
    this.tree = new Int32Array(width * 2).fill(-1)
  }

  set(place: number, value: number): void {
    for (let at = place + this.width; at >= 1 && this.tree[at]! < value; at >>= 1) this.tree[at] = value
  }

  /** Of the places from `from` to before `to`. */
  max(from: number, to: number): number {
    let best = -1
    for (let low = from + this.width, high = to + this.width; low < high; low >>= 1, high >>= 1) {
      if (low & 1) best = Math.max(best, this.tree[low++]!)
      if (high & 1) best = Math.max(best, this.tree[--high]!)
    }
    return best
  }
}
