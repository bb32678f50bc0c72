/** A pool of connections becomes larger than its limit, because it counts a connection only when that is open. */
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import { spawn, wait } from '../src/index.ts'
import { once } from '../src/events.ts'
import type { Bug } from './bug.ts'

export const poolTooBig: Bug = {
  title: 'a connection pool opens more connections than its limit',
  reported: 'https://github.com/neo4j/neo4j-javascript-driver/pull/1216 (and #613)',
  story:
    'The pool compares its size with the limit, opens a connection, and counts it when it is open. Everybody who ' +
    'asks meanwhile passes the test too. A real TCP server.',
  real: true,
  program: (risky) =>
    function* () {
      let open = 0
      let most = 0
      const server = createServer((socket) => {
        most = Math.max(most, ++open)
        socket.on('close', () => open--).on('error', () => {})
      })
      yield* wait(new Promise<void>((done) => server.listen(0, '127.0.0.1', done)))
      const pool: Socket[] = []
      try {
        const { port } = server.address() as AddressInfo
        const acquire = () =>
          spawn(function* () {
            return yield* risky(function* () {
              if (pool.length >= 1) return pool[0] // shared, like a driver that multiplexes
              const socket = connect(port, '127.0.0.1')
              yield* once(socket, 'connect')
              pool.push(socket)
              return socket
            })
          })
        for (const a of [acquire(), acquire(), acquire()]) yield* a
        if (pool.length > 1) throw new Error(`the limit is 1, the pool has ${pool.length} connections`)
      } finally {
        for (const socket of pool) socket.destroy()
        server.close()
      }
    },
}
