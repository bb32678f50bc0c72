/** The watching of reads and writes in a page: see `rewriting.ts` and `page.ts`. */
import { shortUrl } from '../../../analysis/sites.ts'
import { mostFrequent, recordOf, type Described, type Told } from '../../accesses/tell.ts'
import type { Place } from '../../place.ts'
import type { Unserialisable } from '../../../format/types.ts'
import { leftText, madeText } from '../../unwatched_text.ts'
import type { Cdp } from '../cdp.ts'
import { FOUND } from './found.ts'
import { enableInterception, intercept } from './intercept.ts'
import { pageText } from './page_text.ts'
import { Rewriting } from './rewriting.ts'
import { UnseenScripts } from './unseen.ts'

/** Milliseconds that a realm has to tell what it has found. */
const DEADLINE = 5000

export class PageAccesses {
  readonly rewriting: Rewriting
  private readonly told: Told[] = []
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

  /** `left`: what pages told when the user left them. */
  records(location: (place: Place) => number, left: string[]): Unserialisable[] {
    for (const text of left) this.add(text)
    return mostFrequent(this.told).flatMap(
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
    const expression = `typeof ${FOUND} === 'function' ? ${FOUND}() : '[]'\n//# sourceURL=charcoal-measure:found`
    const { result } = await this.cdp.send('Runtime.evaluate', { expression, uniqueContextId }, session, DEADLINE)
    this.add(result.value)
  }

  /** What a page says could be anything. */
  private add(text: unknown): void {
    try {
      const told = JSON.parse(String(text))
      if (!Array.isArray(told)) return
      for (const one of told) typeof one === 'number' ? this.made.add(one) : this.told.push(one)
    } catch {
      // Then it has told nothing.
    }
  }
}
