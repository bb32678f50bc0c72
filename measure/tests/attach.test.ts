/** Recordings of what runs already, and goes on afterwards. */
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { WebSocketServer } from 'ws'
import { parseTrace, type TraceRecord } from '../src/format/index.ts'
import { findEndpoint, type NodeEndpoint } from '../src/record/endpoint.ts'
import { asked } from '../src/record/node/asked.ts'
import { attachNode } from '../src/record/node/attach.ts'
import { hookUrl } from '../src/record/node/hook_file.ts'
import { evaluateWhereItIs } from '../src/record/node/hung.ts'
import { startBrowser } from '../src/record/web/browser.ts'
import { Cdp } from '../src/record/web/cdp.ts'
import { recordWeb, type Steps } from '../src/record/web/index.ts'
import { inEachNode, ok, rejects, same, test } from './harness.ts'
import { measure, temporary } from './places.ts'

const names = (records: TraceRecord[]): string[] =>
  records.filter((r) => r.type === 'location').map((l) => l.function ?? '')

/** Resolves when the program has written the text. */
function said(stream: NodeJS.ReadableStream, text: RegExp): Promise<RegExpExecArray> {
  let all = ''
  return new Promise((done) =>
    stream.on('data', (data) => {
      const found = text.exec((all += String(data)))
      if (found !== null) done(found)
    }),
  )
}

inEachNode('a program that runs already is recorded through its debugging port, twice, and goes on', async () => {
  const dir = temporary()
  const file = path.join(dir, 'program.cjs')
  writeFileSync(
    file,
    `let n = 0
function tick() { setTimeout(function inner() {}, 1); if (++n % 20 === 0) console.log('turn ' + n) }
setInterval(tick, 5)`,
  )
  const child = spawn(process.execPath, ['--inspect=127.0.0.1:0', file], { stdio: ['ignore', 'pipe', 'pipe'] })
  try {
    child.stdout.resume() // what was said before the recording does not count
    const [, address] = await said(child.stderr, /ws:\/\/([\d.]+:\d+)/)
    const out = path.join(dir, 'trace.jsonl')
    for (const mode of ['full', 'fast'] as const) {
      const endpoint = await findEndpoint(address)
      if (endpoint.kind !== 'node') throw new Error(endpoint.kind)
      const stop = new AbortController()
      let begun = false
      const progress = (): void => {
        if (!begun) void said(child.stdout, /turn \d+\n(.|\n)*turn/).then(() => stop.abort())
        begun = true
      }
      const recorded = await attachNode(endpoint, { out, mode, signal: stop.signal, progress })
      same(recorded.reason, 'stopped')
      const records = parseTrace(readFileSync(out))
      const timeouts = records.filter((r) => r.type === 'continuation' && r.kind === 'timeout')
      ok(timeouts.length >= 10 && timeouts.some((r) => r.type === 'continuation' && r.parent !== null), mode)
      same(names(records).includes('inner'), mode === 'full', `places in mode ${mode}`)
    }
    await said(child.stdout, /turn/)
  } finally {
    child.kill('SIGKILL')
  }
})

inEachNode('what waited for a promise before the recording goes on in the continuation that settles it', async () => {
  const file = path.join(temporary(), 'waits.mjs')
  writeFileSync(
    file,
    `const settled = new Promise((done) => process.stdin.once('data', done))
const wait = async () => { await settled; for (let i = 0; i < 3; i++) await null }
for (let i = 0; i < 50; i++) wait()
settled.then(() => setTimeout(() => process.stdin.destroy(), 50))`,
  )
  const child = spawn(process.execPath, ['--inspect=127.0.0.1:0', file], { stdio: ['pipe', 'ignore', 'pipe'] })
  const [, address] = await said(child.stderr, /ws:\/\/([\d.]+:\d+)/)
  const endpoint = await findEndpoint(address)
  if (endpoint.kind !== 'node') throw new Error(endpoint.kind)
  const progress = (): unknown => child.stdin.write('go\n')
  await attachNode(endpoint, { out: `${file}.jsonl`, progress })
  const continuations = parseTrace(readFileSync(`${file}.jsonl`)).filter((r) => r.type === 'continuation')
  // The event loop itself calls what reads and what closes the standard input; promises call the rest.
  const callbacks = continuations.filter((c) => c.kind === 'callback')
  ok(callbacks.length <= 2, JSON.stringify(callbacks))
  ok(
    continuations.some((c) => (c.microtasks ?? 0) >= 150),
    JSON.stringify(continuations),
  )
})

