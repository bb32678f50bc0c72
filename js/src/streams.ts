/**
 * charcoal-js/streams: web streams, Node streams and async iterables, read and made by activities, with cancellation.
 */
export { chunks } from './streams/chunks.ts'
export { iterable, readable, through, writable, type Emit } from './streams/produce.ts'
