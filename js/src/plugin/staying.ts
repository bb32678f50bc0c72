/**
 * Which functions stay `async`, because somebody asks for that who sees their text. All of such a function stays in it,
 * its parameters too, and no call of it is fused.
 *
 * - A framework finds the function by its directive: "use server" and "use cache" of React and Next.js, "use workflow"
 *   and "use step", and whatever comes next. It takes the function out of its module; what that uses of the code around
 *   it becomes arguments that are sent over the network, or the key of a cache, which nobody may pass by. At the top of
 *   a file such a directive means all functions there; "use client" alone asks for nothing.
 * - Vitest and Playwright read which fixtures a test, a hook or a fixture wants: `test('…', async ({ page }) => …)`.
 */
import { children, hasDirectiveOf, isBlock, isFunction, type Node } from './syntax.ts'

export const DIRECTIVE = 'use activity'

/** The `async` functions of the module that have to stay so. */
export function staying(tree: Node): Set<Node> {
  const found = new Set<Node>()
  const look = (node: Node, all: boolean): void => {
    if (isFunction(node) && node.async && (all || isFrameworks(node))) found.add(node)
    if (node.type === 'CallExpression' && isOfTests(node.callee))
      for (const f of node.arguments.flatMap(functionsOf)) if (f.async && f.params.some(isPattern)) found.add(f)
    for (const child of children(node)) look(child, all && !isFunction(node))
  }
  look(tree, hasDirectiveOf(tree, isDirective))
  return found
}

const isDirective = (text: string): boolean =>
  /^use /.test(text) && !['use strict', 'use asm', 'use client', DIRECTIVE].includes(text)
const isFrameworks = ({ body }: Node): boolean => isBlock(body) && hasDirectiveOf(body, isDirective)

const TESTS = /^(test|it|setup|teardown|extend|override|(before|after|around)(Each|All))$/

/** `test`, `test.only`, `test.for([…])`, `base.extend` … */
function isOfTests(callee: Node): boolean {
  if (callee.type === 'Identifier') return TESTS.test(callee.name)
  if (callee.type === 'CallExpression') return isOfTests(callee.callee)
  return callee.type === 'MemberExpression' && (isOfTests(callee.property) || isOfTests(callee.object))
}

/** The functions in an argument: itself, or those of an object or an array. */
function functionsOf(argument: Node | null): Node[] {
  if (argument === null) return []
  if (isFunction(argument)) return [argument]
  if (/^(Object|Array)Expression$/.test(argument.type))
    return [...(argument.properties ?? argument.elements)].flatMap(functionsOf)
  return argument.type === 'ObjectProperty' ? functionsOf(argument.value) : []
}

const isPattern = (param: Node): boolean => param.type === 'ObjectPattern'