test('a program that ends while it is recorded is not kept from ending', async () => {
  const file = path.join(temporary(), 'ends.mjs')
  writeFileSync(file, `setTimeout(() => {}, 60_000).unref(); process.stdin.once('data', () => process.exit(3))`)
  const child = spawn(process.execPath, ['--inspect=127.0.0.1:0', file], { stdio: ['pipe', 'ignore', 'pipe'] })
  const [, address] = await said(child.stderr, /ws:\/\/([\d.]+:\d+)/)
  const ended = new Promise((done) => child.on('exit', done))
  const endpoint = await findEndpoint(address)
  if (endpoint.kind !== 'node') throw new Error(endpoint.kind)
  const progress = (): unknown => child.stdin.write('end\n')
  const { reason } = await attachNode(endpoint, { out: `${file}.jsonl`, progress })
  same([reason, await ended], ['finished', 3])
  await rejects(findEndpoint(address), /no debugger answers on 127/)
})

const symbol = "Symbol.for('charcoal.mark')"

/** A program that runs, with its debugger's address, until `body` is done. */
async function withProgram(text: string, body: (address: string, child: ChildProcess) => Promise<void>): Promise<void> {
  const file = path.join(temporary(), 'program.cjs')
  writeFileSync(file, text)
  const child = spawn(process.execPath, ['--inspect=127.0.0.1:0', file], { stdio: ['ignore', 'pipe', 'pipe'] })
  try {
    const [, address] = await said(child.stderr, /ws:\/\/([\d.]+:\d+)/)
    await body(address!, child)
  } finally {
    child.kill('SIGKILL')
  }
}

async function nodeAt(address: string): Promise<NodeEndpoint> {
  const endpoint = await findEndpoint(address)
  if (endpoint.kind !== 'node') throw new Error(endpoint.kind)
  return endpoint
}

test('a program is not recorded any longer when the command that recorded it was killed', async () => {
  const tells = `let was = false
setInterval(() => { const is = ${symbol} in globalThis; if (is !== was) console.log(is ? 'recorded' : 'left alone')
was = is }, 10)`
  await withProgram(tells, async (address, { stdout }) => {
    const begun = said(stdout!, /recorded/)
    const over = said(stdout!, /left alone/)
    const out = path.join(temporary(), 'trace.jsonl')
    const command = spawn(process.execPath, [
      path.join(measure, 'bin/charcoal-measure.mjs'),
      'attach',
      address,
      '--out',
      out,
    ])
    await begun
    command.kill('SIGKILL')
    await over
  })
})

test('a program that is being recorded is not recorded by another at the same time, but afterwards', async () => {
  await withProgram('setInterval(() => {}, 5)', async (address) => {
    const endpoint = await nodeAt(address)
    const out = path.join(temporary(), 'trace.jsonl')
    const stop = new AbortController()
    let recorded: Promise<unknown> = Promise.resolve()
    const begun = new Promise<void>((done) => {
      recorded = attachNode(endpoint, { out, signal: stop.signal, progress: () => done() })
    })
    await begun
    await rejects(attachNode(endpoint, { out: `${out}.2`, duration: 1 }), /: it is being recorded already$/)
    stop.abort()
    await recorded
    same((await attachNode(endpoint, { out: `${out}.3`, duration: 1 })).reason, 'stopped')
  })
})

test('a recording of the main thread says what else the program has: workers and child processes', async () => {
  const others = `const { Worker } = require('node:worker_threads'), { spawn } = require('node:child_process')
let begun = 0
const begins = () => ++begun === 2 && console.log('ready')
const worker = () => new Worker('setInterval(() => {}, 5)', { eval: true }).on('online', begins)
worker(); worker()
const child = spawn(process.execPath, ['-e', 'process.stdin.resume()'], { stdio: ['pipe', 'ignore', 'ignore'] })
setInterval(() => {}, 5)`
  const alone = `console.log('ready'); setInterval(() => {}, 5)`
  for (const [text, expected] of [
    [others, ['only the main thread was recorded; the program also has 2 workers and 1 child process']],
    [alone, []],
  ] as const)
    await withProgram(text, async (address, { stdout }) => {
      await said(stdout!, /ready/) // a worker has no debugger before it runs
      const out = path.join(temporary(), 'trace.jsonl')
      await attachNode(await nodeAt(address), { out, duration: 1 })
      const notes = parseTrace(readFileSync(out)).flatMap((r) => (r.type === 'note' ? [r] : []))
      same(
        notes.filter((note) => note.code === 'not-recorded').map((note) => note.text),
        expected,
      )
    })
})

