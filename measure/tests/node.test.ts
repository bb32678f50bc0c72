/** Recordings of Node programs: how they end, what has which parent and place, what is left as it was. */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { Analyser } from '../src/analysis/index.ts'
import { parseTrace, type Continuation, type End, type TraceRecord } from '../src/format/index.ts'
import { CONFIG } from '../src/record/node/config.ts'
import { recordNode, type RecordNodeOptions } from '../src/record/node/index.ts'
import { troubles } from '../src/report/troubles.ts'
import { medianOf } from '../src/study/median.ts'
import { inEachNode, ok, rejects, same, test } from './harness.ts'
import { command, temporary } from './places.ts'

async function record(
  text: string,
  options: Partial<RecordNodeOptions> = {},
): Promise<{ records: TraceRecord[]; end: End; exitCode: number | undefined; continuations: Continuation[] }> {
  const dir = temporary()
  const program = path.join(dir, 'program.mjs')
  const out = path.join(dir, 'trace.jsonl')
  writeFileSync(program, text)
  const { exitCode } = await recordNode(program, [], { out, stdio: 'ignore', ...options })
  const records = parseTrace(readFileSync(out), out)
  return {
    records,
    end: records[records.length - 1] as End,
    exitCode,
    continuations: records.filter((r) => r.type === 'continuation'),
  }
}

/** Records a program until it has made the file whose name it is told. */
async function recordUntilFile(programOf: (file: string) => string): ReturnType<typeof record> {
  const stop = new AbortController()
  const file = path.join(temporary(), 'file')
  const look = setInterval(() => existsSync(file) && stop.abort(), 20)
  return record(programOf(JSON.stringify(file)), { signal: stop.signal }).finally(() => clearInterval(look))
}

test('a program that ends by itself is recorded to its end', async () => {
  const { end, exitCode } = await record('setTimeout(() => setTimeout(() => {}, 2), 2)')
  same([end.reason, exitCode], ['finished', 0])
})

test('process.exit in a callback keeps the recording and the status', async () => {
  const { end, exitCode, continuations } = await record('setTimeout(() => process.exit(7), 2)')
  same([end.reason, exitCode, continuations.at(-1)!.kind], ['exit', 7, 'timeout'])
})

test('an exception that nobody catches keeps the recording', async () => {
  const { end, exitCode, continuations } = await record("setTimeout(() => { throw new Error('x') }, 2)")
  same([end.reason, exitCode, continuations.at(-1)!.kind], ['crash', 1, 'timeout'])
})

test('a program that is killed leaves what was written until then', async () => {
  const { end, continuations } = await record(
    `const began = Date.now(); let n = 0;
setInterval(() => { if (++n > 300 && Date.now() - began > 1500) process.kill(process.pid, 'SIGKILL') }, 1)`,
  )
  same([end.reason, end.signal], ['signal', 'SIGKILL'])
  ok(continuations.length > 50, `${continuations.length} continuations`)
})

inEachNode('a program that ends while a module still waits is not told as finished', async () => {
  const { end, exitCode } = await record('setTimeout(() => {}, 2); await new Promise(() => {})')
  same([end.reason, end.exitCode, exitCode], ['unsettled', 13, 13])
  const chosen = await record('setTimeout(() => process.exit(13), 2)')
  same([chosen.end.reason, chosen.exitCode], ['exit', 13])
  const kept = await record('process.exitCode = 13; setTimeout(() => {}, 2)')
  same([kept.end.reason, kept.exitCode], ['exit', 13])
  const again = await record(
    `let n = 0
process.on('beforeExit', () => { if (n++ === 0) setTimeout(() => {}, 2); else process.exit(13) })`,
  )
  same([again.end.reason, again.exitCode], ['exit', 13])
  const late = await record("process.on('exit', () => { process.exitCode = 5 }); setTimeout(() => {}, 2)")
  same([late.end.reason, late.end.exitCode, late.exitCode], ['exit', 5, 5])
})

