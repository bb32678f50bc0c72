// npm's lockfile: two find the same lock stale; the second removes the lock that the first has just taken.
import { utimesSync, writeFileSync } from 'node:fs'
import lockfile from 'lockfile'

writeFileSync('a.lock', '')
utimesSync('a.lock', 1, 1)
const lock = () => new Promise((done) => lockfile.lock('a.lock', { stale: 5000, retries: 2 }, done))
lockfile.filetime = 'mtime'
await Promise.all([lock(), lock(), lock()])
