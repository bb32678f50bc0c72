/** A loader of ES modules that rewrites the program's own files; runs in Node's loader thread. */
import { isOwn } from './sites.ts'
import { transform } from './transform.ts'

let lastFile = 0

interface Loaded {
  format: string
  source?: string | ArrayBuffer | Uint8Array
}

export async function load(
  url: string,
  context: object,
  next: (url: string, context: object) => Promise<Loaded>,
): Promise<Loaded> {
  const loaded = await next(url, context)
  if (loaded.format !== 'module' || loaded.source === undefined || loaded.source === null || !isOwn(url)) return loaded
  const text =
    typeof loaded.source === 'string' ? loaded.source : Buffer.from(loaded.source as ArrayBuffer).toString('utf8')
  const rewritten = text.length < 1 << 20 ? transform(text, url, true, (lastFile += 2)) : null
  return rewritten === null ? loaded : { ...loaded, source: rewritten.code }
}
