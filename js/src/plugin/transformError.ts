/**
 * Something that cannot be transformed, or a mistake in the syntax: where, what, and what to write instead.
 *
 * @example
 * try {
 *   transform('async function* f() { atomic: { yield 1 } }', { file: 'store.js' })
 * } catch (error) {
 *   console.log((error as Error).message.split(':').slice(0, 3).join(':'), error instanceof TransformError)
 * }
 * // → store.js:1:33 true
 */
export class TransformError extends Error {
  override readonly name = 'TransformError'
  readonly line: number
  readonly column: number
  constructor(file: string, at: { line: number; column: number }, message: string) {
    super(`${file}:${at.line}:${at.column + 1}: ${message}`)
    this.line = at.line
    this.column = at.column
  }
}
