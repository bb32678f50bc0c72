// Playwright: two clicks that overlap, while the test moves the page's clock. The page stands in this file; yours comes
// from your server. Run it: npx playwright test
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import { expect, test } from '@playwright/test'

const html = `<!doctype html>
<button id="plain">vote</button> <button id="atomic">vote, atomically</button> <output>0</output>
<script type="module">
  import { asyncFn, atomic, sleep } from '/index.js'
  const votes = document.querySelector('output')
  const vote = asyncFn(function* () {
    const before = Number(votes.value)
    yield* sleep(60_000)
    votes.value = before + 1
  })
  document.getElementById('plain').onclick = () => void vote()
  document.getElementById('atomic').onclick = () => void atomic(vote())
</script>`
const library = path.resolve(createRequire(import.meta.url).resolve('charcoal-js'), '../..')

test.beforeEach(async ({ page }) => {
  await page.route('http://votes.test/**', (route) => {
    const { pathname } = new URL(route.request().url())
    if (pathname === '/') return route.fulfill({ contentType: 'text/html', body: html })
    return route.fulfill({ contentType: 'text/javascript', body: readFileSync(path.join(library, pathname)) })
  })
  await page.clock.install() // before the page loads the library, which then follows this clock
  await page.goto('http://votes.test/')
})

test('of two votes that overlap one is lost', async ({ page }) => {
  await page.click('#plain')
  await page.click('#plain')
  await page.clock.runFor(120_000)
  await expect(page.locator('output')).toHaveText('1')
})

test('with atomic both count', async ({ page }) => {
  await page.click('#atomic')
  await page.click('#atomic')
  await page.clock.runFor(120_000)
  await expect(page.locator('output')).toHaveText('2')
})
