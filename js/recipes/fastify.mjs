// Fastify: a handler that is an activity. It is cancelled when its client goes away, and `atomic` keeps what it reads
// and what it writes together. Run it: node fastify.mjs
import Fastify from 'fastify'
import { asyncFn, atomic, sleep, spawn } from 'charcoal-js'

/** Runs `body` as an activity for each request. */
const activity = (body) => (request, reply) => {
  const task = spawn(() => body(request, reply), { name: `${request.method} ${request.url}` })
  reply.raw.on('close', () => task.cancel('the client has gone')) // without effect on one that has ended
  return task
}

let seats = 1
const book = asyncFn(function* (name) {
  if (seats === 0) return `${name} comes too late`
  yield* sleep(1) // the database
  seats--
  return `${name} has a seat`
})

const app = Fastify()
app.get('/book', activity(({ query }) => atomic(book(query.name))))
let begun
const slowBegins = new Promise((done) => (begun = done))
app.get('/slow', activity(function* () {
  try {
    begun()
    yield* sleep(60_000)
  } finally {
    console.log('stopped')
    stopped()
  }
}))
let stopped
const slowEnds = new Promise((done) => (stopped = done))

const url = await app.listen({ port: 0, host: '127.0.0.1' })
const answers = await Promise.all(['ann', 'bob'].map((name) => fetch(`${url}/book?name=${name}`)))
const texts = await Promise.all(answers.map((answer) => answer.text()))
console.log(texts.filter((text) => text.endsWith('has a seat')).length) // → 1

const client = new AbortController()
fetch(`${url}/slow`, { signal: client.signal }).catch(() => {})
await slowBegins
client.abort()
await slowEnds // → stopped
await app.close()
