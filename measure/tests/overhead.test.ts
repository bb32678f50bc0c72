/**
 * What recording costs: processor time of the program beside that of the same program alone, start and end included.
 * The two run in turns. A recording is compared with the runs right before and after it, and the best round counts, so
 * that other work on the machine weighs on both alike.
 */
import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { grouped } from '../src/format/counted.ts'
import { recordNode } from '../src/record/node/index.ts'
import type { NodeRecorder } from '../src/record/node/recorder.ts'
import { PERIOD, sample, WINDOW } from '../src/record/node/sample.ts'
import { ok, same, soak, test } from './harness.ts'
import { measure, temporary } from './places.ts'

const MAX_ROUNDS = 8
/**
 * The bar is 3, and is held on a machine that does nothing else; caches shared with other work cost a recorder more
 * than a program of three lines.
 */
const FULL = soak > 1 ? 3 : 3.5

/** Recorded against alone, in rounds until `enough` is reached. */
async function ratioOf(text: string, mode: 'full' | 'sample', enough: number): Promise<number> {
  const dir = temporary()
  const program = path.join(dir, 'program.mjs')
  const used = path.join(dir, 'used.json')
  writeFileSync(
    program,
    `import { writeFileSync } from 'node:fs'
process.on('exit', () => writeFileSync(${JSON.stringify(used)}, JSON.stringify(process.cpuUsage())))
${text}`,
  )
  const time = (): number => {
    const { user, system } = JSON.parse(readFileSync(used, 'utf8'))
    return user + system
  }
  const timeAlone = (): number => {
    spawnSync(process.execPath, [program])
    return time()
  }
  let best = Infinity
  let before = timeAlone()
  for (let round = 0; round < MAX_ROUNDS && best > enough; round++) {
    await recordNode(program, [], { out: path.join(dir, 'trace.jsonl'), mode, stdio: 'ignore' })
    const recorded = time()
    const after = timeAlone()
    best = Math.min(best, recorded / ((before + after) / 2))
    before = after
  }
  return best
}

const chained = 'let left = 300_000; function again() { if (--left > 0) setImmediate(again) }; again()'
const immediates = 'let n = 0; for (let i = 0; i < 300_000; i++) setImmediate(() => { n++ })'
const timers = 'let n = 0; for (let i = 0; i < 100_000; i++) setTimeout(() => { n++ }, i % 7)'

for (const [name, text] of [
  ['300,000 setImmediate, each by the one before', chained],
  ['100,000 timers at once', timers],
  ...(soak > 1 ? [['300,000 setImmediate at once', immediates]] : []),
] as const)
  test(`mode full takes at most ${FULL} times the processor time: ${name}`, async () => {
    const ratio = await ratioOf(text, 'full', FULL)
    ok(ratio <= FULL, `${ratio.toFixed(2)} times`)
  })

test('mode sample takes at most 1.1 times: between its short windows it is called by nobody', async () => {
  const inWindows = (WINDOW / PERIOD) * (FULL - 1)
  ok(inWindows <= 0.1, `mode full in the windows alone takes ${inWindows} more`)
  let calls = 0
  let paused = (): void => {}
  const called = (): void => void calls++
  const recorder = { made: called, before: called, after: called, settled: called, note() {}, resume() {} }
  const between = new Promise<void>((done) => (paused = done))
  const stop = sample({ ...recorder, pause: paused } as unknown as NodeRecorder)
  await immediately(50)
  ok(calls > 100, `${calls} calls in a window`)
  await between
  calls = 0
  await immediately(1000)
  same(calls, 0, 'calls between two windows')
  stop()
})

test('what runs in a recorded program has no use for a locale, whose first use takes 35 ms', () => {
  const text = readFileSync(path.join(measure, 'dist/program-side.js'), 'utf8')
  ok(!/toLocale\w*String|\bIntl\b/.test(text))
})

test('numbers are grouped as English does it', () => {
  for (const n of [0, 7, 999, 1000, -999, -1000, 12_345, 123_456, 1_234_567, 10 ** 12, -(10 ** 15)])
    same(grouped(n), n.toLocaleString('en'))
})

/** So many immediates, each made by the one before. */
async function immediately(count: number): Promise<void> {
  for (; count > 0; count--) await new Promise((done) => setImmediate(done))
}

if (soak > 1)
  test('mode sample takes at most 1.1 times the processor time', async () => {
    const ratio = await ratioOf(chained.replace('300_000', '7_000_000'), 'sample', 1.1)
    ok(ratio <= 1.1, `${ratio.toFixed(2)} times`)
  })
