// Runs the quick tests: types, the suites in Node, a part of them in other versions of Node (scripts/hosts), those of
// the source in headless Chromium, and the sharing app.
// They run side by side, because each keeps one processor busy at most, and often waits for a browser or a process.
// Usage: run-tests.mjs [builddir] [--no-browser] [--filter=text]
import { build } from 'esbuild'
import { execFile } from 'node:child_process'
import { mkdirSync, existsSync } from 'node:fs'
import { createServer } from 'node:http'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { chromium } from './chromium.mjs'

const js = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..')
const args = process.argv.slice(2)
const builddir = path.resolve(args.find((a) => !a.startsWith('--')) ?? path.join(js, '../build'))
const filter = args.find((a) => a.startsWith('--filter='))?.slice(9) ?? ''
const out = path.join(builddir, 'js/tests')
mkdirSync(out, { recursive: true })

let passed = 0
let failed = 0
const note = (ok, name) => (ok ? passed++ : (failed++, console.log(`FAIL ${name}`)))

const common = {
  absWorkingDir: js,
  bundle: true,
  target: 'es2022',
  format: 'esm',
  sourcemap: 'inline',
  logLevel: 'error',
  tsconfig: path.join(js, 'tsconfig.json'),
}
await Promise.all([
  build({
    ...common,
    entryPoints: { node: 'tests/main.node.ts', worker: 'tests/worker.entry.ts' },
    platform: 'node',
    packages: 'external',
    outdir: path.join(js, 'node_modules/.cache/charcoal'),
    outExtension: { '.js': '.mjs' },
  }),
  build({
    ...common,
    entryPoints: { browser: 'tests/main.browser.ts', worker: 'tests/worker.entry.ts' },
    platform: 'browser',
    define: { 'process.env.NODE_ENV': '"development"' },
    outdir: out,
  }),
])

// Those of a list run one after the other, so that no more processes than there are lists ask for memory at once.
const lists = [[() => inNode('package')], [types, () => inNode('source'), inHosts]]
if (!args.includes('--no-browser')) {
  if (chromium === undefined) note(false, 'Chromium: not installed (apt-get install chromium)')
  else lists.push([inChromium, ...(filter === '' ? [sharing] : [])])
}
await Promise.all(
  lists.map(async (list) => {
    for (const suite of list) await suite()
  }),
)
if (filter !== '' && passed + failed === 1) note(false, `no test has ${JSON.stringify(filter)} in its name`)
console.log(`${passed} passed, ${failed} failed`)
process.exit(failed === 0 ? 0 : 1)

/** Runs a program in Node to its end. */
function run(args, options) {
  return execute(process.execPath, args, options)
}

function execute(file, args, options = {}) {
  const settings = { cwd: js, encoding: 'utf8', maxBuffer: Infinity, ...options }
  return new Promise((done) => {
    execFile(file, args, settings, (error, stdout, stderr) => done({ error, stdout, stderr }))
  })
}

async function types() {
  const { error, stdout } = await run([path.join(js, 'node_modules/typescript/bin/tsc'), '--noEmit'])
  if (error) console.log(stdout)
  note(!error, 'types')
}

async function inNode(suite, name = 'Node', node = process.execPath) {
  const program = path.join(js, 'node_modules/.cache/charcoal/node.mjs')
  const env = { ...process.env, CHARCOAL_BUILD: builddir }
  const args = ['--enable-source-maps', '--expose-gc', program, filter, suite]
  const { stdout, stderr } = await execute(node, args, { env })
  process.stdout.write(`${stdout}${stderr}`.replaceAll(/^FAIL /gm, name === 'Node' ? '$&' : `$&in ${name}: `))
  count(stdout, `the suite of the ${suite} in ${name}`)
}

async function inHosts() {
  const hosts = path.join(js, '../scripts/hosts')
  const { error, stderr } = await execute(path.join(hosts, 'install'), [])
  if (error) return console.log(`not run: the tests in other versions of Node: ${stderr.trim()}`)
  for (const name of ['node22', 'node24'])
    await inNode('hosts', name, path.join(hosts, 'node_modules', name, 'bin/node'))
}

async function inChromium() {
  const log = await inBrowser(chromium)
  for (const line of log) console.log(`chromium: ${line}`)
  count(log.join('\n'), 'the suite in Chromium')
}

async function sharing() {
  const program = path.join(js, 'examples/share/test.mjs')
  const { stdout, stderr } = await run([program, path.join(builddir, 'js/share')], { timeout: 800_000 })
  process.stdout.write(stdout + stderr)
  count(stdout, 'the sharing app in two browsers')
}

function count(text, name) {
  const last = /(\d+) passed, (\d+) failed\s*$/.exec(text)
  if (last === null) return note(false, `${name}: did not end`)
  passed += Number(last[1])
  failed += Number(last[2])
  if (Number(last[1]) === 0 && filter === '') note(false, `${name}: nothing ran`)
}

async function inBrowser(executablePath) {
  const playwright = await import('playwright-core')
  const server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url, 'http://localhost')
    if (pathname === '/')
      return response
        .setHeader('content-type', 'text/html')
        .end('<!doctype html><script type="module" src="/browser.js"></script>')
    const file = path.join(out, path.basename(pathname))
    if (!existsSync(file)) return response.writeHead(404).end()
    response.setHeader('content-type', 'text/javascript').end(await readFile(file))
  })
  await new Promise((done) => server.listen(0, '127.0.0.1', done))
  const options = { args: ['--no-sandbox'], timeout: 180_000 }
  const url = `http://127.0.0.1:${server.address().port}/?filter=${encodeURIComponent(filter)}`
  try {
    // Now and then a Chromium that was just started opens no page: then another one is started.
    for (let starts = 1; ; starts++) {
      const log = await inOneBrowser(await playwright.chromium.launch({ executablePath, ...options }), url)
      if (log) return log
      if (starts === 3) return ['no test has begun 120 s after a start of Chromium, three times']
    }
  } finally {
    server.close()
  }
}

/** What the page at `url` logs until its tests are over; undefined: the browser did not begin with them. */
async function inOneBrowser(browser, url) {
  const log = []
  // The last line says that it is over. Nothing is asked of the page itself, whose timers some tests hold back.
  let over
  let running
  const ended = new Promise((done) => (over = done))
  const early = setTimeout(() => running === undefined && over(), 120_000)
  const late = setTimeout(() => over(log.push(`not ended after 1200 s, in: ${running}`)), 1_200_000)
  const begin = async () => {
    const page = await browser.newPage()
    page.on('console', (m) => {
      if (m.text().startsWith('begins: ')) return (running = m.text().slice(8))
      log.push(m.text())
      if (/^\d+ passed, \d+ failed$/.test(m.text())) over((running ??= 'no test'))
    })
    page.on('pageerror', (e) => log.push(String(e)))
    await page.goto(url, { timeout: 180_000 })
  }
  begin().catch((e) => log.push(String(e)))
  try {
    await ended
    return running === undefined ? undefined : log.filter((line) => !line.startsWith('Failed to load resource'))
  } finally {
    clearTimeout(early)
    clearTimeout(late)
    await browser.close()
  }
}
