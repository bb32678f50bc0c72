// Notes on Fastify: schemas, hooks, a cache in front of files, a stream, a job queue.
import fastify from 'fastify'
import { createReadStream } from 'node:fs'
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { gzip } from 'node:zlib'
import { promisify } from 'node:util'

const [port, dir] = process.argv.slice(2)
const pack = promisify(gzip)
const app = fastify()
const cache = new Map()
const jobs = []
await mkdir(path.join(dir, 'notes'), { recursive: true })
await writeFile(path.join(dir, 'large.txt'), 'a line of text\n'.repeat(20_000))
const file = (id) => path.join(dir, 'notes', `${id % 50}.json`)

app.addHook('onRequest', async (request) => {
  request.began = performance.now()
})
app.addHook('onResponse', async (request) => {
  jobs.push({ url: request.url, ms: performance.now() - request.began })
})
app.get('/notes/:id', { schema: { params: { type: 'object', properties: { id: { type: 'integer' } } }, response: { 200: { type: 'object', properties: { id: { type: 'integer' }, text: { type: 'string' } } } } } }, async (request) => {
  const { id } = request.params
  if (!cache.has(id)) cache.set(id, JSON.parse(await readFile(file(id), 'utf8').catch(() => `{"id":${id},"text":""}`)))
  return cache.get(id)
})
app.put('/notes/:id', { schema: { body: { type: 'object', required: ['text'], properties: { text: { type: 'string' } } } } }, async (request) => {
  const id = Number(request.params.id)
  const note = { id, text: request.body.text }
  await writeFile(`${file(id)}.new`, JSON.stringify(note))
  await rename(`${file(id)}.new`, file(id)).catch(() => {})
  cache.set(id, note)
  return note
})
app.get('/large', (request, reply) => reply.type('text/plain').send(createReadStream(path.join(dir, 'large.txt'))))
app.get('/packed', async (request, reply) => {
  const packed = await pack(JSON.stringify([...cache.values()]))
  return reply.header('content-encoding', 'gzip').type('application/json').send(packed)
})
setInterval(async () => {
  const done = jobs.splice(0)
  if (done.length > 0) await writeFile(path.join(dir, 'log.json'), JSON.stringify(done.slice(-100)))
}, 250)
await app.listen({ port: Number(port), host: '127.0.0.1' })
