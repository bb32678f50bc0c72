/** Random continuation trees of any size, the same for the same seed. */
import type { Continuation } from '../src/format/types.ts'

/**
 * A long recording out of nothing, always the same: half of the continuations hang in one tree that goes through all of
 * it, the rest in small ones; a tenth recurs.
 */
export function* madeUp(count: number, locations: number): Generator<Continuation> {
  let random = 12345
  const below = (n: number): number => (random = (random * 1103515245 + 12345) % 2147483648) % n
  let now = 0
  for (let id = 1; id <= count; id++) {
    const start = (now += below(10) < 9 ? 5 + below(40) : below(3000))
    const end = (now += 2 + below(60) + (below(50) === 0 ? below(5000) : 0))
    const recurring = id % 2 === 1 && below(5) === 0
    const back = id % 2 === 0 ? 2 + 2 * below(3) : 1 + 2 * below(4)
    const parent = id > 10 && (id % 2 === 0 || id % 16 > 8) ? id - back : null
    yield {
      type: 'continuation',
      id,
      thread: 1,
      kind: recurring ? 'interval' : 'promise',
      parent,
      start,
      end,
      at: 1 + below(locations),
      ...(recurring && { recurring, registration: 1 + below(1000) }),
      ...(id % 3 === 0 && { microtasks: 3, batches: [[start + 1, end, 3]] as [number, number, number][] }),
    }
  }
}
