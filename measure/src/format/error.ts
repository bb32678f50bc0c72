/** What goes wrong for users of the tool: what, where, remedy in one message, and the exit status of the command. */
export class MeasureError extends Error {
  override readonly name: string = 'MeasureError'
  readonly exitCode: number

  constructor(message: string, exitCode = 1) {
    super(message)
    this.exitCode = exitCode
  }
}

/** A trace that cannot be read. `line` counts from 1. */
export class TraceError extends MeasureError {
  override readonly name = 'TraceError'
  readonly file: string
  readonly line: number

  constructor(file: string, line: number, what: string, remedy = '') {
    super(`${file}:${line}: ${what}${remedy && `; ${remedy}`}`, 3)
    this.file = file
    this.line = line
  }
}
