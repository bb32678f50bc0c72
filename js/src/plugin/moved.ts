/**
 * Functions that a framework takes out of the place where they stand: Qwik makes a file of its own of each function
 * that it finds by a name with a `$` at the end, and hands over what that uses of the code around it. So such a
 * function keeps nothing in a variable outside of it (see once.ts).
 *
 *     const save = $(async () => { … })
 *     <button onClick$={async () => { … }}>
 */
import { children, isFunction, type Node } from './syntax.ts'

/** The functions of the module that are moved. */
export function moved(tree: Node): Set<Node> {
  const found = new Set<Node>()
  const look = (node: Node): void => {
    if (node.type === 'CallExpression' && isMarker(node.callee)) node.arguments.filter(isFunction).forEach(add)
    if (node.type === 'JSXAttribute' && isMarker(node.name)) add(node.value?.expression)
    for (const child of children(node)) look(child)
  }
  const add = (node: Node | undefined): void => {
    if (node !== undefined && isFunction(node)) found.add(node)
  }
  look(tree)
  return found
}

/** `$`, `component$`, `onClick$`, `document:onScroll$`. */
function isMarker({ type, name }: Node): boolean {
  return type === 'JSXNamespacedName' ? isMarker(name) : /\$$/.test(typeof name === 'string' ? name : '')
}
