// Coverage of src/ by the suite in Node, mapped back to the TypeScript. Fails below 95 % of lines or branches.
// A line counts as covered if any code on it ran. The branches are V8's: each function, and each block whose count
// differs from the code around it.
import { build } from 'esbuild'
import { TraceMap, originalPositionFor, eachMapping } from '@jridgewell/trace-mapping'
import { spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

const js = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..')
const out = path.join(js, 'node_modules/.cache/charcoal')
const dir = path.join(out, 'v8')
rmSync(dir, { recursive: true, force: true })
mkdirSync(dir, { recursive: true })
await build({
  absWorkingDir: js,
  bundle: true,
  target: 'es2022',
  format: 'esm',
  sourcemap: true,
  logLevel: 'error',
  tsconfig: path.join(js, 'tsconfig.json'),
  entryPoints: { coverage: 'tests/main.node.ts' },
  platform: 'node',
  packages: 'external',
  outdir: out,
  outExtension: { '.js': '.mjs' },
})
const run = spawnSync(process.execPath, ['--expose-gc', path.join(out, 'coverage.mjs')], {
  cwd: js,
  stdio: 'inherit',
  env: { ...process.env, NODE_V8_COVERAGE: dir },
})
if (run.status !== 0) process.exit(1)

const code = readFileSync(path.join(out, 'coverage.mjs'), 'utf8')
const map = new TraceMap(readFileSync(path.join(out, 'coverage.mjs.map'), 'utf8'))
const starts = [0]
for (let i = 0; i < code.length; i++) if (code[i] === '\n') starts.push(i + 1)
const position = (offset) => {
  let low = 0
  let high = starts.length - 1
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if (starts[middle] <= offset) low = middle
    else high = middle - 1
  }
  const at = originalPositionFor(map, { line: low + 1, column: offset - starts[low] })
  return at.source === null
    ? null
    : { file: path.relative(path.join(js, 'src'), path.resolve(out, at.source)), line: at.line }
}

const files = new Map()
const of = (file) =>
  files.get(file) ?? files.set(file, { lines: new Map(), branches: 0, taken: 0, missing: [] }).get(file)
const counts = new Float64Array(code.length + 1)
for (const name of readdirSync(dir))
  for (const script of JSON.parse(readFileSync(path.join(dir, name), 'utf8')).result)
    if (script.url.endsWith('/coverage.mjs')) {
      const ranges = script.functions.flatMap((f) => f.ranges)
      ranges.sort((a, b) => b.endOffset - b.startOffset - (a.endOffset - a.startOffset))
      for (const r of ranges) {
        counts.fill(r.count, r.startOffset, r.endOffset)
        const at = position(r.startOffset)
        // Every file opens with a comment: what maps to line 1 is the bundler's.
        if (at === null || at.file.startsWith('..') || at.line === 1) continue
        const file = of(at.file)
        file.branches++
        if (r.count > 0) file.taken++
        else file.missing.push(at.line)
      }
    }
eachMapping(map, (m) => {
  if (m.source === null) return
  const name = path.relative(path.join(js, 'src'), path.resolve(out, m.source))
  if (name.startsWith('..')) return
  const { lines } = of(name)
  const count = counts[starts[m.generatedLine - 1] + m.generatedColumn]
  lines.set(m.originalLine, Math.max(count, lines.get(m.originalLine) ?? 0))
})

let lines = 0
let covered = 0
let branches = 0
let taken = 0
for (const [name, f] of [...files].sort()) {
  const hit = [...f.lines.values()].filter((n) => n > 0).length
  lines += f.lines.size
  covered += hit
  branches += f.branches
  taken += f.taken
  const missing = [...new Set(f.missing)].sort((a, b) => a - b).join(' ')
  const shares = `lines ${percent(hit, f.lines.size)}  branches ${percent(f.taken, f.branches)}`
  console.log(`${name.padEnd(24)} ${shares}  ${missing}`)
}
console.log(`${'all'.padEnd(24)} lines ${percent(covered, lines)}  branches ${percent(taken, branches)}`)
process.exit(covered >= 0.95 * lines && taken >= 0.95 * branches ? 0 : 1)

function percent(n, of) {
  return `${(of === 0 ? 100 : (100 * n) / of).toFixed(1).padStart(5)} %`
}
