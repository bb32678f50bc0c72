/**
 * One small program for each kind of callback of the web, with what the trace must say of it. A program calls `p` in
 * the continuation that registers and `c` in the callback; before it runs, `p` has been called for it in a task of its
 * own. The text of these functions is what the page runs.
 */
import { ofTimeout, type Marks } from './common.ts'
import type { Oracle } from './oracle.ts'
import { frames } from './web/frames.ts'
import { messages } from './web/messages.ts'
import { observers } from './web/observers.ts'
import { promises } from './web/promises.ts'
import { requests } from './web/requests.ts'
import { resources } from './web/resources.ts'
import { roots } from './web/roots.ts'
import { services } from './web/services.ts'
import { sockets } from './web/sockets.ts'
import { storage } from './web/storage.ts'
import { synchronous } from './web/synchronous.ts'
import { timers } from './web/timers.ts'
import { webCrypto } from './web/web_crypto.ts'
import { workers } from './web/workers.ts'

/** In the order in which they run. */
export const webOracles: Oracle<Marks>[] = [
  ...timers,
  ...messages,
  ...workers,
  ...frames,
  ...synchronous,
  ...ofTimeout,
  ...promises,
  ...requests,
  ...storage,
  ...webCrypto,
  ...resources,
  ...observers,
  ...sockets,
  ...services,
  ...roots,
]
