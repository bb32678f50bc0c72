// OpenTelemetry: the active context goes with an activity through its waits, locks and blocks, and to what it spawns.
// Nothing is to be configured beside the usual context manager. Run it: node opentelemetry.mjs
import { context, createContextKey } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import { asyncFn, atomic, mutex, sleep, spawn } from 'charcoal-js'

context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())
const REQUEST = createContextKey('request')
const request = () => context.active().getValue(REQUEST)

const ledger = mutex('ledger')
const entry = asyncFn(function* () {
  const seen = [request()]
  yield* sleep(1)
  seen.push(request())
  yield* ledger.with(function* () {
    yield* sleep(1)
    seen.push(request()) // handed over by the other request
  })
  yield* atomic(function* () {
    yield* sleep(1)
    seen.push(request())
  })
  seen.push(yield* spawn(function* () {
    yield* sleep(1)
    return request()
  }))
  return seen.join(' ')
})

const inContext = (name) => context.with(context.active().setValue(REQUEST, name), () => entry())
const [one, two] = await Promise.all([inContext('one'), inContext('two')])
console.log(one) // → one one one one one
console.log(two) // → two two two two two
console.log(request()) // → undefined