test('what happened to child processes stands in the first line', async () => {
  const { records } = await record(
    `import { fork } from 'node:child_process'
const ways = { die: () => process.kill(process.pid, 'SIGKILL'), 
  end: () => setInterval(() => process.kill(process.pid, 'SIGTERM'), 5),
  fail: () => process.exit(3), throw: () => { throw new Error('no') }, work: () => {}, wait: () => {} }
const way = process.argv[2]
if (way !== undefined) {
  setTimeout(ways[way], 20)
  if (way === 'wait') await new Promise(() => {})
} else for (const way in ways) await new Promise((done) => fork(process.argv[1], [way], { stdio: 'ignore' })
  .on('exit', done))`,
  )
  const analyser = new Analyser()
  for (const r of records) analyser.add(r)
  const figures = analyser.finish()
  same(figures.recordings[0]!.children!.map((text) => text.replace(/\d{2,}/g, 'N')).sort(), [
    'child process N (program.mjs) crashed',
    'child process N (program.mjs) ended with status 3',
    'child process N (program.mjs) ended with status N',
    'child process N (program.mjs) was ended by SIGTERM',
    'child process N (program.mjs) was killed or crashed',
  ])
  ok(/^child process .*; and 2 more did not end by themselves$/.test(troubles(figures)[0]!), troubles(figures)[0])
})

test('a signal that the program does not handle ends it as ever, recorded', async () => {
  const { end, exitCode } = await record(
    "setInterval(() => {}, 5); setTimeout(() => process.kill(process.pid, 'SIGTERM'), 20)",
  )
  same([end.reason, end.signal, exitCode], ['signal', 'SIGTERM', 143])
})

test("a program's own handler of SIGINT decides", async () => {
  const { end, exitCode } = await record(
    `process.on('SIGINT', () => setTimeout(() => process.exit(3), 5));
setTimeout(() => process.kill(process.pid, 'SIGINT'), 10); setInterval(() => {}, 5)`,
  )
  same([end.reason, exitCode], ['stopped', 3])
})

test('stopping from outside ends the program and keeps the recording', async () => {
  const { end, continuations } = await recordUntilFile(
    (file) => `
    import { writeFileSync } from 'node:fs'
    let n = 0
    setInterval(() => { if (++n === 20) writeFileSync(${file}, '') }, 2)`,
  )
  same(end.reason, 'stopped')
  ok(continuations.length > 10)
})

test('a worker is a thread of its own in the same trace', async () => {
  const file = path.join(temporary(), 'worker.mjs')
  writeFileSync(file, 'setTimeout(function inWorker() {}, 5)')
  const { records } = await record(`import { Worker } from 'node:worker_threads'\nnew Worker(${JSON.stringify(file)})`)
  const threads = records.filter((r) => r.type === 'thread')
  same(
    threads.map((t) => t.kind),
    ['node', 'worker'],
  )
  const worker = records.filter((r) => r.type === 'continuation' && r.thread === threads[1].id) as Continuation[]
  const timer = worker.find((c) => c.kind === 'timeout')!
  ok(
    worker.some((c) => c.id === timer.parent),
    'its timer has a parent on the same thread',
  )
})

test('two recordings of the same program have the same structure', async () => {
  const program = `
    const { setTimeout: sleep } = await import('node:timers/promises')
    const { readFile } = await import('node:fs/promises')
    async function inner(n) { await sleep(2); if (n > 0) await inner(n - 1);
setImmediate(() => process.nextTick(() => {})) }
    async function outer() { for (let i = 0; i < 3; i++) { await inner(i);
await readFile(process.argv[1]) } let k = 0; const t = setInterval(() => ++k === 3 && clearInterval(t), 20) }
    await outer()`
  const structure = async (): Promise<unknown> => {
    const { records, continuations } = await record(program)
    const places = new Map(
      records.filter((r) => r.type === 'location').map((l) => [l.id, `${l.function}:${l.line}:${l.column}`]),
    )
    // What imports the modules, before the program's first sleep, depends on what is cached and on the loader's thread.
    const first = continuations.findIndex((c) => c.kind === 'timeout')
    const numbers = new Map(continuations.slice(first).map((c, i) => [c.id, i]))
    return continuations
      .slice(first)
      .map((c) => [
        c.kind,
        numbers.get(c.parent ?? 0) ?? null,
        c.recurring ?? false,
        places.get(c.from ?? 0),
        places.get(c.at ?? 0),
        (c.alternatives ?? []).map(([id, via]) => [numbers.get(id) ?? null, via]),
      ])
  }
  const one = await structure()
  ok((one as unknown[]).length > 15, `${(one as unknown[]).length} continuations`)
  same(await structure(), one)
})

