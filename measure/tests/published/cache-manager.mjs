// node-cache-manager 5.0 and 5.1: `wrap` asks the cache, waits, and computes the value once for each caller.
import { caching } from 'cache-manager'
import { remoteStore, sleep } from './crowd.mjs'

const cache = await caching({ ...remoteStore(), isCacheable: () => true })
await Promise.all([1, 2, 3].map(() => cache.wrap('user', async () => (await sleep(3), { name: 'x' }))))
