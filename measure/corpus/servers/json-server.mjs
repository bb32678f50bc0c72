// JSON Server (Express and lowdb): an interface over one file, which is read, filtered, added to and changed.
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { crowd, send } from '../load.mjs'

export default {
  title: 'JSON Server',
  package: ['npm', 'json-server'],
  command({ module, dir, port }) {
    const posts = Array.from({ length: 100 }, (_, id) => ({ id, title: `post ${id}`, likes: id % 7 }))
    const comments = Array.from({ length: 200 }, (_, id) => ({ id, postId: id % 100, body: `comment ${id}` }))
    writeFileSync(path.join(dir, 'db.json'), JSON.stringify({ posts, comments }))
    return {
      program: module('json-server/lib/cli/bin.js'),
      args: [path.join(dir, 'db.json'), '--port', String(port), '--host', '127.0.0.1', '--quiet'],
      cwd: dir,
      ready: 'posts/1',
    }
  },
  load: (url, until) =>
    crowd(10, 40, until, (user, turn) => {
      const id = (user * 11 + turn) % 100
      const step = (user + turn) % 6
      if (step === 0) return send(`${url}posts?_page=${turn % 8}&_limit=10&_sort=likes`, 'GET')
      if (step === 1) return send(`${url}posts/${id}?_embed=comments`, 'GET')
      if (step === 2) return send(`${url}comments`, 'POST', { postId: id, body: `by ${user}` })
      if (step === 3) return send(`${url}posts/${id}`, 'PATCH', { likes: turn })
      return send(`${url}posts?q=${turn % 50}`, 'GET')
    }),
}
