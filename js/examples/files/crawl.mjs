// Pages fetched three at a time, each with a time limit and retries; the first error stops the rest.
// Run it: node crawl.mjs
import { createServer } from 'node:http'
import { asyncFn, wait } from 'charcoal-js'
import { map, retry, timeout } from 'charcoal-js/ops'

let requests = 0
const server = createServer((request, response) => {
  // Every third answer is an error.
  response.statusCode = ++requests % 3 === 0 ? 500 : 200
  response.end(`page ${request.url}`)
})
await new Promise((done) => server.listen(0, '127.0.0.1', done))
const { port } = server.address()

const load = asyncFn(function* (path, scope) {
  const response = yield* wait(fetch(`http://127.0.0.1:${port}${path}`, { signal: scope.signal }))
  if (!response.ok) throw new Error(`${path}: ${response.status}`)
  return yield* wait(response.text())
})
const pages = await map(
  ['/a', '/b', '/c', '/d', '/e'],
  (path) => retry(() => timeout(5000, (scope) => load(path, scope)), { attempts: 5, delay: 10 }),
  { limit: 3 },
)
console.log(pages.join(', ')) // → page /a, page /b, page /c, page /d, page /e
server.close()
