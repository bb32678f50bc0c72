/** Serves the page of the programs and what they ask for, on a free port of this machine. */
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { WebSocketServer } from 'ws'
import { webOracles } from './web.ts'

export interface OracleServer {
  url: string
  close(): void
}

/** In the page: runs each program in a task of its own, and says when all callbacks have run. */
function runner(programs: Record<string, (m: { p(): void; c(): void }) => unknown>, timeout: number): void {
  const g = globalThis as any
  const waiting = new Set(Object.keys(programs))
  g.oracleWaiting = waiting
  g.oracleSeen = (name: string) => void waiting.delete(name)
  let at = 0
  for (const [name, program] of Object.entries(programs)) {
    const mark = (what: string) => (): void => {
      console.timeStamp(`charcoal:mark:${what}:${name}`)
      if (what === 'c') waiting.delete(name)
    }
    const m = { p: mark('p'), c: mark('c') }
    setTimeout(
      () => {
        m.p()
        try {
          Promise.resolve(program(m)).catch((error) => console.log(`${name}: ${error}`))
        } catch (error) {
          console.log(`${name}: ${error}`)
        }
      },
      50 + (at += 6),
    )
  }
  setTimeout(() => (g.oracleOver = true), 50 + at + timeout)
  addEventListener(
    'message',
    (e) => typeof e.data === 'string' && e.data.startsWith('seen:') && waiting.delete(e.data.slice(5)),
  )
}

/** In workers and frames: the programs that run there. */
const inside = `
const mark = (what, name) => { console.timeStamp('charcoal:mark:' + what + ':' + name) }
const programs = {
  'worker-timeout': (m) => setTimeout(m.c, 3),
  'worker-interval': (m) => { let n = 0; const t = setInterval(() => (m.c(), ++n === 3 && clearInterval(t)), 4) },
  'worker-await': async (m) => { await fetch('/text?w'); m.c() },
  'worker-port': (m) => { const { port1, port2 } = new MessageChannel(); port1.onmessage = m.c; port2.postMessage(1) },
  'frame-timeout': (m) => setTimeout(m.c, 3),
  'frame-await': async (m) => { await fetch('/text?f'); m.c() },
  'remote-frame-timeout': (m) => setTimeout(m.c, 3),
  'remote-frame-await': async (m) => { await fetch('/text?f'); m.c() },
}
const seen = (name) => typeof window === 'undefined' ? postMessage(name) : parent.postMessage('seen:' + name, '*')
const go = (name) =>
  setTimeout(() => { mark('p', name); programs[name]({ c: () => { mark('c', name); seen(name) } }) }, 5)
`
const worker = `${inside}
if (location.search === '?from') setTimeout(() => { mark('p', 'from-worker'); postMessage('from-worker') }, 40)
onmessage = (e) => { if (e.data === 'to-worker') { mark('c', 'to-worker'); postMessage('seen') } else go(e.data) }
`

export async function serveOracles(
  options: { only?: string[]; timeout?: number; extra?: string } = {},
): Promise<OracleServer> {
  const chosen = webOracles.filter((o) => options.only === undefined || options.only.includes(o.name))
  const programs = chosen.map((o) => `${JSON.stringify(o.name)}: ${String(o.program)}`).join(',\n')
  const limit = options.timeout ?? 1500
  const page =
    '<!doctype html><meta charset="utf-8"><title>callbacks</title><link rel="icon" href="data:,">' +
    `<body style="height:2000px"><script>(${String(runner)})({\n${programs}\n}, ${limit})` +
    `${options.extra ?? ''}</script>`
  const text: Record<string, [string, string | Buffer]> = {
    '/image.png': [
      'image/png',
      Buffer.from(
        'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
        'base64',
      ),
    ],
    '/': ['text/html', page],
    '/empty.html': ['text/html', '<!doctype html>'],
    '/frame.html': ['text/html', `<!doctype html><script>${inside};go(location.search.slice(1))</script>`],
    '/worker.js': ['text/javascript', worker],
    '/module.js': ['text/javascript', 'export default 1'],
    '/empty.js': ['text/javascript', ''],
    '/mark.js': [
      'text/javascript',
      "const name = document.currentScript.src.split('?')[1]; " +
        "console.timeStamp('charcoal:mark:c:' + name); oracleSeen(name)",
    ],
    '/style.css': ['text/css', 'p{}'],
    '/image.svg': ['image/svg+xml', '<svg xmlns="http://www.w3.org/2000/svg" width="1" height="1"/>'],
    '/text': ['text/plain', 'text'],
  }
  // Bodies in three pieces; each further one is asked for, so that no machine is too slow or too fast to see them
  // apart.
  const gates = new Map<string, string[]>()
  const bodies = new Map<string, ServerResponse>()
  const server = createServer((request, response) => {
    const { pathname, search } = new URL(request.url!, 'http://localhost')
    const found = text[pathname]
    if (found !== undefined)
      response.setHeader('content-type', found[0]).setHeader('cache-control', 'no-store').end(found[1])
    else if (pathname === '/gated') {
      response.setHeader('content-type', 'text/plain').write((search.includes('json') ? '[1' : 'a').padEnd(2000))
      gates.set(search, [
        (search.includes('json') ? ',2' : 'b').padEnd(2000),
        (search.includes('json') ? ',3]' : 'c').padEnd(2000),
      ])
      bodies.set(search, response)
    } else if (pathname === '/next') {
      const left = gates.get(search) ?? []
      const piece = left.shift()
      if (left.length === 0) bodies.get(search)?.end(piece)
      else bodies.get(search)?.write(piece)
      response.end()
    } else if (pathname === '/events') response.setHeader('content-type', 'text/event-stream').write('data: 1\n\n')
    else if (pathname !== '/never') response.writeHead(404).end()
  })
  const sockets = new WebSocketServer({ server, path: '/ws' })
  sockets.on('connection', (socket) => {
    setTimeout(() => socket.send('1'), 10)
    setTimeout(() => socket.close(), 30)
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    close() {
      sockets.close()
      server.close()
      server.closeAllConnections()
    },
  }
}
