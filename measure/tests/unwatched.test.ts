/** A report never says that no conflict was seen without naming own code that was not watched. */
import { createHash } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { analyse, type Figures } from '../src/analysis/index.ts'
import { recordNode } from '../src/record/node/index.ts'
import { recordWeb } from '../src/record/web/index.ts'
import { htmlReport, terminalSummary } from '../src/report/index.ts'
import { ok, same, test } from './harness.ts'
import { temporary } from './places.ts'

const unwatchedIn = (f: Figures): string[] =>
  (f.recordings[0]!.unwatched ?? []).map((text) => text.replace(/charcoal-test-\w+\//, '')).sort()

test("own code in Node that is not watched is named in place of 'no conflict was seen'", async () => {
  const dir = temporary()
  const write = (name: string, text: string): void => writeFileSync(path.join(dir, name), text)
  write('large.mjs', `export const large = 1 //${' '.repeat(1 << 20)}`)
  write('large.cjs', `exports.large = 1 //${' '.repeat(1 << 20)}`)
  write('with.cjs', 'with (Math) exports.pi = PI')
  write('names.mjs', 'export const $ch = 1')
  write('child.mjs', "import './names.mjs'; setTimeout(() => {}, 2)")
  write(
    'program.mjs',
    `import { fork } from 'node:child_process'
import { createRequire, register } from 'node:module'
import vm from 'node:vm'
import './large.mjs'
import './names.mjs'
for (let k = 0; k < 2; k++) register('data:text/javascript,')
for (const name of ['./large.cjs', './with.cjs']) createRequire(import.meta.url)(name)
let n = eval('1 + 1') + new Function('return 2')() + vm.runInNewContext('3') + Function('return this')().Math.PI
const never = () => eval('4')
WebAssembly.compile(new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0]))
fork(new URL('child.mjs', import.meta.url))
if (n < 10) throw new Error(String(n))`,
  )
  const out = path.join(dir, 't.jsonl')
  const { exitCode } = await recordNode(path.join(dir, 'program.mjs'), [], { out, stdio: 'ignore' })
  same(exitCode, 0)
  const figures = await analyse(out)
  same(unwatchedIn(figures), [
    'large.cjs, because it has 1,048,576 characters or more',
    'large.mjs, because it has 1,048,576 characters or more',
    "names.mjs, because it has this tool's own names",
    'what Function runs at program.mjs:8',
    'what WebAssembly runs at program.mjs:10',
    'what eval runs at program.mjs:8',
    'what runInNewContext runs at program.mjs:8',
    'with.cjs, because it contains `with`',
  ])
})

test("a page's own code that is not watched is named in place of 'no conflict was seen'", async () => {
  const dir = temporary()
  const inline = 'let quiet = 1'
  const hash = createHash('sha256').update(inline).digest('base64')
  writeFileSync(
    path.join(dir, 'page.html'),
    `<!doctype html><meta http-equiv="content-security-policy" content="script-src 'sha256-${hash}' 'self' file:
'unsafe-eval'"><script>${inline}</script><script src="text.js"></script><script src="broken.js"></script>`,
  )
  writeFileSync(path.join(dir, 'text.js'), 'setTimeout(() => eval("quiet + " + quiet), 1)')
  writeFileSync(path.join(dir, 'broken.js'), 'let = =')
  const out = path.join(dir, 't.jsonl')
  await recordWeb(path.join(dir, 'page.html'), { out, duration: 300, accesses: true })
  const figures = await analyse(out)
  same(unwatchedIn(figures), [
    'broken.js, because it cannot be parsed',
    "page.html, because the page's policy names its scripts by hashes",
    'what eval runs at text.js:1',
  ])
  const text = terminalSummary(figures, { width: 10_000 })
  ok(/^No conflict was seen in what was watched\. Reads and writes were not watched of: .*broken\.js/m.test(text), text)
  ok(htmlReport([figures]).includes('"unwatched":['))
})

test('scripts that come to a page by another way are named: attributes, javascript: and blob:, texts', async () => {
  const dir = temporary()
  writeFileSync(
    path.join(dir, 'page.html'),
    `<!doctype html><script>let n = 0; const step = () => n++</script>
<button onclick="n++">more</button><script>step()</script>
<a href="javascript:void(n++)">more</a>
<script src="app.js"></script>`,
  )
  writeFileSync(
    path.join(dir, 'app.js'),
    `const blob = (text) => URL.createObjectURL(new Blob([text], { type: 'text/javascript' }))
new Worker(blob('postMessage(1)')).onmessage = () => {}
const script = document.createElement('script')
script.textContent = 'n = n + 1'
document.body.append(script)
setTimeout('n = 1', 1)
import('data:text/javascript,0')
eval('n++')
setTimeout(() => [document.querySelector('button'), document.querySelector('a')].forEach((e) => e.click()), 1)`,
  )
  const out = path.join(dir, 't.jsonl')
  await recordWeb(path.join(dir, 'page.html'), { out, duration: 500, accesses: true })
  same(unwatchedIn(await analyse(out)), [
    'a script at the address `blob:`',
    'a script at the address `data:`',
    'the code in the HTML at page.html:2',
    'what eval runs at app.js:8',
    'what the text `n = 1` runs',
    'what the text `n = n + 1` runs at app.js:5',
    'what the text `void(n++)` runs',
  ])
})
