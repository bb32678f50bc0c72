/**
 * Rewrites `async` functions as activity functions, in the text:
 *
 *     async function f(x) {
 *       atomic: { n = (await g(x)) + 1 }
 *     }
 *
 * becomes, on the same lines,
 *
 *     function f(x) { return $charcoal.go(function* f$activity () {
 *       atomic: { $charcoal.enter("f"); try { n = ((yield* $charcoal.wait(g(x)))) + 1 } finally { … leave … } }
 *     }) }
 */
import { Edits } from './edits.ts'
import { combinatorOf } from './combinators.ts'
import { fusible, hoisted, isFused, placeholders } from './fuse.ts'
import * as syntax from './syntax.ts'
import { isArrow, isAtomicLabel, isBlock, isForAwait, isFunction, some, type Node } from './syntax.ts'

export const DIRECTIVE = 'use activity'
const SUPER = ' const $super = (key) => super[key];'
const LEAVE = '} finally { if ($charcoal.leave()) yield* $charcoal.leaving() } '

/**
 * Something that cannot be transformed: where, what, and what to write instead.
 *
 * @example
 * try {
 *   transform('async function* f() { atomic: { yield 1 } }', { file: 'store.js' })
 * } catch (error) {
 *   console.log((error as Error).message.split(':').slice(0, 3).join(':'), error instanceof TransformError)
 * }
 * // → store.js:1:33 true
 */
export class TransformError extends Error {
  override readonly name = 'TransformError'
  readonly line: number
  readonly column: number
  constructor(file: string, at: { line: number; column: number }, message: string) {
    super(`${file}:${at.line}:${at.column + 1}: ${message}`)
    this.line = at.line
    this.column = at.column
  }
}

/** Where the walk is. */
interface Place {
  /** The innermost function whose code this is, if it is transformed. */
  within: Node | null
  /** All `async` functions here are transformed. */
  all: boolean
  /** The innermost function that is no arrow: it has the `this` and `super` of this place. */
  home: Node | null
  /** A generator function will stand between here and `home`. */
  cut: boolean
}

export class Rewriter {
  private readonly edits: Edits
  private readonly source: string
  private readonly file: string
  private readonly names = new Map<Node, string>()
  /** Where expression statements begin. */
  private readonly statements = new Set<number>()
  /** Functions whose own `super` is needed inside a generator function. */
  private readonly supers = new Set<Node>()
  private loops = 0
  /** The module has something of its own called `Promise`. */
  private ownPromise = false
  private hoisted = new Set<Node>()
  private fusible = new Set<string>()

  constructor(edits: Edits, file: string) {
    this.edits = edits
    this.source = edits.source
    this.file = file
  }

  module(tree: Node, all: boolean): void {
    this.ownPromise = syntax.declared(tree).includes('Promise')
    this.hoisted = hoisted(tree, (node) => all || isMarked(node))
    this.fusible = fusible(tree, this.hoisted)
    this.children(tree, { within: null, all, home: null, cut: false })
    // A method that is no activity itself, but has some in it; in the others `convert` has done it.
    for (const home of this.supers) this.edits.before(home.body.start + 1, SUPER)
  }

  private refuse(node: Node, message: string): never {
    throw new TransformError(this.file, node.loc.start, message)
  }

  // ---- the walk

  private children(node: Node, at: Place): void {
    for (const child of syntax.children(node)) this.visit(child, node, at)
  }

  private visit(node: Node, parent: Node, at: Place): void {
    if (isFunction(node)) return this.function(node, parent, at)
    if (node.type === 'ExpressionStatement') this.statements.add(node.start)
    const isClass = node.type === 'ClassBody'
    this.children(node, isClass ? { within: null, all: at.all || at.within !== null, home: null, cut: false } : at)
    if (at.within !== null) this.inActivity(node, parent, at.within)
    else if (isAtomicLabel(node) && some(node, (n) => n.type === 'AwaitExpression' || isForAwait(n))) {
      const remedy = 'put it into an async function'
      this.refuse(node, `an atomic block with \`await\` outside any function would not be atomic: ${remedy}`)
    }
    if (node.type === 'Super' && at.cut) this.super(node, parent, at.home)
  }

