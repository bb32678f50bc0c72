/** The study: its tables are those of its data, and a session that fails is told as that. */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { Analyser } from '../src/analysis/index.ts'
import { applications, manifestOf } from '../src/study/applications.ts'
import { CONFIDENCE, medianOf } from '../src/study/median.ts'
import { pools, studyOf, type Recorded } from '../src/study/summary.ts'
import { freePort, Services } from '../src/study/serve.ts'
import { act, type Action } from '../src/study/session.ts'
import { filled } from '../src/study/page.ts'
import { spreadTable } from '../src/study/spread.ts'
import { tables } from '../src/study/tables.ts'
import { ok, rejects, same, test, throws } from './harness.ts'
import { command } from './places.ts'

const folder = (): string => path.join(process.env.CHARCOAL_MEASURE!, 'corpus')

test('every application of the corpus names a package of the manifest, and something to do', async () => {
  const all = await applications(folder())
  const [web, servers] = (['web', 'server'] as const).map((kind) => all.filter((a) => a.kind === kind))
  ok(web!.length >= 12 && servers!.length >= 10, `${web!.length} web applications, ${servers!.length} servers`)
  for (const { name, version, app } of all) {
    ok(/^\d+\.\d+/.test(version), `${name}: no version of ${app.package[1]}`)
    if ('actions' in app)
      ok(
        app.actions.length >= 5 && app.actions.every(([title, act]) => title !== '' && typeof act === 'function'),
        `${name} does too little`,
      )
    else ok(typeof app.command === 'function' && typeof app.load === 'function', `${name} is not used`)
  }
})

test('the versions of the corpus are fixed, and so are those of what they need', () => {
  const { npm, pip } = manifestOf(folder())
  const text = readFileSync(path.join(folder(), 'package-lock.json'), 'utf8')
  ok(!text.includes('"resolved"'), 'the lock names no registry')
  const lock = JSON.parse(text).packages
  const constraints = readFileSync(path.join(folder(), 'constraints.txt'), 'utf8').split('\n')
  same(lock[''].dependencies, npm)
  for (const [name, version] of Object.entries(npm)) same(lock[`node_modules/${name}`].version, version, name)
  for (const [name, version] of Object.entries(pip)) ok(constraints.includes(`${name}==${version}`), name)
})

/** A page on which everything succeeds at once, and sleeping takes no time. */
const page: any = {
  timeout: 0,
  waitFor: async () => {},
  press: async () => {},
  sleep: () => new Promise((done) => setImmediate(done)),
}

test('a session goes round its actions until it is stopped, and counts what fails', async () => {
  const stop = new AbortController()
  const seen: string[] = []
  const said: string[] = []
  const actions: Action[] = [
    ['good', async (_, round) => seen.push(`good ${round}`)],
    ['bad', async () => Promise.reject(new Error('no such button'))],
    ['stop', async (_, round) => round === 1 && stop.abort()],
  ]
  const first: Action[] = [['once', async () => seen.push('once')]]
  const context = { page, signal: stop.signal, log: (text: string) => said.push(text) }
  const { done, failed } = await act({ ready: 'x', first, actions }, 1000, context)
  same(seen, ['once', 'good 0', 'good 1'])
  same([done, failed, said], [5, { bad: 2 }, ['bad: no such button', 'bad: no such button']])
})

