/** Recordings of pages in Chromium: what has which parent and place, and pages that hang, refuse or stop. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { conflicts, conflictText } from '../src/analysis/conflicts.ts'
import { Analyser, type Figures } from '../src/analysis/index.ts'
import { parseTrace, type Continuation, type TraceRecord } from '../src/format/index.ts'
import { loadError } from '../src/record/web/load_error.ts'
import { recordWeb, type RecordWebOptions } from '../src/record/web/index.ts'
import { troubles } from '../src/report/troubles.ts'
import { inOneOfThree, ok, rejects, same, test } from './harness.ts'
import { temporary } from './places.ts'

async function record(
  html: string,
  options: Partial<RecordWebOptions> = {},
  other: Record<string, string | (() => string)> = {},
): Promise<{ records: TraceRecord[]; continuations: Continuation[]; figures: Figures }> {
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url!, 'http://localhost')
    const text = other[pathname] ?? `<!doctype html><link rel="icon" href="data:,">${html}`
    response
      .setHeader('content-type', pathname.endsWith('.js') ? 'text/javascript' : 'text/html')
      .end(typeof text === 'string' ? text : text())
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const out = path.join(temporary(), 'trace.jsonl')
  try {
    await recordWeb(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`, {
      out,
      loadTimeout: 300_000,
      script: ({ page }) => ((page.timeout = 200_000), page.waitForFunction('globalThis.over')),
      ...options,
    })
  } finally {
    server.close()
    server.closeAllConnections()
  }
  const records = parseTrace(readFileSync(out), out)
  const analyser = new Analyser()
  for (const r of records) analyser.add(r)
  return {
    records,
    continuations: records.filter((r) => r.type === 'continuation'),
    figures: analyser.finish(),
  }
}

test('two recordings of the same page have the same structure', async () => {
  const html = `<script>
    const sleep = (ms) => new Promise(function executor(done) { setTimeout(done, ms) })
    async function inner(n) { await sleep(20); if (n > 0) await inner(n - 1);
      const { port1, port2 } = new MessageChannel(); await new Promise((done) => { port1.onmessage = done;
      port2.postMessage(1) }) }
    async function outer() { await (await fetch('/text')).text(); for (let i = 0; i < 3; i++) await inner(i);
      let k = 0; const t = setInterval(function ticks() { if (++k === 3) { clearInterval(t);
      setTimeout(() => (over = true), 20) } }, 25) }
    onload = () => setTimeout(outer, 50)
  </script>`
  const structure = async (): Promise<unknown[]> => {
    const { records, continuations } = await record(html, {}, { '/text': 'text' })
    // A thread that is set aside between an event and its sample leaves the beginning of the function in place of the
    // column, so columns may differ.
    const places = new Map(records.filter((r) => r.type === 'location').map((l) => [l.id, `${l.function}:${l.line}`]))
    const numbers = new Map(continuations.map((c, i) => [c.id, i]))
    return continuations.map((c) => [
      c.kind,
      numbers.get(c.parent ?? 0) ?? null,
      c.recurring ?? false,
      places.get(c.from ?? 0),
      places.get(c.at ?? 0),
      (c.alternatives ?? []).map(([id]) => numbers.get(id) ?? null),
    ])
  }
  await inOneOfThree(async () => {
    const one = await structure()
    ok(one.length > 15, `${one.length} continuations`)
    same(await structure(), one)
  })
})

test('a turn is named after what the event loop called, an await by its own line, whatever they call first', () =>
  inOneOfThree(async () => {
    const html = `<div id="d"></div><script>
const d = document.getElementById('d')
d.addEventListener('ping', function listener() {})
customElements.define('x-el', class El extends HTMLElement { connectedCallback() { this.n = 1 } })
setTimeout(function timer() { d.dispatchEvent(new Event('ping')) }, 60)
fetch('/data').then((r) => r.text()).then(function reaction() { d.innerHTML = '<x-el></x-el>';
  d.dispatchEvent(new Event('ping')) })
async function twice() {
  await new Promise((done) => setTimeout(done, 300))
  d.innerHTML = '<x-el></x-el>'
  await new Promise((done) => setTimeout(done, 30))
  d.innerHTML = '<x-el></x-el>'
  setTimeout(function last() { globalThis.over = true }, 30)
}
async function asks() { await new Promise((done) => setTimeout(done, 90)); queueMicrotask(function asked() {}) }
twice(); asks()
</script>`
    const { records, continuations } = await record(html, {}, { '/data': '1' })
    const place = (id: number | undefined): string => {
      const l = records.find((r) => r.type === 'location' && r.id === id)
      return l?.type === 'location' ? `${l.function ?? ''}:${l.line}` : ''
    }
    const at = continuations.map((c) => place(c.at))
    for (const name of ['timer:5', 'reaction:6', 'twice:9', 'twice:11', 'last:13', 'asks:15'])
      ok(at.includes(name), `${name} in ${at.join(' ')}`)
    for (const name of ['listener', 'El', 'connectedCallback', 'asked'])
      ok(!at.some((x) => x.startsWith(`${name}:`)), `no turn is named ${name}: ${at.join(' ')}`)
    const [first, second] = continuations
      .filter((c) => place(c.at).startsWith('twice'))
      .map((c) => records.find((r) => r.type === 'location' && r.id === c.at))
    ok(
      first?.type === 'location' &&
        second?.type === 'location' &&
        first.begin![0] === 8 &&
        String(first.begin) === String(second.begin),
      'both know their function',
    )
  }))

test('the places of a bundle are those of its sources, also after the next build', async () => {
  const map = JSON.stringify({ version: 3, sources: ['app.ts'], names: [], mappings: 'AAUA' })
  let built = `setTimeout(function o(){globalThis.over=true},30)\n//# sourceMappingURL=app.js.map`
  const { records } = await record('<script src="/app.js"></script>', {}, { '/app.js': built, '/app.js.map': map })
  const original = records.find((r) => r.type === 'original')
  ok(
    original?.type === 'original' && /\/app\.ts$/.test(original.source) && original.line === 11,
    JSON.stringify(original),
  )
})

test('a conflict in a page names what its functions share by their text', async () => {
  const { figures } = await record(`<script>
let stock = 100, left = 30
async function buy() {
  const seen = stock
  await new Promise((done) => setTimeout(done, 20))
  stock = seen - 1
  if (--left === 0) globalThis.over = true
}
for (let i = 0; i < 30; i++) setTimeout(buy, i)
</script>`)
  const [first] = conflicts(figures)
  ok(first !== undefined, 'there is a conflict')
  const text = conflictText(figures, first)
  ok(/^buy\(\) waits, .* By their source text, they share stock\.$/.test(text), text)
})

/** The conflicts of a page whose reads and writes are watched, as sentences. */
async function told(
  html: string,
  other: Record<string, string | (() => string)> = {},
  options: Partial<RecordWebOptions> = {},
): Promise<string[]> {
  const { figures } = await record(html, { accesses: true, ...options }, other)
  return conflicts(figures)
    .filter((c) => c.evidence === 'data')
    .map((c) => conflictText(figures, c))
}

