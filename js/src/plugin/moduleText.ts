/** A module while it is rewritten: its text, what is edited in it, and what the parts of the rewriter know of it. */
import type { Edits } from './edits.ts'
import { TransformError } from './transformError.ts'
import { find, isTypeScript, startOfCode, type Node } from './syntax.ts'

export class ModuleText {
  readonly edits: Edits
  readonly source: string
  private readonly file: string
  /** The names of its `async` functions. */
  readonly names = new Map<Node, string>()
  /** The blocks that are bodies of functions. */
  readonly bodies = new Set<Node>()
  /** Blocks in which something is disposed of at the end, so far. */
  usings = 0
  /** Functions in blocks would be visible outside of these, too, if they were not `async`. */
  isSloppy = false
  /** Where expression statements begin. */
  readonly statements = new Set<number>()
  /** What the functions have to fetch for the generator functions inside them (see fetched.ts). */
  readonly fetched = new Map<Node, Set<string>>()
  /** What the module has imported from the library, and from elsewhere. */
  ours = new Set<string>()
  imported = new Set<string>()
  /** Variables for generator functions that are made once, by the blocks that declare them, and how many there are. */
  readonly variables = new Map<Node, string[]>()
  kept = 0
  /** Transformed functions that have a variable for what they have awaited last. */
  readonly awaiting = new Set<Node>()
  /** Loops with `for await` so far. */
  loops = 0
  /** The module has something of its own called `Promise`. */
  ownPromise = false
  /** Functions that stay `async` (see staying.ts). */
  staying = new Set<Node>()
  /** Functions that do not stay where they stand (see moved.ts). */
  moved = new Set<Node>()
  /** Functions that become generator functions themselves, with their names, and those that may run in their caller. */
  hoisted = new Map<Node, string>()
  fusible = new Map<string, Node>()

  constructor(edits: Edits, file: string) {
    this.edits = edits
    this.source = edits.source
    this.file = file
  }

  /** Is it TypeScript? */
  get isTyped(): boolean {
    return isTypeScript(this.file)
  }

  refuse(node: Node, message: string): never {
    throw new TransformError(this.file, node.loc.start, message)
  }

  /** Inserts at the beginning of a block: before what is moved there, and after the directives of a function. */
  atStartOf(block: Node, text: string): void {
    if (!this.bodies.has(block)) return this.edits.atStartOf(block.start, text)
    const at = startOfCode(block)
    this.edits.before(at, `${this.endOfDirective(at)}${text}`)
  }

  /** A directive that no semicolon ends needs one when code is put after it. */
  endOfDirective(at: number): string {
    return /[^;{]$/.test(this.source.slice(0, at)) ? ';' : ''
  }

  /** Removes the star of `function*`, a method, or `yield*`. */
  removeStar(from: number): void {
    const star = find(this.source, '*', from)
    this.edits.remove(star, star + 1)
  }
}
