/**
 * The scripts that ran in a page and did not come by the rewriting: attributes such as `onclick`, `javascript:` and
 * `blob:` addresses, texts that became scripts. The debugger tells of each script when it is compiled.
 */
import { shortUrl } from '../../../analysis/sites.ts'
import { leftText, ranText } from '../../unwatched_text.ts'
import type { Cdp } from '../cdp.ts'
import type { Rewriting } from './rewriting.ts'

const MAX_SCRIPTS = 200
/** Characters of a text that is shown. */
const MAX_TEXT = 40
/** Milliseconds that the browser has to hand a text out. */
const DEADLINE = 2000

interface Script {
  url: string
  scriptId: string
  startLine: number
  startColumn: number
  executionContextAuxData?: { type?: string }
  stackTrace?: { callFrames: { url: string; lineNumber: number }[] }
}

interface Compiled {
  script: Script
  session: string
}

export class UnseenScripts {
  private readonly cdp: Cdp
  private readonly rewriting: Rewriting
  /** What runs by an address of its own, as parts of a sentence. */
  private readonly named = new Set<string>()
  private readonly texts: Compiled[] = []
  /** Those in which own scripts have run. */
  private readonly own = new Set<string>()

  constructor(cdp: Cdp, rewriting: Rewriting) {
    this.cdp = cdp
    this.rewriting = rewriting
    cdp.on('Debugger.scriptParsed', (script: Script, session) => this.parsed(script, session))
  }

  /**
   * Parts of a sentence. `made`: the lines, as `file:line`, where calls are that make code, which are named themselves;
   * valid while the browser still has the scripts.
   */
  async names(made: Set<string>): Promise<string[]> {
    const ofTexts = await Promise.all(this.texts.map((text) => this.nameOf(text, made)))
    return [...new Set([...this.named, ...ofTexts.filter((name) => name !== null)])]
  }

  /** Null: it is named already, or not the page's own. */
  private async nameOf({ script, session }: Compiled, made: Set<string>): Promise<string | null> {
    const [frame] = script.stackTrace?.callFrames ?? []
    if (frame === undefined ? !this.own.has(session) : !this.rewriting.isOwn(frame.url)) return null
    const at = frame === undefined ? undefined : `${shortUrl(frame.url)}:${frame.lineNumber + 1}`
    return at !== undefined && made.has(at) ? null : ranText(await this.textOf(script, session), at)
  }

  private parsed(script: Script, session: string): void {
    const { startLine, startColumn, executionContextAuxData: context } = script
    const [url] = script.url.split('#')
    const { rewriting, named, texts } = this
    if (named.size + texts.length >= MAX_SCRIPTS || context?.type === 'isolated') return
    if (url.startsWith('charcoal-measure:')) return
    if (url === '') return void texts.push({ script, session })
    const isOfText = /^(blob|data|about):/.exec(url)
    if (isOfText !== null) named.add(`a script at the address \`${isOfText[0]}\``)
    if (isOfText !== null || !rewriting.isOwn(url)) return
    this.own.add(session)
    if (rewriting.left.has(url)) return
    const at = `${shortUrl(url)}:${startLine + 1}`
    const known = rewriting.starts.get(url)
    if (known === undefined) named.add(leftText(url, 'it did not come to the page as a script of a server or a file'))
    else if (!known.has(`${startLine}:${startColumn}`)) named.add(`the code in the HTML at ${at}`)
  }

  private async textOf({ scriptId }: Script, session: string): Promise<string> {
    const asked = this.cdp.send('Debugger.getScriptSource', { scriptId }, session, DEADLINE)
    const text = await asked.then(
      ({ scriptSource }) => String(scriptSource).replace(/\s+/g, ' ').trim(),
      () => '',
    )
    return text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text
  }
}
