// What programs with sessions of express-session have in common.
import express from 'express'
import session from 'express-session'
import { gathering, requests } from './crowd.mjs'

/** Counts the requests of a session, all at the same time; `storeOf` makes the store, given express-session. */
export async function countRequests(storeOf) {
  const app = express()
  const number = 4
  const all = gathering(number)
  app.use(session({ secret: 's', store: storeOf(session), resave: false, saveUninitialized: true }))
  app.get('/', async (request, response) => {
    request.session.views = (request.session.views ?? 0) + 1
    // All have loaded the session before the first saves it, on a slow machine, too. The first request is alone.
    if (request.headers.cookie !== undefined) await all()
    response.end()
  })
  await requests(app, { number })
}
