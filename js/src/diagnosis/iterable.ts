/**
 * `yield* load()` of an `async` function, transformed or not, is an error of the engine, which knows no remedy: a
 * promise has no iterator. (One that had one would be a list to React and to Node's streams.)
 */

const REMEDY =
  'Remedy, if this is yield* of a promise, or of the call of an async function: yield* wait(promise), of charcoal-js'

/** Adds the remedy to such an error. */
export function tellRemedy(error: unknown): void {
  if (!(error instanceof TypeError) || !error.message.endsWith('not iterable')) return
  const { message, stack } = error
  const told = `${message}\n${REMEDY}`
  Reflect.set(error, 'message', told)
  if (stack?.includes(message))
    Reflect.set(
      error,
      'stack',
      stack.replace(message, () => told),
    )
}
