// session-file-store: the same with sessions in files.
import express from 'express'
import session from 'express-session'
import files from 'session-file-store'
import { requests, sleep } from './crowd.mjs'

const app = express()
const store = new (files(session))({ path: 'sessions', logFn() {}, reapInterval: -1 })
app.use(session({ secret: 's', store, resave: false, saveUninitialized: true }))
app.get('/', async (request, response) => {
  request.session.views = (request.session.views ?? 0) + 1
  await sleep(3)
  response.end()
})
await requests(app)
