/// <reference lib="es2018.asyncgenerator" preserve="true" />
/** charcoal-js/runtime is what transformed code calls. The build plugin writes these calls; nobody does by hand. */
import '../core/domain.ts'
import { Call, isCall } from '../core/call.ts'
import { remember } from '../core/generators.ts'
import { domain } from '../core/current.ts'
import { Suspension, type Operation } from '../core/suspension.ts'
import type { Activity } from '../core/activity.ts'
import type { Branch } from '../core/types.ts'
import { disregard, wait } from '../wait/promise.ts'
import { isCancelled } from '../scope/errors.ts'
import { noncancellable } from '../scope/finish.ts'
import { mutex } from '../sync/semaphore.ts'
import { all } from '../ops/all.ts'
import { race } from '../ops/race.ts'
import { allSettled, any } from '../ops/settled.ts'

export { enter, leave, leaving } from './block.ts'

/**
 * What becomes of `await`. Mostly it is a call of this copy that is awaited; to ask for that first saves such a call a
 * tenth of its cost.
 */
function $wait(what: unknown): unknown {
  return what instanceof Call ? what : wait(what)
}
export { $wait as wait }

/** A promise is handed to the run loop as it is, which costs less than to make an operation of it. */
export function isPromise(what: unknown): boolean {
  return what instanceof Promise
}

type Body = (...args: any[]) => Generator<unknown, any, any>

/**
 * A call of a transformed `async` function. In legacy code the part before its first wait runs in the call, as
 * natively: an event handler can call `preventDefault`. While another activity is in an atomic block it is delayed like
 * any activity.
 */
export function go(body: Body, self?: unknown, args?: ArrayLike<unknown>): Call<any> {
  return made(begin(body, self, args))
}

/**
 * As `go`, for a function whose parameters are plain names: to make the generator throws nothing, so its function does
 * that itself.
 */
export function goPlain(gen: Generator<unknown, any, any>, body: Body): Call<any> {
  if (domain.site !== null || domain.tracer !== null) rememberBody(body)
  return made(gen)
}

function made(gen: Generator<unknown, any, any>): Call<any> {
  if (domain.current !== null) return new Call(gen)
  const call = new Call<any>(null)
  call.activity = domain.start(gen) as Activity<any>
  return call
}

/** Parameters are evaluated here; what their defaults throw rejects the call. */
function begin(body: Body, self: unknown, args: ArrayLike<unknown> | undefined): Generator<unknown, any, any> {
  // Names cost a little, so they are kept only while somebody looks at them.
  if (domain.site !== null || domain.tracer !== null) rememberBody(body)
  if (args === undefined) return body.call(self)
  try {
    return body.apply(self, args as unknown[])
  } catch (error) {
    return failing(error)
  }
}

function rememberBody(body: Body): void {
  remember(body, { name: body.name.replace(/\$activity$/, '') } as Function)
}

function* failing(error: unknown): Generator<unknown, any, any> {
  throw error
}

/** As `go`, for a function that returns promises from inside `try`: the result is awaited after the body has ended. */
export function goFlat(body: Body, self?: unknown, args?: ArrayLike<unknown>): Call<any> {
  return made(flatten(begin(body, self, args)))
}

function* flatten(gen: Generator<unknown, any, any>): Generator<unknown, any, any> {
  return yield* wait(yield* gen)
}

type Combinator = 'all' | 'allSettled' | 'race' | 'any'
const STRUCTURED: Record<Combinator, (items: unknown[]) => Call<any>> = { all, allSettled, race, any }

/** `Promise[how](items)` as a structured operation, if there are calls among the items, and promises besides. */
function together(how: Combinator, items: Iterable<unknown>): Call<any> | Promise<unknown> {
  const list = [...items]
  const fits = list.some(isCall) && list.every((item) => isCall(item) || item instanceof Promise)
  return fits ? STRUCTURED[how](list) : Promise[how as 'all'](list)
}

