/** The report in the terminal and in a browser: what it says first, how it is used, that it fits everywhere. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { Ajv } from 'ajv'
import { chromium, type Browser, type Page } from 'playwright-core'
import { Analyser, pool, type Figures } from '../src/analysis/index.ts'
import { conflictKey, conflicts } from '../src/analysis/conflicts.ts'
import { moments } from '../src/report/format.ts'
import { htmlReport, terminalSummary } from '../src/report/index.ts'
import { insights } from '../src/report/insights.ts'
import { ok, same, test } from './harness.ts'
import { aLongOne } from './long.ts'
import { madeUp } from './made-up.ts'

/** Figures of a made-up recording, with places that carry `name`. */
function madeUpFigures(count: number, name = 'load'): Figures {
  const analyser = new Analyser('made up')
  analyser.add({ type: 'charcoal-trace', version: 1, source: 'synthetic', tool: 'test', title: `${name} of ${count}` })
  analyser.add({ type: 'thread', id: 1, kind: 'page' })
  for (let i = 1; i <= 30; i++)
    analyser.add({
      type: 'location',
      id: i,
      url: `http://localhost/assets/module${i % 5}.js`,
      line: i,
      column: 3,
      function: `${name}${i}`,
    })
  for (const c of madeUp(count, 30)) analyser.add(c)
  analyser.add({
    type: 'calibration',
    kinds: { timeout: { runs: 5, edges: 5, expected: 5 }, lock: { runs: 2, edges: 1, expected: 2 } },
    overhead: { await: { bare: 0.05, recorded: 14 } },
  })
  analyser.add({ type: 'note', text: `something about ${name}` })
  analyser.add({ type: 'end', end: 60e6, reason: 'finished', continuations: count, dropped: 0 })
  return analyser.finish()
}

const folder = mkdtempSync(path.join(tmpdir(), 'charcoal-report-'))
process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
let browser: Promise<Browser> | undefined

/**
 * The report in a browser that has no network; what the page complained about, and what it asked for, is in `trouble`.
 */
async function opened(
  figures: Figures[],
  colorScheme: 'light' | 'dark' = 'light',
): Promise<{ page: Page; trouble: string[]; close: () => Promise<void> }> {
  browser ??= chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-gpu'],
    timeout: 180_000,
  })
  const context = await (
    await browser
  ).newContext({ colorScheme, offline: true, viewport: { width: 1280, height: 900 } })
  const page = await context.newPage()
  page.setDefaultTimeout(180_000)
  const trouble: string[] = []
  page.on('pageerror', (error) => trouble.push(String(error)))
  page.on('console', (message) => message.type() === 'error' && trouble.push(message.text()))
  page.on('request', (request) => !request.url().startsWith('file:') && trouble.push(`asked for ${request.url()}`))
  page.on('dialog', (dialog) => (trouble.push(`dialog ${dialog.message()}`), dialog.dismiss()))
  const file = path.join(folder, 'report.html')
  writeFileSync(file, htmlReport(figures))
  await page.goto(`file://${file}`)
  await page.waitForSelector('.timeline .chosen')
  return { page, trouble, close: () => context.close() }
}

test('the figures keep their schema', () => {
  const schema = JSON.parse(
    readFileSync(path.join(process.env.CHARCOAL_MEASURE!, 'schema/figures.schema.json'), 'utf8'),
  )
  const validate = new Ajv({ strict: false }).compile(schema)
  const one = madeUpFigures(3000)
  for (const f of [one, pool([one, madeUpFigures(500, 'save')], 'both'), new Analyser().finish()])
    ok(validate(JSON.parse(JSON.stringify(f))), JSON.stringify(validate.errors))
  ok(!validate({ ...one, subtrees: undefined }), 'the schema refuses figures without subtrees')
})

test('the terminal summary keeps to its width and names the first chains', () => {
  const f = madeUpFigures(3000)
  const text = terminalSummary(f, { width: 90 })
  const table = /limit|%.*%/
  for (const line of text.split('\n')) ok(line.length <= 90 || table.test(line), `${line.length} columns: ${line}`)
  ok(
    /Potentially atomic subtrees[\s\S]*1 ms[\s\S]*Chains to look at first[\s\S]*load\d+ assets\/module\d\.js:\d+/.test(
      text,
    ),
    text,
  )
  ok(!text.includes('\x1b') && terminalSummary(f, { color: true }).includes('\x1b[1m'), 'colours only when asked')
})

