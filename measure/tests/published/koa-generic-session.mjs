// koa-generic-session: requests at the same time each load the session, and the last one to save wins.
import Koa from 'koa'
import session from 'koa-generic-session'
import { remoteStore, requests, sleep } from './crowd.mjs'

const app = new Koa()
app.keys = ['k']
app.use(session({ store: { ...remoteStore(), destroy: async () => {} } }))
app.use(async (ctx) => {
  ctx.session.views = (ctx.session.views ?? 0) + 1
  await sleep(3)
  ctx.body = ''
})
await requests(app.callback())