test('places: where it was registered, and the function that ran', async () => {
  const { records, continuations } = await record(
    'function registers() {\n  setTimeout(function runs() {\n    setImmediate(() => {})\n  }, 2)\n}\nregisters()',
  )
  const timer = continuations.find((c) => c.kind === 'timeout')!
  const place = (id: number | undefined): string => {
    const l = records.find((r) => r.type === 'location' && r.id === id)
    return l?.type === 'location' ? `${path.basename(l.url)} ${l.function} ${l.line}` : ''
  }
  same([place(timer.from), place(timer.at)], ['program.mjs registers 2', 'program.mjs runs 2'])
})

test('a continuation after an await is named by that await: two in one function are two places', async () => {
  const { records, continuations } = await record(`import { setTimeout as sleep } from 'node:timers/promises'
async function two() {
  await sleep(2)
  await new Promise((done) => setTimeout(done, 2))
  await new Promise((done) => setTimeout(function calls() { done() }, 2))
}
await two()`)
  const place = (id: number | undefined): string => {
    const l = records.find((r) => r.type === 'location' && r.id === id)
    return l?.type === 'location' ? `${l.function} ${l.line}:${l.column} of ${l.begin ?? 'its beginning'}` : ''
  }
  same(
    continuations.filter((c) => c.kind === 'timeout').map((c) => place(c.at)),
    ['two 3:9 of 2,1', 'two 4:9 of 2,1', 'calls 5:42 of its beginning'],
  )
})

test('many timers and immediates keep their places although stacks are looked at only now and then', async () => {
  const { records, continuations } = await record(`
    let left = 2000
    function often() { if (--left > 0) setImmediate(often) }
    for (let i = 0; i < 500; i++) { setTimeout(() => { left-- }, i % 7); setTimeout(() => { left++ }, i % 7) }
    often()`)
  const lines = (kind: string): unknown[] => {
    const places = continuations
      .filter((c) => c.kind === kind)
      .map((c) => records.find((r) => r.type === 'location' && r.id === c.at))
    return [...new Set(places.map((l) => (l?.type === 'location' ? `${l.line}:${l.column}` : 'unknown')))].sort()
  }
  same(lines('timeout'), ['4:48', '4:85'])
  same(lines('immediate'), ['3:5'])
  ok(continuations.length > 2900, `${continuations.length} continuations`)
})

test('mode sample records windows, and says so', async () => {
  const { records, continuations } = await record(
    'let n = 0; const t = setInterval(function ticks() { if (++n === 400) clearInterval(t) }, 1)',
    { mode: 'sample' },
  )
  // The timer that ends a window of 100 ms comes before the ticks behind it, however slow the machine is.
  ok(continuations.length > 0)
  const seen = continuations.filter((c) => c.kind === 'interval').length
  ok(seen < 300, `the first window ends: ${seen} of 400 ticks are in it`)
  ok(records.some((r) => r.type === 'note' && r.code === 'sampled'))
})

test('a program that never returns to its event loop is killed, and its report names what hangs', async () => {
  const { records, end, continuations } = await recordUntilFile(
    (file) => `import { writeFileSync } from 'node:fs'
function spins() { for (;;); }
function hangs() { writeFileSync(${file}, ''); spins() }
setTimeout(function before() { setTimeout(hangs, 60) }, 10)`,
  )
  same(end.reason, 'hung')
  const called = (c: Continuation): string | undefined =>
    records.filter((r) => r.type === 'location').find(({ id }) => id === c.at)?.function
  ok(continuations.map(called).includes('before'), 'the callback before it')
  const last = continuations.at(-1)!
  same(called(last), 'hangs')
  ok(last.end - last.start > 3e6, `the last continuation lasts ${last.end - last.start} µs`)
  const note = records.find((r) => r.type === 'note' && r.code === 'hung')
  ok(note?.type === 'note' && /it was in spins\(\) at \S*program\.mjs:2$/.test(note.text), JSON.stringify(note))
})

