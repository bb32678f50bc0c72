/**
 * Turns `async` functions into activity functions, `await` into calls and waits, and `atomic: { }` into atomic blocks. The text is edited in place, so that types, comments and line
 * numbers stay, and a source map is exact.
 *
 *     "use activity"
 *     async function f(x) {
 *       atomic: { n = (await g(x)) + 1 }
 *     }
 *
 * becomes
 *
 *     import * as $charcoal from 'charcoal-js/runtime';
 *     function f(x) { return $charcoal.go(function* f$activity () {
 *       atomic: { $charcoal.enter("f"); try { n = ((yield* $charcoal.wait(g(x)))) + 1 } finally { if ($charcoal.leave()) yield* $charcoal.leaving() } }
 *     }) }
 *
 * Transformed are: all async functions of a file that begins with the directive "use activity" (or of all files, with `all`), functions that begin with that directive, and functions that contain an
 * `atomic:` block; and whatever async functions are inside those.
 */
import { parse } from '@babel/parser'
import MagicString, { type SourceMap } from 'magic-string'

export interface TransformOptions {
  /** Name for messages and the source map; `.ts`, `.tsx`, `.jsx` say the syntax. */
  file?: string
  /** Transform every async function. */
  all?: boolean
  /** The module that the transformed code imports. */
  runtime?: string
  /** What kind of module it is. By default its name and text decide. */
  format?: 'module' | 'commonjs'
}

export interface Transformed {
  code: string
  map: SourceMap
}

/** Something that cannot be transformed: where, what, and what to write instead. */
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

type Node = { type: string; start: number; end: number; loc: { start: { line: number; column: number } } } & Record<string, any>

const FUNCTIONS = new Set(['FunctionDeclaration', 'FunctionExpression', 'ArrowFunctionExpression', 'ObjectMethod', 'ClassMethod', 'ClassPrivateMethod'])
const DIRECTIVE = 'use activity'
const SUPER = ' const $super = (key) => super[key];'

function children(node: Node): Node[] {
  const found: Node[] = []
  for (const key of Object.keys(node)) {
    if (key === 'loc' || key === 'extra' || key.endsWith('Comments') || key === 'errors' || key === 'tokens') continue
    const value = node[key]
    if (Array.isArray(value)) for (const item of value) item && typeof item.type === 'string' && found.push(item)
    else if (value && typeof value.type === 'string') found.push(value)
  }
  return found
}

const isFunction = (node: Node): boolean => FUNCTIONS.has(node.type)
const isArrow = (node: Node): boolean => node.type === 'ArrowFunctionExpression'
const hasDirective = (body: Node): boolean => (body.directives ?? []).some((d: Node) => d.value.value === DIRECTIVE)

/** Does `test` hold for a node of the function's own code? `through` says which inner functions are looked into. */
function some(node: Node, test: (n: Node) => boolean, through: (f: Node) => boolean): boolean {
  return children(node).some((child) => test(child) || (!(isFunction(child) && !through(child)) && !(child.type === 'ClassBody' && !through(child)) && some(child, test, through)))
}

const isAtomicLabel = (n: Node): boolean => n.type === 'LabeledStatement' && n.label.name === 'atomic'

