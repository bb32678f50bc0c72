/**
 * What listens on a debugging port: a Node program (`node --inspect`) or a Chromium (`--remote-debugging-port`).
 *
 * @example
 * const endpoint = await findEndpoint('9229')
 */
import { MeasureError } from '../format/error.ts'

export interface NodeEndpoint {
  kind: 'node'
  title: string
  /** Address of the program's debugger. */
  socket: string
}

export interface BrowserEndpoint {
  kind: 'browser'
  version: string
  /** Address of the browser's debugger. */
  socket: string
  /** Its tabs, the one used last first. */
  pages: { id: string; title: string; url: string }[]
}

/** Milliseconds, as many as every command of a debugger has: a browser that has just begun may be as busy. */
const DEADLINE = 30_000

/** `where`: a port, `host:port`, or an address with one (`http://…`, `ws://…`); `deadline` in milliseconds. */
export async function findEndpoint(where: string, deadline = DEADLINE): Promise<NodeEndpoint | BrowserEndpoint> {
  const base = addressOf(where)
  const [version, targets] = await Promise.all(['version', 'list'].map((what) => ask(base, what, where, deadline)))
  if (!Array.isArray(targets)) throw silent(where)
  if (/^node\.js/i.test(version.Browser ?? '')) {
    const [target] = targets
    if (target?.webSocketDebuggerUrl === undefined)
      throw new MeasureError(`${where}: the program has a debugger attached that must be detached first`)
    return { kind: 'node', title: target.title, socket: target.webSocketDebuggerUrl }
  }
  if (version.webSocketDebuggerUrl === undefined)
    throw new MeasureError(`${where} is a debugging port, but neither of Node nor of a Chromium`, 2)
  const pages = targets.filter((t: any) => t.type === 'page' && !/^(devtools|chrome-extension):/.test(t.url))
  return { kind: 'browser', version: version.Browser, socket: version.webSocketDebuggerUrl, pages }
}

function addressOf(where: string): string {
  const text = /^\d+$/.test(where) ? `127.0.0.1:${where}` : where.replace(/^(ws|http)s?:\/\//, '')
  try {
    // Of a scheme that the language does not know, no port is left out as the usual one.
    const { hostname, port } = new URL(`debugger://${text}`)
    if (hostname !== '' && port !== '') return `http://${hostname}:${port}`
  } catch {
    // The message follows below.
  }
  throw new MeasureError(`${where} is no debugging port; give one like 9229, or host:9222`, 2)
}

async function ask(base: string, what: string, where: string, deadline: number): Promise<any> {
  try {
    const response = await fetch(`${base}/json/${what}`, { signal: AbortSignal.timeout(deadline) })
    const answer = await response.json()
    if (typeof answer === 'object' && answer !== null) return answer
  } catch (error) {
    if ((error as Error).name === 'TimeoutError')
      throw new MeasureError(
        `what listens on ${where} has not answered within ${deadline / 1000} s: it is busy, or no debugger`,
        2,
      )
    // The message follows below.
  }
  throw silent(where)
}

const silent = (where: string): MeasureError =>
  new MeasureError(
    `no debugger answers on ${where}; start the program with \`node --inspect\`, or the browser with ` +
      '--remote-debugging-port=9222',
    2,
  )
