/** A structured operation runs in a scope of its own, which a cancel or the signal in its options ends. */
import { checkOptions } from '../core/arguments.ts'
import { finish } from './finish.ts'
import type { Scope } from './scope.ts'
import type { Operation } from '../core/suspension.ts'

/** Options that all operations have. */
export interface OperationOptions {
  /** Cancels the operation when aborted; when all in it has ended, the signal's reason is thrown. */
  signal?: AbortSignal | undefined
}

/**
 * Runs `body` in a scope of its own, waits for every branch that it has started there, and then calls what it
 * returned, which collects the result. What is complete is given, although the signal was aborted meanwhile.
 */
export function* scoped<T>(
  name: string,
  options: OperationOptions,
  body: (scope: Scope) => Operation<() => T>,
): Generator<unknown, T, any> {
  checkOptions(name, options)
  const { signal } = options
  let ours: Scope | undefined
  let collect: (() => T) | undefined
  yield* finish(
    function* (scope) {
      ours = scope
      collect = yield* body(scope)
    },
    { name, signal },
  )
  try {
    if (collect === undefined) throw ours!.error()
    return collect()
  } catch (error) {
    throw signal !== undefined && ours!.isTold(error) ? signal.reason : error
  }
}

/** The same for an operation of one body, which needs a scope of its own for a signal only. */
export function endedBy<T>(
  name: string,
  options: OperationOptions = {},
  body: Generator<unknown, T, any>,
): Generator<unknown, T, any> {
  checkOptions(name, options)
  if (options.signal === undefined) return body
  return scoped(name, options, function* () {
    const result = yield* body
    return () => result
  })
}
