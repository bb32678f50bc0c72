// json-graphql-server: queries with relations, filters and mutations over a database in memory.
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { crowd, send } from '../load.mjs'

export default {
  title: 'json-graphql-server',
  package: ['npm', 'json-graphql-server'],
  command({ module, dir, port }) {
    const users = Array.from({ length: 40 }, (_, id) => ({ id, name: `user ${id}` }))
    const posts = Array.from({ length: 200 }, (_, id) => ({ id, title: `post ${id}`, views: id % 9, user_id: id % 40 }))
    const file = path.join(dir, 'db.cjs')
    writeFileSync(file, `module.exports = ${JSON.stringify({ posts, users })}\n`)
    return {
      program: module('json-graphql-server/bin/json-graphql-server.cjs'),
      args: [file, '-p', String(port), '-h', '127.0.0.1'],
      cwd: dir,
      ready: '?query=%7B__typename%7D',
    }
  },
  load: (url, until) =>
    crowd(8, 40, until, (user, turn) => {
      const queries = [
        `{ allPosts(page: ${turn % 10}, perPage: 15, sortField: "views") { id title User { name } } }`,
        `{ User(id: ${turn % 40}) { name Posts { title views } } }`,
        `mutation { updatePost(id: ${turn % 200}, title: "new ${turn}") { id title } }`,
        '{ allPosts(filter: { views_gte: 5 }) { id } }',
      ]
      return send(url, 'POST', { query: queries[(user + turn) % 4] })
    }),
}
