/** Chrome's own trace events become continuations with the right parents, or are refused with a reason. */
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import fc from 'fast-check'
import { MeasureError, parseTrace, TraceWriter, type Continuation, type TraceRecord } from '../src/format/index.ts'
import { convertTrace } from '../src/record/chrome/index.ts'
import { exportPerfetto } from '../src/record/perfetto.ts'
import { ok, rejects, same, seed, soak, test } from './harness.ts'
import { temporary } from './places.ts'

/** Events of one thread, as Chrome writes them: `[name, ts, dur, args]`, instants without a duration. */
type Row =
  [name: string, ts: number, dur?: number, args?: object] | { flow: 's' | 'f'; name: string; ts: number; id: number }

const event = (row: Row, tid = 1): object =>
  Array.isArray(row)
    ? {
        name: row[0],
        ph: row[2] === undefined ? 'I' : 'X',
        ts: row[1],
        ...(row[2] !== undefined && { dur: row[2] }),
        pid: 1,
        tid,
        cat: 'c',
        args: row[3] ?? {},
      }
    : { name: row.name, ph: row.flow, ts: row.ts, id: row.id, pid: 1, tid, cat: 'c', args: {} }

const call = (ts: number, dur: number, name: string): Row => [
  'FunctionCall',
  ts,
  dur,
  { data: { url: 'http://x/a.js', lineNumber: 1, columnNumber: 2, functionName: name } },
]
const scheduled = (ts: number, id: number, taskName: string): Row[] => [
  ['v8::Debugger::AsyncTaskScheduled', ts, 1, { taskName }],
  { flow: 's', name: 'v8::Debugger::AsyncTaskScheduled', ts, id },
]
const run = (ts: number, dur: number, from: number, to?: number, again = false): Row[] => [
  ['v8::Debugger::AsyncTaskRun', ts, dur],
  { flow: 'f', name: again ? 'v8::Debugger::AsyncTaskRun' : 'v8::Debugger::AsyncTaskScheduled', ts, id: from },
  ...(to === undefined ? [] : [{ flow: 's' as const, name: 'v8::Debugger::AsyncTaskRun', ts, id: to }]),
]

async function convert(events: object[], text = JSON.stringify({ traceEvents: events })): Promise<Continuation[]> {
  const dir = temporary()
  const file = path.join(dir, 'trace.json')
  writeFileSync(file, text)
  await convertTrace(file, path.join(dir, 'out.jsonl'))
  return parseTrace(readFileSync(path.join(dir, 'out.jsonl'))).filter((r) => r.type === 'continuation')
}

const brief = (all: Continuation[]): unknown =>
  all.map((c) => [
    c.kind,
    c.start,
    c.end,
    c.parent,
    ...(c.recurring ? ['recurring'] : []),
    ...(c.microtasks ? [c.microtasks] : []),
  ])
const rows = (...all: (Row | Row[])[]): object[] =>
  all
    .flatMap((r) =>
      Array.isArray(r) && Array.isArray(r[0])
        ? (r as Row[])
        : r !== null && Array.isArray(r) && typeof r[0] === 'object'
          ? (r as Row[])
          : [r as Row],
    )
    .map((r) => event(r))

test('a timer without flows has the parent that installed it', async () =>
  same(
    brief(
      await convert(
        rows(
          ['RunTask', 0, 100],
          call(10, 50, 'f'),
          ['TimerInstall', 20, undefined, { data: { timerId: 7, singleShot: true } }],
          ['RunTask', 200, 50],
          ['TimerFire', 210, 30, { data: { timerId: 7 } }],
          call(215, 20, 'g'),
        ),
      ),
    ),
    [
      ['callback', 0, 50, null],
      ['timeout', 200, 230, 1],
    ],
  ))

test('the runs of an interval are recurring, and children of the one that set it', async () =>
  same(
    brief(
      await convert(
        rows(
          ['RunTask', 0, 100],
          call(0, 50, 'f'),
          scheduled(20, 1, 'setInterval'),
          ['RunTask', 200, 50],
          run(200, 40, 1, 2),
          call(205, 30, 'g'),
          ['RunTask', 300, 50],
          run(300, 40, 2, 3, true),
          call(305, 30, 'g'),
        ),
      ),
    ),
    [
      ['callback', 0, 50, null],
      ['interval', 200, 240, 1, 'recurring'],
      ['interval', 300, 340, 1, 'recurring'],
    ],
  ))

test('a registration that runs twice makes both runs recurring, the first too', async () =>
  same(
    (
      await convert(
        rows(
          ['RunTask', 0, 100],
          call(0, 50, 'f'),
          scheduled(20, 1, 'x'),
          ['RunTask', 200, 50],
          run(200, 40, 1, 2),
          call(205, 30, 'g'),
          ['RunTask', 300, 50],
          run(300, 40, 2, undefined, true),
          call(305, 30, 'g'),
        ),
      )
    ).map((c) => [c.parent, c.recurring ?? false]),
    [
      [null, false],
      [1, true],
      [1, true],
    ],
  ))

