// PouchDB Server: documents are added one by one and in bulk, listed, and their changes followed.
import path from 'node:path'
import { crowd, send } from '../load.mjs'

export default {
  title: 'PouchDB Server',
  package: ['npm', 'pouchdb-server'],
  command: ({ module, dir, port }) => ({
    program: module('pouchdb-server/bin/pouchdb-server'),
    args: ['--host', '127.0.0.1', '--port', String(port), '--in-memory', '--no-stdout-logs'].concat([
      '--config',
      path.join(dir, 'config.json'),
    ]),
    ready: '',
  }),
  async load(url, until) {
    await send(`${url}shop`, 'PUT')
    return crowd(8, 40, until, async (user, turn) => {
      const step = turn % 4
      if (step === 0) await send(`${url}shop`, 'POST', { user, turn, text: 'x'.repeat(50) })
      else if (step === 1) await send(`${url}shop/_all_docs?limit=20&include_docs=true`, 'GET')
      else if (step === 3) await send(`${url}shop/_changes?limit=20`, 'GET')
      else {
        const docs = Array.from({ length: 5 }, (_, i) => ({ _id: `d${user}-${turn}-${i}`, n: i }))
        await send(`${url}shop/_bulk_docs`, 'POST', { docs })
      }
    })
  },
}
