/**
 * The figures straight from their definitions, by trying everything: slow, and sharing no code with the analysis.
 * `Node` is a continuation as the property tests make it up.
 */
export interface Node {
  thread: number
  start: number
  end: number
  /** Index into the whole list, or -1. On the same thread, and earlier, or on another one. */
  parent: number
  recurring: boolean
  registration?: number
  batches: [number, number, number | null][]
  onlyMicrotasks: boolean
}

const sorted = (values: number[]): number[] => values.sort((a, b) => a - b)

export function reference(nodes: Node[], limitsMs: number[]) {
  // A recurring registration's later runs are children of the run before; edges between event loops are no edges.
  const parent = nodes.map((c, i) => {
    const before =
      c.recurring && c.registration !== undefined
        ? nodes.findLastIndex(
            (o, j) => j < i && o.thread === c.thread && o.registration === c.registration && o.recurring,
          )
        : -1
    const p = before >= 0 ? before : c.parent
    return p >= 0 && nodes[p].thread === c.thread ? p : -1
  })
  const all = nodes.map((_, i) => i)
  const plain = all.filter((i) => !nodes[i].recurring)
  const kids = (p: number): number[] => all.filter((i) => parent[i] === p)
  const plainKids = (p: number): number[] => kids(p).filter((i) => !nodes[i].recurring)
  const between = (p: number, c: number): number[] =>
    all.filter((i) => nodes[i].thread === nodes[c].thread && i > p && i < c)
  const duration = (i: number): number => nodes[i].end - nodes[i].start
  const items = (some: number[]): number[] =>
    some.flatMap((i) => {
      const batches = nodes[i].batches.map(([a, b]) => b - a)
      return nodes[i].onlyMicrotasks && batches.length > 0
        ? batches
        : [duration(i) - batches.reduce((x, y) => x + y, 0), ...batches]
    })
  const gap = (i: number): number => nodes[i].start - nodes[parent[i]].end
  const gaps = (some: number[]) => ({
    interrupted: sorted(some.filter((i) => parent[i] >= 0 && between(parent[i], i).length > 0).map(gap)),
    uninterrupted: sorted(some.filter((i) => parent[i] >= 0 && between(parent[i], i).length === 0).map(gap)),
  })
  const degree = (i: number, edges: number[]): number =>
    edges.filter((c) => nodes[c].thread === nodes[i].thread && parent[c] >= 0 && parent[c] < i && c > i).length
  const path = (i: number): number[] => (parent[i] < 0 ? [i] : [...path(parent[i]), i])
  const chain = (k: number): number[] =>
    sorted(
      all.flatMap((i) => {
        const tail = path(i).slice(-k)
        return tail.length === k && tail.every((j) => !nodes[j].recurring) ? [nodes[i].end - nodes[tail[0]].start] : []
      }),
    )
  const subtree = (r: number, until: number): number[] =>
    nodes[r].end >= until ? [] : [r, ...plainKids(r).flatMap((k) => subtree(k, until))]
  const edge = (i: number): number => (nodes[i].recurring ? -1 : parent[i])
  const rows = limitsMs.map((limitMs) => {
    const candidates = all.map((r) => subtree(r, nodes[r].start + limitMs * 1000)).filter((s) => s.length > 1)
    const sets = candidates.map((s) => new Set(s))
    const maximal = candidates.filter(
      (s, k) => !sets.some((other, j) => j !== k && other.size > s.length && s.every((i) => other.has(i))),
    )
    const row = {
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
    }
    for (const s of maximal) {
      const inside = new Set(s)
      const outside = s.flatMap((i) => plainKids(i).filter((k) => !inside.has(k)))
      const childless = s.filter((i) => plainKids(i).length === 0)
      row.total++
      if (s.every((i) => plainKids(i).length <= 1)) row.linearL++
      if (s.every((i) => kids(i).length <= 1)) row.linearS++
      if (outside.length >= 2) row.multiL++
      if (new Set(outside.map(edge)).size >= 2) row.multiS++
      if (childless.length > 0 && outside.length > 0) {
        row.containL++
        if (s.some((i) => childless.some((leaf) => i > leaf))) row.containS++
      }
      if (
        all.some(
          (i) => nodes[i].thread === nodes[s[0]].thread && !inside.has(i) && i > Math.min(...s) && i < Math.max(...s),
        )
      )
        row.interrupted++
      row.nodes += s.length
      row.largest = Math.max(row.largest, s.length)
    }
    return row
  })
  return {
    turns: { all: sorted(all.map(duration)), nonRecurring: sorted(plain.map(duration)) },
    items: { all: sorted(items(all)), nonRecurring: sorted(items(plain)) },
    children: {
      all: sorted(all.map((i) => kids(i).length)),
      nonRecurring: sorted(plain.map((i) => plainKids(i).length)),
    },
    siblings: {
      all: sorted(all.filter((i) => parent[i] >= 0).map((i) => kids(parent[i]).length)),
      nonRecurring: sorted(plain.filter((i) => parent[i] >= 0).map((i) => plainKids(parent[i]).length)),
    },
    concurrency: {
      nonRecurringEdges: sorted(plain.map((i) => degree(i, plain))),
      allEdges: sorted(plain.map((i) => degree(i, all))),
    },
    gaps: { all: gaps(all), nonRecurring: gaps(plain) },
    chains: { 2: chain(2), 3: chain(3), 4: chain(4) },
    microtasks: {
      durations: sorted(nodes.flatMap((c) => c.batches.map(([a, b]) => b - a))),
      counts: sorted(nodes.flatMap((c) => c.batches.flatMap(([, , n]) => (n === null ? [] : [n])))),
    },
    subtrees: rows,
  }
}
