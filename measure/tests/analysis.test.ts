/** The figures: of small trees against values found by hand, of random trees against `reference.ts`. */
import fc from 'fast-check'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { Analyser, analyse, pool, type Figures } from '../src/analysis/index.ts'
import { binOf, edgeOf, Histogram, quantile, type HistogramJson } from '../src/analysis/histogram.ts'
import { Loop } from '../src/analysis/loop.ts'
import { advise, adviceText, rank, type RankedChain } from '../src/analysis/ranking.ts'
import { LIMITS_MS, Subtrees } from '../src/analysis/subtrees.ts'
import { shortUrl } from '../src/analysis/sites.ts'
import type { Continuation } from '../src/format/types.ts'
import { TraceWriter } from '../src/format/write.ts'
import { near, ok, same, soak, test } from './harness.ts'
import { reference, type Node } from './reference.ts'

type Given = Partial<Continuation> & { start: number; end: number }

/** Figures of continuations 1, 2, 3 … on one loop, roots of kind `timeout` unless they say otherwise. */
function figures(given: Given[]): Figures {
  const analyser = new Analyser('by hand')
  analyser.add({ type: 'thread', id: 1, kind: 'page' })
  given.forEach((c, i) =>
    analyser.add({ type: 'continuation', id: i + 1, thread: 1, kind: 'timeout', parent: null, ...c }),
  )
  return analyser.finish()
}

/** The values of a histogram as far as bins tell: [lowest value of the bin, count]. */
const bins = (h: HistogramJson): number[][] => h.bins.map(([bin, count]) => [edgeOf(h.scale, bin), count])
/** A histogram of these values says the same. */
function holds(h: HistogramJson, values: number[], what: string): void {
  const want = new Histogram(h.scale)
  for (const v of values) want.add(v)
  const plain = (x: HistogramJson) => ({
    ...x,
    sum: Math.round(x.sum * 1000),
    bins: x.bins.map(([bin, count]) => [bin, count]),
  })
  same(plain(h), plain(want.toJson()), what)
}

// The tree of figure 1 of the papers in spirit: task a (1, 2, 4), task b (3, 7), an interval (5, 6), and a click (8)
// whose promise a batch (9) continues.
const tree: Given[] = [
  { start: 0, end: 100, kind: 'script' },
  { start: 150, end: 250, parent: 1 },
  { start: 300, end: 400, parent: 1 },
  { start: 1250, end: 1300, parent: 2 },
  { start: 1400, end: 1410, parent: 1, kind: 'interval', recurring: true, registration: 7 },
  { start: 1500, end: 1510, parent: 1, kind: 'interval', recurring: true, registration: 7 },
  { start: 20300, end: 20400, parent: 3 },
  { start: 20500, end: 20600, kind: 'event:click', batches: [[20550, 20600, 5]] },
  { start: 20700, end: 20900, kind: 'microtasks', parent: 8, batches: [[20700, 20900, 40]] },
]

test('durations of a tree, by hand', () => {
  const { durations, counts } = figures(tree)
  holds(durations.turns.all, [100, 100, 100, 50, 10, 10, 100, 100, 200], 'turns')
  holds(durations.turns.nonRecurring, [100, 100, 100, 50, 100, 100, 200], 'turns, not recurring')
  holds(durations.items.all, [100, 100, 100, 50, 10, 10, 100, 50, 50, 200], 'items')
  holds(durations.items.nonRecurring, [100, 100, 100, 50, 100, 50, 50, 200], 'items, not recurring')
  same([counts.continuations, counts.edges, counts.roots, counts.recurring, counts.busy], [9, 7, 2, 2, 770])
})

test('branching of a tree, by hand', () => {
  const { children, siblings } = figures(tree).branching
  same(bins(children.all), [
    [0, 4],
    [1, 4],
    [3, 1],
  ])
  same(bins(children.nonRecurring), [
    [0, 3],
    [1, 3],
    [2, 1],
  ])
  same(bins(siblings.all), [
    [1, 4],
    [3, 3],
  ])
  same(bins(siblings.nonRecurring), [
    [1, 3],
    [2, 2],
  ])
})

