/** Two recordings beside each other: which conflicts are new, which are gone, and whether their function was seen. */
import { conflictKey, conflicts, isTelling, type Conflict } from './conflicts.ts'
import type { Figures } from './figures.ts'
import { baseName } from '../format/address.ts'
import { fileOf } from './sites.ts'

/** A telling conflict, in the earlier recording, the later one, or both. */
export interface Change {
  before?: Conflict
  now?: Conflict
  /**
   * Its function is in both recordings. If it is not, it did not run, or it has not waited, which may be the remedy: a
   * recording has the functions that waits go on in.
   */
  isSeen: boolean
}

/** New ones first, then those that are gone, then those that are in both. */
export function changes(now: Figures, before: Figures): Change[] {
  const [known, still] = [byKey(before), byKey(now)]
  const all = [...new Set([...still.keys(), ...known.keys()])].map((key): Change => {
    const [b, n] = [known.get(key), still.get(key)]
    return { before: b, now: n, isSeen: b === undefined || n !== undefined || isSeen(now, before, b) }
  })
  const order = ({ before: b, now: n }: Change): number => (b === undefined ? 0 : n === undefined ? 1 : 2)
  return all.sort((a, b) => order(a) - order(b))
}

const byKey = (f: Figures): Map<string, Conflict> =>
  new Map(
    conflicts(f)
      .filter(isTelling)
      .map((c) => [conflictKey(f, c), c]),
  )

/** True if the file of a conflict's operation, and a function of its name, are in the later recording, too. */
function isSeen(now: Figures, before: Figures, c: Conflict): boolean {
  const site = before.sites[c.operation ?? c.second]!
  const named = ({ original, function: name }: Figures['sites'][number]): string | undefined => original?.name ?? name
  const end = (file: string | undefined): string | undefined => file && baseName(file)
  return now.sites.some((s) => named(s) === named(site) && end(fileOf(s)) === end(fileOf(site)))
}
