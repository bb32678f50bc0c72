/**
 * What the rewriting of a file leaves behind for the recorder: where accesses stand in the text that people wrote, and
 * by how much the text that runs is shifted against it.
 */

import type { Tested } from './tested.ts'

/**
 * A place in the file, the function around it, and what is accessed there, as the source says it; and what is known of
 * a read whose value is only tested.
 */
export type FileSite = [
  line: number,
  column: number,
  functionName: string,
  functionLine: number,
  functionColumn: number,
  text: string,
  tested?: Tested,
]

/** Text of so many characters was inserted at this column of the text that runs. */
export type Shift = [column: number, length: number]

export interface FileSites {
  sites: FileSite[]
  /** By line. */
  shifts: Record<number, Shift[]>
}

/** The same where the text's first line is not a file's: so places are those that stacks name. */
export function moved({ sites, shifts }: FileSites, lines: number, columns: number): FileSites {
  if (lines === 0 && columns === 0) return { sites, shifts }
  const place = (line: number, column: number): [number, number] => [
    line + lines,
    line === 1 ? column + columns : column,
  ]
  return {
    sites: sites.map(([line, column, name, functionLine, functionColumn, ...rest]) => {
      const begin = place(functionLine, functionColumn)
      return [...place(line, column), name, ...begin, ...rest] as FileSite
    }),
    shifts: Object.fromEntries(
      Object.entries(shifts).map(([line, all]) => [
        Number(line) + lines,
        line === '1' ? all.map(([column, length]): Shift => [column + columns, length]) : all,
      ]),
    ),
  }
}

/** The column in the text that people wrote. */
export function originalColumn({ shifts }: FileSites, line: number, column: number): number {
  let moved = 0
  for (const [at, inserted] of shifts[line] ?? []) {
    if (at >= column) break
    moved += Math.min(inserted, column - at)
  }
  return Math.max(1, column - moved)
}

/** The column in the text that runs: the other way round. */
export function runningColumn({ shifts }: FileSites, line: number, column: number): number {
  let moved = 0
  for (const [at, inserted] of shifts[line] ?? []) {
    if (at - moved > column) break
    moved += inserted
  }
  return column + moved
}

/**
 * Stands before and after each text that is inserted: a space for the language (Ogham's), which people's programs do
 * not have. So the text that people wrote can be had back from any part of the text that runs.
 */
export const MARK = '\u1680'

// A page, where this runs, may replace them.
const { indexOf, slice } = ''

/** The text that people wrote, from that of a whole function or file. */
export function unmarked(text: string): string {
  let written = ''
  let at = 0
  for (;;) {
    const mark: number = Reflect.apply(indexOf, text, [MARK, at])
    if (mark === -1) return at === 0 ? text : written + Reflect.apply(slice, text, [at])
    written += Reflect.apply(slice, text, [at, mark])
    const end: number = Reflect.apply(indexOf, text, [MARK, mark + 1])
    if (end === -1) return written
    at = end + 1
  }
}

/** The global object under which rewritten code finds the recorder. */
export const GLOBAL = '$ch'

/** A site's number is that of its file times this, and its place in the file's list. */
export const FILE_SITES = 1 << 16