/** What the command says of a program that hangs; Ctrl-C comes as soon as the program has made the file. */
async function commandUntilFile(programOf: (file: string) => string): Promise<{ stdout: string; stderr: string }> {
  const dir = temporary()
  const program = path.join(dir, 'program.mjs')
  const file = path.join(dir, 'file')
  writeFileSync(program, programOf(JSON.stringify(file)))
  const args = [command, 'node', '--no-calibrate', '--out', path.join(dir, 't.jsonl'), program]
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] })
  const said = { stdout: '', stderr: '' }
  child.stdout.on('data', (text) => (said.stdout += String(text)))
  child.stderr.on('data', (text) => (said.stderr += String(text)))
  const look = setInterval(() => existsSync(file) && (clearInterval(look), child.kill('SIGINT')), 20)
  await once(child, 'close').finally(() => clearInterval(look))
  return said
}

test('a program that hangs is killed with the processes that it has started', async () => {
  const pid = path.join(temporary(), 'pid')
  const { stdout } = await commandUntilFile((file) => {
    const waits = `echo $$ >${pid}; : >${file}; while :; do sleep 1; done`
    return `import { execSync } from 'node:child_process'\nexecSync(${JSON.stringify(waits)})`
  })
  ok(/^it hung for /.test(stdout), stdout.slice(0, 200))
  const shell = `/proc/${readFileSync(pid, 'utf8').trim()}/cmdline`
  // Of a process that has ended and nobody has asked for, no text is left.
  const isThere = (): boolean => existsSync(shell) && readFileSync(shell, 'utf8') !== ''
  for (const deadline = Date.now() + 20_000; isThere() && Date.now() < deadline;) spawnSync('sleep', ['0.05'])
  ok(!isThere(), 'its shell has ended, too')
})

test('among the messages of a program that hangs there is no address of a debugger', async () => {
  const { stdout, stderr } = await commandUntilFile(
    (file) => `import { writeFileSync } from 'node:fs'
console.error('own ' + process.env.NODE_OPTIONS)
setTimeout(() => { writeFileSync(${file}, ''); for (;;); }, 10)`,
  )
  ok(/^it hung for /.test(stdout), stdout.slice(0, 200))
  ok(/^own --import/m.test(stderr) && !/Debugger (listening|ending)|For help|publish/.test(stderr), stderr)
})

test('a program that only takes its time to end has not hung', async () => {
  const { records, end, continuations } = await recordUntilFile(
    (file) => `import { writeFileSync } from 'node:fs'
process.on('SIGINT', () => {})
setInterval(function ticks() {}, 200)
setTimeout(() => writeFileSync(${file}, ''), 10)`,
  )
  same(end.reason, 'stopped')
  ok(records.some((r) => r.type === 'note' && r.code === 'killed'))
  ok(
    continuations.every((c) => c.end - c.start < 4e6),
    'none lasts as long as the waiting',
  )
})

test('a process that outlives the recording is not recorded', async () => {
  const dir = temporary()
  const [out, program, ran] = ['trace.jsonl', 'program.mjs', 'ran'].map((name) => path.join(dir, name))
  const child = `require('fs').writeFileSync(${JSON.stringify(ran)}, '')`
  writeFileSync(
    program!,
    `import { spawn } from 'node:child_process'
const text = 'while kill -0 $0 2>/dev/null; do sleep 0.05; done; exec "$1" -e "$2"'
const args = ['-c', text, process.ppid, process.execPath, ${JSON.stringify(child)}]
spawn('bash', args, { detached: true, stdio: 'ignore' }).unref()`,
  )
  const { status } = spawnSync(process.execPath, [command, 'node', '--no-calibrate', `--out=${out}`, program!])
  while (!existsSync(ran!)) await new Promise((done) => setTimeout(done, 20))
  same([status, readdirSync(dir).filter((name) => name.includes('.part-'))], [0, []])
})

test('a program that is killed at once keeps what it did', async () => {
  const { continuations } = await record(
    "setTimeout(() => {}, 5); setTimeout(() => process.kill(process.pid, 'SIGKILL'), 80)",
  )
  ok(continuations.length > 0)
})

