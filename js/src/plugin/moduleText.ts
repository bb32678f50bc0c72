/** A module while it is rewritten: its text, what is edited in it, and what the parts of the rewriter know of it. */
import type { Edits } from './edits.ts'
import { TransformError } from './transformError.ts'
import type { Node } from './syntax.ts'

export class ModuleText {
  readonly edits: Edits
  readonly source: string
  private readonly file: string
  /** The names of its `async` functions. */
  readonly names = new Map<Node, string>()
  /** Where expression statements begin. */
  readonly statements = new Set<number>()
  /** Functions whose own `super` is needed inside a generator function. */
  readonly supers = new Set<Node>()
  /** Loops with `for await` so far. */
  loops = 0
  /** The module has something of its own called `Promise`. */
  ownPromise = false
  /** Functions that become generator functions themselves, and the names of those that may run in their caller. */
  hoisted = new Set<Node>()
  fusible = new Set<string>()

  constructor(edits: Edits, file: string) {
    this.edits = edits
    this.source = edits.source
    this.file = file
  }

  refuse(node: Node, message: string): never {
    throw new TransformError(this.file, node.loc.start, message)
  }

  /** Removes the star of `function*`, a method, or `yield*`. */
  removeStar(from: number): void {
    const star = this.source.indexOf('*', from)
    this.edits.remove(star, star + 1)
  }
}
