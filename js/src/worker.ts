/** charcoal-js/worker: calls of functions in other threads, with results, errors and cancel. */
export { serve, type Handlers } from './worker/serve.ts'
export { connect, type Remote } from './worker/connect.ts'
export { transfer, type Port } from './worker/protocol.ts'