test('a report of many continuations opens in less than 2 s, or 6 times as long as one of ten', async () => {
  const f = (await aLongOne()).figures
  const html = htmlReport([f])
  ok(html.length < 1_000_000, `${html.length} bytes`)
  await opened([madeUpFigures(10)]).then(({ close }) => close()) // the browser's own start does not count
  // The best of three, and the small report for comparison: other work on the machine must not decide.
  let ready = Infinity
  let small = 0
  for (let i = 0; i < 3; i++) {
    const ten = await opened([madeUpFigures(10)])
    small = Math.max(small, await ten.page.evaluate(() => performance.now()))
    await ten.close()
    const { page, trouble, close } = await opened([f])
    ready = Math.min(ready, await page.evaluate(() => performance.now()))
    same(trouble, [])
    same([await page.locator('.figure canvas').count(), await page.locator('table.ranking tbody tr').count()], [7, 25])
    await close()
    if (ready < 2000) break
  }
  ok(ready < Math.max(2000, 6 * small), `drawn after ${ready} ms, a small one after ${small} ms`)
}, 800)

test('the report can be walked with keys alone', async () => {
  const { page, trouble, close } = await opened([madeUpFigures(3000)])
  await page.locator('#durations .plot').focus()
  for (let i = 0; i < 12; i++) await page.keyboard.press('ArrowRight')
  const readout = await page.locator('#durations .readout').innerText()
  ok(/µs – .*µs.*not recurring: \d+/.test(readout), readout)
  await page.locator('#durations .toggle', { hasText: 'cumulative' }).press('Enter')
  same(await page.locator('#durations .toggle', { hasText: 'cumulative' }).getAttribute('aria-pressed'), 'true')
  await page.locator('.timeline').focus()
  const before = await page.locator('.detail').innerText()
  await page.keyboard.press('ArrowDown')
  const child = await page.locator('.detail').innerText()
  ok(child !== before && /parent ended/.test(child), `the child: ${child}`)
  await page.keyboard.press('ArrowUp')
  same(await page.locator('.detail').innerText(), before)
  same(trouble, [])
  await close()
}, 300)

test('the trees are a tree for those who cannot see: roles, the chosen one, keys, and the focus stays', async () => {
  const { page, trouble, close } = await opened([madeUpFigures(3000)])
  const tree = page.getByRole('tree')
  const chosen = page.getByRole('treeitem', { selected: true })
  const level = async (): Promise<number> => Number(await chosen.getAttribute('aria-level'))
  const focused = (): Promise<string> => page.evaluate(() => document.activeElement!.textContent!)
  same(await tree.getAttribute('aria-orientation'), 'horizontal')
  await tree.focus()
  same([await chosen.count(), await tree.getAttribute('aria-activedescendant')], [1, await chosen.getAttribute('id')])
  const [at, name] = [await level(), await chosen.getAttribute('aria-label')]
  ok(/load\d+ .*Runs .* children here/.test(name!), name!)
  await page.keyboard.press('ArrowDown')
  same([await level(), await chosen.getAttribute('aria-posinset')], [at + 1, '1'])
  ok((await chosen.getAttribute('aria-label')) !== name)
  await page.keyboard.press('n')
  same([await level(), await chosen.getAttribute('aria-posinset')], [at + 1, '2'])
  await page.keyboard.press('End')
  const last = await chosen.getAttribute('id')
  await page.keyboard.press('Alt+Home') // is the browser's
  same(await chosen.getAttribute('id'), last)
  await page.keyboard.press('Home')
  same(await chosen.getAttribute('id'), 'continuation-0')
  await page.keyboard.press('Enter')
  ok(/module\d\.js:\d+/.test(await focused()), await focused())
  await page.locator('.walk button', { hasText: 'after' }).focus()
  for (const id of ['continuation-1', 'continuation-2']) {
    await page.keyboard.press('Enter')
    same([await focused(), await chosen.getAttribute('id')], ['after →', id])
  }
  same(trouble, [])
  await close()
}, 300)

test('on a phone the report is no wider than the window, and of each chain all columns are in it', async () => {
  const { page, close } = await opened([madeUpFigures(3000)])
  for (const width of [390, 375, 320]) {
    await page.setViewportSize({ width, height: 800 })
    // The figures are drawn again a moment after the window has changed.
    await page
      .waitForFunction((wanted) => document.documentElement.scrollWidth === wanted, width, { timeout: 10_000 })
      .catch(() => {})
    same(await page.evaluate(() => document.documentElement.scrollWidth), width)
    const cells = await page
      .locator('.ranking td')
      .evaluateAll((all) => all.filter((cell) => cell.scrollWidth > cell.clientWidth).length)
    const table = await page.locator('.ranking').evaluate((t) => t.scrollWidth <= t.parentElement!.clientWidth)
    ok(cells === 0 && table, `of the chains nothing lies beyond the edge: ${cells} cells do`)
  }
  await close()
}, 300)

