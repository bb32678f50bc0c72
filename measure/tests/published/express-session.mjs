// express-session: requests at the same time each load the session, and the last one to save wins.
import express from 'express'
import session from 'express-session'
import { requests, sleep } from './crowd.mjs'

const app = express()
app.use(session({ secret: 's', resave: false, saveUninitialized: true }))
app.get('/', async (request, response) => {
  const views = request.session.views ?? 0
  await sleep(3)
  request.session.views = views + 1
  response.end()
})
await requests(app)