  private function(node: Node, parent: Node, at: Place): void {
    if (node.async) this.names.set(node, syntax.nameOf(node, parent))
    const marked = node.async && (at.all || at.within !== null || isMarked(node))
    const home = isArrow(node) ? at.home : node
    const cut = marked || (isArrow(node) && at.cut)
    const body: Place = { within: marked ? node : null, all: at.all || marked || at.within !== null, home, cut }
    const head: Place = { ...at, all: body.all }
    for (const child of syntax.children(node)) this.visit(child, node, child === node.body ? body : head)
    if (marked) this.convert(node)
  }

  private inActivity(node: Node, parent: Node, within: Node): void {
    switch (node.type) {
      case 'AwaitExpression':
        return this.await(node, parent, within)
      case 'YieldExpression':
        return this.yield(node, within)
      case 'ReturnStatement':
        return this.return(node, within)
      case 'LabeledStatement':
        return this.label(node, within)
      case 'ForOfStatement':
        return node.await ? this.forAwait(node, parent) : undefined
      case 'VariableDeclaration':
        if (node.kind !== 'await using') return
        const remedy = 'use try { … } finally { await x[Symbol.asyncDispose]() }'
        this.refuse(node, `\`await using\` cannot be transformed yet: ${remedy}`)
    }
  }

  // ---- functions

