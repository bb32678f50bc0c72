/**
 * The texts and source maps of the scripts that a page ran, fetched through the browser while it still has them:
 * whatever certificate or log-in they need, the browser has. Mode `full` only, for the debugger tells which scripts
 * there are.
 */
import type { ScriptText } from '../uses.ts'
import type { Cdp } from './cdp.ts'

const MAX_SCRIPTS = 400
/** Characters of one whose text is looked at. */
const MAX_LENGTH = 4 << 20
const MAX_BYTES = 64 << 20
/** Milliseconds for all of them. */
const TIMEOUT = 10_000

export class Scripts {
  private readonly cdp: Cdp
  private readonly found = new Map<string, { map: string; session: string }>()
  private readonly parsed: { url: string; id: string; line: number; column: number; session: string }[] = []

  constructor(cdp: Cdp) {
    this.cdp = cdp
    cdp.on('Debugger.scriptParsed', ({ url, sourceMapURL, scriptId, startLine, startColumn, length }, session) => {
      if (url && !url.startsWith('charcoal-measure:') && length < MAX_LENGTH && this.parsed.length < MAX_SCRIPTS)
        this.parsed.push({ url, id: scriptId, line: startLine, column: startColumn, session })
      if (url && sourceMapURL && this.found.size < MAX_SCRIPTS && !this.found.has(url))
        this.found.set(url, { map: sourceMapURL, session })
    })
  }

  /** By address; a page may have several in one. */
  async texts(): Promise<Map<string, ScriptText[]>> {
    const texts = new Map<string, ScriptText[]>()
    const until = Date.now() + TIMEOUT
    for (const { url, id, line, column, session } of this.parsed) {
      if (Date.now() > until) break
      const answer = this.cdp.send('Debugger.getScriptSource', { scriptId: id }, session, 5000)
      const text = await answer.then(
        ({ scriptSource }) => scriptSource as string,
        () => null,
      )
      if (text !== null) texts.set(url, [...(texts.get(url) ?? []), { text, line, column }])
    }
    return texts
  }

  /**
   * For each script with a map: under the script's address a text that names the map, and under the map's address its
   * text. So a reader finds both as it would on the network.
   */
  async maps(): Promise<Map<string, string>> {
    const texts = new Map<string, string>()
    const until = Date.now() + TIMEOUT
    for (const [url, { map, session }] of this.found) {
      texts.set(url, `//# sourceMappingURL=${map}`)
      if (map.startsWith('data:') || Date.now() > until) continue
      try {
        const address = new URL(map, url).href
        if (!texts.has(address)) texts.set(address, await this.fetch(address, session))
      } catch {
        // Then there is no map.
      }
    }
    return texts
  }

  private async fetch(url: string, session: string): Promise<string> {
    const { frameTree } = await this.cdp.send('Page.getFrameTree', {}, session, 2000)
    const options = { disableCache: false, includeCredentials: true }
    const { resource } = await this.cdp.send(
      'Network.loadNetworkResource',
      { frameId: frameTree.frame.id, url, options },
      session,
      5000,
    )
    if (!resource.success) throw new Error(resource.netErrorName)
    let text = ''
    for (;;) {
      const { data, eof, base64Encoded } = await this.cdp.send('IO.read', { handle: resource.stream }, session, 5000)
      text += base64Encoded ? Buffer.from(data, 'base64').toString('utf8') : data
      if (eof || text.length > MAX_BYTES) break
    }
    void this.cdp.send('IO.close', { handle: resource.stream }, session).catch(() => {})
    return text
  }
}
