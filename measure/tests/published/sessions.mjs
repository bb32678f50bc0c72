// What programs with sessions of express-session have in common.
import express from 'express'
import session from 'express-session'
import { requests, sleep } from './crowd.mjs'

/** Counts the requests of a session slowly; `storeOf` makes the store, given express-session. */
export async function countRequests(storeOf) {
  const app = express()
  app.use(session({ secret: 's', store: storeOf(session), resave: false, saveUninitialized: true }))
  app.get('/', async (request, response) => {
    request.session.views = (request.session.views ?? 0) + 1
    await sleep(3)
    response.end()
  })
  await requests(app)
}
