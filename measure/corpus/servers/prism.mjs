// Prism answers requests from an OpenAPI description with made-up values, and checks what it is sent.
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { crowd, send } from '../load.mjs'
import { spec } from '../shop.mjs'

export default {
  title: 'Prism',
  package: ['npm', '@stoplight/prism-cli'],
  command({ module, dir, port }) {
    const file = path.join(dir, 'shop.json')
    writeFileSync(file, JSON.stringify({ ...spec, servers: [] }))
    return {
      program: module('@stoplight/prism-cli/dist/index.js'),
      args: ['mock', file, '--port', String(port), '--host', '127.0.0.1', '--dynamic', '--multiprocess=false'],
      ready: 'pets',
    }
  },
  load: (url, until) =>
    crowd(8, 50, until, (user, turn) => {
      const step = (user + turn) % 3
      if (step === 0) return send(`${url}pets?limit=${turn % 50}`, 'GET')
      if (step === 1) return send(`${url}orders`, 'POST', { id: turn, name: 'x', tags: ['a', 'b'] })
      return send(`${url}users/${turn}`, 'GET')
    }),
}
