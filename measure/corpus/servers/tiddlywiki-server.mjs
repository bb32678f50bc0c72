// TiddlyWiki on Node.js: tiddlers are saved to files, read, listed and deleted, and the whole wiki is rendered.
import { execFileSync } from 'node:child_process'
import path from 'node:path'
import { crowd, send } from '../load.mjs'

export default {
  title: 'TiddlyWiki (server)',
  package: ['npm', 'tiddlywiki'],
  command({ module, dir, port }) {
    const program = module('tiddlywiki/tiddlywiki.js')
    const wiki = path.join(dir, 'wiki')
    // What saves to files is loaded by the next start only.
    execFileSync(process.execPath, [program, wiki, '--init', 'server'], { stdio: 'ignore' })
    return { program, args: [wiki, '--listen', `port=${port}`, 'host=127.0.0.1'], ready: 'status' }
  },
  load: (url, until) =>
    crowd(8, 60, until, (user, turn) => {
      const title = `Note ${user}-${turn % 30}`
      const one = (bag) => `${url}${bag}/default/tiddlers/${encodeURIComponent(title)}`
      const own = { 'x-requested-with': 'TiddlyWiki' }
      const step = (user + turn) % 8
      if (step < 3) return send(one('recipes'), 'PUT', { title, text: `turn ${turn}`, tags: 'note' }, own)
      if (step < 6) return send(`${url}recipes/default/tiddlers.json`, 'GET')
      if (step === 6) return send(`${url}status`, 'GET')
      return send(one('bags'), 'DELETE', undefined, own)
    }),
}
