/** `charcoal-measure corpus`: the study. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { corpus } from '../study/index.ts'
import { filled } from '../study/page.ts'
import { pools, writeStudy, type Study } from '../study/summary.ts'
import { sections } from '../study/tables.ts'
import { terminalSummary } from '../report/index.ts'
import { MeasureError } from '../format/error.ts'
import { choice, count, milliseconds } from './args.ts'
import { say } from './say.ts'
import type { Progress } from './progress.ts'

export async function study(
  names: string[],
  options: Map<string, string>,
  progress: Progress,
  signal: AbortSignal,
): Promise<number> {
  const out = options.get('out') ?? 'study'
  const from = options.get('from')
  const told = from === undefined ? await record(names, out, options, progress, signal) : written(from, out)
  progress.clear()
  const page = options.get('page')
  if (page !== undefined) writeFileSync(page, filled(readFileSync(page, 'utf8'), sections(told)))
  const color = process.stdout.isTTY === true && process.env.NO_COLOR === undefined
  for (const f of pools(told))
    process.stdout.write(`${terminalSummary(f, { color, width: process.stdout.columns || 100 })}\n`)
  say(`${told.applications.length} applications; tables, figures and report.html are in ${out}`)
  return signal.aborted ? 130 : 0
}

function record(
  names: string[],
  out: string,
  options: Map<string, string>,
  progress: Progress,
  signal: AbortSignal,
): Promise<Study> {
  const seconds = (name: string): number | undefined =>
    options.has(name) ? milliseconds(options.get(name)!, name) / 1000 : undefined
  return corpus({
    out,
    only: names.length > 0 ? names : undefined,
    runs: options.has('runs') ? count(options.get('runs')!, 'runs') : undefined,
    seconds: seconds('seconds'),
    loadSeconds: seconds('load'),
    cache: options.get('cache'),
    mode: choice(options.get('mode') ?? 'full', 'mode', ['fast', 'full'] as const),
    progress: (text) => (progress.clear(), say(text)),
    signal,
  })
}

/** Everything that can be computed from the data of a study, without recording anything. */
function written(from: string, out: string): Study {
  if (!existsSync(from)) throw new MeasureError(`the study ${from} does not exist; give the path of a study.json`, 2)
  const told = JSON.parse(readFileSync(from, 'utf8')) as Study
  if (!Array.isArray(told.applications)) throw new MeasureError(`${from} is no study.json`, 3)
  mkdirSync(out, { recursive: true })
  writeStudy(told, out)
  return told
}