test('degree of concurrency of a tree, by hand', () => {
  const { nonRecurringEdges, allEdges } = figures(tree).concurrency
  // Across 2 lives 1-3, across 3 lives 2-4, across 4 lives 3-7; the edge 1-5 into the interval lives across all three.
  same(bins(nonRecurringEdges), [
    [0, 4],
    [1, 3],
  ])
  same(bins(allEdges), [
    [0, 4],
    [2, 3],
  ])
})

test('gaps of a tree, by hand', () => {
  const { all, nonRecurring } = figures(tree).gaps
  holds(nonRecurring.uninterrupted, [50, 100], 'uninterrupted')
  holds(nonRecurring.interrupted, [200, 1000, 19900], 'interrupted')
  holds(all.uninterrupted, [50, 90, 100], 'uninterrupted, all')
  holds(all.interrupted, [200, 1000, 1300, 19900], 'interrupted, all')
})

test('chains of a tree, by hand', () => {
  const { chains } = figures(tree)
  holds(chains[2], [250, 400, 1150, 20100, 400], '2')
  holds(chains[3], [1300, 20400], '3')
  holds(chains[4], [], '4')
})

test('microtask batches of a tree, by hand', () => {
  const { microtasks } = figures(tree)
  holds(microtasks.durations, [50, 200], 'durations')
  holds(microtasks.counts, [5, 40], 'counts')
})

const shapes = (f: Figures) =>
  f.subtrees.map((r) => [
    r.limitMs,
    r.total,
    r.linearL,
    r.linearS,
    r.multiL,
    r.multiS,
    r.containL,
    r.containS,
    r.interrupted,
    r.nodes,
    r.largest,
  ])

test('potentially atomic subtrees of a tree, by hand', () => {
  same(shapes(figures(tree)), [
    [0.1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0], // nothing ends *before* 100 µs
    [1, 2, 1, 1, 1, 1, 0, 0, 0, 5, 3], // {1 2 3}: 4 and 7 outside, of different parents; {8 9}
    [10, 2, 1, 1, 0, 0, 1, 0, 0, 6, 4], // {1 2 3 4}: 4 has no children, 7 is outside, nothing after 4
    [100, 2, 1, 1, 0, 0, 0, 0, 1, 7, 5], // {1 2 3 4 7}, interrupted by the interval
    [1000, 2, 1, 1, 0, 0, 0, 0, 1, 7, 5],
  ])
})

test('a recurring child makes a subtree not linear in the stricter sense', () => {
  const f = figures([
    { start: 0, end: 10 },
    { start: 20, end: 30, parent: 1 },
    { start: 40, end: 50, parent: 1, recurring: true, registration: 1 },
  ])
  same(shapes(f)[1], [1, 1, 1, 0, 0, 0, 0, 0, 0, 2, 2])
})

test('two long branches of one parent are multi L, not multi S', () => {
  const f = figures([
    { start: 0, end: 10 },
    { start: 20, end: 30, parent: 1 },
    { start: 5000, end: 5010, parent: 2 },
    { start: 6000, end: 6010, parent: 2 },
  ])
  // {1 2}; {3} and {4} are alone.
  same(shapes(f)[1], [1, 1, 0, 0, 1, 0, 0, 0, 0, 2, 2])
})

test('a short branch that something follows is contained in the stricter sense', () => {
  const f = figures([
    { start: 0, end: 10 },
    { start: 20, end: 30, parent: 1 },
    { start: 40, end: 50, parent: 1 },
    { start: 9000, end: 9010, parent: 3 },
  ])
  same(shapes(f)[1], [1, 1, 0, 0, 0, 0, 1, 1, 0, 3, 3])
})

