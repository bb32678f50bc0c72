// Eleventy's server for development: pages are read, and changed files are rendered again.
import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { crowd, send } from '../load.mjs'

const post = (n, text) => `---\ntitle: Post ${n}\nlayout: page.njk\ntags: post\n---\n\n## Part\n\n${text}\n`
const layout = `<!doctype html><html><head><title>{{ title }}</title></head><body>{{ content | safe }}
{% for p in collections.post %}<a href="{{ p.url }}">{{ p.data.title }}</a>{% endfor %}</body></html>
`

export default {
  title: 'Eleventy (dev server)',
  package: ['npm', '@11ty/eleventy'],
  command({ module, dir, port }) {
    mkdirSync(path.join(dir, '_includes'))
    writeFileSync(path.join(dir, '_includes/page.njk'), layout)
    for (let i = 0; i < 30; i++) writeFileSync(path.join(dir, `p${i}.md`), post(i, 'text *with* stress\n'.repeat(20)))
    return {
      program: module('@11ty/eleventy/cmd.cjs'),
      args: ['--serve', '--quiet', '--incremental', '--port', String(port)],
      cwd: dir,
      ready: 'p1/',
    }
  },
  load: (url, until, { dir }) =>
    crowd(6, 60, until, async (user, turn) => {
      const n = (user * 5 + turn) % 30
      if (turn % 15 === 14) writeFileSync(path.join(dir, `p${n}.md`), post(n, `turn ${turn} *again*`))
      await send(`${url}p${n}/`, 'GET', undefined, { accept: 'text/html' })
    }),
}