  private convert(node: Node): void {
    const { body } = node
    const asksNewTarget = some(node, (n) => n.type === 'MetaProperty' && n.meta.name === 'new', isArrow)
    if (asksNewTarget) {
      this.refuse(node, 'new.target cannot be used in an activity function: pass what you need as an argument')
    }
    this.removeAsync(node)
    if (this.hoisted.has(node)) return this.hoist(node)

    // A name in a form that hides nothing of the program's: for stacks and reports.
    const name = this.names.get(node)!
    const generatorFunction = name === '' ? 'function*' : `function* ${name}$activity`
    const open = ` return ${runtimeOf(node)}(${generatorFunction}`
    const { moves, args } = this.parameters(node)

    if (isBlock(body)) {
      const at = syntax.startOfCode(body)
      // A directive that no semicolon ends needs one now.
      const end = /[^;{]$/.test(this.source.slice(0, at)) ? ';' : ''
      const own = this.supers.delete(node) ? SUPER : ''
      this.head(node, moves, at, `${end}${own}${open}`, '{')
      this.edits.atEndOf(body.end, `}${args}) `)
    } else {
      const waits = !node.generator && syntax.mayBePromise(body)
      const expression = open.replace(' return', '')
      this.head(
        node,
        moves,
        this.endOfArrow(node),
        expression,
        waits ? '{ return (yield* $charcoal.wait(' : '{ return (',
      )
      this.edits.after(node.end, `${waits ? '))' : ')'} }${args})`)
    }
  }

  /** The function itself becomes the generator function; one that calls it comes before it. */
  private hoist(node: Node): void {
    const { id } = node
    const params = parametersOf(node)
    const passed = placeholders(params).join(', ')
    const body = `${id.name}$activity`
    const runtime = runtimeOf(node)
    // The generator is made in place where that cannot throw.
    const isPlain = runtime === '$charcoal.go' && params.every((p) => p.type === 'Identifier')
    const made = isPlain ? `$charcoal.goPlain(${body}(${passed}), ${body})` : undefined
    const call = made ?? `${runtime}(${body}, undefined, arguments)`
    this.edits.before(node.start, `function ${id.name}(${passed}) { return ${call} } `)
    this.edits.before(id.start, '*')
    this.edits.after(id.end, '$activity')
  }

  /**
   * Opens the generator function at `at`. Parameters that are not plain names move there, for their defaults are its
   * code.
   */
  private head(node: Node, moves: boolean, at: number, open: string, body: string): void {
    if (!moves) return this.edits.before(at, `${open} () ${body}`)
    const params = parametersOf(node)
    const first = params[0].start
    const last = params[params.length - 1].end
    const left = [...placeholders(params), ...(isArrow(node) ? ['...$args'] : [])]
    this.edits.move(first, last, at, `${open} (`, `) ${body}`, left.join(', '))
  }

  /** Must the parameters move into the generator function? And what is passed to it. */
  private parameters(node: Node): { moves: boolean; args: string } {
    const usesThis = some(node, (n) => n.type === 'ThisExpression' || n.type === 'Super', isArrow)
    const usesArguments = some(node, (n) => syntax.isIdentifier(n, 'arguments'), isArrow)
    const params = parametersOf(node)
    const plain = params.every((p) => p.type === 'Identifier') && !syntax.redeclares(node.body, params)
    if (!plain && isArrow(node) && usesArguments) {
      const where = '`arguments` in an async arrow function with parameters of this kind'
      this.refuse(node, `${where}: take the value outside the arrow`)
    }
    const self = usesThis ? 'this' : 'undefined'
    const passed = isArrow(node) ? `[${[...placeholders(params), '...$args'].join(', ')}]` : 'arguments'
    if (!plain) return { moves: true, args: `, ${self}, ${passed}` }
    if (usesArguments) return { moves: false, args: `, ${self}, arguments` }
    return { moves: false, args: usesThis ? `, ${self}` : '' }
  }

  private removeAsync(node: Node): void {
    const from = node.decorators?.length ? node.decorators[node.decorators.length - 1].end : node.start
    const word = /\basync\b\s*/.exec(this.source.slice(from))!
    const end = from + word.index + word[0].length
    this.edits.remove(from + word.index, end)
    if (node.generator) this.removeStar(end)
  }

  private removeStar(from: number): void {
    const star = this.source.indexOf('*', from)
    this.edits.remove(star, star + 1)
  }

  private endOfArrow(node: Node): number {
    const end = node.body.extra?.parenStart ?? node.body.start
    return this.source.lastIndexOf('=>', end - 1) + 2
  }

  // ---- what stands in them

  private await(node: Node, parent: Node, within: Node): void {
    const isStatement = parent.type === 'ExpressionStatement'
    // At the start of a statement a parenthesis could become a call of the line above.
    const open = isStatement ? '' : this.statements.has(node.start) ? '0, (' : '('
    const end = node.start + /^await[ \t]*/.exec(this.source.slice(node.start))![0].length
    this.edits.remove(node.start, end)
    this.combinator(node.argument)
    const fused = this.fuse(node, within)
    this.edits.before(end, fused ? `${open}yield* (` : `${open}yield* $charcoal.wait(`)
    this.edits.after(node.end, isStatement ? ')' : '))')
  }

  /** May the function that is called here run in its caller? */
  private fuse(node: Node, within: Node): boolean {
    const { type, callee } = node.argument
    const fused = type === 'CallExpression' && this.fusible.has(callee.name) && isFused(node, within)
    if (fused) this.edits.after(callee.end, '$activity')
    return fused
  }

  /** What is waited for here may be a `Promise.all`. */
  private combinator(node: Node): void {
    const callee = this.ownPromise ? null : combinatorOf(node)
    if (callee !== null) this.edits.replace(callee.object.start, callee.object.end, '$charcoal')
  }

  private yield(node: Node, within: Node): void {
    if (syntax.isInAtomicBlock(node, within)) {
      const remedy = 'collect what is to be yielded and yield it after the block'
      this.refuse(node, `\`yield\` inside an atomic block: the consumer would run inside the block; ${remedy}`)
    }
    const end = node.start + 'yield'.length
    this.edits.remove(node.start, end)
    if (node.delegate) this.removeStar(node.start)
    this.edits.before(end, `(yield* $charcoal.${node.delegate ? 'emitAll' : 'emit'}(`)
    this.edits.after(node.end, '))')
  }

  /** `return promise` waits for it, outside the `try` that it may stand in. */
  private return(node: Node, within: Node): void {
    if (!node.argument) return
    if (!within.generator && (!syntax.mayReturnPromise(node) || syntax.isInTry(node, within))) return
    this.combinator(node.argument)
    const semicolon = this.source.slice(0, node.end).trimEnd().endsWith(';')
    this.edits.before(node.argument.extra?.parenStart ?? node.argument.start, '(yield* $charcoal.wait(')
    this.edits.after(semicolon ? this.source.lastIndexOf(';', node.end) : node.end, '))')
  }

  private label(node: Node, within: Node): void {
    if (!isAtomicLabel(node)) return
    if (!isBlock(node.body)) this.refuse(node, '`atomic:` stands before a block: write atomic: { … }')
    const name = this.names.get(within)!
    this.edits.before(node.body.start + 1, ` $charcoal.enter(${name === '' ? '' : JSON.stringify(name)}); try {`)
    this.edits.atEndOf(node.body.end, LEAVE)
  }

  private forAwait(node: Node, parent: Node): void {
    const { left, right, body } = node
    const name = `$loop${++this.loops}`
    const labelled = parent.type === 'LabeledStatement' && !isAtomicLabel(parent)
    const label = labelled ? `${parent.label.name}: ` : ''
    const [open, close] = left.type === 'ObjectPattern' ? ['(', ')'] : ['', '']
    this.edits.replace(labelled ? parent.start : node.start, left.start, `{ const ${name} = new $charcoal.Iteration(`)
    this.edits.replace(left.end, right.start, '')
    this.edits.replace(right.end, body.start, '')
    this.edits.later((text) => {
      text.move(right.start, right.end, left.start)
      text.appendLeft(right.end, `); try { ${label}while (yield* ${name}.step()) { ${open}`)
      text.appendLeft(left.end, ` = ${name}.value${close}; `)
    })
    const fails = `catch ($e) { ${name}.failed = true; throw $e }`
    this.edits.after(body.end, ` } } ${fails} finally { yield* ${name}.close() } }`)
  }

  /** `super` does not reach into the generator function: a helper in the method fetches from it. */
  private super(node: Node, parent: Node, home: Node | null): void {
    if (home === null || parent.type !== 'MemberExpression') {
      const remedy = 'call the inherited method from a method of your own'
      this.refuse(node, `\`super\` cannot be used here in an activity function: ${remedy}`)
    }
    if (parent.computed) {
      this.edits.replace(node.start, parent.property.start, '$super(')
      this.edits.replace(parent.property.end, parent.end, ')')
    } else this.edits.replace(node.start, parent.end, `$super(${JSON.stringify(parent.property.name)})`)
    const rest = this.source.slice(parent.end)
    const call = /^\s*\(/.exec(rest)
    if (call !== null) {
      const at = parent.end + call[0].length
      const empty = /^\s*\)/.test(this.source.slice(at))
      this.edits.replace(parent.end, at, `.call(this${empty ? '' : ', '}`)
    } else if (ASSIGNMENT.test(rest)) {
      this.refuse(node, 'a property of `super` cannot be assigned in an activity function')
    }
    this.supers.add(home)
  }
}

const ASSIGNMENT = /^\s*([-+*/%&|^]|\*\*|<<|>>>?|&&|\|\||\?\?)?=[^=>]|^\s*(\+\+|--)/

/** Is the function marked itself: by its directive, or by an atomic block in its own code? */
function isMarked(node: Node): boolean {
  if (isBlock(node.body) && syntax.hasDirective(node.body, DIRECTIVE)) return true
  return some(node, isAtomicLabel, (inner) => isArrow(inner) && !inner.async)
}

/** The parameters without the `this` of TypeScript, which is only a type. */
const parametersOf = (node: Node): Node[] => node.params.filter((p: Node) => !syntax.isIdentifier(p, 'this'))

/** What runs the generator function. */
function runtimeOf(node: Node): string {
  if (node.generator) return '$charcoal.goGenerator'
  return syntax.returnsFromTry(node) ? '$charcoal.goFlat' : '$charcoal.go'
}
