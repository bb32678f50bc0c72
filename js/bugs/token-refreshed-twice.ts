/** Two callers refresh the same token, and the server refuses the second refresh. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { spawn, wait } from '../src/index.ts'
import type { Bug } from './bug.ts'

export const tokenRefreshedTwice: Bug = {
  title: 'concurrent calls refresh an expired token several times, and the second refresh fails',
  reported: 'https://github.com/firebase/firebase-admin-node/pull/2648 (also openfga/js-sdk #332)',
  story:
    'Both calls find the cached token expired before either refresh has come back. A server that rotates refresh ' +
    'tokens refuses the second one. A real HTTP server.',
  real: true,
  program: (risky) =>
    function* () {
      let valid = 'refresh-0'
      let issued = 0
      const server = createServer((request, response) => {
        const given = new URL(request.url!, 'http://localhost').searchParams.get('token')
        if (given !== valid) return void response.writeHead(401).end('invalid_grant')
        valid = `refresh-${++issued}`
        response.end(JSON.stringify({ access: `access-${issued}`, refresh: valid }))
      })
      yield* wait(new Promise<void>((done) => server.listen(0, '127.0.0.1', done)))
      try {
        const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
        let cached: { access: string | null; refresh: string } = { access: null, refresh: 'refresh-0' }
        const call = () =>
          spawn(function* () {
            return yield* risky(function* () {
              if (cached.access === null) {
                const response = yield* wait(fetch(`${url}?token=${cached.refresh}`))
                if (!response.ok) throw new Error(`the refresh was refused: ${yield* wait(response.text())}`)
                cached = yield* wait(response.json() as Promise<typeof cached>)
              }
              return cached.access
            })
          })
        for (const c of [call(), call()]) yield* c
        if (issued !== 1) throw new Error(`${issued} tokens were issued`)
      } finally {
        server.closeAllConnections()
        server.close()
      }
    },
}
