/** What a recording came to. */
export interface Recorded {
  /** The trace file. */
  out: string
  continuations: number
  /** Continuations that are known to be missing. */
  dropped: number
  /** Why it ended: see `end` in FORMAT.md. */
  reason: string
  /** With the reason `signal`: the signal's name. */
  signal?: string
  /** The recorded program's own. */
  exitCode?: number
}