test('subtrees of one chain may overlap, a contained one does not count', () => {
  // Each 0.4 ms, one after the other; the limit 1 ms holds two: {1 2} {2 3} {3 4}; {4} is alone.
  const f = figures([1, 2, 3, 4].map((i) => ({ start: 400 * i, end: 400 * i + 390, parent: i > 1 ? i - 1 : null })))
  same(f.subtrees[1].total, 3)
  // Within 10 ms all four: {2 3 4} lies inside {1 2 3 4}.
  same([f.subtrees[2].total, f.subtrees[2].nodes], [1, 4])
})

test('edges between event loops are counted, but are not gaps', () => {
  const analyser = new Analyser()
  analyser.add({ type: 'thread', id: 1, kind: 'page' })
  analyser.add({ type: 'thread', id: 2, kind: 'worker' })
  // The parent on the other thread comes later in the file; parent 99 never comes.
  analyser.add({ type: 'continuation', id: 2, thread: 2, kind: 'worker-message', parent: 1, start: 50, end: 60 })
  analyser.add({ type: 'continuation', id: 3, thread: 2, kind: 'timeout', parent: 99, start: 70, end: 80 })
  analyser.add({ type: 'continuation', id: 1, thread: 1, kind: 'script', parent: null, start: 0, end: 20 })
  const { counts, gaps } = analyser.finish()
  same(
    [counts.roots, counts.crossLoop, counts.lostParents, counts.edges, gaps.all.uninterrupted.count],
    [3, 1, 1, 0, 0],
  )
})

test('a chain by source location: runs, who interrupts it, how long it takes', () => {
  const analyser = new Analyser()
  analyser.add({ type: 'thread', id: 1, kind: 'page' })
  const begin = (line: number): { begin: [number, number] } => ({ begin: [line, 1] })
  // Lines 10 and 30 lie in one function; that of line 40 only has the same name, as in a minified bundle.
  for (const [id, line, name, first] of [
    [1, 10, 'o', 9],
    [2, 20, 'save', 20],
    [3, 30, 'o', 9],
    [5, 40, 'o', 40],
  ] as const) {
    analyser.add({ type: 'location', id, url: 'app.js', line, column: 5, function: name, ...begin(first) })
  }
  analyser.add({ type: 'location', id: 4, url: 'other.js', line: 1, column: 1 })
  let id = 0
  const run = (at: number, start: number, end: number, parent: number | null): number => {
    analyser.add({ type: 'continuation', id: ++id, thread: 1, kind: 'timeout', parent, start, end, at })
    return id
  }
  for (let i = 0; i < 20; i++) {
    const t = i * 10_000
    const first = run(1, t, t + 100, null)
    // In every fifth run a continuation of line 30, the same function of the same file, comes between; in one more,
    // another file's.
    if (i % 5 === 0) run(3, t + 150, t + 200, null)
    if (i === 7) run(4, t + 150, t + 200, null)
    if (i === 8) run(5, t + 150, t + 200, null)
    run(2, t + 300, t + (i === 19 ? 3000 : 1000), first)
  }
  const { ranking, sites } = analyser.finish()
  same(ranking.distinct, 1)
  const chain = ranking.chains[0]
  same(
    chain.sites.map((s) => sites[s].line),
    [10, 20],
  )
  same(
    [chain.runs, chain.interrupted, chain.sameFile, chain.sameFunction, chain.max, chain.advice],
    [20, 6, 5, 4, 3000, 'wrap'],
  )
  same(
    chain.by.map(([s, n]) => [sites[s].line, n]),
    [
      [30, 4],
      [1, 1],
      [40, 1],
    ],
  )
  ok(chain.p50 >= 1000 && chain.p50 < 1130, `p50 ${chain.p50}`)
  same(adviceText(chain, false), 'wrap in atomic: it took at most 3.0 ms; interrupted in 6 of 20 runs')
  const [median, worst] = chain.cpu
  ok(median >= 800 && median < 900 && worst === 800 + 2000, `it runs for ${chain.cpu}`)
  same(chain.wait, [0, 0], 'it waits for a timer of its own only')
})

