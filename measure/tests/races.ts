/**
 * Races of the shapes that were reported for well-known packages, each re-created as a small program of our own: who
 * uses what in which order is faithful, the rest is not. `operation` is the function in which the race is; the programs
 * also have innocent functions that wait and are entered, for the race to be told from them.
 */
export interface Race {
  name: string
  operation: string
  program: string
}

/** Around every program: innocent activity of many at the same time. */
const PRELUDE = `
const sleep = (ms) => new Promise((done) => setTimeout(done, ms))
const log = []
async function innocent(i) { const mine = []; for (let k = 0; k < 6; k++) { mine.push(k); await sleep(1);
log.push(mine.length + i) } }
const all = (n, f) => Promise.all([innocent(0), innocent(1), ...Array.from({ length: n }, (_, i) => f(i))])
`

const race = (name: string, operation: string, program: string): Race => ({
  name,
  operation,
  program: PRELUDE + program,
})

export const races: Race[] = [
  race(
    'lowdb: two writers read, change and write the same file',
    'update',
    `
import { readFile, writeFile } from 'node:fs/promises'
await writeFile('db.json', '[]')
async function update(i) { const rows = JSON.parse(await readFile('db.json', 'utf8') || '[]'); rows.push(i);
await writeFile('db.json', JSON.stringify(rows)) }
await all(4, update)`,
  ),
  race(
    'mkdirp: whether the folder exists is asked before it is made',
    'ensure',
    `
import fs from 'node:fs'
const made = new Map()
async function ensure(dir) { if (!made.has(dir)) { await fs.promises.mkdir(dir, { recursive: true });
made.set(dir, (made.get(dir) ?? 0) + 1) } }
await all(3, () => ensure('a'))`,
  ),
  race(
    'generic-pool: more connections than the maximum',
    'acquire',
    `
class Pool {
  size = 0
  async acquire() { if (this.size >= 2) return null; await sleep(1); this.size = this.size + 1; return {} }
}
const pool = new Pool()
await all(4, () => pool.acquire())`,
  ),
  race(
    'express-session: parallel requests overwrite the session',
    'handle',
    `
const store = new Map([['sid', '{"views":0}']])
const load = async (id) => { await sleep(1); return JSON.parse(store.get(id)) }
const save = async (id, s) => { await sleep(1); store.set(id, JSON.stringify(s)) }
async function handle() { const session = await load('sid'); session.views++; await save('sid', session) }
await all(5, handle)`,
  ),
  race(
    'cache-manager: a value is computed once for each caller',
    'wrap',
    `
const cache = new Map()
async function wrap(key, make) { if (cache.has(key)) return cache.get(key); const value = await make();
cache.set(key, value); return value }
await all(4, () => wrap('user', async () => { await sleep(2); return {} }))`,
  ),
  race(
    'axios: the token is refreshed by every request that failed',
    'refresh',
    `
const auth = { token: 'old' }
async function refresh() { if (auth.token !== 'old') return auth.token;
const fresh = await sleep(2).then(() => 'new' + log.length); auth.token = fresh; return fresh }
await all(3, refresh)`,
  ),
  race(
    'rate-limiter: the count is read, then written back',
    'consume',
    `
const hits = new Map()
const get = async (key) => { await sleep(1); return hits.get(key) ?? 0 }
async function consume(key) { const n = await get(key); if (n >= 3) throw new Error('limit'); await sleep(0);
hits.set(key, n + 1) }
await all(5, () => consume('ip').catch(() => {}))`,
  ),
  race(
    'mongoose: find, then create',
    'findOrCreate',
    `
const rows = []
const find = async (email) => { await sleep(1); return rows.find((r) => r.email === email) }
async function findOrCreate(email) { const known = await find(email); if (known) return known; await sleep(1);
const row = { email }; rows.push(row); return row }
await all(3, () => findOrCreate('a@b'))`,
  ),
  race(
    'lockfile: looks for the lock, then writes it',
    'lock',
    `
import fs from 'node:fs'
const { access, writeFile } = fs.promises
async function lock(file) { try { await access(file);
return false } catch { await writeFile(file, String(log.length)); return true } }
await all(3, () => lock('app.lock'))`,
  ),
  race(
    'socket.io: rooms of a socket that left meanwhile',
    'join',
    `
const rooms = { lobby: [] }
async function join(id) { const members = rooms.lobby; await sleep(1); rooms.lobby = [...members, id] }
await all(4, join)`,
  ),
  race(
    'kue: two workers take the same job',
    'take',
    `
const jobs = [{ id: 1, state: 'queued' }]
async function take(worker) { const job = jobs[0]; if (job.state !== 'queued') return; await sleep(1);
job.state = 'active'; job.worker = worker }
await all(3, take)`,
  ),
  race(
    'keyv: an expired entry is deleted after it was renewed',
    'get',
    `
const store = new Map([['k', { at: 0 }]])
async function get(key) { const entry = store.get(key); if (entry && entry.at > 0) return entry; await sleep(1);
store.set(key, { at: 1 }); return null }
await all(3, () => get('k'))`,
  ),
  race(
    'verdaccio: two publishes merge into the manifest that they read',
    'publish',
    `
import { readFile, writeFile } from 'node:fs/promises'
await writeFile('manifest.json', '{}')
async function publish(version) { const m = JSON.parse((await readFile('manifest.json', 'utf8')) || '{}');
await sleep(1); m[version] = true; await writeFile('manifest.json', JSON.stringify(m)) }
await all(3, publish)`,
  ),
  race(
    'tough-cookie: the jar is written back as it was read',
    'setCookie',
    `
class Jar { cookies = ''; async read() { await sleep(1); return this.cookies } }
const jar = new Jar()
async function setCookie(c) { const old = await jar.read(); await sleep(1); jar.cookies = old + c + ';' }
await all(4, setCookie)`,
  ),
  race(
    'node-telegram-bot: the offset of polling, with callbacks',
    'poll',
    `
let offset = 0
function poll(done) { const from = offset; setTimeout(() => { offset = from + 1; done() }, 2) }
await all(3, () => new Promise(poll))`,
  ),
  race(
    'webpack-dev-middleware: initialised twice',
    'initialise',
    `
let server = null
async function initialise() { if (server === null) { const s = await sleep(2).then(() => ({}));
server = s } return server }
await all(3, initialise)`,
  ),
  race(
    'bull: progress is added to what was read before',
    'report',
    `
const job = { progress: 0 }
async function report(step) { job.progress += await sleep(1).then(() => step) }
await all(4, report)`,
  ),
  race(
    'passport: a one-time code is used twice',
    'redeem',
    `
const codes = new Set(['x'])
async function redeem(code) { if (!codes.has(code)) return false; await sleep(1); codes.delete(code); return true }
await all(3, () => redeem('x'))`,
  ),
  race(
    'stock: checks, waits, and sells',
    'buy',
    `
class Stock {
  n = new Map([['book', 3]])
  async load(id) { await sleep(1); return this.n.get(id) }
  async save(id, n) { await sleep(1); this.n.set(id, n) }
  async buy(id) { const left = await this.load(id); if (left === 0) return false; await this.save(id, left - 1);
return true }
}
const stock = new Stock()
await all(5, () => stock.buy('book'))`,
  ),
  race(
    'npm: two installs add to the lock file that each has read, in promises without await',
    'add',
    `
const disk = { lock: 'a' }
const read = () => sleep(1).then(() => disk.lock)
function add(name) { return read().then((text) => sleep(1).then(() => { disk.lock = text + name })) }
await all(3, add)`,
  ),
]
