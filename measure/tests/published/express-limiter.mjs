// express-limiter reads what remains, subtracts one and writes it: two requests at the same time cost one.
import limiter from 'express-limiter'
import { remoteStore, sleep } from './crowd.mjs'

const limit = limiter({ get() {} }, remoteStore())({ lookup: 'ip', total: 2, expire: 1000, path: '/', method: 'get' })
for (let i = 0; i < 4; i++) limit({ ip: '::1' }, { set() {}, status: () => ({ send() {} }) }, () => {})
await sleep(50)