const shop = (variable: string, pause: string): string => `
async function buy() {
  const seen = ${variable}
  await ${pause}
  ${variable} = seen - 1
  if (--left === 0) globalThis.over = true
}
let left = 20
for (let i = 0; i < 20; i++) setTimeout(() => buy(), i)`

const PAUSE = 'new Promise((done) => setTimeout(done, 50))'

test('a race in a page is the first finding, with the variable, its lines and how often it was seen', async () => {
  const script = `let stock = 100\n${shop('stock', PAUSE)}`
  const { figures } = await record('<script src="/app.js"></script>', { accesses: true }, { '/app.js': script })
  const [first, ...others] = conflicts(figures)
  const text = conflictText(figures, first)
  ok(/^buy\(\) read stock, waited and wrote it, though another buy\(\) had/.test(text), text)
  ok(first.seen >= 15 && first.runs === 20, text)
  same(
    [first.first, ...first.awaits, first.second].map((s) => figures.sites[s]!.line),
    [4, 5, 6],
  )
  ok(!others.some((c) => c.evidence === 'data' && !c.hint && c.variable === 'stock'), 'it is told once')
})

test('scripts in the page, of modules, and of workers are watched, and so is a page that the user leaves', async () => {
  const inline = `<p></p><script>let a = 1${shop('a', PAUSE)}</script>`
  const [first] = await told(`${inline}`)
  ok(/ read a, waited /.test(first), first)
  const module = `export const box = { n: 1 }; ${shop('box.n', PAUSE)}; globalThis.name = import.meta.url`
  const [second] = await told('<script type="module" src="/m.js"></script>', { '/m.js': module })
  ok(/ read box\.n, /.test(second), second)
  const stored = shop('left', PAUSE)
    .replace('= left', "= Number(localStorage.getItem('left') ?? 100)")
    .replace('left = seen - 1', "localStorage.setItem('left', seen - 1)")
  const [kept] = await told('<script src="/app.js"></script>', { '/app.js': stored })
  ok(/ read localStorage, waited and wrote it/.test(kept), kept)
  const worker = `let n = 1${shop('n', PAUSE).replace('globalThis.over = true', 'postMessage(1)')}`
  const [third] = await told("<script>new Worker('/w.js').onmessage = () => (over = true)</script>", {
    '/w.js': worker,
  })
  ok(/ read n, /.test(third), third)
  const leaves = `let k = 1${shop('k', PAUSE).replace('globalThis.over = true', "location = '/next'")}`
  const [fourth] = await told('<script src="/app.js"></script>', {
    '/app.js': leaves,
    '/next': '<!doctype html><script>setTimeout(() => (over = true), 20)</script>',
  })
  ok(/ read k, /.test(fourth), fourth)
})