test('microtasks after a callback belong to it, those that a task begins with are their own', async () =>
  same(
    brief(
      await convert(
        rows(
          ['RunTask', 0, 100],
          call(0, 50, 'f'),
          scheduled(20, 1, 'await'),
          scheduled(21, 2, 'await'),
          ['RunMicrotasks', 52, 20, { microtask_count: 3 }],
          run(54, 10, 1),
          ['RunTask', 200, 50],
          ['RunMicrotasks', 205, 30, { microtask_count: 2 }],
          run(207, 10, 2),
        ),
      ),
    ),
    [
      ['callback', 0, 72, null, 3],
      ['microtasks', 205, 235, 1, 2],
    ],
  ))

test('microtasks in a later step of the same task are not those of an earlier callback', async () =>
  same(
    (
      await convert(
        rows(
          ['RunTask', 0, 5000],
          call(0, 50, 'f'),
          scheduled(20, 1, 'await'),
          ['RunMicrotasks', 3000, 20, { microtask_count: 1 }],
          run(3001, 10, 1),
        ),
      )
    ).map((c) => [c.kind, c.parent]),
    [
      ['callback', null],
      ['microtasks', 1],
    ],
  ))

test('a slice in which no JavaScript runs is no continuation', async () =>
  same(
    (await convert(rows(['RunTask', 0, 100], ['EventDispatch', 5, 20, { data: { type: 'load' } }], call(50, 20, 'f'))))
      .length,
    1,
  ))

test('slices of no length are slices', async () =>
  same(
    (
      await convert(
        rows(
          ['RunTask', 0, 100],
          call(0, 50, 'f'),
          scheduled(20, 1, 'x'),
          ['RunTask', 200, 5],
          ['v8::Debugger::AsyncTaskRun', 200],
          { flow: 'f', name: 'v8::Debugger::AsyncTaskScheduled', ts: 200, id: 1 },
          { flow: 's', name: 'v8::Debugger::AsyncTaskRun', ts: 200, id: 2 },
          ['RunTask', 300, 50],
          run(300, 40, 2, undefined, true),
          call(305, 30, 'g'),
        ),
      )
    ).map((c) => c.parent),
    [null, 1],
  ))

test('what stands at the very end of a slice belongs to it, though times are cut to microseconds', async () =>
  same(
    (
      await convert(
        rows(
          ['RunTask', 0, 100],
          call(0, 50, 'f'),
          scheduled(51, 1, 'setTimeout'),
          ['RunTask', 200, 50],
          run(200, 40, 1),
          call(205, 30, 'g'),
        ),
      )
    ).map((c) => c.parent),
    [null, 1],
  ))

test('a message to a worker has the sender as its parent, on another thread', async () => {
  const events = [
    ...rows(['RunTask', 0, 100], call(0, 50, 'f'), ['SchedulePostMessage', 20, undefined, { data: { traceId: '9' } }]),
    ...(
      [['RunTask', 200, 50], ['HandlePostMessage', 201, 30, { data: { traceId: '9' } }], call(205, 20, 'g')] as Row[]
    ).map((r) => event(r, 2)),
  ]
  same(
    (await convert(events)).map((c) => [c.thread, c.kind, c.parent]),
    [
      [1, 'callback', null],
      [2, 'worker-message', 1],
    ],
  )
})

test('an array of events is a trace, too, and so is one with line breaks and spaces', async () => {
  const events = rows(['RunTask', 0, 100], call(10, 50, 'f'))
  same((await convert(events, JSON.stringify(events))).length, 1)
  same((await convert(events, JSON.stringify({ metadata: { x: [1] }, traceEvents: events }, null, 2))).length, 1)
})

test('errors say what is wrong, where, and what to record', async () => {
  const dir = temporary()
  const file = path.join(dir, 'trace.json')
  const refused = (text: string, pattern: RegExp): Promise<void> => (
    writeFileSync(file, text),
    rejects(convertTrace(file, path.join(dir, 'out.jsonl')), pattern)
  )
  await refused('', /not a trace/)
  await refused('hello', /trace.json:1: not a trace: neither our format nor a Chrome trace/)
  await refused('{"a":1}', /not a trace|no "traceEvents"/)
  await refused('{"traceEvents":[]}', /has no events/)
  await refused(
    JSON.stringify({ traceEvents: rows(['FrameCommittedInBrowser', 1]) }),
    /lacks the category disabled-by-default-devtools.timeline .*record with the categories/,
  )
  await refused(JSON.stringify({ traceEvents: rows(['RunTask', 1, 5]) }), /no JavaScript in it; record/)
  await refused(
    '{"traceEvents":[\n{"name":"x","ph":"X","ts":1,"pid":1,"tid":1},\n{"name":',
    /trace.json:3: the trace breaks off.*--truncated/,
  )
  await refused('{"traceEvents":[\n{"name":"x","ph":"X",,}', /trace.json:2: not JSON/)
  await refused('{"traceEvents":[\nhello', /trace.json:2: unexpected "h"/)
  await rejects(convertTrace(path.join(dir, 'none.json'), file), /cannot be opened/)
})