/** Transforms a module; null if there is nothing to transform in it. */
export function transform(source: string, options: TransformOptions = {}): Transformed | null {
  const file = options.file ?? 'input.js'
  if (!options.all && !source.includes(DIRECTIVE) && !/\batomic\s*:/.test(source)) return null
  const typed = /\.[cm]?tsx?$/.test(file)
  const tree = parse(source, {
    sourceType: 'unambiguous',
    allowReturnOutsideFunction: true,
    allowAwaitOutsideFunction: true,
    createParenthesizedExpressions: false,
    plugins: [...(typed ? (['typescript'] as const) : []), ...(/x$/.test(file) || !typed ? (['jsx'] as const) : []), 'decorators', 'explicitResourceManagement'],
  }).program as unknown as Node
  const s = new MagicString(source)
  const edits = new Edits(source, s, file)
  edits.module(tree, options.all === true || hasDirective(tree))
  if (!edits.changed) return null
  const runtime = JSON.stringify(options.runtime ?? 'charcoal-js/runtime')
  const first = tree.body[0]?.start ?? tree.directives[0]?.end ?? 0
  const line = (tree.sourceType === 'module' ? 'module' : (options.format ?? formatOf(file, tree))) === 'module' ? `import * as $charcoal from ${runtime};` : `const $charcoal = require(${runtime});`
  s.prependRight(first, `${line} `)
  // The directive has done its work; bundlers would warn of it.
  for (const d of tree.directives) if (d.value.value === DIRECTIVE) s.remove(d.start, d.end)
  return { code: s.toString(), map: s.generateMap({ source: file, hires: true, includeContent: true }) }
}

/** A script without `import` and `export` is a CommonJS module only if it uses what only those have. */
function formatOf(file: string, tree: Node): 'module' | 'commonjs' {
  if (/\.m[jt]s$/.test(file)) return 'module'
  if (/\.c[jt]s$/.test(file)) return 'commonjs'
  const everywhere = (): boolean => true
  return some(tree, (n) => n.type === 'Identifier' && COMMONJS.has(n.name), everywhere) ? 'commonjs' : 'module'
}
const COMMONJS = new Set(['require', 'module', 'exports', '__dirname', '__filename'])

/**
 * Where the walk is. `within`: the innermost function whose code this is, if it is transformed. `home`: the innermost function that is no arrow, which has the `this` and `super` of this place. `cut`:
 * a generator function will stand between here and `home`.
 */
interface Place {
  within: Node | null
  all: boolean
  home: Node | null
  cut: boolean
}

/** Replacements first, insertions after them: an insertion beside a replaced stretch would be lost with it. */
class Edits {
  changed = false
  private readonly source: string
  private readonly s: MagicString
  private readonly file: string
  private readonly insertions: (() => void)[] = []
  private names = 0

  constructor(source: string, s: MagicString, file: string) {
    this.source = source
    this.s = s
    this.file = file
  }

  module(tree: Node, all: boolean): void {
    for (const child of children(tree)) this.visit(child, tree, { within: null, all, home: null, cut: false })
    // A method that is no activity itself, but has some in it; in the others `convert` has done it.
    for (const home of this.supers) this.insertions.push(() => this.s.prependRight(home.body.start + 1, SUPER))
    for (const insert of this.insertions) insert()
  }

  private refuse(node: Node, message: string): never {
    throw new TransformError(this.file, node.loc.start, message)
  }

  // In the order of a walk that visits children first: what begins at one place is inserted outermost first, what ends there innermost first.
  private before(at: number, text: string): void {
    this.insertions.push(() => this.s.prependRight(at, text))
  }
  private after(at: number, text: string): void {
    this.insertions.push(() => this.s.appendLeft(at, text))
  }

  private visit(node: Node, parent: Node, at: Place): void {
    if (isFunction(node)) return this.function(node, parent, at)
    if (node.type === 'ExpressionStatement') this.statements.add(node.start)
    let inside = at
    if (node.type === 'ClassBody') inside = { within: null, all: at.all || at.within !== null, home: null, cut: false }
    for (const child of children(node)) this.visit(child, node, inside)
    if (at.within !== null) this.inActivity(node, parent, at.within)
    else if (isAtomicLabel(node) && some(node, (n) => n.type === 'AwaitExpression' || (n.type === 'ForOfStatement' && n.await), () => false)) this.refuse(node, 'an atomic block with `await` outside any function would not be atomic: put it into an async function')
    if (node.type === 'Super' && at.cut) this.super(node, parent, at.home)
  }