test('a session ends when its time is over', async () => {
  const context = { page, signal: new AbortController().signal, log() {} }
  const { seconds } = await act({ ready: 'x', actions: [['nothing', async () => {}]] }, 0.05, context)
  ok(seconds >= 0.05, `${seconds} s`)
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

/** A recording with continuations of these lengths, each the child of the one before. */
function recorded(name: string, kind: 'web' | 'server', run: number, lengths: number[]): Recorded {
  const analyser = new Analyser(name)
  analyser.add({ type: 'thread', id: 1, kind: 'page' })
  let now = 0
  for (const [i, length] of lengths.entries()) {
    const parent = i === 0 ? null : i
    analyser.add({ type: 'continuation', id: i + 1, thread: 1, kind: 'timeout', parent, start: now, end: now + length })
    now += length + 100
  }
  const entry = {
    name,
    kind,
    title: name,
    version: '1.0.0',
    run,
    node: 'v20.0.0',
    machine: [0.5, 1] as [number, number],
  }
  return { entry, figures: analyser.finish() }
}

test('recordings of a study are pooled by application and kind, with medians over runs and over applications', () => {
  const study = studyOf([
    ...[1, 2, 3, 4, 5].map((run) => recorded('a', 'web', run, Array(10).fill(run < 4 ? 10 : 2000))),
    recorded('b', 'web', 1, [10, 2000]),
    recorded('c', 'server', 1, [10, 10]),
  ])
  same(
    study.applications.map((a) => [a.name, a.runs.length, a.figures.counts.continuations]),
    [
      ['a', 5, 50],
      ['b', 1, 2],
      ['c', 1, 2],
    ],
  )
  same(
    pools(study).map((f) => [f.title, f.counts.continuations]),
    [
      ['All 2 web applications', 52],
      ['All 1 Node servers', 2],
    ],
  )
  const row = tables(study)
    .split('\n')
    .find((line) => line.startsWith('| continuations below 1 ms, not recurring |'))
  // Of a: all in three runs, none in two. Of b: one of two.
  same(row, '| continuations below 1 ms, not recurring | 60 % | 75 % | 100 % | 100 % |')
})

test('how far recordings of one application lie apart stands beside how far applications do', () => {
  const study = studyOf([
    ...[10, 10, 2000].map((length, i) => recorded('a', 'web', i + 1, [10, length])),
    ...[2000, 2000, 2000].map((length, i) => recorded('b', 'web', i + 1, [length, length])),
  ])
  const row = spreadTable(study)
    .split('\n')
    .find((line) => line.startsWith('| continuations below 1 ms, not recurring |'))
  // Of a: all, all, half; of b: none in all three.
  same(row, '| continuations below 1 ms, not recurring | 25 % | 100 % |')
})

test('a page gets each table at its mark, and keeps what stands outside', () => {
  const page = 'before\n<!-- study: A -->\nold\n<!-- end -->\nbetween\n<!-- study: B -->\n<!-- end -->\nafter\n'
  same(
    filled(page, [
      ['A', 'a $1'],
      ['B', 'b'],
    ]),
    'before\n<!-- study: A -->\n\na $1\n\n<!-- end -->\nbetween\n<!-- study: B -->\n\nb\n\n<!-- end -->\nafter\n',
  )
  throws(() => filled(page, [['A', 'a']]), /asks for a table "B"/)
  throws(
    () =>
      filled(
        page,
        [...'ABC'].map((title) => [title, '']),
      ),
    /no place for C/,
  )
})

test('an interval around a median holds it with the probability of five values, and fewer values have none', () => {
  const of = (n: number): ReturnType<typeof medianOf> => medianOf(Array.from({ length: n }, (_, i) => n - i))
  same(of(0), null)
  same(of(1), { median: 1, interval: null })
  same(of(4), { median: 2.5, interval: null })
  same(of(5), { median: 3, interval: [1, 5] })
  same(of(8), { median: 4.5, interval: [1, 8] })
  same(of(11), { median: 6, interval: [2, 10] })
  same(of(12), { median: 6.5, interval: [3, 10] })
  // By drawing: the median of a uniform distribution is 0.5.
  const draws = 4000
  let held = 0
  for (let i = 0, x = 1; i < draws; i++) {
    const values = Array.from({ length: 12 }, () => (x = (x * 48271) % 2147483647) / 2147483647)
    const [low, high] = medianOf(values)!.interval!
    if (low <= 0.5 && high >= 0.5) held++
  }
  ok(held / draws > CONFIDENCE - 0.02, `${held} of ${draws}`)
})

test('every share and every large number in the text of docs/study.md stands in one of its tables', () => {
  const page = readFileSync(path.join(process.env.CHARCOAL_MEASURE!, '../docs/study.md'), 'utf8')
  const marked = /<!-- study: .* -->\n[^]*?<!-- end -->/g
  const tables = [...page.matchAll(marked)].map(([table]) => table).join('\n')
  const figures = /(?<![\d.,])(\d+(\.\d+)? %|\d{1,3}(,\d{3})+)/g
  const inTables = new Set(tables.match(figures))
  const text = page.replace(marked, '').replaceAll('\n', ' ').match(figures) ?? []
  const told = text.filter((figure) => figure !== `${CONFIDENCE * 100} %`)
  ok(told.length > 40, `${told.length} figures`)
  same(
    told.filter((figure) => !inTables.has(figure)),
    [],
  )
})

test('the tables and the drawing of docs/study.md are what the command makes of the data beside it', () => {
  const docs = path.join(process.env.CHARCOAL_MEASURE!, '../docs')
  const out = mkdtempSync(path.join(tmpdir(), 'charcoal-study-'))
  try {
    // Emptied first, so that a table that is not put there would be missed.
    const page = path.join(out, 'study.md')
    const text = readFileSync(path.join(docs, 'study.md'), 'utf8')
    writeFileSync(page, text.replace(/(<!-- study: .* -->\n)[^]*?(<!-- end -->)/g, '$1$2'))
    const args = [command, 'corpus', '--from', path.join(docs, 'data/study.json'), '--out', out, '--page', page]
    const { status, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' })
    same(status, 0, stderr)
    ok(readFileSync(page, 'utf8') === text, 'docs/study.md differs: make it again with --page')
    for (const [made, kept] of [
      ['figures.svg', 'img/study.svg'],
      ['study.json', 'data/study.json'],
    ] as const)
      ok(readFileSync(path.join(out, made), 'utf8') === readFileSync(path.join(docs, kept), 'utf8'), `${kept} differs`)
  } finally {
    rmSync(out, { recursive: true })
  }
})
