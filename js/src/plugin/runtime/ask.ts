/**
 * What becomes of `await`. Mostly the answer is there when the operand has been evaluated: a call has run on the
 * JavaScript stack and has ended. So the code asks first, and only yields to wait. `yield*` costs more than all the
 * rest, so it is kept for what takes several steps.
 *
 *     await x        charcoal$.isPromise(awaited$ = x) ? yield awaited$
 *                      : (awaited$ = charcoal$.ask(awaited$)) === charcoal$.YIELD ? yield charcoal$.asked()
 *                      : awaited$ === charcoal$.DELEGATE ? yield* charcoal$.asked() : awaited$
 *     await f(x)     charcoal$.YIELD === (awaited$ = charcoal$.run(f$activity(x), f$activity))
 *                      ? yield charcoal$.asked() : awaited$
 *
 * So a call of a function that is known when the code is transformed is nothing but its generator, until it waits.
 *
 * - `request` is what the code is about to yield: it takes it at once, before anything else runs.
 */
import { isElsewhere } from '../../core/asyncContext.ts'
import { Call, MAX_DEPTH, suspended } from '../../core/call.ts'
import { domain } from '../../core/current.ts'
import { generatorNext } from '../../core/generators.ts'
import type { AnyIterator } from '../../core/types.ts'
import { $wait, noteName, type Body } from './go.ts'

/** There is no answer yet: the code yields what `asked` gives. */
export const YIELD = {}
/** There is no answer yet: the code runs what `asked` gives with `yield*`. */
export const DELEGATE = {}

let request: unknown

/** What the code that has asked is to yield. */
export function asked(): any {
  const what = request
  request = undefined
  return what
}

/** A promise is handed to the run loop as it is, which costs less than to make an operation of it. */
export function isPromise(what: unknown): boolean {
  domain.own = false
  return what instanceof Promise
}

/** `await what` of anything else: the answer, or how to wait for it. */
export function ask(what: unknown): unknown {
  if (what instanceof Call && what.value !== what && what.activity === null) {
    if (what.next().done) return what.value
    request = what
    return YIELD
  }
  request = $wait(what)
  return DELEGATE
}

/** `await f(x)` of a function `f` whose body is `body`: the result, or `YIELD` if the callee waits. */
export function run(gen: Generator<unknown, any, any>, body: Body): unknown {
  const d = domain
  if (d.site !== null || d.tracer !== null) noteName(body)
  if (isElsewhere || --d.steps <= 0 || d.depth > MAX_DEPTH) {
    // The run loop begins it.
    const call = new Call<unknown>(gen)
    call.value = request = call
    return YIELD
  }
  if (d.pending !== null) d.startPending()
  d.depth++
  const result: IteratorResult<unknown, unknown> = generatorNext.call(gen as AnyIterator)
  d.depth--
  if (result.done) {
    if (d.pending !== null) d.startPending()
    return result.value
  }
  request = suspended(gen, result.value)
  return YIELD
}