test('on paper the report is no wider than the sheet, and its parts are linked in their order', async () => {
  const { page, close } = await opened([madeUpFigures(3000)])
  const places = page
    .locator('nav a')
    .evaluateAll((links) =>
      links.map((link) => document.querySelector((link as HTMLAnchorElement).hash)!.getBoundingClientRect().top),
    )
  same(
    await places,
    [...(await places)].sort((a, b) => a - b),
    'links stand as their parts do',
  )
  // A4, less the margins that browsers leave.
  await page.setViewportSize({ width: 718, height: 1000 })
  await page.emulateMedia({ media: 'print' })
  const sticksOut = (): Promise<string[]> =>
    page.evaluate(() =>
      [...document.querySelectorAll('main *')]
        .filter((e) => e.getBoundingClientRect().right > innerWidth && e.closest('.timeline, .card') === null)
        .map((e) => `${e.tagName} ${e.className} ${e.getBoundingClientRect().right}`),
    )
  same(await sticksOut(), [])
  await close()
}, 300)

test('a sentence on figures is one whether there are many or none', () => {
  const analyser = new Analyser('two')
  analyser.add({ type: 'charcoal-trace', version: 1, source: 'node', tool: 'test' })
  analyser.add({ type: 'thread', id: 1, kind: 'node' })
  analyser.add({ type: 'continuation', id: 1, thread: 1, kind: 'script', parent: null, start: 0, end: 10 })
  analyser.add({ type: 'continuation', id: 2, thread: 1, kind: 'timeout', parent: 1, start: 500, end: 510 })
  analyser.add({ type: 'end', end: 600, reason: 'finished', continuations: 2, dropped: 0 })
  const text = Object.fromEntries(insights(analyser.finish()).map((i) => [i.topic, i.text]))
  same(
    [text.Concurrency, text.Gaps, text.Chains, text.Subtrees],
    [
      'In half of the cases no other continuation is already registered when one begins to run; ' +
        'in 0 % there are 10 or more.',
      '1 gap between non-recurring continuations is shorter than 10 ms. ' +
        'Such a gap looks atomic, but in 0 % something else ran.',
      'Less than 10 ms pass from the first to the last continuation in 100 % of the chains of two.',
      '1 subtree fits into 10 ms; 100 % are linear, and in 0 % something else ran.',
    ],
  )
})

/** Figures with a lost update in `withdraw`, one in a package, and a hung end. */
function racyFigures(count: number): Figures {
  const analyser = new Analyser('bank')
  analyser.add({ type: 'charcoal-trace', version: 1, source: 'node', tool: 'test' })
  analyser.add({ type: 'thread', id: 1, kind: 'node' })
  const place = (id: number, url: string, line: number, name: string): void =>
    analyser.add({ type: 'location', id, url, line, column: 5, function: name, begin: [4, 1] })
  place(1, 'file:///srv/bank.mjs', 5, 'withdraw')
  place(2, 'file:///srv/bank.mjs', 6, 'withdraw')
  place(3, 'file:///srv/node_modules/pool/index.js', 9, 'acquire')
  analyser.add({ type: 'continuation', id: 1, thread: 1, kind: 'script', parent: null, start: 0, end: 10, at: 1 })
  const found = { type: 'unserialisable', kind: 'lost update', count, runs: 69, p50: 2900, p99: 8000 } as const
  analyser.add({ ...found, variable: 'balance', first: 1, other: 2, second: 2, operation: 1, awaits: [1] })
  analyser.add({ ...found, count: 60, variable: 'size', first: 3, other: 3, second: 3 })
  analyser.add({ type: 'end', end: 60e6, reason: 'hung', continuations: 1, dropped: 0 })
  return analyser.finish()
}