test('source maps lead to the text that people wrote, and tell files of a bundle apart', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'charcoal-analysis-'))
  try {
    const map = JSON.stringify({ version: 3, sources: ['a.ts', 'b.ts'], names: ['save'], mappings: 'AAUIA;ACAA' })
    writeFileSync(path.join(folder, 'bundle.js'), '1\n2\n//# sourceMappingURL=bundle.js.map\n')
    writeFileSync(path.join(folder, 'bundle.js.map'), map)
    const trace = new TraceWriter(path.join(folder, 'run.jsonl'), { source: 'synthetic', tool: 'test' })
    const url = pathToFileURL(path.join(folder, 'bundle.js')).href
    trace.write({ type: 'thread', id: 1, kind: 'node' })
    const at = (line: number): number => trace.location(url, line, 1)
    trace.write({ type: 'continuation', id: 1, thread: 1, kind: 'timeout', parent: null, start: 0, end: 1, at: at(1) })
    trace.write({ type: 'continuation', id: 2, thread: 1, kind: 'timeout', parent: null, start: 2, end: 3, at: at(2) })
    trace.write({ type: 'continuation', id: 3, thread: 1, kind: 'timeout', parent: 1, start: 4, end: 5, at: at(1) })
    trace.write({
      type: 'continuation',
      id: 4,
      thread: 1,
      kind: 'timeout',
      parent: null,
      start: 6,
      end: 7,
      at: trace.location('http://example.org/far.js', 1, 1),
    })
    trace.end({ end: 10, reason: 'finished' })
    const f = await analyse(path.join(folder, 'run.jsonl'))
    const [a, b] = [1, 2].map((line) => f.sites.find((s) => s.url === url && s.line === line)!.original!)
    same(
      [path.basename(a.source), a.line, a.column, a.name, path.basename(b.source), b.line],
      ['a.ts', 11, 5, 'save', 'b.ts', 11],
    )
    same([f.ranking.chains[0].interrupted, f.ranking.chains[0].sameFile], [1, 0], 'the intruder stands in another file')
    ok(
      f.sites.some((s) => s.url === 'http://example.org/far.js' && s.original === undefined),
      'other hosts are not asked',
    )
    const bare = await analyse(path.join(folder, 'run.jsonl'), { sourceMaps: false })
    same([bare.sites.some((s) => s.original !== undefined), bare.ranking.chains[0].sameFile], [false, 1])
  } finally {
    rmSync(folder, { recursive: true })
  }
})

test('advice follows the longest run', () => {
  same(
    [advise(9, 100), advise(10, 10_000), advise(10, 10_001), advise(10, 50_000), advise(1, 50_001)],
    ['too-few-runs', 'wrap', 'careful', 'careful', 'do-not-wrap'],
  )
})

test('the ranking begins with what can be wrapped, and ends with what always takes long', () => {
  const chain = (name: number, more: Partial<RankedChain>): RankedChain => {
    const c: RankedChain = {
      sites: [name, name],
      runs: 20,
      interrupted: 5,
      sameFile: 0,
      sameFunction: 0,
      by: [],
      p50: 100,
      p99: 200,
      max: 300,
      cpu: [10, 20],
      wait: [50, 60],
      advice: 'wrap',
      ...more,
    }
    return { ...c, advice: advise(c.runs, c.max) }
  }
  const order = rank([
    chain(1, { interrupted: 0 }),
    chain(2, { p50: 1e6, max: 2e6, sameFunction: 5 }),
    chain(3, { p50: 500, max: 900_000 }),
    chain(4, { max: 20_000 }),
    chain(5, {}),
    chain(6, { sameFile: 2 }),
    chain(7, { runs: 3, interrupted: 3 }),
  ])
  same(
    order.map((c) => c.sites[0]),
    [6, 5, 4, 3, 7, 2, 1],
  )
})

test('long sequences of tiny continuations are found under their last site', () => {
  const chain = (n: number, at: number): Given[] =>
    Array.from({ length: n }, (_, i) => ({
      start: at + i * 100,
      end: at + i * 100 + 10,
      parent: i === 0 ? null : -1,
      kind: 'message-port',
    }))
  const given = [...chain(4, 0), ...chain(6, 10_000)].map((c, i) => ({ ...c, parent: c.parent === -1 ? i : null }))
  const { tiny, sites } = figures(given)
  same(
    tiny.map(({ site, ...rest }) => ({ kind: sites[site].kind, ...rest })),
    [{ kind: 'message-port', sequences: 1, continuations: 6, longest: 6, busy: 60, elapsed: 510, interrupted: 0 }],
  )
})

