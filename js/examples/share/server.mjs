// Keeps one box for everybody, with a version, and never looks into it.
// Usage: server.mjs <folder of the built page> [port] [latency in ms]
import { createServer } from 'node:http'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { pathToFileURL } from 'node:url'

const TYPES = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css' }

export async function serve(folder, port = 0, latency = 3) {
  let box = ''
  let version = 0
  const server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url, 'http://localhost')
    if (pathname === '/box') {
      let body = ''
      for await (const chunk of request) body += chunk
      await new Promise((done) => setTimeout(done, latency * Math.random() * 2))
      if (request.method === 'PUT') {
        if (Number(request.headers['if-match']) !== version) return response.writeHead(412).end()
        box = body
        version++
      }
      const answer = request.method === 'PUT' ? { version } : { version, box }
      return response.setHeader('content-type', 'application/json').end(JSON.stringify(answer))
    }
    try {
      const file = path.join(folder, path.normalize(pathname === '/' ? '/index.html' : pathname))
      const type = TYPES[path.extname(file)] ?? 'application/octet-stream'
      response.setHeader('content-type', type).end(await readFile(file))
    } catch {
      response.writeHead(404).end()
    }
  })
  await new Promise((done) => server.listen(port, '127.0.0.1', done))
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    close() {
      server.closeAllConnections()
      server.close()
    },
    get box() {
      return box
    },
    get version() {
      return version
    },
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const [folder, port = 8080, latency = 3] = process.argv.slice(2)
  console.log((await serve(folder, Number(port), Number(latency))).url)
}
