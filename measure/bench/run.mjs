// What recording costs per operation, beside zone.js and plain DevTools tracing. Ratios count, not times: everything
// runs in turns in one session, the best of ROUNDS each.
// Usage: node bench/run.mjs [--rounds=3] [--json=FILE]
import { build } from 'esbuild'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { buildAll } from '../scripts/build.mjs'

const measure = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..')
const option = (name, otherwise) =>
  process.argv.find((a) => a.startsWith(`--${name}=`))?.slice(name.length + 3) ?? otherwise
const rounds = Number(option('rounds', 3))
process.env.CHARCOAL_MEASURE = measure
const dir = mkdtempSync(path.join(tmpdir(), 'charcoal-bench-'))
try {
  await buildAll()
  const bundle = path.join(measure, 'node_modules/.cache/charcoal-bench.mjs')
  await build({
    absWorkingDir: measure,
    stdin: {
      contents: [
        'record/web/attach',
        'record/web/browser',
        'record/web/tracing',
        'oracle/overhead',
        'record/node/index',
      ]
        .map((file) => `export * from './src/${file}.ts'`)
        .join('\n'),
      resolveDir: measure,
      loader: 'ts',
    },
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'es2022',
    packages: 'external',
    logLevel: 'error',
    outfile: bundle,
  })
  const m = await import(pathToFileURL(bundle).href)
  const web = await inBrowser(m)
  const node = await inNode(m)
  print('Chromium', web)
  print('Node', node)
  const file = option('json')
  if (file) writeFileSync(file, `${JSON.stringify({ web, node, node_version: process.version }, null, 1)}\n`)
} finally {
  rmSync(dir, { recursive: true, force: true })
}

function best(all) {
  const names = Object.keys(all[0])
  return Object.fromEntries(names.map((n) => [n, Math.min(...all.map((a) => a[n]))]))
}

async function inBrowser({ startBrowser, attach, startTracing, stopTracing, costs }) {
  const zone = readFileSync(path.join(measure, 'node_modules/zone.js/bundles/zone.umd.min.js'), 'utf8')
  const server = createServer((request, response) => {
    if (request.url === '/zone.js') response.setHeader('content-type', 'text/javascript').end(zone)
    else
      response
        .setHeader('content-type', 'text/html')
        .end(
          '<!doctype html><link rel="icon" href="data:,">' +
            (request.url === '/zone' ? '<script src="/zone.js"></script>' : ''),
        )
  })
  await new Promise((done) => server.listen(0, '127.0.0.1', done))
  const base = `http://127.0.0.1:${server.address().port}`
  const browser = await startBrowser()
  const { cdp } = browser
  const plainTrace = (categories) => (session) =>
    cdp.send(
      'Tracing.start',
      {
        transferMode: 'ReturnAsStream',
        streamFormat: 'json',
        traceConfig: {
          recordMode: 'recordAsMuchAsPossible',
          traceBufferSizeInKb: 400 * 1024,
          includedCategories: categories,
          excludedCategories: ['*'],
        },
      },
      session,
    )
  const timeline = ['devtools.timeline', 'disabled-by-default-devtools.timeline', 'v8.execute']
  const ways = {
    bare: {},
    'DevTools timeline': { trace: plainTrace(timeline) },
    'DevTools timeline, stacks, profiler': {
      trace: plainTrace([
        ...timeline,
        'disabled-by-default-devtools.timeline.stack',
        'disabled-by-default-v8.cpu_profiler',
      ]),
    },
    'zone.js, no trace': { path: '/zone' },
    fast: { mode: 'fast', trace: (session) => startTracing(cdp, session, 'fast') },
    full: { mode: 'full', trace: (session) => startTracing(cdp, session, 'full') },
  }
  const results = Object.fromEntries(Object.keys(ways).map((name) => [name, []]))
  try {
    for (let round = 0; round < rounds; round++)
      for (const [name, way] of Object.entries(ways)) {
        const { targetId } = await cdp.send('Target.createTarget', { url: 'about:blank' })
        const session =
          way.mode === undefined
            ? (await cdp.send('Target.attachToTarget', { targetId, flatten: true })).sessionId
            : await attach(cdp, way.mode, targetId)
        await cdp.send('Page.enable', {}, session)
        if (way.trace) await way.trace(session)
        const loaded = new Promise((done) => cdp.on('Page.loadEventFired', done, session))
        await cdp.send('Page.navigate', { url: base + (way.path ?? '/') }, session)
        await loaded
        const { result } = await cdp.send(
          'Runtime.evaluate',
          { expression: `(${costs})()`, awaitPromise: true, returnByValue: true },
          session,
        )
        results[name].push(result.value)
        if (way.trace) await stopTracing(cdp, session, path.join(dir, 'trace.json'))
        await cdp.send('Target.closeTarget', { targetId })
      }
  } finally {
    await browser.close()
    server.close()
  }
  return Object.fromEntries(Object.entries(results).map(([name, all]) => [name, best(all)]))
}

async function inNode({ recordNode, costs }) {
  const result = path.join(dir, 'cost.json')
  const text = [
    "import { writeFileSync } from 'node:fs'",
    `writeFileSync(${JSON.stringify(result)}, JSON.stringify(await (${costs})()))`,
    'process.exit()',
    '',
  ].join('\n')
  const zone = pathToFileURL(path.join(measure, 'node_modules/zone.js/bundles/zone-node.umd.min.js')).href
  const plain = path.join(dir, 'plain.mjs')
  const zoned = path.join(dir, 'zone.mjs')
  const local = path.join(dir, 'local.mjs')
  writeFileSync(plain, text)
  writeFileSync(zoned, `import ${JSON.stringify(zone)}\n${text}`)
  writeFileSync(
    local,
    `import { AsyncLocalStorage } from 'node:async_hooks'\nnew AsyncLocalStorage().enterWith(1)\n${text}`,
  )
  const bare =
    (file, args = []) =>
    () =>
      spawnSync(process.execPath, [...args, file], { cwd: dir, stdio: 'ignore', timeout: 60_000 })
  const recorded = (mode) => () => recordNode(plain, [], { out: path.join(dir, 'trace.jsonl'), mode, stdio: 'ignore' })
  const ways = {
    bare: bare(plain),
    AsyncLocalStorage: bare(local),
    'zone.js, no trace': bare(zoned),
    '--trace-event-categories node.async_hooks': bare(plain, ['--trace-event-categories', 'node.async_hooks']),
    fast: recorded('fast'),
    full: recorded('full'),
  }
  const results = {}
  for (let round = 0; round < rounds; round++)
    for (const [name, run] of Object.entries(ways)) {
      await run()
      ;(results[name] ??= []).push(JSON.parse(readFileSync(result, 'utf8')))
      rmSync(result)
    }
  return Object.fromEntries(Object.entries(results).map(([name, all]) => [name, best(all)]))
}

function print(title, results) {
  const names = Object.keys(results.bare)
  const width = Math.max(...Object.keys(results).map((n) => n.length)) + 2
  console.log(`\n${`${title}, µs per operation`.padEnd(width)}${names.map((n) => n.padStart(14)).join('')}`)
  for (const [way, costs] of Object.entries(results))
    console.log(
      way.padEnd(width) +
        names
          .map((n) => (costs[n] === undefined ? '–' : costs[n].toFixed(costs[n] < 10 ? 2 : 0)).padStart(14))
          .join(''),
    )
}
