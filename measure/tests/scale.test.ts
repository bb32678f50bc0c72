/** A long trace takes little time and memory. */
import { ok, same, test } from './harness.ts'
import { aLongOne, long, scale } from './long.ts'

test('continuations from a file take 60 s of processor time for a million at most, and 400 MiB', async () => {
  const { continuations, seconds, peakMiB, json, subtrees } = await aLongOne()
  same(continuations, long)
  ok(
    seconds < (60 * long) / 1_000_000 && peakMiB < 400 && json < 300_000,
    `${seconds} s, ${peakMiB} MiB, ${json} bytes`,
  )
  ok(
    subtrees.every((n) => n > long / 100),
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
