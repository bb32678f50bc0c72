/**
 * A generator function has no `super`, `new.target` and `arguments` of the function around it. The transformed function
 * that stands where these are known fetches them:
 *
 *     m() { const charcoalSuper$ = charcoal$.superOf((key) => super[key], (key, value) => super[key] = value); … }
 */
import type { ModuleText } from './moduleText.ts'
import * as syntax from './syntax.ts'
import { isArrow, type Node } from './syntax.ts'

const TEXTS: Record<string, string> = {
  super: ' const charcoalSuper$ = charcoal$.superOf((key) => super[key], (key, value) => super[key] = value);',
  target: ' const charcoalTarget$ = new.target;',
  arguments: ' const charcoalArguments$ = arguments;',
}

/** The statements that `node` begins with. */
export function fetches(module: ModuleText, node: Node): string {
  return [...(module.fetched.get(node) ?? [])].map((what) => TEXTS[what]).join('')
}

function fetch(module: ModuleText, from: Node, what: keyof typeof TEXTS): void {
  const all = module.fetched.get(from) ?? new Set()
  module.fetched.set(from, all.add(what))
}

/** `super` inside a generator function; `from` has it. */
export function rewriteSuper(module: ModuleText, node: Node, parent: Node, from: Node): void {
  if (parent.type === 'CallExpression')
    module.refuse(node, '`super(…)` cannot be called in an activity function: call it in the constructor itself')
  module.edits.replace(node.start, node.end, 'charcoalSuper$')
  fetch(module, from, 'super')
}

/** A call of a method of `super` has the caller's `this`. */
export function rewriteSuperCall(module: ModuleText, node: Node): void {
  if (node.type === 'TaggedTemplateExpression') return module.edits.after(node.tag.end, '.bind(this)')
  const at = syntax.find(module.source, '(', (node.typeParameters ?? node.typeArguments ?? node.callee).end)
  const dots = node.optional ? '' : '.'
  module.edits.replace(at, at + 1, `${dots}call(this${node.arguments.length > 0 ? ', ' : ''}`)
}

/** `new.target` inside a generator function; a function that is `async` itself is never called with `new`. */
export function rewriteTarget(module: ModuleText, node: Node, from: Node): void {
  module.edits.replace(node.start, node.end, isArrow(from) ? 'charcoalTarget$' : '(void 0)')
  if (isArrow(from)) fetch(module, from, 'target')
}

/** `arguments` in an `async` arrow function are those of the function around it. */
export function rewriteArguments(module: ModuleText, node: Node, parent: Node, from: Node): void {
  const isKey = /Property$|Method$/.test(parent.type) && parent.key === node && !parent.computed
  const isMember = /MemberExpression$/.test(parent.type) && parent.property === node && !parent.computed
  if (isMember || (isKey && !parent.shorthand)) return
  if (parent.shorthand && parent.value !== node) return // the same text twice in the tree
  module.edits.replace(node.start, node.end, parent.shorthand ? 'arguments: charcoalArguments$' : 'charcoalArguments$')
  fetch(module, from, 'arguments')
}

/** Is it a call, with or without a template, of a method of `super`? */
export function isSuperCall(node: Node): boolean {
  const callee = node.callee ?? node.tag
  return callee?.type === 'MemberExpression' && callee.object.type === 'Super'
}
