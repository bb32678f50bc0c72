/**
 * Functions whose generator function can stand beside them, so that it is made once and not at each call:
 *
 *     function f(arg1$) { return charcoal$.goPlain(f$activity(arg1$), f$activity, f) } function* f$activity(x) { … }
 *     const g = (arg1$) => charcoal$.goPlain(g$activity(arg1$), g$activity, g); function* g$activity(x) { … }
 *
 * That also allows continuation fusion (Charcoal, section 3.6): inside an atomic block, where no call is a point of
 * interruption, `await f(x)` is `yield* f$activity(x)`. The callee runs in its caller without a call of its own, its
 * steps pass through no queue.
 *
 * A function that has been called before has its generator function with it. So another module that has imported it
 * runs that, too, instead of asking what the call has given (see waits.ts).
 */
import * as syntax from './syntax.ts'
import { isArrow, some, type Node } from './syntax.ts'

/** What asks for the function's own call: it must be the one that is called. */
function asksForItsCall(node: Node): boolean {
  const asks = (n: Node): boolean =>
    n.type === 'ThisExpression' || n.type === 'MetaProperty' || syntax.isIdentifier(n, 'arguments') || syntax.isEval(n)
  return some(node, asks, isArrow)
}

/**
 * The functions of the module that are hoisted, and their names: declarations at its top, and what a `const` there is
 * alone, for which `marked` holds.
 */
export function hoisted(tree: Node, marked: (node: Node) => boolean): Map<Node, string> {
  const found = new Map<Node, string>()
  for (const statement of tree.body as Node[]) {
    const node: Node = /^Export(Named|Default)/.test(statement.type) ? (statement.declaration ?? statement) : statement
    const [f, id] = node.type === 'FunctionDeclaration' ? [node, node.id] : ofConst(node)
    if (!f || !id || !f.async || f.generator) continue
    if (marked(f) && !asksForItsCall(f)) found.set(f, id.name)
  }
  return found
}

/** The function that a `const` has for a value, and the name of that. */
function ofConst({ type, kind, declarations }: Node): [f?: Node, id?: Node] {
  if (type !== 'VariableDeclaration' || kind !== 'const' || declarations.length > 1) return []
  const { id, init } = declarations[0]
  // One with a name of its own can mean itself by that; `declare const` has no value.
  const isFit = id.type === 'Identifier' && init && syntax.isFunction(init) && !init.id && !init.extra?.parenthesized
  return isFit ? [init, id] : []
}

/** Those of whose names each means its function everywhere in the module: their calls can be fused. */
export function fusible(tree: Node, functions: Map<Node, string>): Map<string, Node> {
  // With these a name may mean something else than the text says.
  const isUnclear = (n: Node): boolean => n.type === 'WithStatement' || syntax.isEval(n)
  if (some(tree, isUnclear, () => true)) return new Map()
  const declared = syntax.declared(tree)
  const assigned = new Set(syntax.assigned(tree))
  const isFit = (f: Node, name: string): boolean =>
    !syntax.returnsFromTry(f) && !assigned.has(name) && declared.indexOf(name) === declared.lastIndexOf(name)
  return new Map([...functions].filter(([f, name]) => isFit(f, name)).map(([f, name]) => [name, f]))
}

const LOOP = /^(For|While|DoWhile)/

/**
 * Does `node` stand in an atomic block of `within`, and not in a loop of that block? In a loop the time that the block
 * takes may be without bounds, and only calls look at the clock.
 */
export function isFused(node: Node, within: Node): boolean {
  const isLoopInBlock = (n: Node): boolean =>
    LOOP.test(n.type) && n.start <= node.start && n.end >= node.end && syntax.isInAtomicBlock(n, within)
  return syntax.isInAtomicBlock(node, within) && !some(within, isLoopInBlock)
}

/** Parameters that give a function its `length`, where its own have moved. */
export function placeholders(params: Node[]): string[] {
  const optional = params.findIndex((p) => p.type === 'AssignmentPattern' || p.type === 'RestElement')
  return params.slice(0, optional < 0 ? params.length : optional).map((_, i) => `arg${i + 1}$`)
}
