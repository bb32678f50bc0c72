/** What the command and the hook in the recorded program have agreed on: environment, names, settings. */
import type { Calibration } from '../../format/types.ts'

/** What the command tells the hook, through the environment. */
export const CONFIG = 'CHARCOAL_MEASURE_RECORD'

/** The global symbol under which a program that runs already finds how to end its recording. */
export const STOP = 'charcoal.measure.stop'

/** The global symbol under which a recorded program finds how to leave a mark in the trace: FORMAT.md. */
export const MARK = 'charcoal.mark'

/** The global symbol under which the debugger of a program that hangs finds how to write its recording. */
export const HUNG = 'charcoal.measure.hung'

/** `full`: with places in source text; `fast`: without; `sample`: as `full`, a small part of the time. */
export type NodeMode = 'full' | 'fast' | 'sample'

/** The debugging port that `answerWhenHung` offers is not announced among the program's messages. */
export const SILENT = '--inspect-publish-uid=http'

export interface HookConfig {
  out: string
  mode: NodeMode
  /**
   * The command's process, without which nothing is recorded: its child writes to `out`, and children of that to files
   * beside it.
   */
  parent: number
  /** The trace's origin, milliseconds since 1970. */
  origin: number
  /** The reads and writes of the program's own code are watched. */
  accesses: boolean
  /** Names of packages whose code counts as the program's own. */
  own?: string[]
  /** Where the program's debugger shall listen when `SIGUSR1` asks for it; absent: where Node says. */
  debugPort?: number
  /** The program ran already, and goes on when the recording has ended. */
  attached?: boolean
  /** The self-test's result, for the trace. */
  calibration?: Calibration
}
