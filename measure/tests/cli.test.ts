/** The command as its users call it: options, messages, exit statuses, files. */
import { spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { parseTrace, type End } from '../src/format/index.ts'
import { Progress } from '../src/cli/progress.ts'
import { ok, same, test } from './harness.ts'
import { command, temporary } from './places.ts'

function run(args: string[], cwd = temporary()): { status: number | null; out: string; error: string; cwd: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, [command, ...args], {
    cwd,
    encoding: 'utf8',
    timeout: 600_000,
  })
  return { status, out: stdout, error: stderr, cwd }
}

for (const [args, status, pattern] of [
  [['nonsense'], 2, /there is no command nonsense; there are: web, node, c-program, attach, trace, report/],
  [['web'], 2, /usage: charcoal-measure web URL/],
  [['web', 'x', '--durration', '3'], 2, /unknown option --durration \(did you mean --duration\?\)/],
  [['web', 'http://127.0.0.1:1/', '--duration', 'soon'], 2, /--duration is "soon"; give a time like 30s/],
  [['web', 'http://127.0.0.1:1/', '--mode', 'slow'], 2, /--mode is "slow"; it can be fast or full/],
  [['web', 'nowhere.html'], 2, /nowhere.html is no URL; give one with its scheme/],
  [
    ['web', 'http://127.0.0.1:1/', '--browser', '/nonexistent'],
    4,
    /the browser \/nonexistent does not exist; give the path/,
  ],
  [['web', 'http://127.0.0.1:1/', '--script', 'none.mjs'], 2, /the steps file none.mjs does not exist/],
  [['web', 'http://127.0.0.1:1/', '--no-calibrate'], 5, /does not load: net::ERR_(CONNECTION_REFUSED|UNSAFE_PORT)/],
  [['node'], 2, /usage: charcoal-measure node/],
  [['node', '--out', 'no/folder.jsonl', 'none.mjs'], 2, /--out: no\/folder.jsonl cannot be written: its folder does/],
  [['node', '--out', '/dev/null', 'none.mjs'], 2, /--out: \/dev\/null cannot be written: it is no ordinary file/],
  [['web', 'x.html', '--keep', '/dev/null'], 2, /--keep: \/dev\/null cannot be written: it is no ordinary file/],
  [
    ['web', 'x.html', '--script', 's.mjs', '--json=./s.mjs'],
    2,
    /--json: .\/s.mjs cannot be .*it is what is to be read/,
  ],
  [['node', '--html=x', '--json=./x', 'none.mjs'], 2, /--json: .\/x cannot be written: --html is written there, too/],
  [['node', '--html=/', 'none.mjs'], 2, /--html: \/ cannot be written: it is a directory/],
  [['node', '--baseline', 'none.jsonl', 'none.mjs'], 2, /the baseline none.jsonl does not exist; record one/],
  [['node', '--no-calibrate', 'none.mjs'], 2, /the program none.mjs does not exist/],
  [['trace', 'none.jsonl'], 2, /the trace none.jsonl does not exist/],
  [['corpus', '--from', 'none.json'], 2, /the study none.json does not exist/],
  [['corpus', '--runs', 'few', 'none'], 2, /--runs is "few"; give a whole number/],
] as const)
  test(`the command refuses: ${args.join(' ') || '(nothing)'}`, () => {
    const { status: got, error } = run([...args])
    ok(pattern.test(error), error)
    same(got, status)
  })

test('what passes is written over on a terminal, and is nothing elsewhere', () => {
  const written = { text: '', isTTY: true, columns: 20, write: (text: string) => (written.text += text) }
  const terminal = new Progress(false, written)
  terminal.say('recording: 1 s, 2 MB of a trace', true)
  terminal.say('over')
  terminal.clear()
  same(written.text, '\r\x1b[Krecording: 1 s, 2 M\r\x1b[Kover\r\x1b[K')
  const lines = { ...written, text: '', isTTY: false, write: (text: string) => (lines.text += text) }
  const file = new Progress(false, lines)
  file.say('recording: 1 s', true)
  file.say('over')
  same(lines.text, 'over\n')
})

