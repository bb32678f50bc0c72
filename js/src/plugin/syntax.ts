/** These functions answer questions about a syntax tree of Babel. None of them changes anything. */

export interface Node {
  type: string
  start: number
  end: number
  loc: { start: { line: number; column: number } }
  [key: string]: any
}

const FUNCTIONS = new Set([
  'FunctionDeclaration',
  'FunctionExpression',
  'ArrowFunctionExpression',
  'ObjectMethod',
  'ClassMethod',
  'ClassPrivateMethod',
])

export const isFunction = (node: Node): boolean => FUNCTIONS.has(node.type)
export const isArrow = (node: Node): boolean => node.type === 'ArrowFunctionExpression'
export const isBlock = (node: Node): boolean => node.type === 'BlockStatement'
export const isAtomicLabel = (node: Node): boolean => node.type === 'LabeledStatement' && node.label.name === 'atomic'
export const isForAwait = (node: Node): boolean => node.type === 'ForOfStatement' && node.await
/** `using`, or `await using`. */
export const isUsing = (node: Node): boolean => node.type === 'VariableDeclaration' && /using$/.test(node.kind)
export const isAwaitUsing = (node: Node): boolean => isUsing(node) && node.kind !== 'using'
/** `eval(…)` sees all that is around it, and in sloppy code it may declare something there. */
export const isEval = (node: Node): boolean => node.type === 'CallExpression' && isIdentifier(node.callee, 'eval')
export const isTypeScript = (file: string): boolean => /\.[cm]?tsx?$/.test(file)
export const isIdentifier = (node: Node, name: string): boolean => node.type === 'Identifier' && node.name === name

export function hasDirective(body: Node, directive: string): boolean {
  return hasDirectiveOf(body, (text) => text === directive)
}

export function hasDirectiveOf(body: Node, test: (text: string) => boolean): boolean {
  return (body.directives ?? []).some((d: Node) => test(d.value.value))
}

const NO_CHILDREN = new Set(['loc', 'extra', 'errors', 'tokens'])

export function children(node: Node): Node[] {
  const found: Node[] = []
  for (const key of Object.keys(node)) {
    if (NO_CHILDREN.has(key) || key.endsWith('Comments')) continue
    const value = node[key]
    for (const item of Array.isArray(value) ? value : [value]) {
      if (typeof item?.type === 'string') found.push(item)
    }
  }
  return found
}

const none = (): boolean => false

/** A node in which there is only `node`. */
export const inside = (node: Node): Node => ({ type: 'Block', body: [node] }) as unknown as Node

/**
 * Is there a node below `node` for which `test` holds? Functions and classes inside it are looked into if `through`
 * says so; by default none is.
 */
export function some(node: Node, test: (n: Node) => boolean, through: (inner: Node) => boolean = none): boolean {
  const inner = (child: Node): boolean => (isFunction(child) || child.type === 'ClassBody') && !through(child)
  const parts = (child: Node): Node[] => (inner(child) ? outerParts(child) : children(child))
  const below = (child: Node): boolean => test(child) || parts(child).some(below)
  return children(node).some(below)
}

/** The first node below `node` for which `test` holds, in the same function. */
export function firstOf(node: Node, test: (n: Node) => boolean): Node | undefined {
  let found: Node | undefined
  some(node, (n) => test(n) && ((found = n), true))
  return found
}

/** What of a function, a class member or the body of a class belongs to the code around it: keys and decorators. */
export function outerParts(node: Node): Node[] {
  if (node.type === 'ClassBody') return node.body.flatMap(outerParts)
  return [...(node.computed ? [node.key] : []), ...(node.decorators ?? [])]
}

/** Is it a member of a class that has code of its own? */
export const isMember = (node: Node): boolean =>
  /^Class(Private|Accessor)?(Method|Property)$|^StaticBlock$/.test(node.type)

/** Where `word` is next in the text, outside comments. */
export function find(source: string, word: string, from: number): number {
  for (let at = from; at < source.length; at++) {
    if (source.startsWith('/*', at)) at = source.indexOf('*/', at) + 1
    else if (source.startsWith('//', at)) at = source.indexOf('\n', at)
    else if (source.startsWith(word, at)) return at
    if (at < from) break // a comment without an end
  }
  return -1
}

const contains = (outer: Node, node: Node): boolean => outer.start < node.start && outer.end > node.end

/** Does `node` stand in an atomic block of the function `within`? */
export function isInAtomicBlock(node: Node, within: Node): boolean {
  return some(within, (n) => isAtomicLabel(n) && n.start < node.start && n.end >= node.end)
}

/**
 * Does the statement `node` stand in the body or a handler of a `try` of the function `within`, not in its `finally`,
 * or in a block with `using`, at the end of which something is disposed of?
 */
export function isInTry(node: Node, within: Node): boolean {
  const ends = (n: Node): boolean => n.type === 'TryStatement' || (isBlock(n) && n.body.some(isUsing))
  const holds = (n: Node): boolean => contains(n, node) && !(n.finalizer && n.finalizer.start < node.start)
  return some(within, (n) => ends(n) && holds(n), isArrow)
}

