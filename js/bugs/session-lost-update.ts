/** Of two requests that change the same session, the second one undoes what the first one has saved. */
import { sleep, spawn } from '../src/index.ts'
import type { Bug } from './bug.ts'

/** A store as session middleware uses it: every request loads a copy at its start and saves all of it at its end. */
class Store {
  private text = '{}';
  *load() {
    yield* sleep(1)
    return JSON.parse(this.text) as Record<string, unknown>
  }
  *save(session: Record<string, unknown>) {
    yield* sleep(1)
    this.text = JSON.stringify(session)
  }
}

export const sessionLostUpdate: Bug = {
  title: 'a slow request saves the session over what a fast one has put into it',
  reported:
    'https://github.com/tj/connect-redis/issues/75 (also SerayaEryn/fastify-session #237, expressjs/session #361)',
  story:
    'Both requests load the same session. The second save writes back the first state, and the field set by the ' +
    'other request is gone.',
  program: (risky) =>
    function* () {
      const store = new Store()
      const request = (field: string) =>
        spawn(function* () {
          yield* risky(function* () {
            const session = yield* store.load()
            session[field] = true
            yield* store.save(session)
          })
        })
      const slow = request('cart')
      const fast = request('login')
      yield* slow
      yield* fast
      const session = yield* store.load()
      if (!session.cart || !session.login) throw new Error(`the session lost a field: ${JSON.stringify(session)}`)
    },
}
