/** The trace format: what is written can be read again, and every broken file is refused with its line. */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync, readFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { looksLikeTrace } from '../src/format/read.ts'
import { temporary } from './places.ts'
import { parseTrace, readTrace, TraceError, TraceWriter, type TraceRecord } from '../src/format/index.ts'
import { Packer, unpack } from '../src/format/packed.ts'
import { ok, rejects, same, seed, soak, test, throws } from './harness.ts'

const header = '{"type":"charcoal-trace","version":1,"source":"synthetic","tool":"test"}'
const thread = '{"type":"thread","id":1,"kind":"node"}'
const c = (id: number, start: number, end: number, more = ''): string =>
  `{"type":"continuation","id":${id},"thread":1,"kind":"timeout","parent":null,"start":${start},"end":${end}${more}}`
const end = (n: number): string => `{"type":"end","end":100,"reason":"finished","continuations":${n},"dropped":0}`
const trace = (...lines: string[]): string => [header, thread, ...lines].join('\n')

test('the example of FORMAT.md is a trace', () => {
  const text = readFileSync(path.join(process.env.CHARCOAL_MEASURE!, 'FORMAT.md'), 'utf8')
  same(parseTrace(/```jsonl\n([\s\S]*?)```/.exec(text)![1]).length, 6)
})

test('the example in C writes a trace', () => {
  const text = readFileSync(path.join(process.env.CHARCOAL_MEASURE!, 'FORMAT.md'), 'utf8')
  const dir = mkdtempSync(path.join(tmpdir(), 'charcoal-'))
  try {
    writeFileSync(path.join(dir, 'a.c'), /```c\n([\s\S]*?)```/.exec(text)![1])
    const built = spawnSync('cc', ['-Wall', '-Werror', '-o', path.join(dir, 'a'), path.join(dir, 'a.c')], {
      encoding: 'utf8',
    })
    same([built.status, built.stderr], [0, ''])
    same(spawnSync(path.join(dir, 'a'), [path.join(dir, 'a.jsonl')]).status, 0)
    const records = parseTrace(readFileSync(path.join(dir, 'a.jsonl')))
    same(
      records.map((r) => (r.type === 'continuation' ? r.parent : r.type)),
      ['charcoal-trace', 'thread', null, 1, 'end'],
    )
  } finally {
    rmSync(dir, { recursive: true })
  }
})

for (const [name, text, pattern] of [
  ['an empty file', '', /trace:1: the file is empty/],
  ['a file that is not JSON', 'hello\n', /trace:1: not JSON.*is it a trace/],
  ['a header that is missing', `${thread}\n`, /trace:1: the first record must be the header/],
  [
    'a version from the future',
    '{"type":"charcoal-trace","version":2,"source":"web","tool":"x"}\n',
    /trace:1: version 2 .* newer/,
  ],
  ['a second header', trace(header), /trace:3: a second header/],
  ['a truncated file', trace(c(1, 0, 1)), /trace:3: .* truncated.*--truncated/],
  ['a broken last line', `${trace(c(1, 0, 1))}\n{"type":"cont`, /trace:4: not JSON.*--truncated/],
  ['a broken line between others', trace('{"type":"cont', c(1, 0, 1), end(1)), /trace:3: not JSON(?!.*--truncated)/],
  [
    'a thread that was not introduced',
    trace(c(1, 0, 1).replace('"thread":1', '"thread":2')),
    /trace:3: thread 2 has not been introduced/,
  ],
  ['a location that was not introduced', trace(c(1, 0, 1, ',"at":9')), /trace:3: location 9 has not been introduced/],
  ['a continuation that ends before it starts', trace(c(1, 5, 1)), /trace:3: continuation 1 ends before it starts/],
  [
    'continuations that overlap',
    trace(c(1, 0, 10), c(2, 9, 12)),
    /trace:4: continuation 2 starts at 9, before the end \(10\)/,
  ],
  ['ids that fall', trace(c(2, 0, 1), c(1, 2, 3)), /trace:4: continuation 1 stands after continuation 2/],
  ['a registration after the start', trace(c(1, 5, 6, ',"registered":5.5')), /registered after it starts/],
  ['its own parent', trace(c(1, 5, 6).replace('null', '1')), /its own parent/],
  ['an id that is no integer', trace(c(1.5, 5, 6)), /"id" of "continuation" is 1.5, not a positive integer/],
  ['a time that is negative', trace(c(1, -5, 6)), /"start" of "continuation" is -5/],
  ['a time beyond all numbers', trace(c(1, 0, 1).replace('"end":1', '"end":1e999')), /"end" of "continuation"/],
  ['a kind that is an object', trace(c(1, 0, 1).replace('"timeout"', '{}')), /"kind" of "continuation" is \{\}/],
  ['a field that is missing', trace(c(1, 0, 1).replace('"parent":null,', '')), /"continuation" without "parent"/],
  ['a record that is an array', trace('[1]'), /a record is an object/],
  ['a count that is wrong', trace(c(1, 0, 1), end(2)), /trace:4: "end" counts 2 continuations, the file has 1/],
  ['more after the end', trace(end(0), thread), /trace:4: there is more after/],
  ['a line that is too long', trace(`{"type":"x","a":"${'a'.repeat(1 << 20)}"}`), /trace:3: a line of more than/],
] as const)
  test(`an error names line and reason: ${name}`, () => throws(() => parseTrace(text), pattern))

test('a line without end does not fill the memory', () =>
  throws(() => parseTrace('x'.repeat(3 << 20)), /trace:1: a line of more than/))
test('bytes that are no UTF-8 are an error', () =>
  throws(() => parseTrace(Buffer.from([...Buffer.from(`${header}\n`), 0xff, 0xfe, 10])), /trace:2: not UTF-8/))
