/**
 * A text that is transformed may have been compiled before, from TypeScript by tsx for one. The source map of such a
 * text stands at its end, and leads on from there to what somebody has written.
 */
import { SourceMap } from 'node:module'
import type { Origin } from './transform.ts'

const MAP = /\/\/# sourceMappingURL=data:application\/json[^,]*;base64,(\S+)\s*$/

/** Says where each place of the text was in the text that it was compiled from; undefined if it was not compiled. */
export function originOf(text: string): Origin | undefined {
  const [, encoded] = MAP.exec(text) ?? []
  if (encoded === undefined) return undefined
  const map = new SourceMap(JSON.parse(Buffer.from(encoded, 'base64').toString()))
  return (line, column) => {
    const { originalSource, originalLine, originalColumn } = map.findEntry(line, column) as {
      originalSource?: string
      originalLine: number
      originalColumn: number
    }
    return originalSource === undefined ? undefined : [originalSource, originalLine, originalColumn]
  }
}
