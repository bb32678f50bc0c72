/** Many callers find nothing in a cache and all load the value, although one load would have been enough. */
import { asyncFn, sleep, spawn } from '../src/index.ts'
import type { Bug } from './bug.ts'

export const cacheStampede: Bug = {
  title: 'concurrent calls of a cached function all do the expensive work',
  reported: 'https://github.com/jaredwray/cacheable/issues/888 (also moleculerjs/moleculer #489)',
  story: 'All callers miss the cache before the first has filled it.',
  program: (risky) =>
    function* () {
      const cache = new Map<number, string>()
      let work = 0
      const expensive = asyncFn(function* (id: number) {
        work++
        yield* sleep(100)
        return `user ${id}`
      })
      const get = (id: number) =>
        spawn(function* () {
          return yield* risky(function* () {
            let user = cache.get(id)
            if (user === undefined) {
              user = yield* expensive(id)
              cache.set(id, user)
            }
            return user
          })
        })
      for (const g of [get(1), get(2), get(1), get(1)]) yield* g
      if (work !== 2) throw new Error(`2 users were asked for, the work was done ${work} times`)
    },
}
