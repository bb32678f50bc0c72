/**
 * A function of ours that the program gets, as one of the program's realm: its `call`, its `toString` and what
 * `instanceof Function` says are the program's.
 */
export const given = <F extends Function>(ours: F, prototype: object = globalThis.Function.prototype): F =>
  Object.setPrototypeOf(ours, prototype)
