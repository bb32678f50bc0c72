/**
 * Rewrites a page's own scripts on their way into the browser, so that they tell of their reads and writes. Scripts of
 * other hosts and of packages that have files of their own stay as they are.
 */
import { packageOf } from '../../../format/packages.ts'
import type { Place } from '../../place.ts'
import type { Transformed } from '../../accesses/rewritten.ts'
import { FILE_SITES, originalColumn, type FileSites } from '../../accesses/sites.ts'
import type { Described } from '../../accesses/tell.ts'
import { transformEvaluated, transformForPage } from '../../accesses/transform.ts'
import { tooLong } from '../../unwatched_text.ts'
import { inlineScripts, withoutIntegrity } from './inline.ts'

/** Characters; longer scripts are left as they are. */
const MAX_LENGTH = 4 << 20
/** What a page's policy names scripts by that stand in it: a changed one would not be run. */
const HASH = /'sha(256|384|512)-/

export class Rewriting {
  /** Scripts that are left as they are, by address, and why. */
  readonly left = new Map<string, string>()
  /** Where the scripts at an address begin in the text that the browser gets, as `line:column`, both from 0. */
  readonly starts = new Map<string, Set<string>>()
  private readonly files = new Map<number, { url: string; sites: FileSites }>()
  private readonly byUrl = new Map<string, FileSites>()
  private readonly own: string[]
  private last = 0

  /** `own`: the hosts, and names of packages, whose scripts are rewritten. */
  constructor(own: string[]) {
    this.own = own
  }

  /** A whole script; null: it stays as it is. */
  script(text: string, url: string): string | null {
    if (!this.isOwn(url)) return null
    const sites: FileSites = { sites: [], shifts: {} }
    const rewritten = this.rewrite(text, url, sites)
    if (rewritten === null) return null
    this.byUrl.set(url, sites)
    this.starts.set(url, new Set(['0:0']))
    return rewritten
  }

  /** The scripts in a page's text; `policy`: its header about what may be run. */
  document(html: string, url: string, policy: string): string | null {
    const [address] = url.split('#')
    if (!this.isOwn(address)) return null
    const free = withoutIntegrity(html)
    const meta = /<meta[^>]*content-security-policy[^>]*>/i.exec(html)?.[0] ?? ''
    if (HASH.test(policy) || HASH.test(meta)) {
      if (!inlineScripts(free).next().done) this.left.set(address, "the page's policy names its scripts by hashes")
      return free === html ? null : free
    }
    const sites: FileSites = { sites: [], shifts: {} }
    const starts = new Set<string>()
    this.starts.set(address, starts)
    let text = ''
    let last = 0
    for (const { start, end, module } of inlineScripts(free)) {
      const before = free.slice(0, start)
      const line = before.split('\n').length - 1
      const column = start - (before.lastIndexOf('\n') + 1)
      // So a place in the script is one in the page.
      const padding = '\n'.repeat(line) + ' '.repeat(column)
      const rewritten = this.rewrite(padding + free.slice(start, end), address, sites, module)
      if (rewritten === null || /<\/script|<!--/i.test(rewritten)) continue
      text += free.slice(last, start)
      starts.add(`${line}:${text.length - (text.lastIndexOf('\n') + 1)}`)
      text += rewritten.slice(padding.length)
      last = end
    }
    if (text === '') return free === html ? null : free
    this.byUrl.set(address, sites)
    return text + free.slice(last)
  }

  describe(site: number): Described | undefined {
    const file = this.files.get(Math.floor(site / FILE_SITES))
    const found = file?.sites.sites[site % FILE_SITES]
    if (found === undefined) return undefined
    const { url } = file!
    const [line, column, name, functionLine, functionColumn, text] = found
    return {
      place: { url, line, column, name, begin: [functionLine, functionColumn] },
      text,
      function: { url, line: functionLine, column: functionColumn, name },
      site: found,
    }
  }

  /** Where a place of the text that runs lies in the text that the server has. */
  original(place: Place): Place {
    const sites = this.byUrl.get(place.url.split('#')[0])
    if (sites === undefined) return place
    const { begin } = place
    return {
      ...place,
      column: originalColumn(sites, place.line, place.column),
      ...(begin !== undefined && { begin: [begin[0], originalColumn(sites, begin[0], begin[1])] as [number, number] }),
    }
  }

  isOwn(url: string): boolean {
    const name = packageOf(url)
    if (name !== undefined) return this.own.includes(name)
    return url.startsWith('file:') || (URL.canParse(url) && this.own.includes(new URL(url).hostname))
  }

  /** A module that a development server has written as a text for `eval`; of a package, the text itself. */
  private evaluated(text: string): string | null {
    const url = SOURCE_URL.exec(text)?.[1]
    if (url === undefined) return null
    const name = packageOf(url)
    if (name !== undefined && !this.own.includes(name)) return text
    const file = ++this.last
    const rewritten = transformEvaluated(text, file, (why) => void this.left.set(url, why))
    if (rewritten === null) return text
    this.files.set(file, { url, sites: rewritten.sites })
    this.byUrl.set(url, rewritten.sites)
    return rewritten.code
  }

  private rewrite(text: string, url: string, all: FileSites, module?: boolean): string | null {
    const file = ++this.last
    const left = (why: string): void => void this.left.set(url, why)
    if (text.length >= MAX_LENGTH) left(tooLong(MAX_LENGTH))
    const evaluated = (inner: string): string | null => this.evaluated(inner)
    const rewritten = text.length < MAX_LENGTH ? transformForPage(text, url, module, file, left, evaluated) : null
    if (rewritten === null) return null
    this.files.set(file, { url, sites: rewritten.sites })
    addShifts(all, rewritten)
    return rewritten.code
  }
}

/** The address that a text gives itself, at its end or in the block around it. */
const SOURCE_URL = /\/\/# sourceURL=(\S+)[\s}]*$/

/** Of a further script of a page: on the line where another has ended, columns have moved already. */
function addShifts(all: FileSites, { sites: { shifts } }: Transformed): void {
  for (const [line, added] of Object.entries(shifts)) {
    const before = (all.shifts[Number(line)] ??= [])
    const moved = before.reduce((sum, [, length]) => sum + length, 0)
    before.push(...added.map(([column, length]): [number, number] => [column + moved, length]))
  }
}
