/**
 * `await Promise.all([load(1), load(2)])` as a structured operation: when one call fails, or the activity is cancelled,
 * the others are cancelled, and nothing outlives the wait. So for `allSettled`, `race` and `any`.
 *
 * Only where nobody else can hold what is waited for: the items are calls written in place, or what a `map` makes. What
 * they are decides at run time (see `together` in runtime.ts): promises of other origin are left to `Promise`.
 */
import { isIdentifier, type Node } from './syntax.ts'

const STRUCTURED = new Set(['all', 'allSettled', 'race', 'any'])

/** The callee, `Promise.all`, if `node` is a call that can be structured. */
export function combinatorOf(node: Node): Node | null {
  if (node.type !== 'CallExpression' || node.arguments.length !== 1) return null
  const { callee } = node
  const isMember = callee.type === 'MemberExpression' && !callee.computed && isIdentifier(callee.object, 'Promise')
  return isMember && STRUCTURED.has(callee.property.name) && madeInPlace(node.arguments[0]) ? callee : null
}

function madeInPlace(items: Node): boolean {
  const isCall = (item: Node | null): boolean => item?.type === 'CallExpression'
  if (items.type === 'ArrayExpression') return items.elements.every(isCall)
  const { callee } = items
  return isCall(items) && callee.type === 'MemberExpression' && isIdentifier(callee.property, 'map')
}
