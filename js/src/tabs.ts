/** charcoal-js/tabs: several tabs and workers of an origin: locks and messages. */
export { tabLock, TabLock } from './tabs/lock.ts'
export { broadcast, Broadcast } from './tabs/broadcast.ts'
