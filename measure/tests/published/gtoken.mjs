// gtoken 4: each caller that finds no valid token asks for one of its own.
import { generateKeyPairSync } from 'node:crypto'
import { createRequire } from 'node:module'
import { sleep } from './crowd.mjs'

const require = createRequire(import.meta.url)
let asked = 0
require('gaxios').request = async () => (await sleep(3), { data: { access_token: `t${++asked}`, expires_in: 3600 } })
const { GoogleToken } = require('gtoken')
const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 1024 })
const key = privateKey.export({ type: 'pkcs1', format: 'pem' })
const google = new GoogleToken({ key, iss: 'a@example.org', scope: ['x'] })
await Promise.all([1, 2, 3].map(() => google.getToken()))