test('atomic blocks and the continuations that entered them', () => {
  const analyser = new Analyser()
  analyser.add({ type: 'thread', id: 1, kind: 'node' })
  analyser.add({ type: 'activity-start', id: 1, name: 'checkout', time: 0, thread: 1 })
  analyser.add({ type: 'atomic-enter', id: 1, activity: 1, thread: 1, time: 10, name: 'pay' })
  analyser.add({ type: 'continuation', id: 1, thread: 1, kind: 'immediate', parent: null, start: 20, end: 30 })
  analyser.add({ type: 'interruption', atomic: 1, continuation: 1, start: 20, end: 30 })
  analyser.add({ type: 'atomic-leave', id: 1, time: 110 })
  const { atomic, sites } = analyser.finish()
  same(
    [atomic.activities, atomic.blocks, atomic.interruptions, atomic.longest],
    [1, 1, 1, [{ name: 'pay', duration: 100 }]],
  )
  same(
    atomic.interrupted.map((x) => [x.name, sites[x.site].kind, x.count]),
    [['pay', 'immediate', 1]],
  )
})

test('every value lies in its bin', () => {
  fc.assert(
    fc.property(
      fc.constantFrom('time' as const, 'count' as const),
      fc.double({ min: 0, max: 1e9, noNaN: true }),
      (scale, x) => {
        const value = scale === 'count' ? Math.floor(x) : x
        const bin = binOf(scale, value)
        return edgeOf(scale, bin) <= value * (1 + 1e-6) + 1e-12 && value < edgeOf(scale, bin + 1) * (1 + 1e-6)
      },
    ),
  )
})

test('quantiles are within a bin of the exact ones', () => {
  fc.assert(
    fc.property(
      fc.array(fc.double({ min: 0.2, max: 1e7, noNaN: true }), { minLength: 1, maxLength: 60 }),
      fc.constantFrom(0.01, 0.5, 0.9, 1),
      (values, q) => {
        const h = new Histogram('time')
        for (const v of values) h.add(v)
        const exact = [...values].sort((a, b) => a - b)[Math.max(0, Math.ceil(q * values.length) - 1)]
        const got = quantile(h.toJson(), q)
        return got >= exact / 1.13 && got <= exact * 1.13
      },
    ),
  )
})

/**
 * Random continuations of several loops: times in whole µs, parents among the earlier ones, a few on another loop, some
 * recurring.
 */
const randomNodes: fc.Arbitrary<Node[]> = fc
  .array(
    fc.record({
      thread: fc.constantFrom(0, 0, 0, 1),
      wait: fc.constantFrom(0, 1, 3, 30, 400, 3000, 70_000),
      duration: fc.constantFrom(0, 2, 40, 300, 2000),
      parent: fc.nat(),
      root: fc.nat(5),
      recurring: fc.nat(5),
      registration: fc.constantFrom(undefined, 1, 2),
      batch: fc.nat(3),
      near: fc.nat(2),
    }),
    { minLength: 1, maxLength: 60 },
  )
  .map((list) => {
    const clock = [0, 0]
    const nodes: Node[] = []
    for (const x of list) {
      const start = (clock[x.thread] += x.wait)
      const end = (clock[x.thread] += x.duration)
      const recurring = x.recurring === 0
      const parent =
        x.root === 0 || nodes.length === 0
          ? -1
          : x.near > 0
            ? Math.max(0, nodes.length - 1 - (x.parent % 4))
            : x.parent % nodes.length
      const half = Math.floor((start + end) / 2)
      nodes.push({
        thread: x.thread,
        start,
        end,
        parent,
        recurring,
        ...(recurring && x.registration !== undefined && { registration: x.registration }),
        batches:
          x.batch === 0
            ? [[half, end, 3]]
            : x.batch === 1
              ? [
                  [start, half, 1],
                  [half, end, null],
                ]
              : [],
        onlyMicrotasks: x.batch === 1,
      })
    }
    return nodes
  })

