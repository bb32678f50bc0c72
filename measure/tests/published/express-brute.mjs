// GHSA-984p-xq9m-4rjw: requests at the same time read the same count of attempts, and each writes that plus one.
import Brute from 'express-brute'
import { remoteStore, sleep } from './crowd.mjs'

const brute = new Brute(remoteStore(), { freeRetries: 2 })
const attempt = () => brute.prevent({ ip: '::1', connection: {} }, { status: () => ({ send() {} }) }, () => {})
for (let i = 0; i < 4; i++) attempt()
await sleep(50)
