/** Asserts the invariants that the file of a channel or lock states. */
import { Channel, checkChannel } from '../sync/channel.ts'
import { RwLock, checkRwLock } from '../sync/rwlock.ts'
import { checkSemaphore, type Semaphore } from '../sync/semaphore.ts'

export function check(what: Channel<any> | RwLock | Semaphore): void {
  if (what instanceof Channel) checkChannel(what)
  else if (what instanceof RwLock) checkRwLock(what)
  else checkSemaphore(what)
}
