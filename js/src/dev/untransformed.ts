/**
 * Source text with an `atomic: { … }` block that the plugin or the loader should have transformed, and has not: the
 * code runs, without the guarantee.
 */

const REMEDY = 'the plugin of your bundler, or node --import charcoal-js/register'

/** Says what is wrong with `where`, and what to do. */
export function untransformedMessage(where: string, many: boolean): string {
  const [what, does] = many ? ['have atomic blocks that are', 'they do'] : ['has an atomic block that is', 'it does']
  return `${where} ${what} not transformed, so ${does} nothing. Remedy: ${REMEDY}`
}

/** Does the text have a label `atomic:` before a block with `await` in it, as written? */
export function isUntransformed(text: string): boolean {
  for (const { index, 0: label } of text.matchAll(/(?<![\w$.,?\s])\s*\batomic\s*:\s*\{/g)) {
    const block = blockAt(text, index + label.length)
    if (/\bawait\b/.test(block) && !block.includes('charcoal$.enter(')) return true
  }
  return false
}

/** The text from `at` to the brace that closes what is open there; strings and comments are not looked into. */
function blockAt(text: string, at: number): string {
  let open = 1
  let end = at
  for (; end < text.length && open > 0; end++) {
    if (text[end] === '{') open++
    else if (text[end] === '}') open--
  }
  return text.slice(at, end)
}

interface Session {
  connect(): void
  on(event: string, f: (message: { params: { url: string; scriptId: string } }) => void): void
  post(method: string, params?: object, done?: (error: Error | null, result: any) => void): void
  disconnect(): void
}

/** Warns of every file of the program, loaded by now, that has such a block. For development: it reads them all. */
export function warnOfUntransformed(warn: (message: string) => void): void {
  const { process, document } = globalThis as any
  const told = (file: string, text: string): void => {
    if (isUntransformed(text)) warn(`charcoal: ${untransformedMessage(file, false)}`)
  }
  const inspector = process?.getBuiltinModule?.('node:inspector') as { Session: new () => Session } | undefined
  if (inspector !== undefined) scriptsOfNode(inspector, told)
  else if (document !== undefined) scriptsOfPage(document, told)
}

type Told = (file: string, text: string) => void

function scriptsOfNode(inspector: { Session: new () => Session }, told: Told): void {
  const session = new inspector.Session()
  try {
    listScripts(session, told)
  } catch {
    // Bun tells its scripts only to a debugger that is attached.
  } finally {
    session.disconnect()
  }
}

function listScripts(session: Session, told: Told): void {
  session.connect()
  session.on('Debugger.scriptParsed', ({ params: { url, scriptId } }) => {
    const own = /^(file:|\/|[a-z]:\\)/i.test(url) && !/[\\/]node_modules[\\/]/.test(url)
    if (own) session.post('Debugger.getScriptSource', { scriptId }, (e, r) => e === null && told(url, r.scriptSource))
  })
  session.post('Debugger.enable') // reports all scripts that exist already, at once
}

function scriptsOfPage(document: Document, told: Told): void {
  for (const script of document.scripts) if (script.src === '') told(document.URL, script.text)
  const loaded = performance.getEntriesByType('resource') as PerformanceResourceTiming[]
  const files = loaded.filter(({ name, initiatorType }) => initiatorType === 'script' || /\.[cm]?js(\?|$)/.test(name))
  for (const { name } of files) {
    if (!name.startsWith(location.origin) || name.includes('/node_modules/')) continue
    fetch(name).then(async (r) => told(name, await r.text()), () => {})
  }
}
