import type { Calibration } from '../../format/types.ts'

/** What the command tells the hook, through the environment. */
export const CONFIG = 'CHARCOAL_MEASURE_RECORD'

export interface HookConfig {
  out: string
  full: boolean
  /** The command's process: its child is recorded, children of that are not. */
  parent: number
  /** The trace's origin, milliseconds since 1970. */
  origin: number
  /** The self-test's result, for the trace. */
  calibration?: Calibration
}