  private function(node: Node, parent: Node, at: Place): void {
    if (node.async) this.functionNames.set(node, nameOf(node, parent))
    const own = (f: Node): boolean => isArrow(f) && !f.async
    const marked = node.async && (at.all || at.within !== null || (node.body.type === 'BlockStatement' && hasDirective(node.body)) || some(node, isAtomicLabel, own))
    const all = at.all || marked || at.within !== null
    const home = isArrow(node) ? at.home : node
    const cut = marked || (isArrow(node) && at.cut)
    for (const child of children(node)) this.visit(child, node, child === node.body ? { within: marked ? node : null, all, home, cut } : { within: at.within, all, home: at.home, cut: at.cut })
    if (marked) this.convert(node)
  }

  private readonly functionNames = new Map<Node, string>()

  private convert(node: Node): void {
    this.changed = true
    const name = this.functionNames.get(node)!
    // Its own name, in a form that hides nothing of the program's: for stacks and reports.
    const generatorFunction = name === '' ? 'function*' : `function* ${name}$activity`
    const { s, source } = this
    const { body } = node
    const generator = node.generator === true
    if (some(node, (n) => n.type === 'MetaProperty' && n.meta.name === 'new', isArrow)) this.refuse(node, 'new.target cannot be used in an activity function: pass what you need as an argument')
    // The head: `async` and `*` go.
    const headFrom = node.decorators?.length ? node.decorators[node.decorators.length - 1].end : node.start
    const async = /\basync\b\s*/.exec(source.slice(headFrom))!
    s.remove(headFrom + async.index, headFrom + async.index + async[0].length)
    if (generator) {
      const from = headFrom + async.index + async[0].length
      const star = source.indexOf('*', from)
      s.remove(star, star + 1)
    }
    // The body, inside a generator function.
    const usesThis = some(node, (n) => n.type === 'ThisExpression' || n.type === 'Super', isArrow)
    const usesArguments = some(node, (n) => n.type === 'Identifier' && n.name === 'arguments', isArrow)
    const params = (node.params as Node[]).filter((p) => !(p.type === 'Identifier' && p.name === 'this'))
    const simple = params.every((p) => p.type === 'Identifier') && !redeclares(body, new Set(params.map((p) => p.name)))
    const go = generator ? '$charcoal.goGenerator' : this.flat.has(node) ? '$charcoal.goFlat' : '$charcoal.go'
    const self = usesThis ? 'this' : 'undefined'
    let args = ''
    let head = ' () '
    if (!simple) {
      if (isArrow(node) && usesArguments) this.refuse(node, '`arguments` in an async arrow function with parameters of this kind: take the value outside the arrow')
      args = isArrow(node) ? `, ${self}, $args` : `, ${self}, arguments`
      head = ''
    } else if (usesArguments) args = `, ${self}, arguments`
    else if (usesThis) args = `, ${self}`
    const block = body.type === 'BlockStatement'
    const arrow = isArrow(node) ? this.arrowEnd(node) : 0
    // Directives stay in the function itself: 'use strict' decides about its `this`.
    const bodyAt = block ? (body.directives.length > 0 ? body.directives[body.directives.length - 1].end : body.start + 1) : arrow
    // A directive that no semicolon ends needs one now.
    const open = block ? `${/[^;{]$/.test(source.slice(0, bodyAt)) ? ';' : ''}${this.supers.delete(node) ? SUPER : ''} return ${go}(${generatorFunction}` : ` ${go}(${generatorFunction}`
    const awaits = !generator && !block && mayBePromise(body)
    const openBody = block ? '{' : awaits ? '{ return (yield* $charcoal.wait(' : '{ return ('
    const close = block ? `}${args}) ` : `${awaits ? '))' : ')'} }${args})`
    if (simple) this.before(bodyAt, `${open}${head}${openBody}`)
    else {
      // The parameters move into the generator function, where their defaults are evaluated and fail as an async function's do.
      const first = params[0].start
      const last = params[params.length - 1].end
      this.insertions.push(() => {
        s.prependRight(first, `${open} (`)
        s.appendLeft(last, `) ${openBody}`)
        s.move(first, last, bodyAt)
        if (isArrow(node)) s.appendLeft(first, '...$args')
      })
    }
    if (block) this.insertions.push(() => s.appendRight(body.end - 1, close))
    else this.after(node.end, close)
  }

