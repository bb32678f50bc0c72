/** The watching of reads and writes in a page: see `rewriting.ts` and `page.ts`. */
import { shortUrl } from '../../../analysis/sites.ts'
import { mostFrequent, recordOf, type Described, type Told } from '../../accesses/tell.ts'
import type { Place } from '../../place.ts'
import type { Unserialisable } from '../../../format/types.ts'
import { leftText, madeText } from '../../unwatched_text.ts'
import type { Cdp } from '../cdp.ts'
import { FOUND, type Found } from './found.ts'
import { enableInterception, intercept } from './intercept.ts'
import { pageText } from './page_text.ts'
import { Rewriting } from './rewriting.ts'
import { UnseenScripts } from './unseen.ts'

/** Milliseconds that a realm has to tell what it has found. */
const DEADLINE = 5000

export class PageAccesses {
  readonly rewriting: Rewriting
  /** By the number of the realm, and that of the finding in it. */
  private readonly told = new Map<string, Told>()
  private readonly made = new Set<number>()
  private readonly sessions = new Set<string>()
  private readonly cdp: Cdp
  private readonly unseen: UnseenScripts
  private unseenNames: string[] = []

  constructor(cdp: Cdp, own: string[]) {
    this.cdp = cdp
    this.rewriting = new Rewriting(own)
    this.unseen = new UnseenScripts(cdp, this.rewriting)
    intercept(cdp, this.rewriting)
    // It would answer nothing.
    cdp.on('Inspector.targetCrashed', (_, session) => this.sessions.delete(session))
  }

  /** What a realm runs before its own scripts. */
  get source(): string {
    return `${pageText()}\n//# sourceURL=charcoal-measure:accesses`
  }

  /** Prepares a page, frame or worker before its scripts run. */
  async prepare(session: string): Promise<void> {
    this.sessions.add(session)
    // A worker has the scripts that its page has loaded.
    await enableInterception(this.cdp, session).catch(() => {})
  }

  /** Asks all realms that there are for what they have found. */
  async collect(): Promise<void> {
    const asked: Promise<void>[] = []
    const undo = this.cdp.on('Runtime.executionContextCreated', ({ context }, session) => {
      if (this.sessions.has(session)) asked.push(this.ask(session, context.uniqueId))
    })
    await Promise.allSettled([...this.sessions].map((s) => this.cdp.send('Runtime.enable', {}, s, DEADLINE)))
    undo()
    await Promise.allSettled(asked)
    const lines = this.madeCode().map(({ place }) => `${shortUrl(place.url)}:${place.line}`)
    this.unseenNames = await this.unseen.names(new Set(lines))
  }

  /** `found`: what realms told before, of which some are gone: pages that the user left, or that crashed. */
  records(location: (place: Place) => number, found: string[]): Unserialisable[] {
    for (const text of found) this.add(text)
    return mostFrequent([...this.told.values()]).flatMap(
      (told) => recordOf(told, (site) => this.rewriting.describe(site), location) ?? [],
    )
  }

  /** The page's own code that was not watched; valid after `records`. */
  unwatched(): string[] {
    const left = [...this.rewriting.left].map(([url, why]) => leftText(url, why))
    return [...new Set([...left, ...this.madeCode().map(madeText), ...this.unseenNames])]
  }

  /** The calls that made code, such as `eval`. */
  private madeCode(): Described[] {
    return [...this.made].flatMap((site) => this.rewriting.describe(site) ?? [])
  }

  private async ask(session: string, uniqueContextId: string): Promise<void> {
    const expression = `typeof ${FOUND} === 'function' ? ${FOUND}() : ''\n//# sourceURL=charcoal-measure:found`
    const { result } = await this.cdp.send('Runtime.evaluate', { expression, uniqueContextId }, session, DEADLINE)
    this.add(result.value)
  }

  /** What a page says could be anything. */
  private add(text: unknown): void {
    try {
      const { realm, findings, made } = JSON.parse(String(text)) as Found
      for (const site of made) this.made.add(site)
      for (const told of findings) {
        const key = `${realm} ${told.number}`
        if (told.count >= (this.told.get(key)?.count ?? 0)) this.told.set(key, told)
      }
    } catch {
      // Then it has told nothing.
    }
  }
}