test('mutated Chrome traces are converted or refused, never anything else', async () => {
  const dir = temporary()
  const file = path.join(dir, 'trace.json')
  const base = JSON.stringify({
    traceEvents: rows(
      ['RunTask', 0, 100],
      call(0, 50, 'f'),
      scheduled(20, 1, 'setInterval'),
      ['TimerInstall', 21, undefined, { data: { timerId: 7 } }],
      ['TimeStamp', 22, undefined, { data: { message: 'charcoal:a:1:0:x' } }],
      ['TimeStamp', 23, undefined, { data: { message: 'charcoal:e:1:1' } }],
      ['RunTask', 200, 50],
      run(200, 40, 1, 2),
      call(205, 30, 'g'),
      ['RunMicrotasks', 242, 5, { microtask_count: 1 }],
      ['RunTask', 300, 50],
      run(300, 40, 2, 3, true),
      call(305, 30, 'g'),
    ),
  })
  let converted = 0
  let refused = 0
  const pieces = [
    'null',
    '-1',
    '1e308',
    '"',
    '{',
    '}',
    '[',
    ']',
    ',',
    '\\u0000',
    '"__proto__":1',
    'true',
    '0.5',
    '":"',
    '9007199254740993',
  ]
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(fc.nat(base.length - 1), fc.nat(12), fc.constantFrom(...pieces, '')), {
        minLength: 1,
        maxLength: 3,
      }),
      async (edits) => {
        let text = base
        for (const [at, gone, piece] of edits) text = text.slice(0, at) + piece + text.slice(at + gone)
        writeFileSync(file, text)
        try {
          await convertTrace(file, path.join(dir, 'out.jsonl'))
          parseTrace(readFileSync(path.join(dir, 'out.jsonl')))
          converted++
        } catch (error) {
          if (!(error instanceof MeasureError)) throw new Error(`${String((error as Error).stack)}\nfor ${text}`)
          refused++
        }
      },
    ),
    { numRuns: 1500 * soak, seed: seed(5) },
  )
  ok(converted > 50 && refused > 50, `${converted} converted, ${refused} refused`)
})

test('a trace that goes to Perfetto and back is the same trace', async () => {
  const dir = temporary()
  const [first, second, third] = ['a.jsonl', 'b.json', 'c.jsonl'].map((name) => path.join(dir, name))
  await fc.assert(
    fc.asyncProperty(
      fc.array(
        fc.record({
          gap: fc.nat(50),
          length: fc.nat(900),
          parent: fc.nat(),
          kind: fc.constantFrom('timeout', 'microtasks', 'event:click'),
          recurring: fc.boolean(),
          batch: fc.boolean(),
          thread: fc.boolean(),
        }),
        { maxLength: 30 },
      ),
      async (steps) => {
        const trace = new TraceWriter(first, { source: 'synthetic', tool: 'test', title: '<&"' })
        for (const id of [1, 2]) trace.write({ type: 'thread', id, kind: 'page', url: 'http://x/', process: 5 })
        const ends = [0, 0, 0]
        steps.forEach((s, i) => {
          const thread = s.thread ? 2 : 1
          const start = ends[thread] + s.gap
          const end = (ends[thread] = start + s.length)
          const parent = i === 0 ? null : s.parent % (i + 1) || null
          const at = trace.location('http://x/a.js', i % 3, 1, 'f')
          trace.write({
            type: 'continuation',
            id: i + 1,
            thread,
            kind: s.kind,
            start,
            end,
            parent,
            at,
            ...(s.recurring && { recurring: true, registration: i + 1 }),
            ...(s.batch && { microtasks: 2, batches: [[start, end, 2] as [number, number, number]] }),
          })
        })
        trace.write({ type: 'sources', kinds: { timeout: 1 } })
        trace.end({ end: Math.max(...ends), reason: 'finished', exitCode: 3 })
        await exportPerfetto(first, second)
        JSON.parse(readFileSync(second, 'utf8'))
        await convertTrace(second, third)
        const read = (file: string): TraceRecord[] => parseTrace(readFileSync(file))
        same(read(third), read(first))
      },
    ),
    { numRuns: 60 * soak, seed: seed(7) },
  )
})
