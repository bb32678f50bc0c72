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

/** What makes objects that have operations, and these. */
const METHODS: Readonly<Record<string, readonly string[]>> = {
  channel: ['send', 'recv', 'each'],
  mutex: ['acquire', 'with'],
  semaphore: ['acquire', 'with'],
  rwlock: ['read', 'write'],
  condition: ['wait', 'waitWith'],
  future: ['get'],
  tabLock: ['acquire', 'share', 'with'],
  broadcast: ['recv', 'each'],
}

/** Who is asked for the outcome in this way has been waited for: `finish(…).catch(log)`. */
const ASKS = new Set(['then', 'catch', 'finally'])

/**
 * What stands at the root of a chain of calls, and the method of it that is called first: `waituntil` in
 * `waituntil(a).or(b)`, `ch` and `recv` in `ch.recv().do(f)`.
 */
function rootOf(call: Node): { root: Node; method: string | undefined } {
  let root: Node = call
  let method: string | undefined
  while (root.type === 'CallExpression' || root.type === 'MemberExpression' || root.type === 'ChainExpression') {
    if (root.type === 'MemberExpression') method = root.property.name
    root = root.callee ?? root.object ?? root.expression
  }
  return { root, method }
}

/** The call whose result the variable `name` has, as `node` sees it, if it is assigned nowhere else. */
function madeBy(context: any, node: Node, name: string): Node | undefined {
  for (let scope = context.sourceCode.getScope(node); scope !== null; scope = scope.upper) {
    const variable = scope.set.get(name)
    if (variable === undefined) continue
    const [definition] = variable.defs
    const init = definition?.type === 'Variable' && definition.parent.kind === 'const' ? definition.node.init : null
    return init?.type === 'CallExpression' && definition.node.id.type === 'Identifier' ? init : undefined
  }
  return undefined
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
          if (type === 'ImportSpecifier') imported.set(local.name, name.name)
      },
      ':function': enter,
      ':function:exit': leave,
      ExpressionStatement(node: Node) {
        const { expression } = node
        if (expression.type !== 'CallExpression' || ASKS.has(expression.callee.property?.name)) return
        const { root, method } = rootOf(expression)
        if (root.type !== 'Identifier') return
        let { name } = root
        if (!OPERATIONS.has(imported.get(name)!)) {
          const maker = imported.get(madeBy(context, node, name)?.callee.name)
          if (method === undefined || maker === undefined || !METHODS[maker]?.includes(method)) return
          name = `${name}.${method}`
        }
        const within = functions.at(-1)
        const messageId = within?.generator ? 'generator' : within?.async ? 'async' : 'plain'
        context.report({ node, messageId, data: { name } })
      },
    }
  },
}
