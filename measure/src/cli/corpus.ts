/** `charcoal-measure corpus`: the study. */
import { corpus } from '../study/index.ts'
import { terminalSummary } from '../report/index.ts'
import { choice, milliseconds } from './args.ts'
import type { Progress } from './progress.ts'

export async function study(
  names: string[],
  options: Map<string, string>,
  progress: Progress,
  signal: AbortSignal,
): Promise<number> {
  const out = options.get('out') ?? 'study'
  const seconds = (name: string): number | undefined =>
    options.has(name) ? milliseconds(options.get(name)!, name) / 1000 : undefined
  const { entries, figures } = await corpus({
    out,
    ...(names.length > 0 && { only: names }),
    ...(options.has('seconds') && { seconds: seconds('seconds')! }),
    ...(options.has('load') && { loadSeconds: seconds('load')! }),
    ...(options.has('cache') && { cache: options.get('cache')! }),
    mode: choice(options.get('mode') ?? 'full', 'mode', ['fast', 'full'] as const),
    progress: (text) => (progress.clear(), console.error(text)),
    signal,
  })
  progress.clear()
  for (const f of figures.filter((f) => f.recordings.length > 1))
    process.stdout.write(
      `${terminalSummary(f, { color: process.stdout.isTTY === true && process.env.NO_COLOR === undefined, width: process.stdout.columns || 100 })}\n`,
    )
  console.error(`${entries.length} applications; figures and report.html are in ${out}`)
  return signal.aborted ? 130 : 0
}