  /** Where the text after `=>` begins. */
  private arrowEnd(node: Node): number {
    const end = node.body.extra?.parenStart ?? node.body.start
    return this.source.lastIndexOf('=>', end - 1) + 2
  }

  private inActivity(node: Node, parent: Node, within: Node): void {
    const { s, source } = this
    switch (node.type) {
      case 'AwaitExpression': {
        const direct = parent.type === 'ExpressionStatement'
        // At the start of a statement a parenthesis could become a call of the line above.
        const first = !direct && this.statements.has(node.start)
        const gap = /^await[ \t]*/.exec(source.slice(node.start))![0].length
        s.remove(node.start, node.start + gap)
        this.before(node.start + gap, `${direct ? '' : first ? '0, (' : '('}yield* $charcoal.wait(`)
        this.after(node.end, direct ? ')' : '))')
        break
      }
      case 'YieldExpression': {
        if (some(within, (n) => isAtomicLabel(n) && n.start < node.start && n.end > node.start, () => false)) this.refuse(node, '`yield` inside an atomic block: the consumer would run inside the block; collect what is to be yielded and yield it after the block')
        s.remove(node.start, node.start + 5)
        if (node.delegate) {
          const star = source.indexOf('*', node.start)
          s.remove(star, star + 1)
        }
        this.before(node.start + 5, `(yield* $charcoal.${node.delegate ? 'emitAll' : 'emit'}(`)
        this.after(node.end, '))')
        break
      }
      case 'ReturnStatement':
        if (!node.argument) break
        // `return promise` waits for it, outside the `try` that it may stand in.
        if (!within.generator && (!mayBePromise(node.argument) || this.inTry(node, within))) break
        {
          this.before(node.argument.extra?.parenStart ?? node.argument.start, '(yield* $charcoal.wait(')
          this.after(source.slice(0, node.end).trimEnd().endsWith(';') ? source.lastIndexOf(';', node.end) : node.end, '))')
        }
        break
      case 'LabeledStatement':
        if (node.label.name !== 'atomic') break
        if (node.body.type !== 'BlockStatement') this.refuse(node, '`atomic:` stands before a block: write atomic: { … }')
        const name = this.functionNames.get(within)!
        this.before(node.body.start + 1, ` $charcoal.enter(${name === '' ? '' : JSON.stringify(name)}); try {`)
        this.insertions.push(() => s.appendRight(node.body.end - 1, '} finally { if ($charcoal.leave()) yield* $charcoal.leaving() } '))
        break
      case 'ForOfStatement':
        if (node.await) this.forAwait(node, parent)
        break
      case 'VariableDeclaration':
        if (node.kind === 'await using') this.refuse(node, '`await using` cannot be transformed yet: use try { … } finally { await x[Symbol.asyncDispose]() }')
        break
    }
  }

  /** Notes functions with a `return` of a possible promise inside `try`: their results are awaited when they have ended. */
  private inTry(node: Node, within: Node): boolean {
    if (!some(within, (n) => n.type === 'TryStatement' && n.start < node.start && n.end > node.start && !(n.finalizer && n.finalizer.start < node.start), isArrow)) return false
    this.flat.add(within)
    return true
  }
  private readonly flat = new Set<Node>()

  private forAwait(node: Node, parent: Node): void {
    const { s } = this
    const { left, right, body } = node
    const name = `$loop${++this.names}`
    let label = ''
    let start = node.start
    if (parent.type === 'LabeledStatement' && parent.label.name !== 'atomic') {
      label = `${parent.label.name}: `
      start = parent.start
    }
    const pattern = left.type === 'ObjectPattern'
    this.overwrite(start, left.start, `{ const ${name} = new $charcoal.Iteration(`)
    this.overwrite(left.end, right.start, '')
    this.overwrite(right.end, body.start, '')
    this.insertions.push(() => {
      s.move(right.start, right.end, left.start)
      s.appendLeft(right.end, `); try { ${label}while (yield* ${name}.step()) { ${pattern ? '(' : ''}`)
      s.appendLeft(left.end, ` = ${name}.value${pattern ? ')' : ''}; `)
    })
    this.after(body.end, ` } } catch ($e) { ${name}.failed = true; throw $e } finally { yield* ${name}.close() } }`)
  }

