/** Files and folders may have any name: places, sources and packages are found by addresses and paths alike. */
import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { buildSync } from 'esbuild'
import { analyse } from '../src/analysis/index.ts'
import { conflictKey, conflicts } from '../src/analysis/conflicts.ts'
import { fileOf, placeText, shortUrl } from '../src/analysis/sites.ts'
import { mapPlaces } from '../src/analysis/sourcemaps.ts'
import { packageOf } from '../src/format/packages.ts'
import { parseTrace } from '../src/format/index.ts'
import { recordNode } from '../src/record/node/index.ts'
import { recordWeb } from '../src/record/web/index.ts'
import { ok, same, test } from './harness.ts'
import { command, temporary } from './places.ts'

/** Each of these means something in an address, in a shell or in a stack. */
const ODD = '100% #1 [a](b)?c %41 é'

function oddFolder(): string {
  const dir = path.join(temporary(), ODD)
  mkdirSync(dir)
  return dir
}

const RACE = `const shop = { left: 3 }
/* moved */ async function buy() { const { left } = shop; await null; shop.left = left - 1 }
/* moved */ shop.left = 3; buy(); buy()`

/** Where each step of the first conflict is said to be. */
async function stepsOf(trace: string): Promise<(string | undefined)[]> {
  const figures = await analyse(trace)
  const [c] = conflicts(figures)
  ok(c !== undefined, 'no conflict')
  return [c.first, ...c.awaits, c.other, c.second].map((site) => placeText(figures.sites[site]!, figures.sites))
}

const STEPS = ['44', '59', '71', '71'].map((column) => `:2:${column}`)

test('in files of any name, in folders of any name, places are right: modules of both kinds', async () => {
  for (const kind of ['cjs', 'mjs']) {
    const dir = oddFolder()
    const program = path.join(dir, `${ODD}.${kind}`)
    const out = path.join(dir, `${ODD}.jsonl`)
    writeFileSync(program, RACE)
    await recordNode(program, [], { out, stdio: 'ignore' })
    const short = `${ODD}/${ODD}.${kind}`
    same(
      await stepsOf(out),
      STEPS.map((at) => short + at),
    )
    const url = pathToFileURL(program).href
    const located = parseTrace(readFileSync(out), out).filter((r) => r.type === 'location')
    same([...new Set(located.map((l) => l.url))].filter((u) => u.startsWith('file:')).length, 1)
    ok(located.some((l) => l.url === url && l.line === 2 && l.column === 59 && l.begin?.[1] === 13))
  }
})

test("a program's own stacks have the columns of files of any name", () => {
  const dir = oddFolder()
  for (const kind of ['cjs', 'mjs']) {
    const program = path.join(dir, `(x).${kind}`)
    writeFileSync(program, `const o = {}; o.a = o.b; console.log(new Error('x').stack.split('\\n')[1])`)
    const run = (args: string[]): string =>
      spawnSync(process.execPath, [...args, program], { cwd: dir, encoding: 'utf8' }).stdout
    const recorded = run([command, 'node', '--no-calibrate', '--quiet', '--out', path.join(dir, 'o.jsonl')])
    ok(run([]).includes('.'), 'it says nothing')
    same(recorded.split('\n')[0], run([]).trimEnd())
  }
})

test('a program may read files and set timers while it formats a stack', () => {
  const dir = temporary()
  const program = path.join(dir, 'p.mjs')
  writeFileSync(
    program,
    `import { readFileSync } from 'node:fs'
Error.prepareStackTrace = () => (setTimeout(() => {}), Promise.resolve().then(() => {}),
  readFileSync(import.meta.filename ?? process.argv[1], 'utf8').length)
console.log(new Error('x').stack)`,
  )
  const run = (args: string[]): string => {
    const { stdout, stderr } = spawnSync(process.execPath, [...args, program], { cwd: dir, encoding: 'utf8' })
    return stdout === '' ? stderr : stdout.split('\n')[0]!
  }
  ok(/^\d+$/.test(run([])), run([]))
  same(run([command, 'node', '--no-calibrate', '--quiet', '--out', path.join(dir, 'o.jsonl')]), run([]))
})

