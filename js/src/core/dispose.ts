/// <reference lib="esnext.disposable" preserve="true" />
/**
 * These are the symbols of `using` and `await using`; where the engine has none, those that compilers fall back on. The
 * declarations of the package bring the types of these along, for a project whose `lib` has none.
 */
export const DISPOSE: typeof Symbol.dispose = Symbol.dispose ?? Symbol.for('Symbol.dispose')
export const ASYNC_DISPOSE: typeof Symbol.asyncDispose = Symbol.asyncDispose ?? Symbol.for('Symbol.asyncDispose')
