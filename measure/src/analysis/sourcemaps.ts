/**
 * From places in the text that ran to places in the text that people wrote. Scripts and their maps are looked for where
 * the recording says: `file:` and `data:` addresses, and `http` on this machine; other hosts are never asked, because a
 * trace that came by mail must not make anybody's computer talk to somebody. What has no map stays as it is.
 */
import { FlattenMap, originalPositionFor, sourceContentFor, type TraceMap } from '@jridgewell/trace-mapping'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import type { Original } from '../format/types.ts'
import { functionNameAt } from '../source/function_name.ts'
import { variableName } from '../source/variable_name.ts'

/** The text at an address, or null. */
export type Load = (url: string) => Promise<string | null>

const MAX_SCRIPTS = 400
const MAX_BYTES = 64 << 20
const WAIT_MS = 2000

/** A place in the text that ran. */
export interface Generated {
  url?: string
  line?: number
  column?: number
  begin?: [line: number, column: number]
  sourceMap?: string
  /** What is accessed there, as the text that ran names it. */
  variable?: string
}

export type Mapped = Omit<Original, 'type' | 'location'>

/** Calls `found` with each place that a map knows; how many. */
export async function mapPlaces<P extends Generated>(
  places: Iterable<P>,
  found: (place: P, to: Mapped) => void,
  load: Load = loadLocal,
): Promise<number> {
  const byScript = new Map<string, P[]>()
  for (const place of places) {
    if (place.url === undefined || !place.line) continue
    const known = byScript.get(place.url)
    if (known !== undefined) known.push(place)
    else if (byScript.size < MAX_SCRIPTS) byScript.set(place.url, [place])
  }
  let resolved = 0
  for (const [url, ofScript] of byScript) {
    const map = await mapOf(url, ofScript[0]!.sourceMap, load)
    if (map === null) continue
    const originals = new Originals(map.text, map.url, load)
    for (const place of ofScript) {
      const to = await originals.of(place)
      if (to === null) continue
      found(place, to)
      resolved++
    }
  }
  return resolved
}

/** What one map says of places, and of the functions that they lie in. */
class Originals {
  private readonly map: TraceMap
  private readonly url: string
  private readonly load: Load
  private readonly lines = new Map<string, string[] | null>()

  /** `url`: the address to which its sources are relative. */
  constructor(map: TraceMap, url: string, load: Load) {
    this.map = map
    this.url = url
    this.load = load
  }

  async of({ line, column, begin, variable }: Generated): Promise<Mapped | null> {
    const { source, ...at } = this.position(line!, column ?? 1)
    if (source === null) return null
    const to: Mapped = { source: this.addressOf(source), line: at.line!, column: at.column! + 1 }
    if (variable !== undefined) {
      const text = (await this.linesOf(source))?.[at.line! - 1]?.slice(at.column!)
      const written = variableName(text ?? '', variable)
      if (written !== undefined) to.variable = written
    }
    const first = begin === undefined ? { source, ...at } : this.position(...begin)
    if (first.source !== source) return to
    const name = await this.name(source, first.line!, first.column! + 1, first.name)
    if (name !== null) to.name = name
    if (begin !== undefined) to.begin = [first.line!, first.column! + 1]
    return to
  }

  /** Some tools write the names of sources as they are, and not as addresses: then the file with that name is meant. */
  private addressOf(source: string): string {
    const { sources, resolvedSources, sourceRoot } = this.map
    const name = sources[resolvedSources.indexOf(source)]
    const beside = pathOf(this.url)
    if (!name || beside === undefined || !/^file:.*[#%?]/s.test(source)) return source
    if (!/[#?]/.test(source) && existsSync(pathOf(source) ?? '')) return source
    const file = path.resolve(path.dirname(beside), withoutScheme(sourceRoot ?? ''), withoutScheme(name))
    return existsSync(file) ? pathToFileURL(file).href : source
  }

  private position(line: number, column: number): ReturnType<typeof originalPositionFor> {
    return originalPositionFor(this.map, { line, column: Math.max(0, column - 1) })
  }

  /** By its text; by the map, which may mean another name there, only where there is no text. */
  private async name(source: string, line: number, column: number, inMap: string | null): Promise<string | null> {
    const lines = await this.linesOf(source)
    return lines === null ? inMap : (functionNameAt(lines[line - 1] ?? '', column) ?? null)
  }

  private async linesOf(source: string): Promise<string[] | null> {
    const known = this.lines.get(source)
    if (known !== undefined) return known
    const text = sourceContentFor(this.map, source) ?? (await this.load(this.addressOf(source)))
    const lines = text?.split('\n') ?? null
    this.lines.set(source, lines)
    return lines
  }
}

/** Of a file's address; undefined: it is another kind of address, or no right one. */
function pathOf(url: string): string | undefined {
  try {
    return fileURLToPath(url)
  } catch {
    return undefined
  }
}

const withoutScheme = (text: string): string => text.replace(/^file:\/\//, '')

async function mapOf(
  script: string,
  given: string | undefined,
  load: Load,
): Promise<{ text: TraceMap; url: string } | null> {
  let address = given
  if (address === undefined) {
    const text = await load(script)
    // The last comment counts; it stands at the end.
    address =
      text === null ? undefined : [...text.slice(-(1 << 22)).matchAll(/\/\/[#@] ?sourceMappingURL=(\S+)/g)].at(-1)?.[1]
  }
  if (address === undefined) return null
  try {
    const url = new URL(address, script).href
    const text = await load(url)
    if (text === null) return null
    const base = url.startsWith('data:') ? script : url
    return { text: new FlattenMap(text.replace(/^\)\]\}'[^\n]*\n/, ''), base), url: base }
  } catch {
    return null
  }
}

export async function loadLocal(url: string): Promise<string | null> {
  try {
    const { protocol, hostname } = new URL(url)
    if (protocol === 'file:') return await readFile(fileURLToPath(url), 'utf8')
    if (protocol === 'data:') {
      const comma = url.indexOf(',')
      const body = url.slice(comma + 1)
      return url.slice(0, comma).endsWith(';base64')
        ? Buffer.from(body, 'base64').toString('utf8')
        : decodeURIComponent(body)
    }
    if (!/^https?:$/.test(protocol) || !/^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname)) return null
    const answer = await fetch(url, { signal: AbortSignal.timeout(WAIT_MS), redirect: 'error' })
    if (!answer.ok || Number(answer.headers.get('content-length') ?? 0) > MAX_BYTES) return null
    return await answer.text()
  } catch {
    return null
  }
}
