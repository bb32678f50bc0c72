/** Compares a recording with an earlier one: which conflicts are new, which are gone. */
import { readFileSync } from 'node:fs'
import { conflictKey, conflicts, conflictText, type Conflict } from '../analysis/conflicts.ts'
import { analyse, type Figures } from '../analysis/index.ts'
import { fileOf } from '../analysis/sites.ts'
import { MeasureError } from '../format/error.ts'
import { looksLikeTrace } from '../format/read.ts'

/** Status for conflicts that are new. */
const NEW_CONFLICT = 7

/** A trace, or what `--json` has written. */
export async function loadBaseline(file: string, truncated: boolean): Promise<Figures> {
  if (looksLikeTrace(file)) return analyse(file, { truncated })
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
  const [known, still] = [byKey(before), byKey(now)]
  const fresh = [...still].filter(([key, c]) => !c.foreign && !known.has(key))
  const gone = [...known].filter(([key, c]) => !c.foreign && !still.has(key))
  const lines = [
    `beside the baseline: ${fresh.length} new conflict${fresh.length === 1 ? '' : 's'}, ${gone.length} gone`,
    ...gone.map(
      ([, c]) => `gone: ${conflictText(before, c)}${ran(now, before, c) ? '' : ' (It did not run this time.)'}`,
    ),
    ...fresh.map(([, c]) => `new: ${conflictText(now, c)}`),
  ]
  return { lines, status: fresh.length > 0 ? NEW_CONFLICT : 0 }
}

const byKey = (f: Figures): Map<string, Conflict> => new Map(conflicts(f).map((c) => [conflictKey(f, c), c]))

/** True if the file of a conflict's operation, and a function of its name, are in the later recording, too. */
function ran(now: Figures, before: Figures, c: Conflict): boolean {
  const site = before.sites[c.operation ?? c.second]!
  const named = ({ original, function: name }: Figures['sites'][number]): string | undefined => original?.name ?? name
  const end = (url: string | undefined): string | undefined => url?.split(/[\\/]/).at(-1)
  return now.sites.some((s) => named(s) === named(site) && end(fileOf(s)) === end(fileOf(site)))
}
