/**
 * Where continuations come from: kind of callback plus place in the source text, numbered. The place is that of the code that ran or, where the recorder does not know it, of the registration.
 * Number 0 stands for "anything else", and takes what comes after the table is full.
 */
import type { Continuation, Location } from '../format/types.ts'

export interface Site {
  kind: string
  url?: string
  line?: number
  column?: number
  function?: string
  sourceMap?: string
  /** After source maps: the place in the text that people wrote. */
  original?: { source: string; line: number; column: number; name?: string }
}

export const MAX_SITES = 2 ** 20

export class Sites {
  readonly list: Site[] = [{ kind: 'callback' }]
  private readonly known = new Map<number, number>()
  private readonly kinds = new Map<string, number>()
  private readonly locations = new Map<number, Location>()

  location(record: Location): void {
    this.locations.set(record.id, record)
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
      this.known.set(key, site)
    }
    return site
  }
}

function describe(kind: string, { url, line, column, function: name, sourceMap }: Location): Site {
  return { kind, url, line, column, ...(name && { function: name }), ...(sourceMap && { sourceMap }) }
}

/** One line for people: `timeout save app.js:12:3`. */
export function siteText(site: Site | undefined): string {
  if (site === undefined) return '?'
  const place = site.original
  const name = place?.name ?? site.function
  const url = place?.source ?? site.url
  const where = url === undefined ? '' : `${shortUrl(url)}${(place?.line ?? site.line) ? `:${place?.line ?? site.line}` : ''}${!place && site.line === 1 && site.column ? `:${site.column}` : ''}`
  return [site.kind, name, where].filter(Boolean).join(' ')
}

/** The end of a URL or path, which is what people recognise. */
export function shortUrl(url: string): string {
  const path = url.replace(/[?#].*$/, '')
  return path.split('/').filter(Boolean).slice(-2).join('/') || url
}
