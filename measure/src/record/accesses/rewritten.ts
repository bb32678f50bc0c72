/**
 * The text that comes out of the rewriting of a file, while it grows: what is put into it, the sites that our calls
 * name, and our variables that the innermost function declares.
 */
import { isFunction, walk, type Node } from '../../source/tree.ts'
import { Insertions } from './insertions.ts'
import { endsInCall } from './shapes.ts'
import { FILE_SITES, type FileSite, type FileSites } from './sites.ts'
import { testedReads, type TestedReads } from './tested.ts'

/** The activation of a function, inside it; behind it stands how deep the function lies in others. */
const ACTIVATION = '$ch_a'

export interface Transformed {
  code: string
  sites: FileSites
}

/** A function that is being rewritten. */
export interface FunctionFrame {
  name: string
  line: number
  column: number
  /** Our variable with its activation; null: it has none. */
  activation: string | null
  /** It is a generator, and not asynchronous. */
  isStepped: boolean
  /** It can wait, so each `await` tells of its activation. */
  waits: boolean
  /** Variables of ours that the function declares: objects and keys that are evaluated once and used twice. */
  temporaries: string[]
}

export class Rewritten {
  /** The functions around what is rewritten now, the innermost last. */
  readonly functions: FunctionFrame[] = []
  private readonly insertions: Insertions
  private readonly sites: FileSite[] = []
  private readonly tested: TestedReads
  /** Reads that are part of a write, by their nodes: the write's site. */
  private readonly updates = new Map<Node, number>()
  private readonly code: string
  readonly file: number
  private temporaries = 0

  constructor(code: string, program: Node, file: number, eachLine: string) {
    this.code = code
    this.tested = testedReads(program, code)
    this.file = file
    this.insertions = new Insertions(code, eachLine)
  }

  /** See `Insertions`. */
  get inserted(): Insertions['inserted'] {
    return this.insertions.inserted
  }

  /** The innermost function. */
  get inner(): FunctionFrame {
    return this.functions.at(-1)!
  }

  /** The code and its sites. `first`: what the program begins with. */
  result(start: number, order: number, first: string): Transformed {
    const sites: FileSites = { sites: this.sites, shifts: {} }
    this.insert(start, `${first}${this.declared()}`, order)
    return { code: this.insertions.apply(sites), sites }
  }

  /** What the activation of a function that begins here is called. */
  activationName(): string {
    return `${ACTIVATION}${this.functions.length}`
  }

  /** The activation of the innermost function around this place that has one; null: there is none. */
  around(): string | null {
    return this.functions.findLast(({ activation }) => activation !== null)?.activation ?? null
  }

  /** See `Insertions`. */
  now(): number {
    return this.insertions.now()
  }

  insert(at: number, text: string, order?: number): void {
    this.insertions.insert(at, text, order)
  }

  /** Declares our variables of the innermost function. */
  declared(): string {
    const { temporaries } = this.inner
    // It is a `var`, because functions that are hoisted may run before this line.
    return temporaries.length === 0 ? '' : `var ${temporaries.join()};`
  }

  /** What a module that is imported only for us is called. */
  namespaceName(): string {
    return `$ch_i${this.temporaries++}`
  }

  temporary(): string {
    // Scripts of a page share their variables, so the name has the file's number.
    const name = `$ch_t${this.file}_${this.temporaries++}`
    this.inner.temporaries.push(name)
    return name
  }

  /** Puts a node between two texts, as one expression. `visit` rewrites what is inside. */
  wrap(node: Node, before: string, after: string, visit: (n: Node) => void): void {
    const several = node.type === 'SequenceExpression'
    this.insert(node.start, several ? `${before}(` : before)
    visit(node)
    this.insert(node.end, several ? `)${after}` : after)
  }

  /**
   * Puts an object between a call of ours and its end. V8 gives other places to properties of calls than to others, so
   * it is made no call if it is none.
   */
  about(object: Node, name: string, rest: string, visit: (n: Node) => void, before = '', after = ''): void {
    const [open, close] = endsInCall(object) ? ['', ''] : ['(', ')']
    this.wrap(object, `${before}${open}$ch.${name}(`, `,${rest})${close}${after}`, visit)
  }

  /** `n = n - 1` reads and writes in one, as `n -= 1` does, so both accesses have the write's site. */
  update({ type, start, end }: Node, value: Node, site: number): void {
    const target = this.code.slice(start, end)
    const reads: Node[] = []
    let waits = false
    const look = (n: Node): boolean => {
      if (n.type === type && this.code.slice(n.start, n.end) === target) reads.push(n)
      if (n.type === 'AwaitExpression' || n.type === 'YieldExpression') waits = true
      return isFunction(n) || n.type === 'AssignmentExpression'
    }
    if (!look(value)) walk(value, look)
    if (!waits) for (const read of reads) this.updates.set(read, site)
  }

  site(node: Node, text: string): number {
    const update = this.updates.get(node)
    if (update !== undefined) return update
    const { name, line, column } = this.inner
    const { start } = node.loc
    const site: FileSite = [start.line, start.column + 1, name, line, column, text.slice(0, 60)]
    const tested = this.tested.get(node)
    if (tested !== undefined) site.push(tested)
    return this.file * FILE_SITES + this.sites.push(site) - 1
  }

  /** It is a read that only asks. */
  isTested(node: Node): boolean {
    return this.tested.has(node)
  }

  /** It is a read on which nothing depends. */
  isTold(node: Node): boolean {
    return this.tested.get(node)?.told === true
  }

  text(node: Node): string {
    return this.code.slice(node.start, Math.min(node.end, node.start + 60)).replace(/\s+/g, ' ')
  }

  /** Where statements of ours can stand: after the directives. */
  bodyStart(block: Node): number {
    let at = block.type === 'Program' ? (block.body[0]?.start ?? block.end) : block.start + 1
    for (const statement of block.body) {
      if (statement.directive === undefined) break
      at = statement.end
      if (this.code[at - 1] !== ';') this.insert(at, ';')
    }
    return at
  }

  /** Where stacks say that a function begins: a method begins before its name. `holder`: the method's definition. */
  begin(node: Node, holder: Node): { line: number; column: number } {
    const isMethod = holder.type === 'MethodDefinition' || holder.method || /^[gs]et$/.test(holder.kind)
    const first = isMethod ? holder : node
    const word = holder.static === true && isMethod ? /^static\s+/.exec(this.code.slice(first.start))![0] : ''
    const { line, column } = first.loc.start
    const lines = word.split('\n')
    return { line: line + lines.length - 1, column: (lines.length === 1 ? column : 0) + lines.at(-1)!.length + 1 }
  }

  /** Behind the arrow of a function. */
  arrow(node: Node): number {
    return this.behindParameters(node, '=>') + 2
  }

  /** The parenthesis that ends the parameters of an arrow function, if it has one. */
  parenthesis(node: Node): number {
    return this.behindParameters(node, ')')
  }

  private behindParameters(node: Node, text: string): number {
    const comments = /\/\/.*|\/\*[^]*?\*\//g
    const from = node.params.at(-1)?.end ?? node.start
    const between = this.code.slice(from, node.body.start).replace(comments, (c) => ' '.repeat(c.length))
    return from + between.indexOf(text)
  }
}
