/** Texts that are put into a program's text, between marks, without moving a line. */
import { MARK, type FileSites } from './sites.ts'

export class Insertions {
  /** By line of the program's text: at which column how much was inserted, in order. */
  readonly inserted: Record<number, [column: number, length: number][]> = {}
  private readonly inserts: { at: number; text: string; order: number }[] = []
  private readonly code: string
  private readonly eachLine: string

  /** `eachLine`: also stands in each line in which something is inserted. */
  constructor(code: string, eachLine: string) {
    this.code = code
    this.eachLine = eachLine
  }

  /** The order of what is to stand before all that is inserted from now on, at the same place. */
  now(): number {
    return this.inserts.length - 0.5
  }

  insert(at: number, text: string, order = this.inserts.length): void {
    this.inserts.push({ at, text: `${MARK}${text}${MARK}`, order })
  }

  /** Puts the insertions in, and notes by how much each line's columns move. */
  apply(sites: FileSites): string {
    const { code } = this
    const sorted = this.inserts.sort((a, b) => a.at - b.at || a.order - b.order)
    const pieces: string[] = []
    let last = 0
    let line = 1
    let lineStart = 0
    let moved = 0
    for (const { at, text: inserted } of sorted) {
      for (let i = code.indexOf('\n', Math.max(last, lineStart)); i !== -1 && i < at; i = code.indexOf('\n', i + 1)) {
        line++
        lineStart = i + 1
        moved = 0
      }
      const text = moved === 0 && this.eachLine !== '' ? `${MARK}${this.eachLine}${MARK}${inserted}` : inserted
      pieces.push(code.slice(last, at), text)
      const shifts = (sites.shifts[line] ??= [])
      shifts.push([at - lineStart + 1 + moved, text.length])
      ;(this.inserted[line] ??= []).push([at - lineStart, text.length])
      moved += text.length
      last = at
    }
    return pieces.join('') + code.slice(last)
  }
}
