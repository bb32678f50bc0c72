/** Module hooks of the Node loader: transforms JavaScript that is marked. See register.ts. */
import { transform } from './transform.ts'

interface Loaded {
  format?: string
  source?: string | ArrayBuffer | Uint8Array
  shortCircuit?: boolean
}

let include: RegExp | null = null

export function initialize(data?: { include?: string }): void {
  if (data?.include !== undefined && data.include !== '') include = new RegExp(data.include)
}

export async function load(url: string, context: unknown, next: (url: string, context: unknown) => Promise<Loaded>): Promise<Loaded> {
  const loaded = await next(url, context)
  if (!url.startsWith('file:') || url.includes('/node_modules/') || loaded.source === undefined || loaded.source === null || loaded.format !== 'module') return loaded
  const source = typeof loaded.source === 'string' ? loaded.source : new TextDecoder().decode(loaded.source)
  const done = transform(source, { file: new URL(url).pathname, all: include?.test(url) })
  if (done === null) return loaded
  return { ...loaded, source: `${done.code}\n//# sourceMappingURL=${done.map.toUrl()}` }
}
