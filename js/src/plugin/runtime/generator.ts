/// <reference lib="es2018.asyncgenerator" preserve="true" />
/**
 * A call of a transformed `async function*`. Its body is a generator that yields what it waits for, and an `Emit` for
 * what it hands to its consumer. Requests are served one after the other, as by a native one; the body runs in the
 * request that finds it idle, up to its first wait.
 */
import type { Called } from './called.ts'
import type { Call } from '../../core/call.ts'
import { Suspension, type Operation } from '../../core/suspension.ts'
import type { Branch } from '../../core/types.ts'
import { mutex } from '../../sync/semaphore.ts'
import { $wait, go, type Body } from './go.ts'
import { Source, type How } from './iteration.ts'

/** What an async generator hands to its consumer. */
class Emit extends Suspension<unknown> {
  readonly item: unknown
  constructor(item: unknown) {
    super()
    this.item = item
  }
  begin(_branch: Branch): boolean {
    throw new Error('yield outside an async generator')
  }
}

/** The consumer wants to end a generator that has handed its requests on to another iterator. */
class Returned {
  readonly value: unknown
  constructor(value: unknown) {
    this.value = value
  }
}

/** As `Emit`, where the requests go to another iterator: that of `return`, too. */
class EmitFrom extends Emit {
  override return(value: unknown): never {
    throw new Returned(value)
  }
}

/** Asks for the end of the generator: the other iterator has ended. */
class Leave extends Emit {}

export function* emit(value: unknown): Generator<unknown, any, any> {
  return yield* new Emit(yield* $wait(value) as Operation<any>)
}

/** `yield*` of an async generator: what the consumer sends, throws or returns goes to the inner iterator. */
export function* emitAll(iterable: any): Generator<unknown, any, any> {
  const source = new Source(iterable)
  const { iterator } = source
  let how: How = 'next'
  let sent: unknown = undefined
  for (;;) {
    if (how !== 'next' && iterator[how] === undefined) {
      if (how === 'return') yield* new Leave(sent)
      yield* source.close()
      throw new TypeError('The iterator does not provide a `throw` method')
    }
    const result = yield* source.ask(how, sent)
    if (result.done) {
      if (how === 'return') yield* new Leave(result.value)
      return result.value
    }
    try {
      sent = yield* new EmitFrom(result.value)
      how = 'next'
    } catch (error) {
      how = error instanceof Returned ? 'return' : 'throw'
      sent = error instanceof Returned ? error.value : error
    }
  }
}

class Requests {
  readonly #body: Generator<unknown, any, any>
  readonly #turn = mutex('async generator')
  #begun = false

  constructor(body: Generator<unknown, any, any>) {
    this.#body = body
  }

  next(value: unknown): Answer {
    return this.#ask('next', value)
  }

  throw(error: unknown): Answer {
    return this.#ask('throw', error)
  }

  return(value: unknown): Answer {
    return this.#ask('return', value)
  }

  #ask(how: How, value: unknown): Answer {
    const requests = this
    return go(function* () {
      return yield* requests.#serve(how, value)
    })
  }

  *#serve(how: How, value: unknown): Generator<unknown, IteratorResult<any>, any> {
    using _ = this.#turn.tryAcquire() ?? (yield* this.#turn.acquire())
    const body = this.#body
    if (how === 'return') {
      if (!this.#begun) body.return(undefined)
      try {
        value = yield* $wait(value) as Operation<any>
      } catch (error) {
        how = 'throw'
        value = error
      }
    }
    this.#begun = true
    let result = body[how](value)
    for (;;) {
      if (result.done) return { value: result.value, done: true }
      const op = result.value
      if (op instanceof Leave) {
        result = body.return(op.item)
        continue
      }
      if (op instanceof Emit) return { value: op.item, done: false }
      let answer: unknown
      let failed = false
      try {
        answer = yield op
      } catch (error) {
        failed = true
        answer = error
      }
      result = failed ? body.throw(answer) : body.next(answer)
    }
  }
}
type Answer = Call<IteratorResult<any>> | Called<IteratorResult<any>>

// As natively, all but the requests comes from the prototype of all async iterators.
const iterators: object = Object.getPrototypeOf(Object.getPrototypeOf(async function* () {}.prototype))
Object.setPrototypeOf(Requests.prototype, iterators)
const HIDDEN: PropertyKey[] = ['next', 'throw', 'return']
for (const name of HIDDEN) Object.defineProperty(Requests.prototype, name, { enumerable: false })
const define = (key: symbol, value: unknown): unknown =>
  Object.defineProperty(Requests.prototype, key, { value, configurable: true })
define(Symbol.toStringTag, 'AsyncGenerator')
if (Symbol.asyncDispose !== undefined)
  define(Symbol.asyncDispose, function (this: Requests) {
    return this.return(undefined)
  })

/** A call of a transformed `async function*`. What its defaults throw is thrown here. */
export function goGenerator(body: Body, self?: unknown, args?: ArrayLike<unknown>): AsyncGenerator<any, any, any> {
  const made = args === undefined ? body.call(self) : body.apply(self, args as unknown[])
  return new Requests(made) as unknown as AsyncGenerator
}
