/** charcoal-js/events: events of the host as clauses; events for callbacks, and rendezvous of them (Tame). */
export { once, type EmitterLike } from './legacy/events.ts'
export {
  rendezvous,
  twait,
  addTimeout,
  Rendezvous,
  type RendezvousEvent,
  type RendezvousOptions,
  type Triggered,
} from './sync/rendezvous.ts'
