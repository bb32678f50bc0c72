/**
 * The self-test of a recording: which kinds of callback are seen with their parents here and now, and what recording
 * costs.
 */
import type { Calibration } from '../format/types.ts'
import { overhead, type Costs } from './overhead.ts'
import type { Verdict } from './oracle.ts'

export function calibration(verdicts: Verdict[], bare: Costs, recorded: Costs): Calibration {
  return {
    type: 'calibration',
    kinds: Object.fromEntries(
      verdicts.map((v) => [v.name, { runs: v.seen ? 1 : 0, edges: v.ok ? 1 : 0, expected: 1 }]),
    ),
    overhead: overhead(bare, recorded),
  }
}
