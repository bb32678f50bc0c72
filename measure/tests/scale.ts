/**
 * Makes up a long recording and analyses it: `scale.ts COUNT [through-a-file]`. Prints one JSON line with the seconds and the memory it took. Half of the continuations hang in one tree that
 * goes through the whole recording, the rest in small ones; a tenth recurs.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { Analyser, analyse, type Figures } from '../src/analysis/index.ts'
import type { Continuation } from '../src/format/types.ts'
import { TraceWriter } from '../src/format/write.ts'

export function* madeUp(count: number, locations: number): Generator<Continuation> {
  let random = 12345
  const below = (n: number): number => (random = (random * 1103515245 + 12345) % 2147483648) % n
  let now = 0
  for (let id = 1; id <= count; id++) {
    const start = (now += below(10) < 9 ? 5 + below(40) : below(3000))
    const end = (now += 2 + below(60) + (below(50) === 0 ? below(5000) : 0))
    const recurring = id % 2 === 1 && below(5) === 0
    const back = id % 2 === 0 ? 2 + 2 * below(3) : 1 + 2 * below(4)
    const parent = id > 10 && (id % 2 === 0 || id % 16 > 8) ? id - back : null
    yield {
      type: 'continuation', id, thread: 1, kind: recurring ? 'interval' : 'promise', parent, start, end, at: 1 + below(locations),
      ...(recurring && { recurring, registration: 1 + below(1000) }), ...(id % 3 === 0 && { microtasks: 3, batches: [[start + 1, end, 3]] as [number, number, number][] }),
    }
  }
}

async function measured(count: number, throughFile: boolean): Promise<{ figures: Figures; seconds: number }> {
  const locations = Array.from({ length: 500 }, (_, i) => ({ type: 'location' as const, id: i + 1, url: `file:///srv/module${i % 40}.js`, line: i, column: 1, function: `f${i}` }))
  if (!throughFile) {
    const began = performance.now()
    const analyser = new Analyser()
    analyser.add({ type: 'thread', id: 1, kind: 'page' })
    for (const l of locations) analyser.add(l)
    for (const c of madeUp(count, locations.length)) analyser.add(c)
    return { figures: analyser.finish(), seconds: (performance.now() - began) / 1000 }
  }
  const folder = mkdtempSync(path.join(tmpdir(), 'charcoal-scale-'))
  try {
    const file = path.join(folder, 'long.jsonl')
    const trace = new TraceWriter(file, { source: 'synthetic', tool: 'scale' })
    trace.write({ type: 'thread', id: 1, kind: 'page' })
    for (const l of locations) trace.write(l)
    for (const c of madeUp(count, locations.length)) trace.write(c)
    trace.end({ end: 1e12, reason: 'finished' })
    const began = performance.now()
    return { figures: await analyse(file), seconds: (performance.now() - began) / 1000 }
  } finally {
    rmSync(folder, { recursive: true })
  }
}

const count = Number(process.argv[2] ?? 1_000_000)
let peak = 0
const timer = setInterval(() => (peak = Math.max(peak, process.memoryUsage.rss())), 20)
const { figures, seconds } = await measured(count, process.argv[3] === 'through-a-file')
clearInterval(timer)
peak = Math.max(peak, process.resourceUsage().maxRSS * 1024)
console.log(
  JSON.stringify({ continuations: figures.counts.continuations, seconds: Number(seconds.toFixed(1)), peakMiB: Math.round(peak / 2 ** 20), json: JSON.stringify(figures).length, subtrees: figures.subtrees.map((r) => r.total), largest: figures.subtrees.map((r) => r.largest) }),
)
