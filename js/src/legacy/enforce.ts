/**
 * `enforce()` makes atomic blocks hold back legacy code where a library can: callbacks of timers, microtasks, animation
 * frames, host events and messages, and reactions added with `then`, wait until the outermost block has ended. Opt in,
 * and read docs/limits.md: native `await` in legacy code cannot be held, nor can synchronous emitters, workers, or the
 * DOM's own default actions.
 *
 * @example
 * const enforcement = enforce()
 * ...
 * enforcement.undo()
 */
import type { Domain } from '../core/types.ts'
import { domain } from '../core/current.ts'
import { interpose } from './interpose.ts'

/** What `enforce` gives. */
export interface Enforcement {
  /** Callbacks that were held back so far. */
  readonly held: number
  /** From now on nothing more is held back, also of what was registered meanwhile; what is held runs at once. */
  undo(): void
}

/** What is in force. */
interface InForce {
  readonly domain: Domain
  /** The callbacks that are held back, each with the domain whose block it meets. */
  readonly waiting: { readonly of: Domain; readonly run: () => void }[]
}

const inForce = new Set<InForce>()
const watched = new WeakSet<Domain>()

/** When the blocks of `d` have ended, what they have held back runs. */
function watch(d: Domain): void {
  if (watched.has(d)) return
  watched.add(d)
  const before = d.onTop
  d.onTop = () => {
    before?.()
    if (d.top === d.base) for (const { waiting } of inForce) if (waiting.length > 0) release(d, waiting)
  }
}

function release(d: Domain, waiting: InForce['waiting']): void {
  // This runs in a task of its own, because the end of the block belongs to the block's owner.
  d.host.later(() => {
    for (let at = 0; at < waiting.length && d.top === d.base;)
      if (waiting[at].of === d) run(waiting.splice(at, 1)[0])
      else at++
  })
}

function run(held: InForce['waiting'][number]): void {
  try {
    held.run()
  } catch (error) {
    void Promise.reject(error)
  }
}

/**
 * Makes atomic blocks hold back callbacks of legacy code, from now on.
 *
 * @example
 * const enforcement = enforce()
 * let n = 0
 * setTimeout(() => n++, 1)
 * console.log(yield* atomic(function* () { yield* sleep(9); return n }))  // → 0
 * yield* sleep(9)
 * console.log(n)                    // → 1
 * enforcement.undo()
 */
export function enforce(): Enforcement {
  const own: InForce = { domain, waiting: [] }
  let held = 0
  inForce.add(own)
  domain.enforced = true
  const takeAway = interpose((_kind, _site, run) => {
    held++
    watch(domain)
    own.waiting.push({ of: domain, run })
  }, false)
  return {
    get held() {
      return held
    },
    undo() {
      if (!inForce.delete(own)) return
      takeAway()
      own.domain.enforced = [...inForce].some((other) => other.domain === own.domain)
      for (let first = own.waiting.shift(); first !== undefined; first = own.waiting.shift()) run(first)
    },
  }
}
