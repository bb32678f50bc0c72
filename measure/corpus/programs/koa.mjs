// A link shortener on Koa: middleware that waits, a write-behind file, a proxy to itself.
import Koa from 'koa'
import { writeFile } from 'node:fs/promises'
import path from 'node:path'

const [port, dir] = process.argv.slice(2)
const app = new Koa()
const links = new Map()
let dirty
app.use(async (ctx, next) => {
  const began = performance.now()
  await next()
  ctx.set('x-time', String(performance.now() - began))
})
app.use(async (ctx, next) => {
  await new Promise((done) => setImmediate(done))
  await next()
})
app.use(async (ctx) => {
  if (ctx.path === '/add') {
    const id = (links.size % 500).toString(36)
    links.set(id, ctx.query.url)
    dirty ??= setTimeout(async () => {
      dirty = undefined
      await writeFile(path.join(dir, 'links.json'), JSON.stringify([...links]))
    }, 50)
    ctx.body = { id }
  } else if (ctx.path === '/through') {
    const answer = await fetch(`http://127.0.0.1:${port}/add?url=x`)
    ctx.body = await answer.json()
  } else ctx.body = { url: links.get(ctx.path.slice(1)) ?? null }
})
app.listen(Number(port), '127.0.0.1')
