/**
 * Makes up a long recording and analyses it: `scale.ts COUNT [through-a-file]`. Prints one JSON line with the seconds
 * of processor time and the memory it took.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { Analyser, analyse, type Figures } from '../src/analysis/index.ts'
import { TraceWriter } from '../src/format/write.ts'
import { madeUp } from './made-up.ts'

/** Seconds that this process has computed: what else the machine does must not decide. */
function processorTime(since: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(since)
  return (user + system) / 1e6
}

async function measured(count: number, throughFile: boolean): Promise<{ figures: Figures; seconds: number }> {
  const locations = Array.from({ length: 500 }, (_, i) => ({
    type: 'location' as const,
    id: i + 1,
    url: `file:///srv/module${i % 40}.js`,
    line: i,
    column: 1,
    function: `f${i}`,
  }))
  if (!throughFile) {
    const began = process.cpuUsage()
    const analyser = new Analyser()
    analyser.add({ type: 'thread', id: 1, kind: 'page' })
    for (const l of locations) analyser.add(l)
    for (const c of madeUp(count, locations.length)) analyser.add(c)
    return { figures: analyser.finish(), seconds: processorTime(began) }
  }
  const folder = mkdtempSync(path.join(tmpdir(), 'charcoal-scale-'))
  try {
    const file = path.join(folder, 'long.jsonl')
    const trace = new TraceWriter(file, { source: 'synthetic', tool: 'scale' })
    trace.write({ type: 'thread', id: 1, kind: 'page' })
    for (const l of locations) trace.write(l)
    for (const c of madeUp(count, locations.length)) trace.write(c)
    trace.end({ end: 1e12, reason: 'finished' })
    const began = process.cpuUsage()
    return { figures: await analyse(file), seconds: processorTime(began) }
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
  JSON.stringify({
    continuations: figures.counts.continuations,
    seconds: Number(seconds.toFixed(1)),
    peakMiB: Math.round(peak / 2 ** 20),
    json: JSON.stringify(figures).length,
    subtrees: figures.subtrees.map((r) => r.total),
    largest: figures.subtrees.map((r) => r.largest),
    figures,
  }),
)