test('what was found before a page crashed or ran out of memory, or a worker was ended, is told', async () => {
  const crashes = await record(`<script>let stock = 100${shop('stock', PAUSE)}</script>`, {
    accesses: true,
    script: async ({ page }) => {
      page.timeout = 200_000
      await page.waitForFunction('globalThis.over')
      await page.goto('chrome://crash').catch(() => {})
      await page.sleep(200_000)
    },
  })
  const full = await record(
    `<script>let stock = 100${shop('stock', PAUSE)}
const all = []
setInterval(() => { while (globalThis.over) all.push({ inner: { all } }) }, 1)</script>`,
    { accesses: true, duration: 200_000, script: undefined, browserArgs: ['--js-flags=--max-old-space-size=50'] },
  )
  ok(
    full.records.some((r) => r.type === 'note' && /^the page ran out of memory;/.test(r.text)),
    'it is told why',
  )
  for (const { figures } of [crashes, full]) {
    same(troubles(figures), ['the page crashed; what was recorded until then follows'])
    const [first] = conflicts(figures)
    ok(first !== undefined, 'no conflict')
    ok(/^buy\(\) read stock, waited and wrote it/.test(conflictText(figures, first)), conflictText(figures, first))
    ok(first.seen >= 8, `seen ${first.seen} times`)
  }
  const worker = `let n = 1${shop('n', PAUSE).replace('globalThis.over = true', 'postMessage(1)')}`
  const ended = `<script>const w = new Worker('/w.js')
w.onmessage = () => (w.terminate(), setTimeout(() => (over = true), 100))</script>`
  const [third] = await told(ended, { '/w.js': worker })
  ok(/ read n, /.test(third), third)
})

test('a global variable is the same for all scripts of a page, and for those that ask the window', async () => {
  const buy = shop('stock', PAUSE).replace(/let left[^]*/, '')
  const calls = 'var left = 20; for (let i = 0; i < 20; i++) setTimeout(() => buy(), i)'
  const html = (declares: string): string =>
    `<script>${declares}</script><script src="/app.js"></script><script>${calls}</script>`
  for (const declares of ['let stock = 100', 'var stock = 100', 'window.stock = 100', 'var status, stock = 100']) {
    const [first, ...others] = await told(html(declares), { '/app.js': buy })
    ok(/^buy\(\) read stock, waited and wrote it, though another buy\(\) had/.test(first), first)
    same(others, [])
  }
  const asked = shop('window.stock', PAUSE).replace('window.stock = seen - 1', 'stock = seen - 1')
  const [first] = await told('<script>var stock = 100</script><script src="/app.js"></script>', { '/app.js': asked })
  ok(/^buy\(\) read stock, waited and wrote it/.test(first), first)
})

