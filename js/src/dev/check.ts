/** `check` asserts the invariants that the file of a channel or lock states. */
import { Channel, checkChannel } from '../sync/channel.ts'
import { RwLock, checkRwLock } from '../sync/rwlock.ts'
import { checkSemaphore, type Semaphore } from '../sync/semaphore.ts'

/**
 * Asserts the invariants that the file of a channel or lock states.
 *
 * @example
 * const ch = channel<number>(1)
 * yield* ch.send(1)
 * check(ch)                         // throws if an invariant of the channel does not hold
 */
export function check(what: Channel<any> | RwLock | Semaphore): void {
  if (what instanceof Channel) checkChannel(what)
  else if (what instanceof RwLock) checkRwLock(what)
  else checkSemaphore(what)
}