async function writtenAndRead(nodes: Node[], file: string): Promise<Figures> {
  const trace = new TraceWriter(file, { source: 'synthetic', tool: 'test' })
  trace.write({ type: 'thread', id: 1, kind: 'page' })
  trace.write({ type: 'thread', id: 2, kind: 'worker' })
  nodes.forEach((c, i) =>
    trace.write({
      type: 'continuation',
      id: i + 1,
      thread: c.thread + 1,
      kind: c.onlyMicrotasks ? 'microtasks' : 'timeout',
      parent: c.parent < 0 ? null : c.parent + 1,
      start: c.start,
      end: c.end,
      ...(c.recurring && { recurring: true, ...(c.registration !== undefined && { registration: c.registration }) }),
      ...(c.batches.length > 0 && { batches: c.batches }),
      at: trace.location('a.js', 1 + (i % 3), 1),
    }),
  )
  trace.end({ end: 1e9, reason: 'finished' })
  return analyse(file)
}

function agrees(f: Figures, nodes: Node[]): void {
  const want = reference(nodes, [...LIMITS_MS])
  same(f.subtrees, want.subtrees, 'subtrees')
  for (const part of ['turns', 'items'] as const)
    for (const which of ['all', 'nonRecurring'] as const)
      holds(f.durations[part][which], want[part][which], `${part} ${which}`)
  for (const part of ['children', 'siblings'] as const)
    for (const which of ['all', 'nonRecurring'] as const)
      holds(f.branching[part][which], want[part][which], `${part} ${which}`)
  for (const which of ['nonRecurringEdges', 'allEdges'] as const)
    holds(f.concurrency[which], want.concurrency[which], which)
  for (const which of ['all', 'nonRecurring'] as const)
    for (const how of ['interrupted', 'uninterrupted'] as const)
      holds(f.gaps[which][how], want.gaps[which][how], `gaps ${which} ${how}`)
  for (const k of [2, 3, 4] as const) holds(f.chains[k], want.chains[k], `chains ${k}`)
  for (const part of ['durations', 'counts'] as const)
    holds(f.microtasks[part], want.microtasks[part], `microtasks ${part}`)
}

test(
  'a random tree written as a trace and read back has the figures of the definitions',
  async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'charcoal-analysis-'))
    const seen: Record<string, number> = {}
    try {
      await fc.assert(
        fc.asyncProperty(randomNodes, async (nodes) => {
          const f = await writtenAndRead(nodes, path.join(folder, 'tree.jsonl'))
          agrees(f, nodes)
          for (const row of f.subtrees)
            for (const [shape, count] of Object.entries(row)) seen[shape] = (seen[shape] ?? 0) + count
        }),
        { numRuns: 500 * soak },
      )
      for (const [shape, count] of Object.entries(seen)) ok(count > 5, `only ${count} of ${shape} in all random trees`)
    } finally {
      rmSync(folder, { recursive: true })
    }
  },
  60 * soak,
)

test(
  'walking small trees and sweeping large ones give the same subtrees',
  () => {
    fc.assert(
      fc.property(randomNodes, (nodes) => {
        const loop = new Loop(1)
        nodes.forEach((c, i) =>
          loop.push(i + 1, i * 1000 + c.start * 0, i * 1000 + 300 + (c.end - c.start) / 10, c.parent, 0, c.recurring),
        )
        const [walked, mixed, swept] = [1e9, 6, 0].map((upTo) => {
          const subtrees = new Subtrees([0.5, 1, 2, 4, 10, 40], upTo)
          subtrees.add(loop)
          return subtrees.toJson()
        })
        same(mixed, walked)
        same(swept, walked)
      }),
      { numRuns: 500 * soak },
    )
  },
  60 * soak,
)

