// Drives two browsers that add items at the same time, against the build with atomic blocks and the one without.
// Usage: test.mjs [folder for builds and screenshots]
import { mkdirSync } from 'node:fs'
import path from 'node:path'
import { chromium } from 'playwright-core'
import { build } from 'vite'
import { chromium as executablePath } from '../../scripts/chromium.mjs'
import { serve } from './server.mjs'

const here = import.meta.dirname
const out = path.resolve(process.argv[2] ?? path.join(here, '../../../build/js/share'))
mkdirSync(out, { recursive: true })
const PEOPLE = ['ann', 'bob']
const EACH = 10
const TIMEOUT = 180_000 // ms: for a machine that is busy with other things
let passed = 0
let failed = 0
const check = (ok, what) => (ok ? passed++ : (failed++, console.log(`FAIL share: ${what}`)))
const same = (got, want, what) => check(`${got}` === `${want}`, `${what}: ${got}`)

/** One browser for each person. */
const launch = () => chromium.launch({ executablePath, args: ['--no-sandbox'], timeout: TIMEOUT })
const browsers = await Promise.all(PEOPLE.map(launch))

/** Builds the app, and runs `body` with a page for each person. */
async function withPages(mode, body) {
  const outDir = path.join(out, mode)
  const configFile = path.join(here, 'vite.config.ts')
  await build({ configFile, configLoader: 'runner', mode, build: { outDir, emptyOutDir: true } })
  const server = await serve(outDir, 0, 12)
  const viewport = { width: 640, height: 560 }
  const pages = await Promise.all(browsers.map((browser) => browser.newPage({ viewport })))
  try {
    const errors = []
    for (const [i, page] of pages.entries()) {
      page.setDefaultTimeout(TIMEOUT)
      page.on('pageerror', (e) => errors.push(String(e)))
      await page.goto(`${server.url}/?me=${PEOPLE[i]}`)
    }
    await Promise.all(pages.map((page) => showsVersion(page, 0)))
    await body(pages, server)
    same(errors, [], `${mode}: errors on the page`)
    await Promise.all(pages.map((page, i) => page.screenshot({ path: path.join(out, `${mode}-${PEOPLE[i]}.png`) })))
  } finally {
    await Promise.all(pages.map((page) => page.close()))
    server.close()
  }
}

const showsVersion = (page, version) =>
  page.waitForFunction((v) => document.getElementById('status').textContent.endsWith(` version ${v}`), version)

const saved = (page) => page.waitForFunction('share.pending === 0')

async function type(page, text) {
  await page.fill('#item', text)
  await page.press('#item', 'Enter')
}

/** What both pages show when everything is saved and both show what the server has. */
async function lists(pages, server) {
  await Promise.all(pages.map(saved))
  await Promise.all(pages.map((page) => showsVersion(page, server.version)))
  const texts = () => [...document.querySelectorAll('#list li')].map((li) => li.firstChild.textContent).sort()
  return Promise.all(pages.map((page) => page.evaluate(texts)))
}

/** Ann's page is held back while it encrypts her list, until bob has added an item and `between` has ended. */
async function collide([ann, bob], between) {
  await ann.evaluate(() => {
    const { subtle } = crypto
    const { encrypt } = subtle
    const released = new Promise((release) => (globalThis.release = release))
    subtle.encrypt = async (...args) => {
      globalThis.isEncrypting = true
      await released
      return encrypt.apply(subtle, args)
    }
  })
  await type(ann, "ann's item 1")
  await ann.waitForFunction('globalThis.isEncrypting')
  await type(bob, "bob's item 1")
  await saved(bob)
  await between(ann)
  await ann.evaluate('release()')
  await saved(ann)
}

/** All items but the first are added at once, so that each comes while others are being saved. */
async function addTheOthers(page, i) {
  await page.evaluate(
    ({ who, count }) => {
      for (let n = 2; n <= count; n++) {
        document.getElementById('item').value = `${who}'s item ${n}`
        document.querySelector('form').requestSubmit()
      }
    },
    { who: PEOPLE[i], count: EACH },
  )
}

let longest = 0
await withPages('atomic', async (pages, server) => {
  await collide(pages, async (ann) => {
    // The page draws frames while the block lasts, but does not fetch what bob has saved.
    const frames = await ann.evaluate('share.frames')
    await ann.waitForFunction((n) => share.frames > n, frames + 20)
    same(await ann.evaluate('share.version'), 0, "the version in ann's page while her item is being saved")
  })
  const both = PEOPLE.map((who) => `${who}'s item 1`)
  same(await lists(pages, server), [both, both], 'with atomic both see both items')
  await Promise.all(pages.map(addTheOthers))
  const want = PEOPLE.flatMap((who) => Array.from({ length: EACH }, (_, i) => `${who}'s item ${i + 1}`)).sort()
  same(await lists(pages, server), [want, want], `with atomic both see all ${want.length} items`)
  check(!server.box.includes('item') && server.box.length > 50, 'the server sees a sealed box only')
  longest = Math.max(...(await Promise.all(pages.map((page) => page.evaluate('share.longest')))))
})
await withPages('plain', async (pages, server) => {
  // Ann's page fetches what bob has saved, and then saves its older list with the version of his.
  await collide(pages, (ann) => ann.waitForFunction('share.version === 1'))
  await Promise.all(pages.map((page) => page.reload()))
  const left = await lists(pages, server)
  check(server.version === 2 && left.every((list) => list.length < 2), `without atomic an item is lost: ${left}`)
})
await Promise.all(browsers.map((browser) => browser.close()))
console.log(`share: the longest frame with atomic took ${Math.round(longest)} ms`)
console.log(`${passed} passed, ${failed} failed`)
process.exit(failed === 0 ? 0 : 1)
