/**
 * A loader of ES modules that rewrites the program's own files; runs in Node's loader thread. It is registered again
 * when the program registers loaders of its own (`tsx`, for one), because only the newest sees what all others have
 * made of a file. Its address says which it is: `?turn=2`; a turn of `off` ends the rewriting.
 */
import { withoutQuery } from '../../../format/address.ts'
import { Flows } from '../../accesses/flows.ts'
import { rewriteModule, type Loaded } from './modules.ts'
import { Runtime } from '../../accesses/runtime.ts'
import { GLOBAL } from '../../accesses/sites.ts'

/** What all the registrations of this loader in a thread share. */
interface Shared {
  newest: number
  lastFile: number
}
const shared: Shared = ((globalThis as any)[Symbol.for('charcoal.measure.loaders')] ??= { newest: 0, lastFile: 0 })

const turn = Number(new URL(import.meta.url).searchParams.get('turn')?.replace('off', 'Infinity') ?? 1)
shared.newest = Math.max(shared.newest, turn)

// The program's own loaders are rewritten, too, and run here, where nothing is told of what they do.
;(globalThis as any)[GLOBAL] ??= new Runtime(
  new Flows(),
  { note: () => {}, noteAll: () => {}, knows: () => false, made: new Set() },
  () => {},
)

export async function load(
  url: string,
  context: object,
  next: (url: string, context: object) => Promise<Loaded>,
): Promise<Loaded> {
  const loaded = await next(url, context)
  const isMyself = withoutQuery(url) === withoutQuery(import.meta.url)
  return turn === shared.newest && turn !== Infinity && !isMyself
    ? rewriteModule(loaded, url, () => (shared.lastFile += 2))
    : loaded
}