test('help tells of every command', () => {
  const { status, out } = run(['help'])
  same(status, 0)
  for (const name of ['web', 'node', 'c-program', 'attach', 'trace', 'report']) {
    ok(out.includes(`charcoal-measure ${name}`))
    ok(run(['help', name]).out.includes(name))
  }
})

test('a trace that cannot be read has status 3, the line and a remedy', () => {
  const cwd = temporary()
  writeFileSync(
    path.join(cwd, 'a.jsonl'),
    '{"type":"charcoal-trace","version":1,"source":"node","tool":"x"}\n{"type":"thread","id":1,"kind":"node"}\n',
  )
  const { status, error } = run(['trace', 'a.jsonl'], cwd)
  ok(/a.jsonl:2: .*truncated.*--truncated/.test(error), error)
  same(status, 3)
})

test('what is read is not written over, and standard output that takes nothing is told of', () => {
  const cwd = temporary()
  const text = 'setTimeout(() => {}, 1)'
  writeFileSync(path.join(cwd, 'p.mjs'), text)
  ok(/--out: p\.mjs cannot be written: it is what is to be read/.test(run(['node', '--out=p.mjs', 'p.mjs'], cwd).error))
  same(readFileSync(path.join(cwd, 'p.mjs'), 'utf8'), text)
  same(run(['node', '--no-calibrate', '--out=t.jsonl', 'p.mjs'], cwd).status, 0)
  const trace = readFileSync(path.join(cwd, 't.jsonl'), 'utf8')
  symlinkSync('t.jsonl', path.join(cwd, 'same.jsonl'))
  for (const option of ['--html', '--json', '--export=perfetto', '--out']) {
    const { status, error } = run(['trace', `${option}=same.jsonl`, 't.jsonl'], cwd)
    ok(status === 2 && /same\.jsonl cannot be written: it is what is to be read/.test(error), error)
  }
  same(readFileSync(path.join(cwd, 't.jsonl'), 'utf8'), trace)
  const full = spawnSync('sh', ['-c', `exec "$0" "$1" trace t.jsonl >/dev/full`, process.execPath, command], { cwd })
  same(full.status, 1)
  ok(/standard output cannot be written: ENOSPC/.test(String(full.stderr)), String(full.stderr))
})

test('a program is recorded, reported and exported; the status is its own', () => {
  const cwd = temporary()
  writeFileSync(
    path.join(cwd, 'p.mjs'),
    'console.log(process.argv[2]); setTimeout(() => setTimeout(() => process.exit(9), 2), 2)',
  )
  const { status, out, error } = run(
    [
      'node',
      '--no-calibrate',
      '--out',
      't.jsonl',
      '--html',
      '--json=t.json',
      '--export',
      'perfetto',
      'p.mjs',
      '--json',
    ],
    cwd,
  )
  same(status, 9)
  ok(out.startsWith('--json\n'), out)
  ok(/recorded: .*t\.jsonl/.test(error), error)
  same((parseTrace(readFileSync(path.join(cwd, 't.jsonl'))).at(-1) as End).exitCode, 9)
  for (const file of ['t.html', 't.json', 't.perfetto.json']) ok(existsSync(path.join(cwd, file)), file)
  const again = run(['trace', 't.perfetto.json'], cwd)
  same(again.status, 0)
  same(run(['report', 't.jsonl', 't.perfetto.json', '--json'], cwd).status, 0)
})

const RACE = `let left = 3
async function buy() { const l = left; await null; left = l - 1 }
for (let i = 0; i < 3; i++) buy()`

