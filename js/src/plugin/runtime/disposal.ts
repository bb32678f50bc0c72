/** The end of a block with `await using`, as transformed code has it (see using.ts). */
import { ASYNC_DISPOSE, DISPOSE } from '../../core/dispose.ts'
import type { Operation } from '../../core/suspension.ts'
import { suppressed } from '../../ops/use.ts'
import { noncancellable } from '../../scope/finish.ts'
import { $wait, own, told } from './go.ts'

export class Disposal {
  private readonly resources: { what: any; dispose: (() => unknown) | undefined; waits: boolean }[] = []
  private error: { value: unknown } | null = null

  /** Notes a resource and gives it back. `waits`: its end is awaited. */
  add<T>(what: T, waits: boolean): T {
    if (what === null || what === undefined) {
      if (waits) this.resources.push({ what, dispose: undefined, waits })
      return what
    }
    const from = what as Record<symbol, unknown>
    const later = waits ? from[ASYNC_DISPOSE] : undefined
    const dispose = later ?? from[DISPOSE]
    if (typeof dispose !== 'function') throw new TypeError(`${String(what)} cannot be disposed of`)
    this.resources.push({ what, dispose: dispose as () => unknown, waits })
    return what
  }

  /** The block has ended with an error. */
  fail(value: unknown): void {
    told()
    this.error = { value: this.error === null ? value : suppressed(value, this.error.value) }
  }

  /** Disposes of all, the last first. */
  *run(): Generator<unknown, void, any> {
    for (const { what, dispose, waits } of this.resources.reverse())
      try {
        if (waits) own()
        const end = dispose?.call(what)
        if (waits) yield* noncancellable($wait(end) as Operation<unknown>)
      } catch (error) {
        this.fail(error)
      }
    if (this.error !== null) throw this.error.value
  }
}
