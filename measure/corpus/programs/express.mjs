// A shop on Express: lists and orders in files, a session cookie, JSON in and out, a page rendered from a template.
import express from 'express'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { randomBytes, scrypt } from 'node:crypto'
import path from 'node:path'
import { promisify } from 'node:util'

const [port, dir] = process.argv.slice(2)
const hash = promisify(scrypt)
const orders = path.join(dir, 'orders')
await mkdir(orders, { recursive: true })
const sessions = new Map()
const app = express()
app.use(express.json())
app.use((request, response, next) => {
  let id = /sid=(\w+)/.exec(request.headers.cookie ?? '')?.[1]
  if (id === undefined || !sessions.has(id)) {
    id = randomBytes(8).toString('hex')
    sessions.set(id, { basket: [], seen: Date.now() })
    response.cookie('sid', id)
  }
  request.session = sessions.get(id)
  next()
})
app.get('/items', (request, response) => response.json(Array.from({ length: 50 }, (_, i) => ({ id: i, price: i * 3 }))))
app.post('/basket', (request, response) => {
  request.session.basket.push(request.body.id)
  response.json(request.session.basket.slice(-10))
})
app.post('/orders', async (request, response) => {
  const id = randomBytes(4).toString('hex')
  const file = path.join(orders, `${id[0]}.json`)
  const known = JSON.parse(await readFile(file, 'utf8').catch(() => '[]'))
  known.push({ id, basket: request.session.basket.splice(0) })
  await writeFile(file, JSON.stringify(known.slice(-30)))
  response.status(201).json({ id })
})
app.get('/orders/:id', async (request, response) => {
  const known = JSON.parse(await readFile(path.join(orders, `${request.params.id[0]}.json`), 'utf8').catch(() => '[]'))
  response.json(known.find((o) => o.id === request.params.id) ?? null)
})
app.post('/login', async (request, response) => {
  const key = await hash(request.body.password, 'salt', 32, { N: 1024 })
  await new Promise((done) => setTimeout(done, 5))
  response.json({ ok: key.length === 32 })
})
app.get('/', async (request, response) => {
  const template = await readFile(path.join(dir, 'page.html'), 'utf8')
  response.send(template.replace('{{basket}}', request.session.basket.join(', ')))
})
setInterval(() => {
  for (const [id, session] of sessions) if (Date.now() - session.seen > 30_000) sessions.delete(id)
}, 1000)
await writeFile(path.join(dir, 'page.html'), '<h1>Shop</h1><p>{{basket}}</p>'.repeat(20))
app.listen(Number(port), '127.0.0.1')
