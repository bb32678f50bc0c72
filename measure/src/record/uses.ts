/**
 * Stores in a trace what the functions of its places name in their text, for recordings that did not watch reads and
 * writes: two runs of one function that come between each other may share what the function writes.
 */
import { loadLocal } from '../analysis/sourcemaps.ts'
import { packageOf } from '../format/packages.ts'
import type { Location, Uses } from '../format/types.ts'
import { withoutTypes } from '../source/without_types.ts'
import { parseUses, type NamedUses } from '../source/uses.ts'
import { insertBeforeEnd, recordsOf } from './stored.ts'

/** A script, or a part of a page. */
export interface ScriptText {
  text: string
  /** Where it begins in the file of its address, from 0. */
  line: number
  column: number
}

/** The scripts at an address. */
export type LoadScripts = (url: string) => Promise<ScriptText[]>

const MAX_CHARACTERS = 4 << 20
/** A function that names more than so many is no help to anybody. */
const MAX_NAMES = 50

export async function storeUses(trace: string, load: LoadScripts = loadFile): Promise<void> {
  const byScript = new Map<string, Location[]>()
  for await (const record of recordsOf(trace)) {
    if (record.type !== 'location' || record.line === 0 || packageOf(record.url) !== undefined) continue
    byScript.set(record.url, [...(byScript.get(record.url) ?? []), record])
  }
  let text = ''
  for (const [url, locations] of byScript)
    for (const script of await load(url))
      for (const uses of usesOf(locations, script)) text += `${JSON.stringify(uses)}\n`
  if (text !== '') insertBeforeEnd(trace, text)
}

/** Of those locations that the script has. */
function* usesOf(locations: Location[], { text, line, column }: ScriptText): Generator<Uses> {
  const script = text.length > MAX_CHARACTERS ? null : parseUses(text)
  if (script === null) return
  for (const location of locations) {
    const [l, c] = location.begin ?? [location.line, location.column]
    const inLine = l - 1 === line ? c - 1 - column : c - 1
    const found = l <= line || inLine < 0 ? null : script.at(l - line, inLine)
    if (found !== null) yield { type: 'uses', location: location.id, ...listed(found) }
  }
}

const listed = ({ reads, writes }: NamedUses): Pick<Uses, 'reads' | 'writes'> => ({
  reads: [...reads].slice(0, MAX_NAMES),
  writes: [...writes].slice(0, MAX_NAMES),
})

const loadFile: LoadScripts = async (url) => {
  const source = await loadLocal(url)
  const text = source !== null && /\.[mc]?ts$/.test(url) ? withoutTypes(source, url) : source
  return text === null ? [] : [{ text, line: 0, column: 0 }]
}
