/**
 * The rule `no-unwaited-operation`. An operation of the library is a value that says what is to be done; it does it
 * when it is waited for. As a statement of its own it does nothing, which is easily overlooked.
 *
 * @example
 * spawn(function* () {
 *   sleep(100)           // reported: write yield* sleep(100)
 *   yield* sleep(100)
 * })
 */
import type { Node } from './interrupted.ts'

const OPERATIONS = new Set([
  'aborted',
  'async',
  'atomic',
  'deadline',
  'each',
  'finish',
  'noncancellable',
  'once',
  'pause',
  'rendezvous',
  'select',
  'sleep',
  'twait',
  'wait',
  'waituntil',
  'all',
  'race',
  'any',
  'allSettled',
  'map',
  'retry',
  'timeout',
  'use',
])

/** The function at the root of a chain of calls: `waituntil` in `waituntil(a).or(b)`. */
function rootOf(call: Node): Node {
  let at: Node = call
  while (at.type === 'CallExpression' || at.type === 'MemberExpression' || at.type === 'ChainExpression')
    at = at.callee ?? at.object ?? at.expression
  return at
}

export const unwaited = {
  meta: {
    type: 'problem' as const,
    docs: { description: 'an operation that is neither waited for nor spawned' },
    schema: [],
    messages: {
      generator: '{{name}}(…) is not waited for: write yield* {{name}}(…), or spawn it.',
      async: '{{name}}(…) is not waited for: write await {{name}}(…), or spawn it.',
      plain: '{{name}}(…) is not waited for, and cannot be here: spawn it.',
    },
  },
  create(context: any) {
    const imported = new Map<string, string>() // local name -> exported name
    const functions: Node[] = []
    const enter = (node: Node): void => void functions.push(node)
    const leave = (): void => void functions.pop()
    return {
      ImportDeclaration(node: Node) {
        if (!/^charcoal-js(\/|$)/.test(node.source.value)) return
        for (const { type, local, imported: name } of node.specifiers)
          if (type === 'ImportSpecifier' && OPERATIONS.has(name.name)) imported.set(local.name, name.name)
      },
      ':function': enter,
      ':function:exit': leave,
      ExpressionStatement(node: Node) {
        if (node.expression.type !== 'CallExpression') return
        const root = rootOf(node.expression)
        if (root.type !== 'Identifier' || !imported.has(root.name)) return
        const within = functions.at(-1)
        const messageId = within?.generator ? 'generator' : within?.async ? 'async' : 'plain'
        context.report({ node, messageId, data: { name: root.name } })
      },
    }
  },
}