  private overwrite(from: number, to: number, text: string): void {
    if (text === '') this.s.remove(from, to)
    else this.s.overwrite(from, to, text)
  }

  /** Where expression statements begin. */
  private readonly statements = new Set<number>()
  /** Functions whose own `super` is needed inside a generator function. */
  private readonly supers = new Set<Node>()

  /** `super` does not reach into the generator function: a helper in the method fetches from it. */
  private super(node: Node, parent: Node, home: Node | null): void {
    if (home === null || parent.type !== 'MemberExpression') this.refuse(node, '`super` cannot be used here in an activity function: call the inherited method from a method of your own')
    const { s, source } = this
    const key = parent.computed ? null : JSON.stringify(parent.property.name)
    if (key === null) {
      s.overwrite(node.start, parent.property.start, '$super(')
      s.overwrite(parent.property.end, parent.end, ')')
    } else s.overwrite(node.start, parent.end, `$super(${key})`)
    const rest = source.slice(parent.end)
    const call = /^\s*\(/.exec(rest)
    if (call !== null) {
      const at = parent.end + call[0].length
      const empty = /^\s*\)/.test(source.slice(at))
      s.overwrite(parent.end, at, `.call(this${empty ? '' : ', '}`)
    } else if (/^\s*([-+*/%&|^]|\*\*|<<|>>>?|&&|\|\||\?\?)?=[^=>]|^\s*(\+\+|--)/.test(rest)) this.refuse(node, 'a property of `super` cannot be assigned in an activity function')
    this.supers.add(home)
  }
}

/** What the function is called: its own name, or that of what it is assigned to. Empty if there is none that is an identifier. */
function nameOf(node: Node, parent: Node): string {
  const named: Node | undefined = node.id ?? node.key ?? (parent.type === 'VariableDeclarator' ? parent.id : /^Assignment/.test(parent.type) ? parent.left : /Property$/.test(parent.type) ? parent.key : undefined)
  const last = named?.type === 'MemberExpression' ? named.property : named
  const name = last?.type === 'PrivateName' ? last.id.name : last?.type === 'StringLiteral' ? last.value : last?.type === 'Identifier' && !(node.computed && last === node.key) ? last.name : ''
  return /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u.test(name) ? name : ''
}

/** Does `body` declare with `var` a name that is a parameter? Then it is the parameter, and must stay in one function with it. */
function redeclares(body: Node, names: Set<string>): boolean {
  if (names.size === 0) return false
  return some(
    { type: 'Block', body: [body] } as unknown as Node,
    (n) => n.type === 'VariableDeclaration' && n.kind === 'var' && n.declarations.some((d: Node) => boundNames(d.id).some((name) => names.has(name))),
    () => false,
  )
}

/** Could the value be a promise or a call? */
function mayBePromise(node: Node): boolean {
  switch (node.type) {
    case 'ConditionalExpression':
      return mayBePromise(node.consequent) || mayBePromise(node.alternate)
    case 'LogicalExpression':
      return mayBePromise(node.left) || mayBePromise(node.right)
    case 'SequenceExpression':
      return mayBePromise(node.expressions[node.expressions.length - 1])
    default:
      return !/Literal$|^BinaryExpression$|^UnaryExpression$|^UpdateExpression$|^ObjectExpression$|^ArrayExpression$|Function|^Class|^AwaitExpression$|^This/.test(node.type)
  }
}

function boundNames(pattern: Node): string[] {
  if (pattern.type === 'Identifier') return [pattern.name]
  return children(pattern).flatMap(boundNames)
}
