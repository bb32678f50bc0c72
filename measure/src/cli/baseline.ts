/** Compares a recording with an earlier one: which conflicts are new, which are gone. */
import { counted } from '../format/counted.ts'
import { readFileSync } from 'node:fs'
import { changes } from '../analysis/compare.ts'
import { conflictText } from '../analysis/conflicts.ts'
import { analyse, type Figures } from '../analysis/index.ts'
import { MeasureError } from '../format/error.ts'
import { looksLikeTrace } from '../format/read.ts'

/** Status for conflicts that are new. */
const NEW_CONFLICT = 7

/**
 * A trace, or what `--json` has written; undefined: none is asked for. To be called before anything is written, for it
 * may be written to the same file.
 */
export async function loadBaseline(options: Map<string, string>): Promise<Figures | undefined> {
  const file = options.get('baseline')
  if (file === undefined) return undefined
  if (looksLikeTrace(file)) return analyse(file, { truncated: options.has('truncated') })
  let figures: any
  try {
    figures = JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    figures = null
  }
  const first = Array.isArray(figures) ? figures[0] : figures
  if (first?.schema !== 'charcoal-figures')
    throw new MeasureError(`the baseline ${file} is neither a trace nor figures (--json)`, 2)
  return first
}

/** What has changed, as lines, and the exit status. */
export function compare(now: Figures, before: Figures): { lines: string[]; status: number } {
  const all = changes(now, before)
  const fresh = all.flatMap((c) => (c.before === undefined ? [c.now!] : []))
  const gone = all.filter((c) => c.now === undefined)
  const lines = [
    `beside the baseline: ${counted(fresh.length, 'new conflict')}, ${gone.length} gone`,
    ...gone.map(
      (c) =>
        `gone: ${conflictText(before, c.before!)}${c.isSeen ? '' : ' (This time it did not run, or did not wait.)'}`,
    ),
    ...fresh.map((c) => `new: ${conflictText(now, c)}`),
  ]
  return { lines, status: fresh.length > 0 ? NEW_CONFLICT : 0 }
}
