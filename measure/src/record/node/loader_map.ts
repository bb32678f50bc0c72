/**
 * Places in text that a loader made of a file (TypeScript's runners, Node's own types), in that file. The text is on no
 * disk, so nobody could look the places up later; Node keeps the loader's source map while source maps are switched on.
 * A map that leads from a file to another one is not meant: that file is on disk, and so is its map.
 */
import Module from 'node:module'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { decoded } from '../../format/address.ts'
import { readMap } from '../accesses/source_map.ts'
import type { Place } from '../place.ts'

interface LoaderMap {
  payload?: { sources?: string[] }
  findEntry(line: number, column: number): { originalLine?: number; originalColumn?: number }
}

/** From a line and column of the text that runs, counted from 1, to those of the file. */
export type ToFile = (line: number, column: number) => [line: number, column: number]

/** Null: the text that runs is the file's, or Node has no map of it. */
export const loaderMap = (url: string): ToFile | null => toFileBy(find(url), url)

/** The same by a map that the text itself names or holds. */
export function heldMap(text: string, url: string): ToFile | null {
  const { map } = readMap(text, url) ?? {}
  if (map === null || typeof map !== 'object') return null
  try {
    return toFileBy(new Module.SourceMap(map) as unknown as LoaderMap, url)
  } catch {
    return null
  }
}

function toFileBy(map: LoaderMap | undefined, url: string): ToFile | null {
  const [source, ...others] = map?.payload?.sources ?? []
  if (source === undefined || others.length > 0 || !isNamed(source, url)) return null
  return (line, column) => {
    const { originalLine, originalColumn } = map!.findEntry(line - 1, column - 1)
    return originalLine === undefined ? [line, column] : [originalLine + 1, (originalColumn ?? 0) + 1]
  }
}

/** Moves a place into the file, if a loader has made the text that it lies in. */
export function inFile(place: Place, toFile = loaderMap(place.url)): Place {
  if (toFile === null) return place
  const [line, column] = toFile(place.line, place.column)
  return { ...place, line, column, ...(place.begin && { begin: toFile(...place.begin) }) }
}

/** Without a map in store Node is not asked, because what it calls to look may be the program's (`startsWith`). */
function find(url: string): LoaderMap | undefined {
  if (!url.startsWith('file:') || !keepsMaps()) return undefined
  try {
    return (Module.findSourceMap(url) ?? Module.findSourceMap(fileURLToPath(url))) as unknown as LoaderMap | undefined
  } catch {
    return undefined
  }
}

const keepsMaps = (): boolean =>
  (process as { sourceMapsEnabled?: boolean }).sourceMapsEnabled !== false || 'NODE_V8_COVERAGE' in process.env

/** Loaders write a source's name as an address or as a path. */
function isNamed(source: string, url: string): boolean {
  const name = path.basename(fileURLToPath(url))
  return path.basename(source) === name || decoded(path.basename(source.replace(/[?#].*$/, ''))) === name
}