test('pooled figures are the sums of the single ones', () => {
  const one = figures(tree)
  const two = figures(tree.slice(0, 4))
  const both = pool([one, two], 'both')
  same(
    [
      both.counts.continuations,
      both.recordings.length,
      both.durations.turns.all.count,
      both.gaps.nonRecurring.interrupted.count,
    ],
    [13, 2, 13, 5],
  )
  near(both.durations.turns.all.sum, 770 + 350)
  same(both.subtrees[1].total, one.subtrees[1].total + two.subtrees[1].total)
  for (const h of [both.durations.turns.all, both.gaps.all.interrupted])
    for (const [, , examples] of h.bins)
      for (const s of examples) ok(both.sites[s] !== undefined, 'an example names a site')
  same(pool([one], one.title), one, 'pooling one recording changes nothing')
})

test('the timeline shows edges and rows of what ran', () => {
  const { timeline, sites } = figures(tree)
  same(timeline.length, 1)
  const { nodes, rows } = timeline[0]
  same(
    nodes.map((n) => n[2]),
    [-1, 0, 0, 1, 0, 4, 2, -1, 7],
  )
  ok(rows === 2 && nodes.every((n) => n[4] < rows && sites[n[3]] !== undefined), 'rows and sites are known')
  // Nobody stands on another: in a row, each begins after the one before it ended.
  for (let row = 0; row < rows; row++)
    nodes.filter((n) => n[4] === row).reduce((end, n) => (ok(n[0] >= end, 'overlap in a row'), n[1]), 0)
})

test('the last child: whether it, the first or the soonest goes on with the task that an await tells', () => {
  const analyser = new Analyser('by hand')
  analyser.add({ type: 'thread', id: 1, kind: 'node' })
  const begin: [number, number] = [1, 1]
  for (const [id, line] of [
    [1, 2],
    [2, 3],
    [3, 4],
  ] as const)
    analyser.add({ type: 'location', id, url: 'a.js', line, column: 5, function: 'f', begin })
  analyser.add({ type: 'location', id: 4, url: 'a.js', line: 9, column: 1, function: 'g' })
  for (const [id, url] of [
    [5, 'b.js'],
    [6, 'c.js'],
  ] as const)
    analyser.add({ type: 'location', id, url, line: 7, column: 1, begin })
  const ran: (Partial<Continuation> & { parent: number | null; registered: number })[] = [
    { parent: null, registered: 0, at: 1 },
    // Two children: a timer, then the await of the same function.
    { parent: 1, registered: 1, at: 4 },
    { parent: 1, registered: 2, at: 2 },
    // Three: the await comes first, and runs first.
    { parent: 3, registered: 25, at: 3 },
    { parent: 3, registered: 26, at: 4 },
    { parent: 3, registered: 27, at: 4 },
    // Two, of which none is known to go on.
    { parent: 4, registered: 40, at: 4 },
    { parent: 4, registered: 41, at: 4 },
    { parent: 1, registered: 3, at: 1, recurring: true },
    // Two: an await at the top level of another module, then one of the same.
    { parent: null, registered: 60, at: 5 },
    { parent: 10, registered: 61, at: 6 },
    { parent: 10, registered: 62, at: 5 },
  ]
  ran.forEach((c, i) =>
    analyser.add({
      type: 'continuation',
      id: i + 1,
      thread: 1,
      kind: 'promise',
      start: 10 * i + 4,
      end: 10 * i + 8,
      ...c,
    }),
  )
  same(analyser.finish().lastChild, { parents: 4, known: 3, last: 2, first: 1, lot: 1 + 1 / 3, soonest: 1 })
})

test('a place in the page of a host itself is told from its port', () => {
  same(shortUrl('http://127.0.0.1:8123/?a#b'), '127.0.0.1:8123/')
  same(shortUrl('http://127.0.0.1:8123/app.js'), '127.0.0.1:8123/app.js')
  same(shortUrl('file:///srv/shop/src/app.js'), 'src/app.js')
  same(shortUrl('node:internal/timers'), 'node:internal/timers')
})