test('the report opens with a card for each conflict, own code first, packages folded away', async () => {
  const figures = racyFigures(19)
  const terminal = terminalSummary(figures)
  ok(/^it hung for 10 µs in script .*\nbank\n\nOne conflict in your code\n1\. withdraw/.test(terminal), terminal)
  ok(
    terminal
      .replace(/\s+/g, ' ')
      .includes(
        '1. withdraw() read balance, waited and wrote it, ' +
          'though another withdraw() had written it meanwhile: in 19 of 69 runs.',
      ),
    terminal,
  )
  ok(/and 1 in packages/.test(terminal))
  const { page, trouble, close } = await opened([figures])
  same(await page.locator('main section').first().getAttribute('id'), 'conflicts')
  ok(/^withdraw\(\) read balance/.test(await page.locator('.finding').innerText()))
  ok(/hung/.test(await page.locator('.trouble').innerText()))
  same(await page.locator('.conflict-card').count(), 1)
  same(await page.locator('.conflict-card .steps li').evaluateAll((items) => items.map((li) => li.className)), [
    'own',
    'waits',
    'enters',
    'own',
  ])
  same(await page.locator('.conflict-card .links a').last().getAttribute('href'), 'vscode://file/srv/bank.mjs:6:5')
  same(trouble, [])
  await close()
}, 300)

test('how often a conflict was seen is written as the number of runs is', () => {
  const figures = racyFigures(1900)
  for (const found of figures.atomic.unserialisable) found.runs = 6900
  const text = terminalSummary(figures).replace(/\s+/g, ' ')
  ok(text.includes('in 1,900 of 6,900 runs'), text)
})

test('of two awaits on one line the column tells which one it is, and elsewhere no column is shown', async () => {
  const analyser = new Analyser('one line')
  analyser.add({ type: 'charcoal-trace', version: 1, source: 'node', tool: 'test' })
  analyser.add({ type: 'thread', id: 1, kind: 'node' })
  const place = (id: number, line: number, column: number): void =>
    analyser.add({ type: 'location', id, url: 'file:///srv/bank.mjs', line, column, function: 'move', begin: [4, 1] })
  place(1, 5, 3)
  place(2, 6, 11)
  place(3, 6, 27)
  place(4, 7, 3)
  analyser.add({ type: 'continuation', id: 1, thread: 1, kind: 'script', parent: null, start: 0, end: 10, at: 1 })
  const found = { type: 'unserialisable', kind: 'lost update', variable: 'sum', count: 3, runs: 9 } as const
  analyser.add({ ...found, first: 1, other: 4, second: 4, operation: 1, awaits: [2, 3] })
  analyser.add({ type: 'end', end: 10, reason: 'finished', continuations: 1, dropped: 0 })
  const figures = analyser.finish()
  const places = ['bank.mjs:5', 'bank.mjs:6:11', 'bank.mjs:6:27', 'bank.mjs:7', 'bank.mjs:7'].map((p) => `srv/${p}`)
  same(
    terminalSummary(figures)
      .match(/srv\/bank\.mjs[:\d]+/g)
      ?.slice(0, 5),
    places,
  )
  const { page, close } = await opened([figures])
  same(await page.locator('.conflict-card .steps a').allInnerTexts(), places)
  await close()
}, 300)

test('a conflict is the same one when lines have moved, and another when it is of another variable', () => {
  const keys = (f: Figures): string[] => conflicts(f).map((c) => conflictKey(f, c))
  const one = racyFigures(19)
  const moved = racyFigures(3)
  for (const site of moved.sites) site.line = (site.line ?? 0) + 40
  same(keys(moved), keys(one))
  const other = racyFigures(19)
  other.atomic.unserialisable[1].variable = 'limit'
  ok(keys(other).some((key) => !keys(one).includes(key)))
})

test('the ranking filters by advice and by text', async () => {
  const { page, close } = await opened([madeUpFigures(20_000)])
  const rows = page.locator('table.ranking tbody tr')
  await page.fill('#ranking input[type=search]', 'load17x')
  ok((await rows.count()) === 0, 'no such text')
  await page.fill('#ranking input[type=search]', 'load17')
  const all = await rows.allInnerTexts()
  ok(all.length > 0 && all.every((text) => text.includes('load17')), all.join('\n'))
  await close()
}, 300)

test('from a chain one click leads to one of its runs in the tree', async () => {
  const { page, trouble, close } = await opened([madeUpFigures(2000)])
  const row = page.locator('table.ranking tbody tr').first()
  const last = await row.locator('.chain li').last().innerText()
  await row.locator('a.run').click({ timeout: 60_000 })
  same(await page.locator('.detail .site').first().innerText(), last)
  same(trouble, [])
  await close()
}, 300)

