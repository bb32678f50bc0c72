// cacheable 1.8: a wrapped function is called once for each caller that finds nothing in the cache.
import { Cacheable } from 'cacheable'
import { sleep } from './crowd.mjs'

const cache = new Cacheable()
const user = cache.wrap(async (id) => (await sleep(3), { id }), { keyPrefix: 'user' })
await Promise.all([user(1), user(1), user(1)])