test('a recording can be ended although the program hangs, and says where; before it has begun, too', async () => {
  const asked = path.join(temporary(), 'hang')
  const hangs = `const { existsSync } = require('node:fs')
setInterval(() => { if (existsSync(${JSON.stringify(asked)})) endless() }, 5)
function endless() { console.log('hangs'); for (;;); }`
  await withProgram(hangs, async (address, { stdout }) => {
    const endpoint = await nodeAt(address)
    const stop = new AbortController()
    void said(stdout!, /hangs/).then(() => stop.abort())
    const out = path.join(temporary(), 'trace.jsonl')
    const progress = (): void => writeFileSync(asked, '') // it records by now
    same((await attachNode(endpoint, { out, signal: stop.signal, progress })).reason, 'stopped')
    const notes = parseTrace(readFileSync(out)).flatMap((r) => (r.type === 'note' && r.code === 'hung' ? r.text : []))
    ok(/^the program did not return to its event loop .* s; it was in endless\(\) at /.test(notes[0] ?? ''), notes[0])
    await rejects(attachNode(endpoint, { out: `${out}.2`, signal: AbortSignal.abort() }), /before the recording began/)
  })
})

test('a promise that the debugger has lost is kept by the program, and asked for again', async () => {
  const program = new WebSocketServer({ port: 0, host: '127.0.0.1' })
  await once(program, 'listening')
  let refused = 0
  const global = { counted: 0 }
  program.on('connection', (socket) =>
    socket.on('message', async (data) => {
      const { id, params } = JSON.parse(String(data))
      const value = await new Function('globalThis', `return ${params.expression}`)(global)
      const isCollected = params.awaitPromise === true && refused++ < 2
      const answer = isCollected ? { error: { message: 'Promise was collected' } } : { result: { result: { value } } }
      socket.send(JSON.stringify({ id, ...answer }))
    }),
  )
  const { port } = program.address() as AddressInfo
  const cdp = await Cdp.connect(`ws://127.0.0.1:${port}`, { name: 'the program', slow: 'it is slow' })
  const { result } = await asked(cdp, 'Promise.resolve(++globalThis.counted + 6)')
  same([result.value, global.counted, refused], [7, 1, 3])
  await cdp.send('Runtime.evaluate', { expression: '0' }) // answered after what was sent before
  same(Object.getOwnPropertySymbols(global).length, 0, 'what stays in the program')
  cdp.close()
  program.close()
})

test('who does not answer is named, and what only answers like a debugger is none', async () => {
  const silent = new WebSocketServer({ port: 0, host: '127.0.0.1' })
  await once(silent, 'listening')
  const { port } = silent.address() as AddressInfo
  const cdp = await Cdp.connect(`ws://127.0.0.1:${port}`, { name: 'the program', slow: 'it is slow' })
  await rejects(cdp.send('X', {}, undefined, 20), /the program has not answered X within 0.02 s: it is slow/)
  cdp.close()
  silent.close()
  for (const answer of ['null', '{}', '7', '{"Browser":"node.js/v20"}']) {
    const server = createServer((_, response) => void response.end(answer))
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
    await rejects(findEndpoint(String((server.address() as AddressInfo).port)), /no debugger answers on \d+; start/)
    server.close()
  }
})