/**
 * Does the function return what may be a promise, from inside a `try`? Then `try` must not see how the promise ends.
 */
export function returnsFromTry(node: Node): boolean {
  return some(node, (n) => n.type === 'ReturnStatement' && mayReturnPromise(n) && isInTry(n, node))
}

/** Could what the statement returns be a promise or a call? */
export const mayReturnPromise = (node: Node): boolean => Boolean(node.argument) && mayBePromise(node.argument)

// `this` is not among them: a class may have a `then`.
const NEVER_PROMISES = /Literal$|^(Binary|Unary|Update|Array|Await)Expression$|Function|^Class/

/** Could the value be a promise or a call? */
export function mayBePromise(node: Node): boolean {
  switch (node.type) {
    case 'ConditionalExpression':
      return mayBePromise(node.consequent) || mayBePromise(node.alternate)
    case 'LogicalExpression':
      return mayBePromise(node.left) || mayBePromise(node.right)
    case 'ObjectExpression':
      return node.properties.some((p: Node) => p.type === 'SpreadElement' || p.computed || isIdentifier(p.key, 'then'))
    case 'SequenceExpression':
      return mayBePromise(node.expressions[node.expressions.length - 1])
    default:
      return !NEVER_PROMISES.test(node.type)
  }
}

/**
 * Does `body` declare a parameter again, with `var`? Then that is the parameter, and must stay in one function with it.
 */
export function redeclares(body: Node, parameters: Node[]): boolean {
  const names = new Set(parameters.map((p) => p.name))
  const bindsOne = (d: Node): boolean => boundNames(d.id).some((name) => names.has(name))
  const isVar = (n: Node): boolean => n.type === 'VariableDeclaration' && n.kind === 'var'
  return some(inside(body), (n) => isVar(n) && n.declarations.some(bindsOne))
}

/** Every name that something in the module declares, as often as it does. */
export function declared(node: Node): string[] {
  const own: Node[] = isFunction(node) ? [...node.params] : []
  if (/^VariableDeclarator$|^Class|^Function/.test(node.type)) own.push(node.id)
  if (/^Import\w*Specifier$/.test(node.type)) own.push(node.local)
  if (node.type === 'CatchClause') own.push(node.param)
  return [...own.filter(Boolean).flatMap(boundNames), ...children(node).flatMap(declared)]
}

/** Every name that something in the module assigns to. */
export function assigned(node: Node): string[] {
  return [...assignedBy(node), ...children(node).flatMap(assigned)]
}

/** Those that `node` itself assigns to, not what stands in it. */
export function assignedBy(node: Node): string[] {
  const assigns = /^(Assignment|Update)Expression$|^For(In|Of)Statement$/.test(node.type)
  return assigns ? boundNames(node.left ?? node.argument) : []
}

/** The variables that a pattern declares, or assigns to: not the keys and defaults in it. */
export function boundNames(pattern: Node): string[] {
  switch (pattern.type) {
    case 'Identifier':
      return [pattern.name]
    case 'ObjectPattern':
      return pattern.properties.flatMap((p: Node) => boundNames(p.value ?? p))
    case 'ArrayPattern':
      return pattern.elements.filter(Boolean).flatMap(boundNames)
    case 'VariableDeclaration':
      return pattern.declarations.flatMap((d: Node) => boundNames(d.id))
    default: {
      // A default, the rest, a parameter that is a property, or a target with a type; else a member of something.
      const inner = pattern.left ?? pattern.argument ?? pattern.parameter ?? pattern.expression
      return inner ? boundNames(inner) : []
    }
  }
}

/**
 * What a function is called: its own name, or that of what it is assigned to. Empty if there is none that is an
 * identifier.
 */
export function nameOf(node: Node, parent: Node): string {
  const named: Node | undefined = node.id ?? node.key ?? targetOf(parent)
  const last = named?.type === 'MemberExpression' ? named.property : named
  const computed = node.computed && last === node.key
  const name = last === undefined ? '' : textOf(last, computed)
  return /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u.test(name) ? name : ''
}

/** What the value inside `parent` is assigned to. */
function targetOf(parent: Node): Node | undefined {
  if (parent.type === 'VariableDeclarator') return parent.id
  if (/^Assignment/.test(parent.type)) return parent.left
  return /Property$/.test(parent.type) ? parent.key : undefined
}

function textOf(name: Node, computed: boolean): string {
  if (name.type === 'PrivateName') return name.id.name
  if (name.type === 'StringLiteral') return name.value
  return name.type === 'Identifier' && !computed ? name.name : ''
}

/**
 * Where the code in a function's braces begins, after its directives: 'use strict' decides about the function's own
 * `this`.
 */
export function startOfCode(body: Node): number {
  return body.directives.length > 0 ? body.directives[body.directives.length - 1].end : body.start + 1
}

/** Where the body of an arrow function begins. */
export function endOfArrow(source: string, node: Node): number {
  const last = node.params[node.params.length - 1] ?? node.typeParameters
  return find(source, '=>', (node.returnType ?? last)?.end ?? node.start) + 2
}
