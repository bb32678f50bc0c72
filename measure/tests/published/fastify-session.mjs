// fastify-session: requests at the same time each load the session, and the last one to save wins.
import Fastify from 'fastify'
import cookie from 'fastify-cookie'
import session from 'fastify-session'
import { requests, remoteStore, sleep } from './crowd.mjs'

const app = Fastify()
const store = { ...remoteStore(), destroy: (id, callback) => callback() }
app.register(cookie)
app.register(session, { secret: 's'.repeat(32), cookie: { secure: false }, store })
app.get('/', async (request) => {
  request.session.views = (request.session.views ?? 0) + 1
  await sleep(3)
  return ''
})
await app.ready()
await requests((request, response) => app.routing(request, response))