test('a debugger that answers late is found, and what listens and does not answer is not called absent', async () => {
  const server = createServer((request, response) => {
    const answer =
      request.url === '/json/list' ? [{ title: 'p', webSocketDebuggerUrl: 'ws://x' }] : { Browser: 'node.js/v20' }
    setTimeout(() => response.end(JSON.stringify(answer)), 5500)
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const port = String((server.address() as AddressInfo).port)
  same(await findEndpoint(port), { kind: 'node', title: 'p', socket: 'ws://x' })
  await rejects(
    findEndpoint(port, 20),
    /what listens on \d+ has not answered within 0.02 s: it is busy, or no debugger$/,
  )
  server.close()
})

test('a port may be the usual one of the web, and an address without a port is none', async () => {
  for (const where of ['http://127.0.0.1:80', '127.0.0.1:80', 'ws://[::1]:80/json'])
    await rejects(findEndpoint(where), /no debugger answers on/)
  for (const where of ['http://127.0.0.1', 'localhost', 'server.mjs', ''])
    await rejects(findEndpoint(where), /is no debugging port; give one like 9229/)
})

test('a tab of a browser that runs already is recorded as it is, and goes on', async () => {
  const dir = temporary()
  writeFileSync(
    path.join(dir, 'a.html'),
    '<title>a</title><script>let n = 0; setInterval(function tick() { n++ }, 10)</script>',
  )
  const browser = await startBrowser()
  try {
    const { cdp } = browser
    const { targetId } = await cdp.send('Target.createTarget', { url: `file://${path.join(dir, 'a.html')}` })
    // The tab is one that runs already: a process that has just begun is not in a recording from its start.
    const { sessionId } = await cdp.send('Target.attachToTarget', { targetId, flatten: true })
    const runs = (): Promise<boolean> =>
      cdp.send('Runtime.evaluate', { expression: 'n > 50', returnByValue: true }, sessionId).then(
        ({ result }) => result.value === true,
        () => false, // between two documents
      )
    while (!(await runs())) await sleep(50)
    await cdp.send('Target.detachFromTarget', { sessionId })
    const endpoint = await findEndpoint(browser.endpoint)
    if (endpoint.kind !== 'browser') throw new Error(endpoint.kind)
    ok(endpoint.pages.some((page) => page.id === targetId))
    const attach = { endpoint: endpoint.socket, page: targetId }
    const script: Steps = async ({ page }) => {
      page.timeout = 200_000
      const before = await page.evaluate<number>('n')
      await page.waitForFunction(`n > ${before} + 200`)
    }
    const recorded = await recordWeb('a', { out: path.join(dir, 'a.jsonl'), script, attach })
    ok(recorded.continuations > 3, `${recorded.continuations} continuations`)
    ok(names(parseTrace(readFileSync(recorded.out))).includes('tick'), 'its places')
    const { targetInfos } = await cdp.send('Target.getTargets')
    ok(
      targetInfos.some((t: any) => t.targetId === targetId),
      'the tab is still there',
    )
  } finally {
    await browser.close()
  }
})

test("what is asked of a program that hangs is not done in the middle of the recorder's code", async () => {
  const dir = temporary()
  const program = path.join(dir, 'p.cjs')
  const told = path.join(dir, 'told')
  writeFileSync(
    program,
    `const work = 'for (let i = 0; i < 1e6; i++) globalThis.n = i'
const recorder = new (require('node:vm').Script)('(function inRecorder() { ' + work + ' })', {
  filename: ${JSON.stringify(hookUrl())} }).runInThisContext()
globalThis.tell = () => require('node:fs').appendFileSync(${JSON.stringify(told)},
  new Error().stack.includes('inRecorder') + ',')
function user() { recorder() }
setTimeout(() => { for (;;) user() }, 10)`,
  )
  const child = spawn(process.execPath, ['--inspect=0', program], { stdio: ['ignore', 'ignore', 'pipe'] })
  try {
    const [address] = await said(child.stderr, /ws:\S+/)
    const cdp = await Cdp.connect(address!)
    for (let i = 0; i < 3; i++) await evaluateWhereItIs(cdp, 'tell()')
    cdp.close()
    same(readFileSync(told, 'utf8'), 'false,'.repeat(3))
  } finally {
    child.kill('SIGKILL')
  }
})

test('a program that another debugger has stopped already is asked all the same', async () => {
  const dir = temporary()
  const program = path.join(dir, 'p.cjs')
  const told = path.join(dir, 'told')
  writeFileSync(
    program,
    `globalThis.tell = () => require('node:fs').appendFileSync(${JSON.stringify(told)}, 'told,')
setTimeout(() => { for (;;) globalThis.n = 1 }, 10)`,
  )
  const child = spawn(process.execPath, ['--inspect=0', program], { stdio: ['ignore', 'ignore', 'pipe'] })
  try {
    const [address] = await said(child.stderr, /ws:\S+/)
    const other = await Cdp.connect(address!)
    const stopped = new Promise((done) => other.on('Debugger.paused', done))
    await other.send('Debugger.enable')
    await other.send('Debugger.pause')
    await stopped
    const cdp = await Cdp.connect(address!)
    await evaluateWhereItIs(cdp, 'tell()')
    cdp.close()
    other.close()
    same(readFileSync(told, 'utf8'), 'told,')
  } finally {
    child.kill('SIGKILL')
  }
})
