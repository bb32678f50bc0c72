// memorystore under express-session: requests at the same time each load the session, and the last one to save wins.
import express from 'express'
import session from 'express-session'
import memory from 'memorystore'
import { requests, sleep } from './crowd.mjs'

const app = express()
const store = new (memory(session))({ checkPeriod: 1e8 })
app.use(session({ secret: 's', store, resave: false, saveUninitialized: true }))
app.get('/', async (request, response) => {
  request.session.views = (request.session.views ?? 0) + 1
  await sleep(3)
  response.end()
})
await requests(app)
process.exit()
