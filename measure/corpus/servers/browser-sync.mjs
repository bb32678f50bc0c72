// Browsersync serves a folder, adds its script to each page, watches the files and tells its clients of changes.
import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { crowd, send } from '../load.mjs'

const page = (n) =>
  `<!doctype html><html><head><link rel="stylesheet" href="style.css"></head><body><p>page ${n}</p></body></html>`

export default {
  title: 'Browsersync',
  package: ['npm', 'browser-sync'],
  command({ module, dir, port }) {
    const site = path.join(dir, 'site')
    mkdirSync(site)
    for (let i = 0; i < 20; i++) writeFileSync(path.join(site, `p${i}.html`), page(i))
    writeFileSync(path.join(site, 'index.html'), page('first'))
    writeFileSync(path.join(site, 'style.css'), 'body { margin: 0 }\n'.repeat(200))
    const options = ['--no-open', '--no-ui', '--no-notify', '--no-ghost-mode', '--logLevel', 'silent']
    return {
      program: module('browser-sync/dist/bin.js'),
      args: ['start', '--server', site, '--files', `${site}/**`, '--port', String(port)].concat(options),
      cwd: dir,
      ready: '',
    }
  },
  load: (url, until, { dir }) =>
    crowd(8, 50, until, async (user, turn) => {
      const n = (user * 3 + turn) % 20
      if (turn % 10 === 9) writeFileSync(path.join(dir, `site/p${n}.html`), page(turn))
      const html = { accept: 'text/html' }
      if (turn % 3 === 0) return send(`${url}browser-sync/socket.io/?EIO=4&transport=polling&t=${turn}`, 'GET')
      return turn % 3 === 1 ? send(`${url}p${n}.html`, 'GET', undefined, html) : send(`${url}style.css`, 'GET')
    }),
}
