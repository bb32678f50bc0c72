/** Recordings of what runs already, and goes on afterwards. */
import { spawn } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { parseTrace, type TraceRecord } from '../src/format/index.ts'
import { findEndpoint } from '../src/record/endpoint.ts'
import { attachNode } from '../src/record/node/attach.ts'
import { startBrowser } from '../src/record/web/browser.ts'
import { recordWeb, type Steps } from '../src/record/web/index.ts'
import { ok, rejects, same, test } from './harness.ts'
import { temporary } from './places.ts'

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

test('a program that runs already is recorded through its debugging port, twice, and goes on', async () => {
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
    const endpoint = await findEndpoint(browser.endpoint)
    if (endpoint.kind !== 'browser') throw new Error(endpoint.kind)
    ok(endpoint.pages.some((page) => page.id === targetId))
    const attach = { endpoint: endpoint.socket, page: targetId }
    const script: Steps = async ({ page }) => {
      page.timeout = 200_000
      const before = await page.evaluate<number>('n')
      await page.waitForFunction(`n > ${before} + 10`)
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
