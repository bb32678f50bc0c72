/**
 * Where continuations come from: kind of callback plus place in the source text, numbered. The place is that of the
 * code that ran or, where the recorder does not know it, of the registration. Number 0 stands for "anything else", and
 * takes what comes after the table is full.
 */
import { partsOf, withoutQuery } from '../format/address.ts'
import { packageOf } from '../format/packages.ts'
import type { Continuation, Location, Original, Uses } from '../format/types.ts'

export interface Site {
  kind: string
  url?: string
  line?: number
  column?: number
  function?: string
  /** Of a place inside a function: where the function begins. */
  begin?: [line: number, column: number]
  sourceMap?: string
  /** After source maps: the place in the text that people wrote. */
  original?: Omit<Original, 'type' | 'location'>
  /** What the function names in its source text, where reads and writes were not watched. */
  uses?: { reads: string[]; writes: string[] }
}

export const MAX_SITES = 2 ** 20

export class Sites {
  readonly list: Site[] = [{ kind: 'callback' }]
  private readonly known = new Map<number, number>()
  private readonly kinds = new Map<string, number>()
  private readonly locations = new Map<number, Location>()
  private readonly ofLocation = new Map<number, Site[]>()
  /** In native programs a name stands for one function of a file, and a location does not say where that begins. */
  names: Map<string, [number, number]> | null = null

  location(record: Location): void {
    if (this.names !== null && record.function !== undefined) {
      const key = `${record.function} ${record.url}`
      if (!this.names.has(key)) this.names.set(key, [record.line, record.column])
      record.begin = this.names.get(key)!
    }
    this.locations.set(record.id, record)
  }

  /** The recording says itself where a location lies in the text that people wrote. */
  original({ location, source, line, column, name, begin, variable }: Original): void {
    const known = { ...(name && { name }), ...(begin && { begin }), ...(variable && { variable }) }
    for (const site of this.ofLocation.get(location) ?? []) site.original = { source, line, column, ...known }
  }

  uses({ location, reads, writes }: Uses): void {
    for (const site of this.ofLocation.get(location) ?? []) site.uses = { reads, writes }
  }

  /** True if code that ran there began inside a function: it went on after an `await`. */
  inside(location: number | undefined): boolean {
    return location !== undefined && this.names === null && this.locations.get(location)?.begin !== undefined
  }

  of(c: Continuation): number {
    return this.at(c.kind, c.at ?? c.from)
  }

  at(kind: string, location: number | undefined): number {
    let kindId = this.kinds.get(kind)
    if (kindId === undefined) this.kinds.set(kind, (kindId = this.kinds.size))
    const key = (location ?? 0) * 2 ** 16 + (kindId % 2 ** 16)
    let site = this.known.get(key)
    if (site === undefined) {
      if (this.list.length >= MAX_SITES) return 0
      site = this.list.length
      const place = location === undefined ? undefined : this.locations.get(location)
      this.list.push(place === undefined ? { kind } : describe(kind, place))
      if (place !== undefined)
        this.ofLocation.set(place.id, [...(this.ofLocation.get(place.id) ?? []), this.list[site]!])
      this.known.set(key, site)
    }
    return site
  }
}

function describe(kind: string, { url, line, column, function: name, sourceMap, begin }: Location): Site {
  return {
    kind,
    url,
    line,
    column,
    ...(name && { function: name }),
    ...(begin && { begin }),
    ...(sourceMap && { sourceMap }),
  }
}

/**
 * The file that people wrote; of a bundle without a map, the bundle. Development servers put versions behind a `?`,
 * which make no other file.
 */
export function fileOf({ url, original }: Site): string | undefined {
  const address = original?.source ?? url
  return address === undefined ? undefined : withoutQuery(address)
}

/** The package whose code it is. Undefined: it is code of the program itself, or unknown. */
export const packageAt = ({ url, original }: Site): string | undefined => packageOf(original?.source ?? url ?? '')

