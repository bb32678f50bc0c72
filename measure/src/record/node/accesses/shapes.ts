/** Questions about the shape of a piece of code, on which it depends how its accesses can be told. */
import { LANGUAGE } from '../../../source/methods.ts'
import { contains, isFunction, type Node } from '../../../source/tree.ts'

/** `f().a`, `f().a.b`, but not `(f()).a`, which is rare and only its places in stacks suffer. */
export function endsInCall(node: Node): boolean {
  let n = node
  while (n.type === 'MemberExpression' || n.type === 'TaggedTemplateExpression') n = n.object ?? n.tag
  return n.type === 'CallExpression' || n.type === 'ImportExpression'
}

/** True if a chain may end early at this node or below it. */
export const isOptional = (n: Node): boolean =>
  (n.type === 'MemberExpression' || n.type === 'CallExpression') && (n.optional || isOptional(n.object ?? n.callee))

/** A variable or property: what it holds may be others', too. */
export const isHeld = (n: Node): boolean =>
  (n.type === 'Identifier' && !LANGUAGE.has(n.name)) || n.type === 'MemberExpression' || n.type === 'ThisExpression'

/** A function that hands functions on: what they do later belongs to its activation. */
export const passesFunctions = (node: Node): boolean =>
  contains(
    node.body.type === 'BlockStatement' ? node.body : { body: node.body },
    (n) => n.type === 'CallExpression' && n.arguments.some(isFunction),
  )