inEachNode("the library's activities and atomic blocks appear by name, with foreign continuations inside", async () => {
  const { records, continuations } = await record(`
    const tracer = globalThis[Symbol.for('charcoal.tracer')]
    const activity = { name: 'withdraw', gen: {} }
    activity.activity = activity
    const step = (f) => { tracer.started(activity); f(); tracer.stopped(activity) }
    tracer.registered(activity)
    setTimeout(function foreign() {}, 10)
    step(() => { tracer.atomic(activity, true); setTimeout(() => { step(() => {});
setTimeout(() => step(() => { tracer.atomic(activity, false); activity.gen = null }), 15) }, 5) })`)
  same(
    records.filter((r) => r.type === 'activity-start').map((r) => r.name),
    ['withdraw'],
  )
  same(
    records
      .filter((r) => r.type === 'atomic-enter' || r.type === 'atomic-leave' || r.type === 'activity-end')
      .map((r) => r.type),
    ['atomic-enter', 'atomic-leave', 'activity-end'],
  )
  const inside = records.filter((r) => r.type === 'interruption')
  same(inside.length, 1)
  const foreign = continuations.find((c) => c.id === inside[0].continuation)!
  same(foreign.kind, 'timeout')
  same(records.filter((r) => r.type === 'step').length, 3)
})

test('child processes are recorded with the program, and the report names those that it started', async () => {
  const dir = temporary()
  const child = path.join(dir, 'child.mjs')
  writeFileSync(child, 'setTimeout(function inChild() { setTimeout(() => {}, 1) }, 5)')
  const { records, end } = await record(`
    import { fork, spawn } from 'node:child_process'
    fork(${JSON.stringify(child)}).on('exit', () => spawn('true').on('exit', () => setTimeout(() => {}, 1)))`)
  const threads = records.filter((r) => r.type === 'thread')
  same(threads.length, 2)
  ok(/^process \d+ main$/.test(threads[1].name ?? ''), threads[1].name)
  ok(records.some((r) => r.type === 'location' && r.function === 'inChild'))
  ok(
    records.some((r) => r.type === 'note' && /started 2 child processes: node, true/.test(r.text)),
    JSON.stringify(records.filter((r) => r.type === 'note')),
  )
  same(end.reason, 'finished')
})

test('children and workers with an environment or options of their own are recorded, and texts are named', async () => {
  const dir = temporary()
  const child = path.join(dir, 'child.mjs')
  writeFileSync(child, 'setTimeout({ [process.argv.at(-1)]() { setTimeout(() => {}, 1) } }[process.argv.at(-1)], 2)')
  const out = path.join(dir, 'trace.jsonl')
  const program = path.join(dir, 'program.mjs')
  writeFileSync(
    program,
    `import { execFile, execFileSync, execSync, fork, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { SHARE_ENV, Worker } from 'node:worker_threads'
const child = ${JSON.stringify(child)}, node = process.execPath, env = { PATH: process.env.PATH, NODE_OPTIONS: '' }
const worker = (name, options, file = child) => once(new Worker(file, { argv: [name], ...options }), 'exit')
await once(spawn(node, [child, 'spawned'], { env }), 'exit')
await once(fork(child, ['forked'], { env: { A: '1' }, execArgv: ['--no-warnings'] }), 'exit')
await once(execFile(node, [child, 'executed'], { env: Object.create(env) }), 'exit')
spawnSync(node, [child, 'awaited'], { env })
execFileSync(node, [child, 'file'], { env: Object.freeze({ NODE_OPTIONS: '--no-warnings' }) })
execSync('node ' + child + ' command', { env })
await worker('empty', { env: {} })
await worker('options', { env, execArgv: ['--no-warnings'] })
await worker('shared', { env: SHARE_ENV })
await worker('text', { eval: true }, '0')
class Mine extends Worker {}
await once(new Mine(child, { argv: ['mine'], env: {} }), 'exit')
const other = { ...process.env, ${CONFIG}: 'null' }
const seen = execFileSync(node, ['-p', 'process.env.${CONFIG}'], { env: other, encoding: 'utf8' })
process.env = { PATH: process.env.PATH }
spawnSync(node, [child, 'changed'], undefined)
await once(spawn(node, [child, 'later']), 'exit')
if (Object.keys(env).length !== 2 || seen !== 'null\\n' || Worker.name !== 'Worker') process.exit(9)`,
  )
  same((await recordNode(program, [], { out, stdio: 'ignore' })).exitCode, 0)
  const records = parseTrace(readFileSync(out), out)
  const names = records.flatMap((r) => (r.type === 'location' && r.url.endsWith('child.mjs') ? (r.function ?? []) : []))
  const expected = 'spawned forked executed awaited file command empty options shared mine changed later'.split(' ')
  same([...new Set(names)].filter((name) => expected.includes(name)).sort(), expected.sort())
  const unwatched = records.flatMap((r) => (r.type === 'note' && r.code === 'unwatched' ? r.text : []))
  same(unwatched.length, 1)
  ok(/^a worker made of a text at \S*program\.mjs:5, which was not recorded$/.test(unwatched[0]!), unwatched[0])
})

