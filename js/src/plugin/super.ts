/**
 * A generator function that stands inside a method has no `super` of its own, so the rewriter hands it the method's.
 */
import type { ModuleText } from './moduleText.ts'
import type { Node } from './syntax.ts'

/** The helper that a method gets whose `super` is needed inside a generator function. */
export const SUPER = ' const $super = (key) => super[key];'

const ASSIGNMENT = /^\s*([-+*/%&|^]|\*\*|<<|>>>?|&&|\|\||\?\?)?=[^=>]|^\s*(\+\+|--)/

/** `super` does not reach into the generator function: a helper in the method fetches from it. */
export function rewriteSuper(module: ModuleText, node: Node, parent: Node, home: Node | null): void {
  if (home === null || parent.type !== 'MemberExpression') {
    const remedy = 'call the inherited method from a method of your own'
    module.refuse(node, `\`super\` cannot be used here in an activity function: ${remedy}`)
  }
  if (parent.computed) {
    module.edits.replace(node.start, parent.property.start, '$super(')
    module.edits.replace(parent.property.end, parent.end, ')')
  } else module.edits.replace(node.start, parent.end, `$super(${JSON.stringify(parent.property.name)})`)
  const rest = module.source.slice(parent.end)
  const call = /^\s*\(/.exec(rest)
  if (call !== null) {
    const at = parent.end + call[0].length
    const empty = /^\s*\)/.test(module.source.slice(at))
    module.edits.replace(parent.end, at, `.call(this${empty ? '' : ', '}`)
  } else if (ASSIGNMENT.test(rest)) {
    module.refuse(node, 'a property of `super` cannot be assigned in an activity function')
  }
  module.supers.add(home)
}
