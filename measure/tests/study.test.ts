import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { Analyser } from '../src/analysis/index.ts'
import { summarise } from '../src/study/index.ts'
import { freePort, Services } from '../src/study/serve.ts'
import { act, type Action } from '../src/study/session.ts'
import { figuresTable, medianRow, subtreeTable } from '../src/study/tables.ts'
import { ok, rejects, same, test } from './harness.ts'

const folder = (): string => path.join(process.env.CHARCOAL_MEASURE!, 'corpus')

test('every application of the corpus names a package of the manifest, and something to do', async () => {
  const manifest = JSON.parse(readFileSync(path.join(folder(), 'manifest.json'), 'utf8'))
  const web = await Promise.all(
    readdirSync(path.join(folder(), 'web')).map(
      async (file) => (await import(pathToFileURL(path.join(folder(), 'web', file)).href)).default,
    ),
  )
  const servers = Object.values<any>(
    (await import(pathToFileURL(path.join(folder(), 'server/servers.mjs')).href)).default,
  )
  ok(web.length >= 8 && servers.length >= 5, `${web.length} web applications, ${servers.length} servers`)
  for (const app of [...web, ...servers])
    ok(/^\d+\.\d+/.test(manifest[app.package[0]][app.package[1]]), `${app.title}: no version of ${app.package[1]}`)
  for (const app of web)
    ok(
      app.actions.length >= 5 &&
        app.actions.every((a: Action) => typeof a[0] === 'string' && typeof a[1] === 'function'),
      `${app.title} does too little`,
    )
  for (const [name, version] of Object.entries<string>({ ...manifest.npm, ...manifest.pip }))
    ok(/^\d+\.\d+\.\d+$/.test(version), `${name} ${version} is no fixed version`)
})

/** A page on which everything succeeds at once, and sleeping takes no time. */
const page: any = {
  timeout: 0,
  waitFor: async () => {},
  press: async () => {},
  sleep: () => new Promise((done) => setImmediate(done)),
}

test('a session goes round its actions until its time is over, and counts what fails', async () => {
  const seen: string[] = []
  const said: string[] = []
  const actions: Action[] = [
    ['good', async (_, round) => seen.push(`good ${round}`)],
    ['bad', async () => Promise.reject(new Error('no such button'))],
  ]
  const first: Action[] = [['once', async () => seen.push('once')]]
  const result = await act({ ready: 'x', first, actions }, 0.2, {
    page,
    signal: new AbortController().signal,
    log: (text) => said.push(text),
  })
  ok(
    seen[0] === 'once' && seen[1] === 'good 0' && seen[2] === 'good 1' && seen.filter((s) => s === 'once').length === 1,
    seen.slice(0, 4).join(),
  )
  same(result.done, seen.length)
  ok(
    result.failed.bad! > 0 && result.failed.good === undefined && said[0] === 'bad: no such button',
    JSON.stringify(result),
  )
  ok(result.seconds >= 0.2 && result.seconds < 60, `${result.seconds} s`)
})

test('a session ends when recording is stopped', async () => {
  const stop = new AbortController()
  const result = await act({ ready: 'x', actions: [['stop', async () => stop.abort()]] }, 1000, {
    page,
    signal: stop.signal,
    log() {},
  })
  same([result.done, result.failed], [1, {}])
})

test('a site serves its pages and folders, and nothing outside', async () => {
  const dir = mkdtempSync(path.join(tmpdir(), 'charcoal-site-'))
  const services = new Services()
  try {
    writeFileSync(path.join(dir, 'secret.txt'), 'secret')
    writeFileSync(path.join(dir, 'in.js'), '')
    const { url } = await services.site(
      { '/': ['text/html', () => 'home'], '/api/': ['application/json', () => '[]'] },
      { '/files/': path.join(dir) + '/' },
    )
    const get = async (p: string): Promise<[number, string]> =>
      fetch(url + p).then(async (r) => [r.status, r.headers.get('content-type') ?? (await r.text())])
    same(
      [await get(''), await get('api/x/1'), await get('files/in.js'), await get('none')],
      [
        [200, 'text/html'],
        [200, 'application/json'],
        [200, 'text/javascript'],
        [404, ''],
      ],
    )
    same((await fetch(`${url}files/..%2f${path.basename(dir)}-x/secret.txt`)).status, 404)
  } finally {
    await services.stop()
    rmSync(dir, { recursive: true })
  }
})

test('a program that ends before it answers is an error that tells what it said', async () => {
  const services = new Services()
  const port = await freePort()
  await rejects(
    services.start(process.execPath, ['-e', 'console.error("no licence"); process.exit(3)'], {
      ready: `http://127.0.0.1:${port}/`,
    }),
    /ended \(status 3\): no licence/,
  )
  await services.stop()
})

test('recordings of a study are pooled by kind, and put into one report', () => {
  const out = mkdtempSync(path.join(tmpdir(), 'charcoal-study-'))
  try {
    for (const [name, kind] of [
      ['a', 'web'],
      ['b', 'web'],
      ['c', 'server'],
    ]) {
      const analyser = new Analyser(name)
      analyser.add({ type: 'thread', id: 1, kind: 'page' })
      analyser.add({ type: 'continuation', id: 1, thread: 1, kind: 'script', parent: null, start: 0, end: 5 })
      writeFileSync(
        path.join(out, `${name}.json`),
        JSON.stringify({ entry: { name, kind, title: name, version: '1.0.0' }, figures: analyser.finish() }),
      )
    }
    const { entries, figures } = summarise(out, ['a', 'b', 'c', 'not recorded'])
    same([entries.length, figures.map((f) => f.counts.continuations)], [3, [2, 1, 1, 1, 1]])
    ok(readFileSync(path.join(out, 'report.html'), 'utf8').includes('All 2 web applications'), 'the report')
  } finally {
    rmSync(out, { recursive: true })
  }
})

test('the tables of docs/study.md are those of the data beside it, and its medians those of its rows', () => {
  const docs = path.join(process.env.CHARCOAL_MEASURE!, '../docs')
  const text = readFileSync(path.join(docs, 'study.md'), 'utf8').split('\n')
  const pools = JSON.parse(readFileSync(path.join(docs, 'data/study.json'), 'utf8'))
  const computed = `${figuresTable(pools)}\n${subtreeTable(pools)}`.split('\n')
  ok(computed.length > 50, `${computed.length} lines`)
  same(
    computed.filter((line) => !text.includes(line)),
    [],
  )
  const cells = (line: string): string[] =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim())
  const first = text.findIndex((line) => line.startsWith('|  | total | linear |')) + 2
  const rows = text.slice(first, text.indexOf('', first)).map(cells)
  const shares = rows
    .filter(([name]) => !name!.startsWith('*'))
    .map((row) => row.slice(2).map((c) => parseFloat(c) / 100))
  const medians = rows.filter(([name]) => name!.startsWith('*'))
  same(medians, [medianRow('web applications', shares.slice(0, 9)), medianRow('servers', shares.slice(9))])
})