test('unknown records and fields are passed over', () =>
  same(parseTrace(trace('{"type":"weather","sun":true}', c(1, 0, 1, ',"moon":1'), end(1))).length, 4))
test('a truncated file is read as far as it goes when asked', () => {
  const warnings: string[] = []
  same(
    parseTrace(`${trace(c(1, 0, 1))}\n{"type":"cont`, 'trace', { truncated: true, warn: (w) => warnings.push(w) })
      .length,
    3,
  )
  ok(/trace:4/.test(warnings[0]), warnings[0])
})

test('what is written is read back, plain and compressed', async () => {
  const dir = mkdtempSync(path.join(tmpdir(), 'charcoal-'))
  try {
    const file = path.join(dir, 'a.jsonl')
    const writer = new TraceWriter(file, { source: 'synthetic', tool: 'test' })
    writer.write({ type: 'thread', id: 1, kind: 'node' })
    for (let i = 1; i <= 20_000; i++)
      writer.write({
        type: 'continuation',
        id: i,
        thread: 1,
        kind: 'timeout',
        parent: i === 1 ? null : i >> 1,
        start: i,
        end: i + 0.5,
        at: writer.location('file:///ä.js', i % 10, 1, 'f'),
      })
    writer.end({ end: 30_000, reason: 'finished' })
    const read = async (f: string): Promise<TraceRecord[]> => {
      const all: TraceRecord[] = []
      for await (const batch of readTrace(f)) all.push(...batch)
      return all
    }
    const records = await read(file)
    same(records.length, 20_000 + 10 + 3)
    writeFileSync(`${file}.gz`, gzipSync(readFileSync(file)))
    same(await read(`${file}.gz`), records)
    writeFileSync(`${file}.gz`, gzipSync(readFileSync(file)).subarray(0, 9000))
    await rejects(read(`${file}.gz`), /a\.jsonl\.gz:\d+: .*--truncated/)
  } finally {
    rmSync(dir, { recursive: true })
  }
})

test('mutated traces give records or an error with a line, never anything else', () => {
  const base = Buffer.from(
    trace(
      '{"type":"location","id":1,"url":"a","line":1,"column":1}',
      c(1, 0, 1, ',"at":1,"batches":[[0,1,2]]'),
      c(2, 2, 3, ',"alternatives":[[1,"resolution"]]'),
      end(2),
    ),
  )
  let state = seed(1)
  const random = (n: number): number => (state = (Math.imul(state, 1103515245) + 12345) >>> 0) % n
  const interesting = [
    'null',
    '-1',
    '1e308',
    '9007199254740993',
    '"',
    '{',
    '}',
    '[',
    ']',
    ',',
    '\n',
    '\\u0000',
    '{"__proto__":1}',
    '\xff',
    'true',
    '1.5',
  ]
  let errors = 0
  for (let round = 0; round < 20_000 * soak; round++) {
    let bytes = Buffer.from(base)
    for (let k = 1 + random(3); k > 0; k--) {
      const at = random(bytes.length)
      const piece = Buffer.from(interesting[random(interesting.length)], 'latin1')
      if (random(3) === 0) bytes[at] = random(256)
      else
        bytes = Buffer.concat([
          bytes.subarray(0, at),
          random(2) === 0 ? piece : Buffer.alloc(0),
          bytes.subarray(at + random(20)),
        ])
      if (bytes.length === 0) bytes = Buffer.from('x')
    }
    try {
      parseTrace(bytes)
    } catch (error) {
      if (!(error instanceof TraceError) || error.line < 1) throw error
      errors++
    }
  }
  ok(errors > 10_000 * soak, `only ${errors} mutants were refused`)
})

test('a compressed file is what it holds: a trace of ours, or a Chrome trace', () => {
  const dir = temporary()
  const file = (name: string, text: string): string => {
    writeFileSync(path.join(dir, name), gzipSync(text))
    return path.join(dir, name)
  }
  ok(looksLikeTrace(file('ours.gz', '{"type":"charcoal-trace","version":1,"source":"node","tool":"x"}\n')))
  ok(looksLikeTrace(file('marked.gz', `\ufeff${header}\n`)), 'as editors of Windows save it')
  ok(!looksLikeTrace(file('chrome.gz', '{"traceEvents":[]}')))
})

test('packed continuations are those that were packed, to a tenth of a microsecond, or are refused', () => {
  const packer = new Packer()
  const hours = 5 * 3600 * 1e6
  const rows: Parameters<Packer['add']>[] = [
    [1, 1, 'script', 0.04, 2.26, 0, -1, 0, 0, 0, 0, 0, 0],
    [1, 2, 'other:Größe', hours + 0.3, hours + 400e6, 1, hours - 400e6, 7, 3, 4, 5, hours + 1, hours + 2.5],
  ]
  for (const row of rows) ok(packer.add(...row))
  ok(!packer.ascii)
  for (const [column, value] of [
    [4, hours + 430e6],
    [6, hours - 430e6],
    [7, 2 ** 32],
    [3, -1],
  ])
    ok(!packer.add(...(rows[1].with(column, value) as Parameters<Packer['add']>)), `column ${column}`)
  same(unpack(JSON.parse(packer.take())), [
    { type: 'continuation', id: 1, thread: 1, kind: 'script', start: 0, end: 2.3, parent: null },
    {
      type: 'continuation',
      id: 2,
      thread: 1,
      kind: 'other:Größe',
      start: hours + 0.3,
      end: hours + 400e6,
      parent: 1,
      registered: hours - 400e6,
      recurring: true,
      registration: 7,
      microtasks: 5,
      batches: [[hours + 1, hours + 2.5, 5]],
      at: 3,
      from: 4,
    },
  ])
  same(packer.take(), '')
})
