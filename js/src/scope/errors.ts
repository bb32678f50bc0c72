/** The errors that end waits. Each has a `code` for comparison across copies of the library. */
import type { Scope } from '../core/types.ts'

/**
 * Thrown by a blocking operation in a cancelled scope: the operation has had no effect (law 4).
 *
 * @example
 * const task = spawn(function* () { yield* sleep(99999) }, { name: 'load' })
 * yield* sleep(1)
 * task.cancel('no longer needed')
 * try { yield* task } catch (error) { console.log((error as Cancelled).message, (error as Cancelled).code) }
 * // → load was cancelled: no longer needed ECANCELED
 */
export class Cancelled extends Error {
  override readonly name = 'Cancelled'
  readonly code = 'ECANCELED'
  // It is private, because code that prints errors or turns them into JSON would walk through the whole scheduler.
  readonly #origin: Scope | null
  /** The scope whose `cancel` this comes from. */
  get origin(): Scope | null {
    return this.#origin
  }
  constructor(origin: Scope | null, reason: unknown) {
    const who = origin?.parent === null ? `${origin.owner.activity.name} was ` : ''
    const isTold = reason !== undefined
    super(`${who}cancelled${isTold ? `: ${textOf(reason)}` : ''}`, isTold ? { cause: reason } : undefined)
    this.#origin = origin
  }
}

/**
 * Thrown by `deadline` when its time is over.
 *
 * @example
 * try { yield* deadline(1, sleep(99999), 'the page') } catch (error) { console.log((error as Error).message) }
 * // → the page did not end within 1 ms
 */
export class DeadlineError extends Error {
  override readonly name = 'DeadlineError'
  readonly code = 'ETIMEDOUT'
  constructor(ms: number, name: string) {
    super(`${name || 'the body'} did not end within ${ms} ms`)
  }
}

/**
 * Thrown at a wait that can never end: in an atomic block, or for a lock that the waiter has itself.
 *
 * @example
 * const lock = mutex('lock')
 * const permit = yield* lock.acquire()
 * try { yield* lock.acquire() } catch (error) { console.log(error instanceof DeadlockError) }  // → true
 * permit.release()
 */
export class DeadlockError extends Error {
  override readonly name = 'DeadlockError'
  readonly code = 'EDEADLK'
}

/**
 * Thrown by `send` on a closed channel, and by `recv` on a closed and empty one.
 *
 * @example
 * const ch = channel<number>()
 * ch.close()
 * try { yield* ch.recv() } catch (error) { console.log(error instanceof ClosedError) }  // → true
 */
export class ClosedError extends Error {
  override readonly name = 'ClosedError'
  readonly code = 'ECLOSED'
  constructor(what: string) {
    super(`${what} is closed`)
  }
}

/** What was thrown, in words. Anything can be thrown, also what cannot be made a string. */
export function textOf(thrown: unknown): string {
  try {
    return String(thrown instanceof Error ? thrown.message : thrown)
  } catch {
    return typeof thrown
  }
}

/** Is it a `Cancelled`, of any copy of the library? */
export function isCancelled(error: unknown): error is Cancelled {
  return error instanceof Error && (error as Cancelled).code === 'ECANCELED' && 'origin' in error
}

/** Is it a `ClosedError`, of any copy of the library? */
export function isClosed(error: unknown): error is ClosedError {
  return error instanceof Error && (error as ClosedError).code === 'ECLOSED'
}
