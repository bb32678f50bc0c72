/**
 * Which of a program's own files are left as they are, and why: told beside the trace, for the thread of the loader has
 * no trace of its own.
 */
import { appendFileSync } from 'node:fs'
import { CONFIG, type HookConfig } from '../config.ts'

/** The file beside a trace; each line is a sentence's part, as JSON. */
export const unwatchedFile = (trace: string): string => `${trace}.unwatched`

let file: string | null | undefined

export function tellUnwatched(what: string): void {
  if (file === undefined) {
    const config = JSON.parse(process.env[CONFIG] ?? 'null') as HookConfig | null
    file = config === null ? null : unwatchedFile(config.out)
  }
  try {
    if (file !== null) appendFileSync(file, `${JSON.stringify(what)}\n`)
  } catch {
    // The recording is over, and its folder perhaps gone.
  }
}
