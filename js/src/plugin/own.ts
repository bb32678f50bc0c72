/**
 * Calls that belong to their caller: those that are awaited or returned in place, and those that are arguments of the
 * library's functions (`timeout(9, f())`). The code says so right before it calls, when all else has been evaluated:
 *
 *     await f(x)         f(charcoal$.own(x))
 *     await a().b()      charcoal$.own(a()).b()
 *     await f()          (charcoal$.own(), f())
 *
 * Other calls begin at once (see runtime/called.ts). If what is called throws, or is the argument of one of the
 * library's functions, it may not have taken notice; so the code takes that back where it catches, and behind such an
 * argument. A function that is not `async` hands on what it was told: what it returns in place belongs to the caller of
 * its caller, and what else it calls does not.
 *
 *     const load = (x) => f(key(x))
 *
 * becomes
 *
 *     const load = (x) => { const charcoalOwn$ = charcoal$.told(); return (f(charcoal$.tell(charcoalOwn$, key(x)))) }
 */
import type { ModuleText } from './moduleText.ts'
import { endOfArrow, inside, isBlock, isIdentifier, isInTry, some, startOfCode, type Node } from './syntax.ts'

const IS_CALL = /^(Optional)?CallExpression$/
const IS_TYPE = /^(TS(As|NonNull|Satisfies|TypeAssertion)|TypeCast)/

/** What was said to a call that has thrown is not to be taken for another one's. */
export function takeBack(module: ModuleText, { handler, finalizer }: Node): void {
  for (const block of [handler?.body, finalizer]) if (block) module.atStartOf(block, ' charcoal$.told();')
}

/** Marks the calls that `node` has as its value. */
export function own(module: ModuleText, node: Node): void {
  for (const call of callsThatEnd(node)) markCall(module, call)
}

/** The calls of which one may give the value of `node`. */
export function callsThatEnd(node: Node): Node[] {
  if (IS_CALL.test(node.type)) return canBeOwn(node) ? [node] : []
  if (IS_TYPE.test(node.type)) return callsThatEnd(node.expression)
  if (node.type === 'ConditionalExpression') return [...callsThatEnd(node.consequent), ...callsThatEnd(node.alternate)]
  if (node.type === 'LogicalExpression') return [...callsThatEnd(node.left), ...callsThatEnd(node.right)]
  return node.type === 'SequenceExpression' ? callsThatEnd(node.expressions[node.expressions.length - 1]) : []
}

/** Methods of the language that call what they are given: the mark would be taken by the first of these calls. */
const CALLS_BACK = /^(reduce(Right)?|forEach|map|flatMap)$/

function canBeOwn({ callee }: Node): boolean {
  if (/MemberExpression$/.test(callee.type) && CALLS_BACK.test(callee.property.name)) return false
  return callee.type !== 'Import' && callee.type !== 'Super' && !isIdentifier(callee, 'eval')
}

function markCall(module: ModuleText, call: Node, how = 'charcoal$.own('): void {
  const { callee } = call
  const last: Node | undefined = call.arguments[call.arguments.length - 1]
  if (last !== undefined) return wrap(module, last.type === 'SpreadElement' ? last.argument : last, how)
  const isMember = callee.type === 'MemberExpression' || callee.optional === true
  const isChain = /^Optional/.test(callee.object?.type ?? '') // what is in parentheses could not end it
  if (isMember && !isChain && some(callee, (n) => IS_CALL.test(n.type))) return wrap(module, callee.object, how)
  module.edits.before(call.start, `(${how.replace(/, $/, '')}), `)
  module.edits.after(call.end, ')')
}

function wrap(module: ModuleText, node: Node, how: string): void {
  const isInParentheses = node.extra?.parenthesized === true
  module.edits.before(node.start, isInParentheses ? `${how}(` : how)
  module.edits.after(node.end, isInParentheses ? '))' : ')')
}

/**
 * What the defaults of parameters call is not the call that the code has spoken of. So the mark is kept until the
 * default is there: `x = charcoal$.tell(charcoal$.told(), g())`.
 */
export function sparedDefaults(module: ModuleText, node: Node): void {
  const look = (n: Node): boolean => {
    if (n.type === 'AssignmentPattern' && some(inside(n.right), calls))
      wrap(module, n.right, 'charcoal$.tell(charcoal$.told(), ')
    return false
  }
  for (const param of node.params as Node[]) some(inside(param), look)
}

const calls = (n: Node): boolean =>
  IS_CALL.test(n.type) || n.type === 'NewExpression' || n.type === 'TaggedTemplateExpression'

/** A function that is not `async` and calls something besides what it returns. */
export function handOn(module: ModuleText, node: Node): void {
  const { body } = node
  const returned: Node[] = isBlock(body) ? [] : [body]
  some(
    node,
    (n) => n.type === 'ReturnStatement' && Boolean(n.argument) && !isInTry(n, node) && !returned.push(n.argument),
  )
  const last = returned.flatMap(callsThatEnd)
  if (!some(node, (n) => calls(n) && !last.includes(n))) return
  for (const call of last) markCall(module, call, 'charcoal$.tell(charcoalOwn$, ')
  const told = last.length > 0 ? ' const charcoalOwn$ = charcoal$.told();' : ' charcoal$.told();'
  if (isBlock(body)) {
    const at = startOfCode(body)
    return module.edits.before(at, `${module.endOfDirective(at)}${told}`)
  }
  module.edits.before(endOfArrow(module.source, node), ` {${told} return (`)
  module.edits.after(node.end, ') }')
}

/** What a call of the library gets: `all([f(), g()])`, `timeout(9, f())`, `all({ a: f() })`. */
export function ownArguments(module: ModuleText, call: Node): void {
  const { callee } = call
  const name: Node = callee.type === 'MemberExpression' ? callee.object : callee
  if (name.type !== 'Identifier' || !module.ours.has(name.name)) return
  const parts = (node: Node): Node[] => {
    if (node?.type === 'ArrayExpression') return node.elements.filter(Boolean)
    return node?.type === 'ObjectExpression' ? node.properties.map((p: Node) => p.value).filter(Boolean) : [node]
  }
  for (const given of call.arguments.flatMap(parts).flatMap(callsThatEnd)) {
    markCall(module, given)
    module.edits.before(given.start, 'charcoal$.given(')
    module.edits.after(given.end, ')')
  }
}

export const OURS = /^charcoal-js(\/(?!plugin|eslint)|$)/
/** Neither the library nor Node. */
export const ELSEWHERE = /^(?!charcoal-js(\/|$)|node:)/

/** The names that a module has imported from others, whose names `from` fits. */
export function importedFrom(tree: Node, from: RegExp): Set<string> {
  const names: string[] = []
  const note = (pattern: Node): void => {
    if (pattern.type === 'Identifier') names.push(pattern.name)
    else if (pattern.type === 'ObjectPattern') for (const p of pattern.properties) note(p.value ?? p.argument)
  }
  for (const statement of tree.body as Node[]) {
    if (statement.type === 'ImportDeclaration' && from.test(statement.source.value))
      for (const specifier of statement.specifiers) note(specifier.local)
    if (statement.type === 'VariableDeclaration')
      for (const { id, init } of statement.declarations)
        if (init?.callee?.name === 'require' && from.test(init.arguments[0]?.value ?? 'node:')) note(id)
  }
  return new Set(names)
}
