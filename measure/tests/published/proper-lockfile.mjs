// proper-lockfile 1: two find the same lock stale; the second removes the lock that the first has just taken.
import { mkdirSync, utimesSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'

const require = createRequire(import.meta.url)
const fresh = () => {
  for (const file of Object.keys(require.cache)) if (file.includes('proper-lockfile')) delete require.cache[file]
  return require('proper-lockfile')
}
writeFileSync('db', '')
mkdirSync('db.lock')
utimesSync('db.lock', 1, 1)
const lock = (by) => new Promise((done) => by.lock('db', { stale: 5000, retries: 0, realpath: false }, done))
await Promise.all([lock(fresh()), lock(fresh()), lock(fresh())])
process.exit()
