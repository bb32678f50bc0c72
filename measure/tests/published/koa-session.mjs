// koa-session with a store outside: requests at the same time each load the session, and the last one to save wins.
import Koa from 'koa'
import session from 'koa-session'
import { remoteStore, requests } from './crowd.mjs'

const app = new Koa()
app.keys = ['k']
app.use(session({ store: { ...remoteStore(), destroy: async () => {} } }, app))
app.use((ctx) => {
  ctx.session.views = (ctx.session.views ?? 0) + 1
  ctx.body = ''
})
await requests(app.callback())
