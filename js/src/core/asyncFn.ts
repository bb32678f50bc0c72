/** `asyncFn` makes an activity function out of a generator function. */
import './domain.ts'
import { checkFunction } from './arguments.ts'
import { Call, generatorFrom } from './call.ts'
import { isGeneratorFunction } from './generators.ts'
import { named } from './names.ts'

/**
 * Makes an activity function out of a generator function (Charcoal, section 3.4). Inside an activity call it with
 * `yield*`, from legacy code with `await`.
 *
 * @example
 * const size = asyncFn(function* (page: string) { yield* sleep(1); return page.length })
 * const total = asyncFn(function* (a: string, b: string) { return (yield* size(a)) + (yield* size(b)) })
 * console.log(await total('x', 'yy'))  // → 3
 */
export function asyncFn<This, A extends any[], T>(
  body: (this: This, ...args: A) => Generator<unknown, T, any>,
): (this: This, ...args: A) => Call<T> {
  checkFunction('asyncFn', body)
  // Two functions, so that the usual one has nothing to decide.
  const f = isGeneratorFunction(body)
    ? function (this: This): Call<T> {
        return new Call<T>((body as Function).apply(this, arguments))
      }
    : function (this: This): Call<T> {
        return new Call<T>(generatorFrom((body as Function).apply(this, arguments)))
      }
  return named(f, body) as (this: This, ...args: A) => Call<T>
}
