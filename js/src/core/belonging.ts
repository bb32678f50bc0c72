/**
 * Which atomic block legacy code belongs to. A block may wait for a promise that callbacks of the host must settle
 * first: in `load(1).then((x) => load(x + 1))` the host makes the second call. Such calls must be able to run in the
 * block, and nobody else's may.
 *
 * Legacy code belongs to a block
 * - if the block's own code calls it, or
 * - if it is a reaction, `await` included, to a promise of ours: to a call, an activity or an operation that code of
 *   the block has awaited, or given a reaction; or a reaction to what such a reaction has settled, and so on.
 *
 * Neither needs anything of the host. `await x` reads `x.then` at once, while it is known whose code runs (see
 * `attributed`). And what a settled promise sets in motion stands in one piece in the host's queue, which is first in,
 * first out: between a job that was put there before it was settled, and one that was put there after. Each of these
 * two puts its successor into the queue, around what the jobs between them have put there. They do so for GENERATIONS
 * steps; a chain of more reactions without a promise of ours is lost.
 *
 * Where the host keeps contexts, and the program uses them, legacy code belongs to a block also if it was set in motion
 * by the block in any other way, by a timer or a stream (see asyncContext.ts).
 *
 * - `block` is what the legacy code that runs now belongs to. It may have ended; then the code belongs to the block
 *   around it.
 */
import type { Block, Domain } from './types.ts'
import { contexts } from './asyncContext.ts'
import { domain } from './current.ts'
import { soon } from './host.ts'

/** `Promise.all` of an `async` function takes four: this is for eight of them in one another. */
const GENERATIONS = 32

export class Belonging {
  private readonly domain: Domain
  private block: Block | null = null

  constructor(of: Domain) {
    this.domain = of
  }

  /** The innermost open block that the running code belongs to. */
  now(): Block | null {
    const { base, current } = this.domain
    let at = current === null ? (this.block ?? contexts?.block() ?? null) : current.group.home
    while (at !== null && at !== base && (at as Block).over) at = at.parent
    return at === base ? null : (at as Block | null)
  }

  /** Runs `f` as code of `block`. */
  run<R>(block: Block, f: () => R): R {
    const before = this.block
    this.block = block
    block.noted = true
    try {
      return f()
    } finally {
      this.block = before
    }
  }

  /** Runs `f`, which settles promises of the host: the reactions belong to `block`. */
  settle<R>(block: Block, f: () => R): R {
    let before: Block | null = null
    let generations = 0
    let again = false
    const begin = (): void => {
      before = this.block
      this.block = block
      again = !block.over && ++generations < GENERATIONS
      if (again) soon(begin)
    }
    const end = (): void => {
      this.block = before
      if (again) soon(end)
    }
    block.noted = true
    soon(begin)
    try {
      return f()
    } finally {
      soon(end)
    }
  }
}

/** Makes the reactions that are given to promises of this kind belong to whoever has read `then`. */
export function attributed({ prototype }: { prototype: PromiseLike<unknown> }): void {
  const { then } = prototype
  Object.defineProperty(prototype, 'then', {
    get(this: PromiseLike<unknown>): typeof then {
      const { belonging } = domain
      const block = belonging === undefined ? null : belonging.now()
      return block === null
        ? then
        : (((ok, bad) => belonging.run(block, () => then.call(this, ok, bad))) as typeof then)
    },
    configurable: true,
  })
}
