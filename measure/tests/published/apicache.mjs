// apicache: requests at the same time all miss the cache, and each computes and stores the answer.
import apicache from 'apicache'
import express from 'express'
import { requests, sleep } from './crowd.mjs'

const app = express()
app.use(apicache.middleware('1 minute'))
app.get('/', async (request, response) => {
  await sleep(5)
  response.json({})
})
await requests(app, { session: false })
process.exit()
