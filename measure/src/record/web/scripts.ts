/**
 * The source maps of the scripts that a page ran, fetched through the browser while it still has them: whatever
 * certificate or log-in they need, the browser has. Mode `full` only, for the debugger tells which scripts there are.
 */
import type { Cdp } from './cdp.ts'

const MAX_SCRIPTS = 400
const MAX_BYTES = 64 << 20
/** Milliseconds for all of them. */
const TIMEOUT = 10_000

export class Scripts {
  private readonly cdp: Cdp
  private readonly found = new Map<string, { map: string; session: string }>()

  constructor(cdp: Cdp) {
    this.cdp = cdp
    cdp.on('Debugger.scriptParsed', ({ url, sourceMapURL }, session) => {
      if (url && sourceMapURL && this.found.size < MAX_SCRIPTS && !this.found.has(url))
        this.found.set(url, { map: sourceMapURL, session })
    })
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
        // No map, then.
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