test("no text of a program reaches the terminal as anything but text, and the report's page neither", () => {
  const cwd = temporary()
  // Clears the screen, sets a title, turns the order of letters, and the same with one byte.
  const evil = ['\x1b[2J\x1b]0;x\x07', '\u202e', '\x9b31m', 'a\n\r', '<img src=x onerror=alert(1)></script>']
  const method = (name: string): string => `{ const o = { n: 0, async ${JSON.stringify(name)}() {
    const n = o.n; await null; o.n = n + 1 } }
  for (let i = 0; i < 12; i++) o[${JSON.stringify(name)}]() }\n`
  writeFileSync(
    path.join(cwd, 'p\x1b[31m.mjs'),
    `${evil.map(method).join('')}setTimeout(() => { throw new Error('\x1b[2J') }, 5)`,
  )
  const name = 'p\x1b[31m.mjs'
  const args = ['--no-calibrate', '--out', 't.jsonl', '--title', 'a\x1b[31m\u202eb', '--html=t.html']
  const { out, error } = run(['node', ...args, '--node-arg=--unhandled-rejections=warn', name], cwd)
  const ours = error.replace(/^(?!recorded|report|charcoal-measure|conv).*\n/gm, '')
  const refused = run(['node', 'no\x1b[2J.mjs'], cwd).error
  writeFileSync(path.join(cwd, 'b.json'), run(['trace', 't.jsonl', '--json'], cwd).out)
  const json = readFileSync(path.join(cwd, 'b.json'), 'utf8')
  const baseline = run(['trace', 't.jsonl', '--baseline=b.json', '--quiet'], cwd)
  for (const text of [out, ours, refused, json, baseline.out, baseline.error]) {
    ok(text !== '')
    same(/(?!\n)[\p{Cc}\p{Bidi_Control}]/u.exec(text)?.[0].codePointAt(0), undefined, text)
  }
  same(JSON.parse(json).title, name)
  ok(out.startsWith('it crashed'), out)
  ok(/\\u001b\[2J.*\(\) read o.n/.test(out) && /a\\u001b\[31m\\u202eb/.test(out), out)
  const page = readFileSync(path.join(cwd, 't.html'), 'utf8')
  same(/\p{Bidi_Control}|\x1b|\x9b|<img/u.exec(page.replace(/<script>[^]*/, ''))?.[0], undefined)
})

test('a program is named as for Node: a folder with a package, a file without its ending', () => {
  const cwd = temporary()
  const folder = path.join(cwd, 'shop')
  mkdirSync(folder)
  writeFileSync(path.join(folder, 'server.js'), 'console.log(process.argv.slice(1).join(), 1); setTimeout(() => {}, 2)')
  const args = ['node', '--no-calibrate', '--quiet', `--out=${path.join(cwd, 't.jsonl')}`]
  const first = (program: string): string => run([...args, program, 'x'], folder).out.split('\n')[0]!
  const refused = run([...args, '.'], folder)
  ok(/the program \. is a directory; give the path of a file/.test(refused.error), refused.error)
  same(refused.status, 2)
  writeFileSync(path.join(folder, 'package.json'), '{ "main": "./server" }')
  for (const program of ['.', './server', 'server', '../shop/'])
    same(first(program), spawnSync(process.execPath, [program, 'x'], { cwd: folder, encoding: 'utf8' }).stdout.trim())
  same(run(['c-program', '.'], folder).status, 2)
})

test('a recording is compared with what the baseline was before, also if it takes its place', () => {
  const cwd = temporary()
  const record = (text: string, ...args: string[]): [number | null, string] => {
    writeFileSync(path.join(cwd, 'p.mjs'), text)
    const { status, error } = run(['node', '--no-calibrate', '--quiet', ...args, 'p.mjs'], cwd)
    return [status, /beside the baseline: (.*)/.exec(error)?.[1] ?? error]
  }
  const FRESH = [7, '1 new conflict, 0 gone']
  const GONE = [0, '0 new conflicts, 1 gone']
  record('setTimeout(() => {}, 2)', '--out', 'b.jsonl', '--json=b.json')
  same(record(RACE, '--out', 'b.jsonl', '--baseline', 'b.jsonl'), FRESH)
  same(record('setTimeout(() => {}, 2)', '--baseline=./b.jsonl', '--out=b.jsonl'), GONE)
  same(record(RACE, '--json=b.json', '--baseline=b.json', '--out=t.jsonl'), FRESH)
  const [status, said] = record("import fs from 'node:fs'; fs.writeFileSync('ran', '')", '--baseline', 'p.mjs')
  ok(/the baseline p.mjs is neither a trace nor figures/.test(said), said)
  same([status, existsSync(path.join(cwd, 'ran'))], [2, false])
})

test('with a bare --json the figures alone are written to standard output', () => {
  const cwd = temporary()
  const schemaOf = (out: string): string => JSON.parse(out).schema
  writeFileSync(
    path.join(cwd, 'p.mjs'),
    `import { spawnSync } from 'node:child_process'
console.log('the program'); spawnSync('echo', ['its child'], { stdio: 'inherit' }); setTimeout(() => {}, 2)`,
  )
  const program = run(['node', '--no-calibrate', '--out=t.jsonl', '--json', 'p.mjs'], cwd)
  same(schemaOf(program.out), 'charcoal-figures')
  ok(/the program\nits child\n/.test(program.error), program.error)
  writeFileSync(path.join(cwd, 'p.html'), '<!doctype html><script>setInterval(() => {}, 20)</script>')
  writeFileSync(path.join(cwd, 's.mjs'), "export default ({ page }) => (console.log('the steps'), page.sleep(100))")
  const args = ['web', 'p.html', '--no-calibrate', '--mode=fast', '--script=s.mjs', '--out=t.jsonl', '--json']
  const page = run(args, cwd)
  same(schemaOf(page.out), 'charcoal-figures')
  ok(/the steps\n/.test(page.error), page.error)
})

test('what has gone wrong with a program stands in the first line of its report', () => {
  const cwd = temporary()
  const first = (text: string, args: (file: string) => string[]): [number | null, string, string] => {
    writeFileSync(path.join(cwd, 'p.mjs'), `setTimeout(() => { ${text} }, 300); setInterval(() => {}, 5)`)
    const { status, out, error } = run(['node', '--no-calibrate', '--out=t.jsonl', ...args('p.mjs')], cwd)
    return [status, out.split('\n')[0]!, /continuations; (.*)\)/.exec(error)?.[1] ?? error]
  }
  const direct = (file: string): string[] => [file]
  // A command that starts Node: what is recorded is not the process that ends.
  const byShell = (file: string): string[] => ['bash', '-c', `node ${file}; exit`]
  const killed = 'the program was killed (SIGKILL)'
  same(first("process.kill(process.pid, 'SIGKILL')", direct), [
    137,
    `${killed}; what was recorded until then follows`,
    killed,
  ])
  same(first('process.abort()', direct)[1], 'the program aborted (SIGABRT); what was recorded until then follows')
  same(first("throw new Error('x')", direct)[1], 'it crashed; what was recorded until then follows')
  same(first('process.exit(0)', byShell).slice(0, 2), [0, 'bash -c node p.mjs; exit'])
})

test('Ctrl-C while a page is recorded: the report covers what was recorded', async () => {
  const cwd = temporary()
  let ten = false // the page has run ten timers
  let said = ''
  let out = ''
  let stop = (..._: unknown[]): unknown => undefined
  const server = createServer((request, response) => {
    if (request.url === '/ten') stop((ten = true))
    response
      .setHeader('content-type', 'text/html')
      .end(
        '<!doctype html><link rel=icon href="data:,"><script>let n = 0; ' +
          'setInterval(() => { document.title = ++n; if (n === 10) fetch("/ten") }, 20)</script>',
      )
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  try {
    const child = spawn(
      process.execPath,
      [
        command,
        'web',
        `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
        '--no-calibrate',
        '--mode',
        'fast',
        '--duration',
        '10m',
        '--out',
        't.jsonl',
      ],
      { cwd, stdio: ['ignore', 'pipe', 'pipe'] },
    )
    stop = () => ten && /recording for/.test(said) && !child.killed && child.kill('SIGINT')
    child.stdout.on('data', (d) => (out += String(d)))
    child.stderr.on('data', (d) => {
      said += String(d)
      stop()
    })
    const status = await new Promise((done) => child.on('exit', done))
    same(status, 0, said)
    const end = parseTrace(readFileSync(path.join(cwd, 't.jsonl'))).at(-1) as End
    same(end.reason, 'stopped')
    ok(end.continuations > 5, `${end.continuations} continuations`)
    ok(/continuations/.test(out), out)
  } finally {
    server.close()
    server.closeAllConnections()
  }
})

/** Empty for a process that has ended. */
function commandLine(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')
  } catch {
    return ''
  }
}

/**
 * Records the file `name` with this text, and sends `signals` when what is said matches `pattern`. When the command has
 * ended: the processes and profiles that are left of it.
 */
async function killed(name: string, text: string, pattern: RegExp, signals: NodeJS.Signals[]): Promise<string[]> {
  const cwd = temporary()
  writeFileSync(path.join(cwd, name), text)
  const kind = name.endsWith('.html') ? 'web' : 'node'
  const args = [command, kind, '--no-calibrate', '--mode=fast', '--duration=10m', '--out=t.jsonl', name]
  const env = { ...process.env, TMPDIR: cwd }
  const child = spawn(process.execPath, args, { cwd, env, stdio: ['ignore', 'ignore', 'pipe'] })
  let said = ''
  child.stderr.on('data', (data) => {
    said += String(data)
    if (pattern.test(said) && signals.length > 0) child.kill(signals.shift())
    if (/stopping/.test(said) && signals.length > 0) child.kill(signals.shift())
  })
  await new Promise((done) => child.on('exit', done))
  const left = (): string[] =>
    [
      ...readdirSync('/proc')
        .filter((name) => /^\d+$/.test(name))
        .map(commandLine)
        .filter((line) => line.includes(cwd)),
      ...readdirSync(cwd).filter((name) => name.startsWith('charcoal-browser-')),
    ].map((line) => line.slice(0, 80))
  const deadline = Date.now() + 20_000
  while (left().length > 0 && Date.now() < deadline) await new Promise((done) => setTimeout(done, 50))
  return left()
}

const ticking = '<!doctype html><link rel=icon href="data:,"><script>setInterval(() => {}, 20)</script>'

test('the browser and its profile go with the command that is killed', async () => {
  same(await killed('p.html', ticking, /recording for/, ['SIGKILL']), [])
}, 120)

test('the browser and its profile go at the second Ctrl-C', async () => {
  same(await killed('p.html', ticking, /recording for/, ['SIGINT', 'SIGINT']), [])
}, 120)

/** Ends at nothing less than SIGKILL, and has started child processes. */
const stubborn = `import { fork, spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
if (process.argv[2] === undefined) {
  process.on('SIGINT', () => {})
  fork(fileURLToPath(import.meta.url), ['child'])
  // No Node, and deaf to Ctrl-C; its name leads to it.
  spawn('/bin/sh', ['-c', 'trap "" INT; while :; do sleep 1; done', fileURLToPath(import.meta.url)])
}
let ticks = 0
setInterval(() => ++ticks === 5 && process.argv[2] === 'child' && console.error('it ticks'), 20)`

test('a program and its child processes go with the command that is killed', async () => {
  same(await killed('p.mjs', stubborn, /it ticks/, ['SIGKILL']), [])
}, 120)

test('a program that does not end goes at the second Ctrl-C, with its child processes', async () => {
  same(await killed('p.mjs', stubborn, /it ticks/, ['SIGINT', 'SIGINT']), [])
}, 120)

test('steps that fail leave a recording and its report, with status 6', () => {
  const cwd = temporary()
  writeFileSync(
    path.join(cwd, 'p.html'),
    '<!doctype html><script>setInterval(() => {}, 20)</script><button>go</button>',
  )
  writeFileSync(
    path.join(cwd, 's.mjs'),
    `export default async ({ page }) => { await page.click('button'); await page.sleep(200);
throw new Error('no milk') }`,
  )
  const { status, out, error } = run(
    ['web', 'p.html', '--no-calibrate', '--mode', 'fast', '--script', 's.mjs', '--out', 't.jsonl'],
    cwd,
  )
  ok(/the steps failed: no milk/.test(error), error)
  ok(/continuations/.test(out), out)
  same(status, 6)
})

test('the name of a test is no build directory: check says how tests are run by their names', () => {
  const cwd = temporary()
  const told = spawnSync(path.join(process.env.CHARCOAL_MEASURE!, 'check'), ['a tab of a browser'], {
    cwd,
    encoding: 'utf8',
  })
  ok(told.status === 1 && /'--filter=TEXT'\n0 passed, 1 failed/.test(told.stdout), told.stdout + told.stderr)
  same(readdirSync(cwd), [])
})
