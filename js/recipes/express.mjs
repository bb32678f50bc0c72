// Express: middleware whose work is an activity with a time limit. What fails goes to the error handler, and the time
// limit reaches everything that the handler waits for. Run it: node express.mjs
import express from 'express'
import { sleep, spawn } from 'charcoal-js'
import { all, timeout } from 'charcoal-js/ops'

const LIMIT = 20 // milliseconds

/** A handler from a generator function. */
const handler = (body) => (request, response, next) => {
  spawn(() => timeout(LIMIT, () => body(request, response))).catch(next)
}

const query = function* (table, ms) {
  try {
    yield* sleep(ms) // the database
    return `${table} rows`
  } finally {
    if (ms > LIMIT) console.log(`${table} query ended`)
  }
}

const app = express()
app.get('/quick', handler(function* (_request, response) {
  response.send((yield* all([query('users', 1), query('orders', 1)])).join(', '))
}))
app.get('/slow', handler(function* (_request, response) {
  response.send((yield* all([query('users', 1), query('archive', 60_000)])).join(', '))
}))
app.use((error, _request, response, _next) => {
  response.status(error.code === 'ETIMEDOUT' ? 503 : 500).send(error.message)
})

const server = app.listen(0, '127.0.0.1', async () => {
  const ask = async (path) => {
    const answer = await fetch(`http://127.0.0.1:${server.address().port}${path}`)
    return `${answer.status} ${await answer.text()}`
  }
  console.log((await ask('/slow')).slice(0, 3)) // → archive query ended
  // → 503
  server.close()
})
