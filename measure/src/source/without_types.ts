/** JavaScript from TypeScript, as Node itself makes it: every character that stays keeps its line and column. */
import Module from 'node:module'

/** Null: this Node cannot, or the text is not understood. `url`: for the source map of what cannot keep its place. */
export function withoutTypes(text: string, url: string): string | null {
  const strip = (Module as any).stripTypeScriptTypes
  if (typeof strip !== 'function') return null
  const options = `${process.execArgv} ${process.env.NODE_OPTIONS}`.includes('--experimental-transform-types')
    ? { mode: 'transform', sourceMap: true, sourceUrl: url }
    : { mode: 'strip' }
  const { emitWarning } = process
  // Node itself warns of types when it takes them away for the program.
  process.emitWarning = () => {}
  try {
    return strip(text, options)
  } catch {
    return null
  } finally {
    process.emitWarning = emitWarning
  }
}
