/** What loaders of modules answer with, rewritten if it is a file of the program's own that holds an ES module. */
import { withoutTypes } from '../../../source/without_types.ts'
import { isOwn } from './own.ts'
import { leftText, tooLong } from '../../unwatched_text.ts'
import { tellUnwatched } from './unwatched.ts'
import { transform } from '../../accesses/transform.ts'

export interface Loaded {
  format: string
  source?: string | ArrayBuffer | Uint8Array | null
}

/** Longer files are left as they are. */
export const MAX_LENGTH = 1 << 20

/** `number` gives the file a number of its own. */
export function rewriteModule(loaded: Loaded, url: string, number: () => number): Loaded {
  const { format, source } = loaded
  if ((format !== 'module' && format !== 'module-typescript') || source === undefined || source === null || !isOwn(url))
    return loaded
  const text = typeof source === 'string' ? source : Buffer.from(source as ArrayBuffer).toString('utf8')
  const left = (why: string): void => tellUnwatched(leftText(url, why))
  if (text.length >= MAX_LENGTH) return (left(tooLong(MAX_LENGTH)), loaded)
  const javascript = format === 'module' ? text : withoutTypes(text, url)
  if (javascript === null) left('its types cannot be taken away')
  const rewritten = javascript === null ? null : transform(javascript, url, true, number(), left)
  return rewritten === null ? loaded : { ...loaded, format: 'module', source: rewritten.code }
}