test('modules that a development server writes for eval are watched, and those of packages are not', async () => {
  const module = (text: string, name: string): string =>
    `function () { eval(${JSON.stringify(`{${text}\n//# sourceURL=webpack:///./${name}?\n}`)}) }`
  const operation = (name: string, variable: string): string =>
    `async function ${name}() { const seen = ${variable}; await ${PAUSE}; ${variable} = seen - 1 }
for (let i = 0; i < 5; i++) ${name}()`
  const own = `const box = { n: 1 }; let n = 1\n${operation('buy', 'box.n')}\n${operation('sell', 'n')}`
  const bundle = `const modules = [${module(own, 'src/shop.js')},
${module(operation('foreign', 'globalThis.m'), 'node_modules/p/p.js')}]
var m = 1
for (const f of modules) f()
setTimeout(() => (globalThis.over = true), 300)
if (/[$]ch/.test(String(modules[0]))) throw new Error(String(modules[0]))`
  const { figures } = await record('<script src="/app.js"></script>', { accesses: true }, { '/app.js': bundle })
  const cards = conflicts(figures).filter((c) => c.evidence === 'data' && !c.hint)
  same(cards.map((c) => c.variable).sort(), ['box.n', 'n'])
  same(figures.sites[cards[0]!.first]!.url, 'webpack:///./src/shop.js?')
  same(figures.recordings[0]!.unwatched, undefined)
})

test('a callback belongs to what registered it: then, timers, requests; a listener does not', async () => {
  const script = `let a = 0, b = 0, c = 0, d = 0, left = 12
const end = () => --left || (globalThis.over = true)
function first() { const seen = a; fetch('/data').then((r) => r.text()).then(() => { a = seen + 1; end() }) }
function second() { const seen = b; setTimeout(() => { b = seen + 1; end() }, 50) }
function third() { const seen = c; const r = new XMLHttpRequest(); r.open('GET', '/data')
  r.onload = () => { c = seen + 1; end() }; r.send() }
function fourth() { const seen = d; const step = () => { d = seen + 1; end() }; fetch('/data').then(step) }
for (const f of [first, second, third, fourth]) for (let i = 0; i < 3; i++) f()
// One after the other, and what a listener does by itself: no conflict.
let quiet = 0, clicks = 0
async function one() { const seen = quiet; await new Promise((done) => setTimeout(done, 5)); quiet = seen + 1 }
async function all() { for (let i = 0; i < 5; i++) await one(); for await (const x of [one(), 2]) quiet += 1 }
addEventListener('ping', () => { clicks = clicks + 1 })
function ping() { clicks = clicks + 1; dispatchEvent(new Event('ping')); if (clicks < 9) setTimeout(ping, 9) }
all(); ping()`
  const found = await told('<script src="/app.js"></script>', { '/app.js': script, '/data': 'x' })
  const variables = found.map((text) => / read (\w+),| (?:read|wrote) (\w+) twice/.exec(text)!.slice(1).join(''))
  same(variables.sort(), ['a', 'b', 'c', 'd'], found.join('\n'))
})

test('a page does the same when its scripts are watched: integrity, policy by hashes, other encodings', async () => {
  const html = `<meta charset="utf-8"><script src="/app.js" integrity="sha384-wrong"></script><script>
globalThis.over = [greek, String(function f(o) { return o.x }), document.currentScript.text.length > 9].join()
</script>`
  let seen = ''
  await record(
    html,
    {
      accesses: true,
      script: async ({ page }) => {
        await page.waitForFunction('globalThis.over')
        seen = (await page.evaluate(() => (globalThis as any).over)) as string
      },
    },
    { '/app.js': "let o = { x: 'λ' }; var greek = o.x" },
  )
  same(seen, 'λ,function f(o) { return o.x },true')
})

test('a page whose script runs without end is told as that, and so is a server that never answers', async () => {
  const sockets = new Set<{ destroy(): void }>()
  const silent = createServer(() => {})
  silent.on('connection', (socket) => sockets.add(socket))
  await new Promise<void>((done) => silent.listen(0, '127.0.0.1', done))
  try {
    const out = path.join(temporary(), 't.jsonl')
    const url = `http://127.0.0.1:${(silent.address() as AddressInfo).port}/`
    await rejects(
      recordWeb(url, { out, loadTimeout: 1500 }),
      /has not loaded within 1.5 s: its server has not answered/,
    )
    const endless = (seconds: number): Promise<string> =>
      record('<script>for (;;);</script>', { loadTimeout: seconds * 1000, script: undefined }).then(
        () => 'it loads',
        (error: Error) => error.message,
      )
    // On a machine that does much else the page may not have come within 4 s.
    const soon = await endless(4)
    const told = soon.includes('has not answered') ? await endless(60) : soon
    ok(/has not loaded within \d+ s: a script of it runs without end/.test(told), told)
  } finally {
    silent.close()
    for (const socket of sockets) socket.destroy()
  }
})

test('a page that hangs while it is recorded is reported as hung, with what hangs', async () => {
  const stop = new AbortController()
  const { records, continuations } = await record(
    `<script>onload = () => setTimeout(function hangs() {
  const request = new XMLHttpRequest()
  request.open('GET', '/hangs', false)
  request.send()
  for (;;);
}, 300)</script>`,
    { script: undefined, signal: stop.signal, duration: 200_000 },
    { '/hangs': () => (stop.abort(), '') },
  )
  same((records.at(-1) as { reason: string }).reason, 'hung')
  const longest = continuations.reduce((a, b) => (b.end - b.start > a.end - a.start ? b : a))
  ok(longest.end - longest.start > 1e6, `${longest.end - longest.start} µs`)
  ok(records.some((r) => r.type === 'location' && r.id === longest.at && r.function === 'hangs'))
})

test('what the steps do is left out, what the page does in answer is recorded', async () => {
  const { continuations, records } = await record(
    '<button onclick="setTimeout(() => { over = true }, 5)">go</button>',
    {
      script: async ({ page }) => {
        await page.evaluate(() => 1 + 1)
        await page.click('text=go')
        await page.waitForFunction('globalThis.over')
      },
    },
  )
  same(
    continuations.map((c) => [c.kind.replace(/^event:(click|pointerup|mouseup)$/, 'event'), c.parent]),
    [
      ['event', null],
      ['timeout', continuations[0].id],
    ],
  )
  ok(records.every((r) => r.type !== 'location' || !r.url.startsWith('charcoal-measure:')))
})

test('a frame of another site is a thread of its own, of kind frame', async () => {
  const { records } = await record(
    `<script>addEventListener('message', () => setTimeout(() => (over = true), 50));
addEventListener('load', () => { const f = document.createElement('iframe');
f.src = 'http://localhost:' + location.port + '/frame'; document.body.append(f) })</script>`,
    {},
    {
      '/frame': "<!doctype html><script>setTimeout(() => parent.postMessage(1, '*'), 20)</script>",
    },
  )
  same(
    records
      .filter((r) => r.type === 'thread')
      .map((t) => t.kind)
      .sort(),
    ['frame', 'page'],
  )
})

test('a page that stops itself with debugger; or a dialog goes on', async () => {
  const { continuations } = await record(
    "<script>setTimeout(() => { debugger; alert('x'); setTimeout(() => (over = true), 5) }, 20)</script>",
  )
  same(continuations.filter((c) => c.kind === 'timeout').length, 2)
})

test('a page that the server refuses is an error with its status', async () => {
  const server = createServer((_, response) => response.writeHead(503).end('no'))
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  try {
    await rejects(
      recordWeb(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`, {
        out: path.join(temporary(), 't.jsonl'),
      }),
      /does not load: (the server answers with status 503|net::ERR_HTTP_RESPONSE_CODE_FAILURE)/,
    )
  } finally {
    server.close()
    server.closeAllConnections()
  }
})

test('a page that runs no JavaScript is told as that, with what may help', async () => {
  const dir = temporary()
  const out = path.join(dir, 't.jsonl')
  writeFileSync(path.join(dir, 'page.html'), '<script type="module" src="app.js"></script>')
  writeFileSync(path.join(dir, 'app.js'), 'setInterval(() => {}, 10)')
  await rejects(
    recordWeb(path.join(dir, 'page.html'), { out, calibrate: false, duration: 500 }),
    /the page file:.*page\.html ran no JavaScript .*; browsers load no modules .* serve the folder over HTTP/,
  )
  same(existsSync(out), false, 'no trace is left')
})

test('a steps file without a function is refused before a browser starts', async () => {
  const file = path.join(temporary(), 's.mjs')
  writeFileSync(file, 'export default 1')
  await rejects(
    recordWeb('about:blank', { out: '/tmp/never', script: file }),
    /has no default export that is a function/,
  )
})

test('of a certificate that the browser does not accept, the message says what can be done', () => {
  const { message } = loadError('https://localhost/', 'net::ERR_CERT_AUTHORITY_INVALID')
  ok(message.includes('--browser-arg --ignore-certificate-errors'), message)
  ok(!loadError('http://localhost/', 'net::ERR_CONNECTION_REFUSED').message.includes('certificate'))
})

test('a page that the steps load has as long as the first one', async () => {
  const { continuations } = await record(
    '',
    {
      script: async ({ page }) => {
        page.timeout = 0
        await page.goto(`${await page.evaluate('location.origin')}/second`)
      },
    },
    { '/second': '<!doctype html><link rel="icon" href="data:,"><script>setTimeout(() => {}, 1)</script>' },
  )
  ok(continuations.length > 0)
})
