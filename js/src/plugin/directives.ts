/**
 * Directives. "use activity" is ours; others speak to a framework, which finds the function by its directive and wants
 * it to be `async`: "use server" and "use cache" of React and Next.js, "use workflow" and "use step", and whatever comes
 * next. Such a function stays `async`, and all of it stays in it: the framework takes it out of its module, and what it
 * uses of the code around it becomes arguments that are sent over the network, or the key of a cache. Nobody may pass
 * it by either, so no call of it is fused.
 *
 * At the top of a file such a directive means all functions there. "use client" alone asks for nothing.
 */
import { children, hasDirectiveOf, isBlock, isFunction, type Node } from './syntax.ts'

export const DIRECTIVE = 'use activity'

const isOfFramework = (text: string): boolean =>
  /^use /.test(text) && !['use strict', 'use asm', 'use client', DIRECTIVE].includes(text)

/** The `async` functions of the module that have to stay so. */
export function staying(tree: Node): Set<Node> {
  const found = new Set<Node>()
  const look = (node: Node, all: boolean): void => {
    const isAsked = isFunction(node) && (all || (isBlock(node.body) && hasDirectiveOf(node.body, isOfFramework)))
    if (isAsked && node.async) found.add(node)
    for (const child of children(node)) look(child, all && !isFunction(node))
  }
  look(tree, hasDirectiveOf(tree, isOfFramework))
  return found
}