/**
 * Equal for two sites in the same function, and never for two functions that only share a name. Undefined: not known to
 * be in one.
 */
export function functionOf(site: Site): string | undefined {
  const file = fileOf(site)
  if (file === undefined || !site.line) return undefined
  const place = site.original
  const begin =
    place === undefined ? (site.begin ?? [site.line, site.column ?? 0]) : (place.begin ?? [place.line, place.column])
  // A script's top level begins with the script, and is no function.
  return site.function === undefined && begin[0] === 1 && begin[1] <= 1 ? undefined : `${file}:${begin[0]}:${begin[1]}`
}

const begins = new WeakMap<readonly Site[], Map<string, Set<string>>>()

/**
 * Where the function of a place begins, as `src/app.js:12`, with the column if another function of the `sites` begins
 * on that line. Undefined: not known to be in one.
 */
export function functionPlace(site: Site, sites: readonly Site[]): string | undefined {
  const found = functionOf(site)
  if (found === undefined) return undefined
  let ofLine = begins.get(sites)
  if (ofLine === undefined) {
    begins.set(sites, (ofLine = new Map()))
    for (const name of sites.map(functionOf)) {
      if (name === undefined) continue
      const line = lineOfFunction(name)
      ofLine.set(line, (ofLine.get(line) ?? new Set()).add(name))
    }
  }
  const line = lineOfFunction(found)
  const isTold = (ofLine.get(line)?.size ?? 0) > 1
  const file = fileOf(site)!
  return shortUrl(file) + (isTold ? found : line).slice(file.length)
}

/** Without the column. */
const lineOfFunction = (name: string): string => name.slice(0, name.lastIndexOf(':'))

const crowded = new WeakMap<readonly Site[], Set<string>>()

/** The lines that have places in more than one column, as `lineOf` names them. */
function crowdedLines(sites: readonly Site[]): Set<string> {
  const known = crowded.get(sites)
  if (known !== undefined) return known
  const columns = new Map<string, number>()
  const lines = new Set<string>()
  for (const site of sites) {
    const line = lineOf(site)
    const column = (site.original ?? site).column
    if (line === undefined || !column) continue
    if ((columns.get(line) ?? column) !== column) lines.add(line)
    columns.set(line, column)
  }
  crowded.set(sites, lines)
  return lines
}

function lineOf(site: Site): string | undefined {
  const file = fileOf(site)
  return file === undefined ? undefined : `${file}:${(site.original ?? site).line}`
}

/** `src/app.js:12`, with the column if only that tells it from the line's other `sites`. Undefined: not known. */
export function placeText(site: Site, sites: readonly Site[]): string | undefined {
  const { original, url } = site
  const file = original?.source ?? url
  if (file === undefined) return undefined
  const { line, column } = original ?? site
  // A minified script is one line.
  const isMinified = original === undefined && line === 1
  const isTold = isMinified || crowdedLines(sites).has(lineOf(site)!)
  return [shortUrl(file), line, isTold && column].filter(Boolean).join(':')
}

/** One line for people: `timeout save app.js:12`. `sites`: those of the whole recording. */
export function siteText(site: Site | undefined, sites: readonly Site[]): string {
  if (site === undefined) return '?'
  return [site.kind, site.original?.name ?? site.function, placeText(site, sites)].filter(Boolean).join(' ')
}

/** Characters of an address that holds the text itself. */
const SHOWN_OF_DATA = 30

/** The end of a URL or path, which is what people recognise. */
export function shortUrl(url: string): string {
  if (url.startsWith('data:')) return `${url.slice(0, SHOWN_OF_DATA)}…`
  const all = partsOf(url)
  const parts = all.filter(Boolean)
  // The page of a host itself: its port must not look like a line.
  if (parts.length === 1 && all.at(-1) === '') return `${parts[0]}/`
  return parts.slice(-2).join('/') || url
}
