// Vite's server for development: sixty modules in a row are loaded, and one in ten turns changes one of them.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { crowd, send } from '../load.mjs'

const MODULES = 60
const text = (i) => {
  const last = i === MODULES - 1
  return `${last ? 'const next = (n: number): number => n' : `import { next } from './m${i + 1}.ts'`}
export function f(n: number): number {
  return next(n) + ${i}
}
${i === 0 ? 'f(1)' : 'export { f as next }'}
`
}

export default {
  title: 'Vite (dev server)',
  package: ['npm', 'vite'],
  command({ module, dir, port }) {
    mkdirSync(path.join(dir, 'src'), { recursive: true })
    writeFileSync(path.join(dir, 'package.json'), '{"type":"module"}')
    const script = '<script type="module" src="/src/m0.ts"></script>'
    writeFileSync(path.join(dir, 'index.html'), `<div id="app"></div>${script}`)
    for (let i = 0; i < MODULES; i++) writeFileSync(path.join(dir, `src/m${i}.ts`), text(i))
    return {
      program: module('vite/bin/vite.js'),
      args: ['--port', String(port), '--strictPort', '--host', '127.0.0.1'],
      cwd: dir,
      ready: '',
    }
  },
  load: (url, until, { dir }) =>
    crowd(4, 60, until, async (user, turn) => {
      const i = (user * 15 + turn) % MODULES
      const file = path.join(dir, `src/m${i}.ts`)
      if (turn % 10 === 9) writeFileSync(file, readFileSync(file, 'utf8').replace(/ \+ \d+/, ` + ${turn}`))
      await send(`${url}src/m${i}.ts?t=${turn}`, 'GET', undefined, { accept: '*/*' })
      if (turn % 5 === 0) await send(url, 'GET', undefined, { accept: 'text/html' })
    }),
}
