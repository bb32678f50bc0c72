/**
 * Functions whose generator function can stand beside them, so that it is made once and not at each call:
 *
 *     function f(arg1$) { return charcoal$.goPlain(f$activity(arg1$), f$activity) } function* f$activity(x) { … }
 *
 * That also allows continuation fusion (Charcoal, section 3.6): inside an atomic block, where no call is a point of
 * interruption, `await f(x)` is `yield* f$activity(x)`. The callee runs in its caller without a call of its own, its
 * steps pass through no queue.
 */
import * as syntax from './syntax.ts'
import { isArrow, some, type Node } from './syntax.ts'

/** What asks for the function's own call: it must be the one that is called. */
function asksForItsCall(node: Node): boolean {
  const asks = (n: Node): boolean =>
    n.type === 'ThisExpression' || n.type === 'MetaProperty' || syntax.isIdentifier(n, 'arguments')
  return some(node, asks, isArrow)
}

/** The functions of the module that are hoisted: declarations at its top for which `marked` holds. */
export function hoisted(tree: Node, marked: (node: Node) => boolean): Set<Node> {
  const found = new Set<Node>()
  for (const statement of tree.body as Node[]) {
    const node: Node = /^Export(Named|Default)/.test(statement.type) ? (statement.declaration ?? statement) : statement
    if (node.type !== 'FunctionDeclaration' || !node.id || !node.async || node.generator) continue
    if (marked(node) && !asksForItsCall(node)) found.add(node)
  }
  return found
}

/** The names of those whose calls can be fused: the name means that function everywhere in the module. */
export function fusible(tree: Node, functions: Set<Node>): Set<string> {
  const declared = syntax.declared(tree)
  const assigned = new Set(syntax.assigned(tree))
  const names = [...functions].filter((f) => !syntax.returnsFromTry(f)).map((f) => f.id.name as string)
  return new Set(names.filter((n) => !assigned.has(n) && declared.indexOf(n) === declared.lastIndexOf(n)))
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
