/** One line on standard error that says what goes on: rewritten on a terminal, else a line for each new step. */
export class Progress {
  private shown = false
  private last = ''
  private readonly quiet: boolean
  private readonly terminal = process.stderr.isTTY === true

  constructor(quiet: boolean) {
    this.quiet = quiet
  }

  say(text: string): void {
    if (this.quiet) return
    if (this.terminal) {
      process.stderr.write(`\r\x1b[K${text.slice(0, (process.stderr.columns ?? 80) - 1)}`)
      this.shown = true
    } else if (!/^[\d,.]+ (events|continuations)/.test(text) && text !== this.last) {
      process.stderr.write(`${text}\n`)
      this.last = text
    }
  }

  clear(): void {
    if (this.shown) process.stderr.write('\r\x1b[K')
    this.shown = false
  }
}
