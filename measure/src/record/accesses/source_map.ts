/**
 * Moves the columns of a program's source map with the text that is inserted, for Node (`--enable-source-maps`) and
 * TypeScript's runners look places up in the text that runs.
 */
import { FlattenMap, TraceMap, decodedMappings, encodedMappings } from '@jridgewell/trace-mapping'
import { readFileSync } from 'node:fs'

/** By line, counted from 1: at which column, counted from 0, of the program's text how much was inserted. */
export type Inserted = Record<number, [column: number, length: number][]>

/** What a text names or holds as its source map, which may be no object; null: nothing that Node could read. */
export function readMap(code: string, url: string): { map: any; base: string } | null {
  const found = [...code.matchAll(/\/[*/][#@]\s+sourceMappingURL=([^\s*]+)/g)].at(-1)
  if (found === undefined) return null
  try {
    const inline = /^data:application\/json[^,]*?(;base64)?,(.*)$/.exec(found[1])
    if (inline !== null) {
      const text = inline[1] ? Buffer.from(inline[2], 'base64').toString() : decodeURIComponent(inline[2])
      return { map: JSON.parse(text), base: url }
    }
    const base = new URL(found[1], url).href
    return { map: JSON.parse(readFileSync(new URL(base), 'utf8')), base }
  } catch {
    return null
  }
}

/** The text to be put after the program; null: there is a source map that is not understood. */
export function shiftedMap(code: string, url: string): ((inserted: Inserted) => string) | null {
  const read = readMap(code, url)
  if (read === null) return () => ''
  const { map, base } = read
  if (map === null || typeof map !== 'object') return null
  return (inserted) => {
    // It may be made of sections: Turbopack makes one for each module.
    const before = new FlattenMap(map, base)
    const mappings = decodedMappings(before).map((line, i) => {
      const shifts = inserted[i + 1]
      if (shifts === undefined) return [...line]
      let next = 0
      let moved = 0
      return line.map(([column, ...rest]) => {
        // Text that is inserted at the beginning of a piece of code belongs before it.
        while (next < shifts.length && shifts[next][0] <= column) moved += shifts[next++][1]
        return [column + moved, ...rest]
      })
    })
    const { sourceRoot: _, sections: __, ...rest } = map
    const { names, sourcesContent, resolvedSources: sources } = before
    const moved = { ...rest, names, sources, ...(sourcesContent && { sourcesContent }) }
    const text = JSON.stringify({ ...moved, mappings: encodedMappings(new TraceMap({ ...moved, mappings })) })
    return `\n//# sourceMappingURL=data:application/json;base64,${Buffer.from(text).toString('base64')}`
  }
}
