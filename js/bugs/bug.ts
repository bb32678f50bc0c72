/**
 * A published atomicity bug, reduced to a program that can be run with and without an atomic block around the risky
 * stretch.
 */
import { atomic, type Operation } from '../src/index.ts'

export interface Bug {
  title: string
  /** Where it was reported. */
  reported: string
  /** What goes wrong between which two steps. */
  story: string
  /** Throws if the bug shows. `risky` runs its body plainly, or atomically in the repaired version. */
  program(risky: Region): () => Operation<void>
  /** Undoes what a run left outside the process. */
  clean?(): Promise<void>
  /** With real I/O: fewer schedules, and waits for outstanding I/O before each choice. */
  real?: boolean
}

export type Region = <T>(body: () => Operation<T>) => Operation<T>

export const plainly: Region = (body) => body()
export const atomically: Region = (body) => atomic(body)
