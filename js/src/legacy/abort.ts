/**
 * `aborted(signal)` is an AbortSignal as a clause: it is ready when the signal is aborted, and its value is the
 * reason.
 */
import { checkSignal } from '../core/arguments.ts'
import { Clause } from '../wait/clause.ts'
import { pass } from './pass.ts'
import { noteOurs } from '../core/current.ts'

class Aborted extends Clause<unknown> {
  private readonly signal: AbortSignal
  private readonly listener = (): void => {
    noteOurs()
    this.withdraw()
    this.fireFromHost(this.signal.reason)
  }

  constructor(signal: AbortSignal) {
    super()
    this.signal = signal
  }
  poll(): boolean {
    this.outcome = this.signal.reason
    return this.signal.aborted
  }
  override ready(): boolean {
    return this.signal.aborted
  }
  override register(): void {
    this.signal.addEventListener('abort', pass(this.listener))
  }
  override withdraw(): void {
    this.signal.removeEventListener('abort', this.listener)
  }
  override get outside(): 2 {
    return 2
  }
  describe(): string {
    return 'an AbortSignal'
  }
}

/**
 * A clause that is ready when the signal is aborted; its value is the reason.
 *
 * @example
 * const controller = new AbortController()
 * setTimeout(() => controller.abort('enough'), 1)
 * console.log(yield* aborted(controller.signal))  // → enough
 */
export function aborted(signal: AbortSignal): Clause<unknown> {
  checkSignal('aborted', signal)
  return new Aborted(signal)
}
