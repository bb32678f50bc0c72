/** A trace of a million continuations takes little time and memory. */
import { spawnSync } from 'node:child_process'
import path from 'node:path'
import { build } from 'esbuild'
import { ok, same, test } from './harness.ts'

/** `tests/scale.ts` in a process of its own, so that its memory is its own. */
async function scale(
  count: number,
  ...more: string[]
): Promise<{ continuations: number; seconds: number; peakMiB: number; json: number; subtrees: number[] }> {
  const measure = process.env.CHARCOAL_MEASURE!
  const outfile = path.join(measure, 'node_modules/.cache/charcoal/scale.mjs')
  await build({
    entryPoints: [path.join(measure, 'tests/scale.ts')],
    bundle: true,
    platform: 'node',
    format: 'esm',
    outfile,
    logLevel: 'error',
  })
  const run = spawnSync(process.execPath, [outfile, String(count), ...more], { encoding: 'utf8' })
  ok(run.status === 0, run.stderr)
  return JSON.parse(run.stdout)
}

test('a million continuations from a file take less than 60 s of processor time and 400 MiB', async () => {
  const { continuations, seconds, peakMiB, json, subtrees } = await scale(1_000_000, 'through-a-file')
  same(continuations, 1_000_000)
  ok(seconds < 60 && peakMiB < 400 && json < 300_000, `${seconds} s, ${peakMiB} MiB, ${json} bytes`)
  ok(
    subtrees.every((n) => n > 10_000),
    'there are subtrees at every limit',
  )
}, 800)

if (process.env.CHARCOAL_SOAK) {
  test('ten million continuations from a file: in less than 1600 MiB', async () => {
    const { continuations, peakMiB } = await scale(10_000_000, 'through-a-file')
    same(continuations, 10_000_000)
    ok(peakMiB < 1600, `${peakMiB} MiB`)
  }, 1200)
}