test('the ranking is filtered by kind, own code and advice', async () => {
  const figures = madeUpFigures(2000)
  figures.sites.forEach((site, i) => {
    site.url = site.url?.replace('assets', i % 2 === 0 ? 'assets' : 'node_modules/lib')
    site.kind = i % 3 === 0 ? 'timeout' : 'promise'
  })
  const { page, trouble, close } = await opened([figures])
  /** Which of the listed rows have the text in that part of them. */
  const having = async (part: string, text: string): Promise<boolean[]> =>
    (await page.locator(`table.ranking tbody tr ${part}`).allInnerTexts()).map((all) => all.includes(text))
  for (const [part, text, filter] of [
    ['.chain', 'timeout', () => page.selectOption('#ranking select[aria-label="Kind of callback"]', 'timeout')],
    ['.chain', 'assets/', () => page.check('#ranking input[type=checkbox]')],
    ['.advice', 'too few runs', () => page.selectOption('#ranking select[aria-label=Advice]', 'too-few-runs')],
  ] as const) {
    const before = await having(part, text)
    ok(before.includes(true) && before.includes(false), `both with ${text} and without: ${before}`)
    await filter()
    const after = await having(part, text)
    ok(after.length > 0 && after.every(Boolean), `with ${text} only: ${after}`)
  }
  same(trouble, [])
  await close()
}, 300)

test('two recordings stand beside each other: what is new, gone, still there', async () => {
  const [one, two] = [racyFigures(19), racyFigures(3)]
  const found = two.atomic.unserialisable.find((u) => u.variable === 'balance')!
  found.variable = 'credit'
  for (const f of [one, two]) f.atomic.unserialisable.push({ ...found, variable: 'limit' })
  const { page, trouble, close } = await opened([pool([one, two], 'both'), one, two])
  same(
    (await page.locator('.comparison tbody tr').allInnerTexts()).map((text) => /^.*?,/.exec(text)?.[0]),
    ['new\twithdraw() read credit,', 'gone\twithdraw() read balance,', 'still there\twithdraw() read limit,'],
  )
  await page.selectOption('#conflicts select[aria-label=Resource]', 'credit', { timeout: 60_000 })
  same(await page.locator('.conflict-card').count(), 1)
  same(trouble, [])
  await close()
}, 300)

test('several recordings are shown one at a time, their pool first', async () => {
  const one = madeUpFigures(3000)
  const two = madeUpFigures(200, 'save')
  const { page, trouble, close } = await opened([pool([one, two], 'together'), one, two])
  same(await page.locator('header select option').allInnerTexts(), [
    'together (3,200)',
    'load of 3000 (3,000)',
    'save of 200 (200)',
  ])
  await page.selectOption('header select', '2')
  await page.waitForSelector('.timeline .chosen')
  same(await page.locator('.stat b').first().innerText(), '200')
  same(trouble, [])
  await close()
}, 300)

test('hostile text in a trace stays text', async () => {
  const evil = '</script><img src=x onerror=alert(1)><b id=evil>'
  const { page, trouble, close } = await opened([madeUpFigures(3000, evil)])
  same(await page.locator('#evil, img').count(), 0)
  same(trouble, [])
  ok((await page.locator('.notes').innerText()).includes(evil), 'it is shown as it is')
  await close()
}, 300)

test('moments that lie close together are written with so many digits that they differ', () => {
  same(moments([0, 1_412_000, 1_437_500, 1_437_500]), ['0', '1.41 s', '1.44 s', '1.44 s'])
  same(moments([123_400, 123_450]), ['123.4 ms', '123.5 ms'])
  same(moments([1000, 2000, 300_000]), ['1 ms', '2 ms', '300 ms'])
  same(moments([]), [])
})

test('an empty recording makes a report too', async () => {
  const context = await opened([madeUpFigures(1)])
  same(context.trouble, [])
  await context.close()
  const empty = htmlReport([new Analyser('nothing').finish()])
  ok(empty.includes('nothing'), 'a report')
}, 300)

test('light, dark and print look as they should: pictures to look at', async () => {
  const pictures = path.join(process.env.CHARCOAL_BUILD!, 'measure')
  mkdirSync(pictures, { recursive: true })
  const dark: number[] = []
  for (const scheme of ['light', 'dark'] as const) {
    const { page, trouble, close } = await opened([madeUpFigures(20_000)], scheme)
    await page.screenshot({ path: path.join(pictures, `report-${scheme}.png`), fullPage: true })
    if (scheme === 'light') await page.pdf({ path: path.join(pictures, 'report.pdf'), format: 'A4' })
    dark.push(await page.evaluate(() => Number(/\d+/.exec(getComputedStyle(document.body).backgroundColor)![0])))
    same(trouble, [])
    await close()
  }
  ok(dark[0] > 200 && dark[1] < 60, `backgrounds ${dark}`)
}, 300)

test('the browser of these tests is closed', async () => {
  await (await browser)?.close()
})