test('a program that does not exist is an error with a remedy', () =>
  rejects(recordNode('/nonexistent/program.mjs', [], { out: '/tmp/never' }), /does not exist; give the path/))

test('a recording does not change what a program prints or returns', async () => {
  const dir = temporary()
  const result = path.join(dir, 'result')
  const program = `
    import { writeFileSync } from 'node:fs'
    const log = []
    setImmediate(() => { log.push('immediate'); setTimeout(() => log.push('timeout'), 2) })
process.nextTick(() => log.push('tick')); queueMicrotask(() => log.push('microtask'))
    Promise.reject(new Error('r')).catch((e) => log.push(e.stack.split('\\n')[0]))
    const prepares = () => 'prepareStackTrace' in Error && Error.prepareStackTrace !== undefined
const seen = () => JSON.stringify([log, Error.stackTraceLimit, prepares(), process.listenerCount('exit') >= 1])
process.on('exit', () => writeFileSync(${JSON.stringify(result)}, seen()))`
  const file = path.join(dir, 'program.mjs')
  writeFileSync(file, program)
  const { spawnSync } = await import('node:child_process')
  spawnSync(process.execPath, [file])
  const bare = JSON.parse(readFileSync(result, 'utf8'))
  await recordNode(file, [], { out: path.join(dir, 'trace.jsonl'), stdio: 'ignore' })
  ok(existsSync(result))
  const recorded = JSON.parse(readFileSync(result, 'utf8'))
  same(recorded, bare)
})

test('what Node says of an uncaught error has the places of the program, and no text of ours', () => {
  const dir = temporary()
  const program = path.join(dir, 'program.mjs')
  writeFileSync(
    program,
    `const state = { user: null }
async function load() { await 1; const half = 10
  /2; return state.user.name + half /state.user.age }
await load()`,
  )
  const command = path.join(process.env.CHARCOAL_MEASURE!, 'bin/charcoal-measure.mjs')
  const args = [command, 'node', '--no-calibrate', '--out', path.join(dir, 't.jsonl'), program]
  const { status, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' })
  same(status, 1)
  ok(!stderr.includes('$ch') && !stderr.includes('node-do-not-add'), stderr)
  ok(
    /TypeError: Cannot read properties of null \(reading 'name'\)\n +at load \(.*program\.mjs:3:\d+\)/.test(stderr),
    stderr,
  )
})

test('the time in which the recorder looks at stacks is not in the times of the recording', async () => {
  const { records } = await record(`
const mark = (name) => globalThis[Symbol.for('charcoal.mark')](String(name))
await null
let last = performance.now()
mark('begin')
for (let i = 0; i < 5000; i++) {
  await null
  if (i % 20 > 0) continue
  const now = performance.now()
  mark(now - last)
  last = now
}`)
  const marks = records.filter((r) => r.type === 'mark')
  const shares = marks.slice(1).map((m, i) => (m.time - marks[i]!.time) / 1000 / Number(m.name))
  // Of 250 stretches: where the program was set aside, or the recorder wrote, must not decide.
  const { median } = medianOf(shares)!
  ok(median > 0 && median < 0.8, `${median} of the time`)
})