test('a page of any name, and its scripts, have right places', async () => {
  const dir = oddFolder()
  const name = (text: string): string => encodeURIComponent(text)
  writeFileSync(path.join(dir, `${ODD}.js`), RACE.replaceAll('buy', 'sell').replaceAll('shop', 'stock'))
  writeFileSync(path.join(dir, `${ODD}.html`), `<!doctype html><script src="${name(`${ODD}.js`)}#x"></script>`)
  const out = path.join(dir, `${ODD}.jsonl`)
  await recordWeb(path.join(dir, `${ODD}.html`), { out, duration: 300, accesses: true })
  same(
    await stepsOf(out),
    ['45', '61', '73', '73'].map((column) => `${ODD}/${ODD}.js:2:${column}`),
  )
})

test('sources are found whether a map names them by addresses or by their names', async () => {
  const dir = oddFolder()
  const source = path.join(dir, `src ${ODD}.ts`)
  writeFileSync(source, '// moved\nexport function f(): number { return 1 }\nf()')
  const { outputFiles } = buildSync({ entryPoints: [source], sourcemap: true, outfile: 'x.js', write: false })
  const script = path.join(dir, 'x.js')
  const url = pathToFileURL(script).href
  for (const named of [encodeURIComponent(path.basename(source)), path.basename(source), source])
    for (const inline of [true, false]) {
      const { sourcesContent, ...map } = JSON.parse(outputFiles[0]!.text)
      writeFileSync(`${script}.map`, JSON.stringify({ ...map, sources: [named], ...(inline && { sourcesContent }) }))
      writeFileSync(script, outputFiles[1]!.text.replace(/sourceMappingURL=.*/, 'sourceMappingURL=x.js.map'))
      const line = outputFiles[1]!.text.split('\n').findIndex((text) => text.startsWith('export')) + 1
      const found: unknown[] = []
      const place = { url, line, column: 17, begin: [line, 8] as [number, number] }
      await mapPlaces([place], (_, { source: at, name }) => found.push([at, name]))
      same(found, [[pathToFileURL(source).href, 'f']], named)
    }
})

test('a place is told by names, whatever an address makes of them', () => {
  same(shortUrl('file:///srv/100%25/a%20b%23c.js'), '100%/a b#c.js')
  same(shortUrl('/srv/what?/a#b.c'), 'what?/a#b.c')
  same(shortUrl('http://h:1/100%/x.js?v=1#2'), '100%/x.js')
  // What nobody could see, or what would be another folder, stays as the address has it.
  same(shortUrl('http://h:1/a/x%1b[31m%2Fy%E2%80%AE.js'), 'a/x%1b[31m%2Fy%E2%80%AE.js')
  same(shortUrl(`data:text/html,<p>${'x'.repeat(99)}`), 'data:text/html,<p>xxxxxxxxxxxx…')
  same(fileOf({ kind: 'x', url: '/srv/a#b.c', line: 1 }), '/srv/a#b.c')
  same(fileOf({ kind: 'x', url: 'http://h/a.js?v=2', line: 1 }), 'http://h/a.js')
})

test('what stands behind the name of a file makes it no package, and no other file', async () => {
  same(packageOf('http://h/app.js?from=/node_modules/lodash/x.js'), undefined)
  same(packageOf('http://h/node_modules/lodash/x.js?v=1'), 'lodash')
  same(packageOf('/srv/a?b/node_modules/@s/p#1/x.js'), '@s/p#1')
  const keys = ['1', '2'].map((version) => {
    const site = { kind: 'x', url: `http://h/a.js?v=${version}`, line: 1, function: 'f' }
    return conflictKey({ sites: [site] } as any, { evidence: 'data', second: 0 } as any)
  })
  same(keys[0], keys[1])
})