/** What `Promise.all` and its like become where the items are made in place. */
const combinator = (how: Combinator) => (items: Iterable<unknown>) => together(how, items)
const [$all, $allSettled, $race, $any] = (['all', 'allSettled', 'race', 'any'] as const).map(combinator)
export { $all as all, $allSettled as allSettled, $race as race, $any as any }

/** `for await`: one step at a time. */
export class Iteration {
  value: any = undefined
  failed: boolean = false
  private done = false
  private readonly iterator: AsyncIterator<any> | Iterator<any>

  constructor(iterable: any) {
    this.iterator = iterable[Symbol.asyncIterator]?.() ?? iterable[Symbol.iterator]()
  }

  *step(): Generator<unknown, boolean, any> {
    this.done = true
    const result: any = yield* nextOf(this.iterator, 'next', undefined)
    if (result.done) return false
    this.value = yield* wait(result.value)
    this.done = false
    return true
  }

  /** Closes the iterator if the loop was left early; an error of the body goes before one of closing. */
  *close(): Generator<unknown, void, any> {
    if (this.done || this.iterator.return === undefined) return
    try {
      yield* closed(this.iterator)
    } catch (error) {
      if (!this.failed) throw error
    }
  }
}

/** Asks an iterator. It closes after a cancel of the wait, too: when it has answered, for which nobody waits. */
function* nextOf(iterator: any, how: 'next' | 'throw', sent: unknown): Generator<unknown, any, any> {
  const answer = iterator[how](sent)
  try {
    return yield* wait(answer)
  } catch (error) {
    if (isCancelled(error) && error !== sent) disregard(Promise.resolve(iterator.return?.()))
    throw error
  }
}

/** Closes an iterator that is not asked. The end of that is waited for after a cancel, too. */
const closed = (iterator: any): Operation<unknown> => noncancellable(wait(iterator.return()))

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

export function* emit(value: unknown): Generator<unknown, any, any> {
  return yield* new Emit(yield* wait(value))
}

/** `yield*` of an async generator: what the consumer sends, or throws, goes to the inner iterator. */
export function* emitAll(iterable: any): Generator<unknown, any, any> {
  const iterator = iterable[Symbol.asyncIterator]?.() ?? iterable[Symbol.iterator]()
  let how: 'next' | 'throw' = 'next'
  let sent: unknown = undefined
  let done = false
  try {
    for (;;) {
      if (how === 'throw' && iterator.throw === undefined) throw sent
      done = true
      const result: any = yield* nextOf(iterator, how, sent)
      if (result.done) return result.value
      done = false
      try {
        sent = yield* new Emit(yield* wait(result.value))
        how = 'next'
      } catch (error) {
        sent = error
        how = 'throw'
      }
    }
  } finally {
    if (!done && iterator.return !== undefined) yield* closed(iterator)
  }
}

/** A call of a transformed `async function*`: requests are served one after the other, as by a native one. */
export function goGenerator(body: Body, self?: unknown, args?: ArrayLike<unknown>): AsyncGenerator<any, any, any> {
  const inner = args === undefined ? body.call(self) : body.apply(self, args as unknown[])
  const turn = mutex('async generator')
  const ask = (how: 'next' | 'throw' | 'return', value: unknown): Call<IteratorResult<any>> =>
    go(function* () {
      using _ = yield* turn.acquire()
      let result = inner[how](value)
      for (;;) {
        if (result.done) return { value: result.value, done: true }
        const op = result.value
        if (op instanceof Emit) return { value: op.item, done: false }
        let answer: unknown
        let failed = false
        try {
          answer = yield op
        } catch (error) {
          failed = true
          answer = error
        }
        result = failed ? inner.throw(answer) : inner.next(answer)
      }
    })
  const generator = {
    next: (value?: unknown) => ask('next', value),
    throw: (error: unknown) => ask('throw', error),
    return: (value?: unknown) => ask('return', value),
    [Symbol.asyncIterator]: () => generator,
    [Symbol.asyncDispose ?? Symbol()]: () => ask('return', undefined),
    [Symbol.toStringTag]: 'AsyncGenerator',
  }
  return generator as unknown as AsyncGenerator
}
