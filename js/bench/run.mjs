// Runs the benchmarks beside their peers, prints a table, and puts the rows into BUILD/bench/results.json.
// Usage: npm run bench -- [builddir] [--rounds=5] [--case=call]. Each measurement is a process of its own; rounds are
// interleaved, the best counts.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

const here = path.dirname(fileURLToPath(import.meta.url))
const js = path.resolve(here, '..')
const args = process.argv.slice(2)

if (args[0] === '--one') {
  // A child: measures one system in one case.
  const { CASES } = await import('./cases.mjs')
  const [, name, system, count] = args
  const n = Number(count)
  // Many short samples, and the best of them: a long one is interrupted on a busy machine. There the engine also takes
  // longer to optimize the program, so that not only the time counts.
  let best = Infinity
  const [enough, most] = [600, 6000].map((ms) => performance.now() + ms)
  for (let i = 0; i < 40 || performance.now() < enough; i++) {
    if (performance.now() > most) break
    const work = await CASES[name][system](n)
    const start = performance.now()
    await work()
    best = Math.min(best, performance.now() - start)
  }
  console.log(((best / n) * 1e6).toFixed(1))
  process.exit(0)
}

const option = (name, otherwise) => args.find((a) => a.startsWith(`--${name}=`))?.slice(name.length + 3) ?? otherwise
const builddir = path.resolve(args.find((a) => !a.startsWith('--')) ?? path.join(js, '../build'))
const rounds = Number(option('rounds', 3))
const only = option('case', '')

if (!existsSync(path.join(here, 'node_modules/effect'))) {
  const npm = spawnSync('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], { cwd: here, stdio: 'inherit' })
  if (npm.status !== 0) process.exit(1)
}
const built = spawnSync(process.execPath, [path.join(js, 'scripts/build.mjs')], { cwd: js, encoding: 'utf8' })
if (built.status !== 0) throw new Error(built.stdout + built.stderr)

const { CASES, PAIRS } = await import('./cases.mjs')
const slow = new Set(['effection', 'ts-csp'])
const heavy = new Set(['cancel'])
const rows = []
let failed = 0
for (const [name, systems] of Object.entries(CASES)) {
  if (only !== '' && name !== only) continue
  const samples = Object.fromEntries(Object.keys(systems).map((s) => [s, []]))
  for (let round = 0; round < rounds; round++)
    for (const system of Object.keys(systems)) {
      const n =
        system === 'effection' && (heavy.has(name) || name === 'spawn-join')
          ? 100
          : slow.has(system) || heavy.has(name)
            ? 1000
            : 2000
      const child = spawnSync(process.execPath, [fileURLToPath(import.meta.url), '--one', name, system, String(n)], {
        cwd: here,
        encoding: 'utf8',
        timeout: 60_000,
      })
      if (child.status === 0) samples[system].push(Number(child.stdout))
      else if (round === 0) {
        failed++
        console.log(
          `FAIL ${name} ${system}: ${
            child.stderr
              .trim()
              .split('\n')
              .find((l) => /Error/.test(l)) ?? child.signal
          }`,
        )
      }
    }
  const ourBest = Math.min(...samples.charcoal)
  for (const [system, values] of Object.entries(samples)) {
    if (values.length === 0) continue
    values.sort((a, b) => a - b)
    rows.push({
      bench: 'js',
      case: name,
      system,
      metric: 'time',
      value: values[0],
      unit: 'ns',
      ratio_to_ours: system === 'charcoal' ? 1 : values[0] / ourBest,
      spread: values[values.length >> 1] / values[0] - 1,
    })
  }
  print(name)
  for (const [of, a, b] of PAIRS)
    if (of === name && samples[a].length > 0 && samples[b].length > 0) {
      const quotient = samples[a][0] / samples[b][0]
      rows.push({
        bench: 'js',
        case: `${name}: ${a} / ${b}`,
        system: 'charcoal',
        metric: 'ratio',
        value: Number(quotient.toFixed(3)),
        unit: 'x',
        ratio_to_ours: 1,
      })
      console.log(`${name.padEnd(17)} ${a} / ${b}: ${quotient.toFixed(2)}`)
    }
}
if (only === '') {
  const memory = spawnSync(process.execPath, [path.join(here, 'memory.mjs')], { encoding: 'utf8' })
  for (const [, kind, bytes] of memory.stdout.matchAll(/^(.*): (\d+) bytes$/gm)) {
    const row = { bench: 'js', case: kind === 'receive' ? 'waiting' : `waiting: ${kind}`, system: 'charcoal' }
    rows.push({ ...row, metric: 'memory', value: Number(bytes), unit: 'bytes', ratio_to_ours: 1 })
  }
  rows.push({
    bench: 'js',
    case: 'bundle',
    system: 'charcoal',
    metric: 'size',
    value: Number(/gzipped: (\d+)/.exec(built.stdout)[1]),
    unit: 'bytes',
    ratio_to_ours: 1,
  })
  for (const name of new Set(rows.map((r) => r.case))) if (name.startsWith('waiting')) print(name)
  print('bundle')
}

const file = path.join(builddir, 'bench/results.json')
mkdirSync(path.dirname(file), { recursive: true })
const others = existsSync(file)
  ? JSON.parse(readFileSync(file, 'utf8')).filter(
      (r) => r.bench !== 'js' || (only !== '' && r.case.split(':')[0] !== only),
    )
  : []
writeFileSync(file, JSON.stringify([...others, ...rows], null, 1) + '\n')
process.exit(failed === 0 ? 0 : 1)

function print(name) {
  const of = rows.filter((r) => r.case === name)
  for (const r of of) {
    const ratio = r.ratio_to_ours === 1 ? '' : `${r.ratio_to_ours.toFixed(2)} x ours`
    const value = String(Math.round(r.value)).padStart(7)
    console.log(`${name.padEnd(17)} ${r.system.padEnd(18)} ${value} ${r.unit.padEnd(5)} ${ratio}`)
  }
}
