/** Long recordings that are made up and analysed in a process of their own; one of a million is made once. */
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

let million: ReturnType<typeof scale> | undefined

/** A million continuations, written to a file and analysed from there. */
export const aMillion = (): ReturnType<typeof scale> => (million ??= scale(1_000_000, 'through-a-file'))
