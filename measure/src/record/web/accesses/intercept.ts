/** Hands the scripts and documents of a session to the rewriting, before the browser has them. */
import type { Cdp } from '../cdp.ts'
import type { Rewriting } from './rewriting.ts'

interface Header {
  name: string
  value: string
}

/** A response that has come, and waits for us. */
interface Paused {
  requestId: string
  request: { url: string }
  resourceType: string
  responseStatusCode?: number
  responseErrorReason?: string
  responseHeaders?: Header[]
}

const PATTERNS = ['Script', 'Document', 'Other'].map((resourceType) => ({ resourceType, requestStage: 'Response' }))

export const enableInterception = (cdp: Cdp, session: string): Promise<unknown> =>
  cdp.send('Fetch.enable', { patterns: PATTERNS }, session)

/** In all sessions where it is enabled. */
export function intercept(cdp: Cdp, rewriting: Rewriting): void {
  cdp.on('Fetch.requestPaused', (paused: Paused, session) => void answer(cdp, session, paused, rewriting))
}

async function answer(cdp: Cdp, session: string, paused: Paused, rewriting: Rewriting): Promise<void> {
  const { requestId } = paused
  const changed = await rewritten(cdp, session, paused, rewriting).catch(() => null)
  // The request may be gone meanwhile, and its page.
  if (changed === null) await cdp.send('Fetch.continueRequest', { requestId }, session).catch(() => {})
  else {
    const body = Buffer.from(changed.text).toString('base64')
    const { responseStatusCode: responseCode } = paused
    const answer = { requestId, responseCode, responseHeaders: changed.headers, body }
    await cdp.send('Fetch.fulfillRequest', answer, session).catch(() => {})
  }
}

/** The text that the browser gets in place of the server's; null: the server's. */
async function rewritten(
  cdp: Cdp,
  session: string,
  { requestId, request: { url }, resourceType, responseStatusCode: status, responseHeaders: headers = [] }: Paused,
  rewriting: Rewriting,
): Promise<{ text: string; headers: Header[] } | null> {
  const valueOf = (name: string): string => headers.find((h) => h.name.toLowerCase() === name)?.value ?? ''
  const type = valueOf('content-type')
  const isDocument = resourceType === 'Document'
  const isScript = resourceType === 'Script' || /\b(java|ecma)script\b/i.test(type)
  if (status !== 200 || !rewriting.isOwn(url) || !(isDocument ? /html/i.test(type) : isScript)) return null
  const { body, base64Encoded } = await cdp.send('Fetch.getResponseBody', { requestId }, session)
  const bytes = Buffer.from(body, base64Encoded ? 'base64' : 'utf8')
  const text = decoded(bytes, type, isDocument)
  if (text === null) return (rewriting.left.set(url, 'its text is in another encoding than it says'), null)
  const policy = valueOf('content-security-policy')
  const changed = isDocument ? rewriting.document(text, url, policy) : rewriting.script(text, url)
  if (changed === null) return null
  const kept = headers.filter(({ name }) => !/^(content-(type|length|encoding)|transfer-encoding)$/i.test(name))
  const mime = type.split(';')[0].trim() || (isDocument ? 'text/html' : 'text/javascript')
  return { text: changed, headers: [...kept, { name: 'content-type', value: `${mime}; charset=utf-8` }] }
}

/** Null: it is in another encoding than it says. */
function decoded(bytes: Buffer, type: string, isDocument: boolean): string | null {
  const inText = isDocument ? /<meta[^>]*charset\s*=\s*["']?([\w-]+)/i.exec(bytes.toString('latin1', 0, 2048)) : null
  const label = /charset\s*=\s*["']?([\w-]+)/i.exec(type)?.[1] ?? inText?.[1] ?? 'utf-8'
  try {
    return new TextDecoder(label, { fatal: true }).decode(bytes)
  } catch {
    return null
  }
}
