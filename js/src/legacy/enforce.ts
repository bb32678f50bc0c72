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
import { domain } from '../core/current.ts'
import { interpose } from './interpose.ts'

/** What `enforce` gives. */
export interface Enforcement {
  /** Callbacks that were held back so far. */
  readonly held: number
  /** Takes the wrappers out again. Callbacks registered meanwhile stay wrapped. */
  undo(): void
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
  const waiting: (() => void)[] = []
  let held = 0
  const d = domain
  const before = d.onTop
  const release = (): void => {
    if (d.top !== d.base || waiting.length === 0) return
    // This runs in a task of its own, because the end of the block belongs to the block's owner.
    d.host.later(() => {
      while (waiting.length > 0 && d.top === d.base) runFirst()
    })
  }
  const runFirst = (): void => {
    try {
      waiting.shift()!()
    } catch (error) {
      void Promise.reject(error)
    }
  }
  d.onTop = () => {
    before?.()
    release()
  }
  d.enforced = true
  const undo = interpose((_kind, _site, run) => {
    held++
    waiting.push(run)
  }, false)
  return {
    get held() {
      return held
    },
    undo() {
      undo()
      d.onTop = before
      d.enforced = false
      while (waiting.length > 0) runFirst()
    },
  }
}
