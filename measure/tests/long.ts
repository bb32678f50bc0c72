/** Long recordings that are made up and analysed in a process of their own; the one of `long` is made once. */
import { spawnSync } from 'node:child_process'
import path from 'node:path'
import { build } from 'esbuild'
import type { Figures } from '../src/analysis/index.ts'
import { ok } from './harness.ts'

/** `tests/scale.ts` in a process of its own, so that its memory is its own. */
export async function scale(
  count: number,
  ...more: string[]
): Promise<{
  continuations: number
  seconds: number
  peakMiB: number
  json: number
  subtrees: number[]
  figures: Figures
}> {
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
  const run = spawnSync(process.execPath, [outfile, String(count), ...more], { encoding: 'utf8', maxBuffer: 1 << 26 })
  ok(run.status === 0, run.stderr)
  return JSON.parse(run.stdout)
}

/** How many continuations a long recording has: a million in the soak, for their analysis takes most of a minute. */
export const long = process.env.CHARCOAL_SOAK ? 1_000_000 : 200_000

let made: ReturnType<typeof scale> | undefined

/** A long recording, written to a file and analysed from there. */
export const aLongOne = (): ReturnType<typeof scale> => (made ??= scale(long, 'through-a-file'))
