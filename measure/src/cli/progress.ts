/** What the command says while it works: on a terminal, what passes is written over. */
import { visible } from '../format/visible.ts'

interface Stream {
  isTTY?: boolean
  columns?: number
  write(text: string): unknown
}

/**
 * One line on standard error that says what goes on: rewritten on a terminal, else a line for each new step, and none
 * for what is `passing`.
 */
export class Progress {
  private shown = false
  private last = ''
  private readonly quiet: boolean
  private readonly stream: Stream

  constructor(quiet: boolean, stream: Stream = process.stderr) {
    this.quiet = quiet
    this.stream = stream
  }

  say(told: string, passing = false): void {
    if (this.quiet) return
    const text = visible(told)
    if (this.stream.isTTY === true) {
      this.stream.write(`\r\x1b[K${text.slice(0, (this.stream.columns || 80) - 1)}`)
      this.shown = true
    } else if (!passing && text !== this.last) {
      this.stream.write(`${text}\n`)
      this.last = text
    }
  }

  clear(): void {
    if (this.shown) this.stream.write('\r\x1b[K')
    this.shown = false
  }
}
