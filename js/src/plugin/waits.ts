/** What stands in an activity function and waits: `await`, `for await`, `yield`, `return` of a promise, `atomic:`. */
import { combinatorOf } from './combinators.ts'
import { isFused } from './fuse.ts'
import type { ModuleText } from './moduleText.ts'
import { callsThatEnd, own } from './own.ts'
import * as syntax from './syntax.ts'
import { isAtomicLabel, isBlock, type Node } from './syntax.ts'

const WAIT = ' if (charcoal$.mustWait()) yield* charcoal$.pause();'
const LEAVE = '} finally { if (charcoal$.leave()) yield* charcoal$.leaving() } '

export function rewriteAwait(module: ModuleText, node: Node, parent: Node, within: Node): void {
  const isStatement = parent.type === 'ExpressionStatement'
  // At the start of a statement a parenthesis could become a call of the line above.
  const open = isStatement ? '' : module.statements.has(node.start) ? '0, (' : '('
  const end = node.start + /^await[ \t]*/.exec(module.source.slice(node.start))![0].length
  combinator(module, node.argument)
  const [before, after] = asked(module, node, within)
  module.edits.replace(node.start, end, open + before)
  module.edits.after(node.end, isStatement ? after : `${after})`)
}

const ASK = 'yield charcoal$.asked()'
const ELSE = `awaited$ === charcoal$.DELEGATE ? yield* charcoal$.asked() : awaited$`

/** What stands before and after what is awaited (see runtime/ask.ts). It begins with a name, not with a parenthesis. */
function asked(module: ModuleText, node: Node, within: Node): [before: string, after: string] {
  const { type, callee } = node.argument
  if (type !== 'CallExpression' || !module.fusible.has(callee.name)) {
    own(module, node.argument)
    module.awaiting.add(within)
    const answer = `(awaited$ = charcoal$.ask(awaited$)) === charcoal$.YIELD ? ${ASK} : ${ELSE}`
    return [`${imported(module, node.argument)}charcoal$.isPromise(awaited$ = `, `) ? yield awaited$ : ${answer}`]
  }
  // Before the `const` has its value, its name throws.
  const isConst = module.fusible.get(callee.name)!.type !== 'FunctionDeclaration'
  if (isConst) module.edits.before(callee.start, `(${callee.name}, `)
  module.edits.after(callee.end, isConst ? '$activity)' : '$activity')
  // In a block the function that is called here runs in its caller.
  if (isFused(node, within)) return ['yield* (', ')']
  module.awaiting.add(within)
  return ['charcoal$.YIELD === (awaited$ = charcoal$.run(', `, ${callee.name}$activity)) ? ${ASK} : awaited$`]
}

/**
 * An imported function may be one whose body the runtime knows by now. The arguments are written twice, so they are
 * short, and nothing in them is rewritten.
 */
function imported({ source, imported, ours }: ModuleText, call: Node): string {
  const { type, callee } = call
  if (type !== 'CallExpression' || !imported.has(callee.name)) return ''
  const text = source.slice(callee.end, call.end)
  const isPlain = (n: Node): boolean => PLAIN.test(n.type) && n.name !== 'arguments' && !ours.has(n.name)
  if (text.length > LONGEST || /[\n\r]/.test(text) || syntax.some(call, (n) => !isPlain(n))) return ''
  const isKnown = `null !== (awaited$ = charcoal$.bodyOf(${callee.name}))`
  return `${isKnown} ? charcoal$.YIELD === (awaited$ = charcoal$.run(awaited$${text}, awaited$)) ? ${ASK} : awaited$ : `
}

const LONGEST = 60
/** Nothing of these kinds is rewritten. */
const PLAIN = /^Identifier$|^(This|Unary|Binary|Logical|Member|Call)Expression$|^(String|Numeric|Null)Literal$/

/** What is waited for here may be a `Promise.all`. */
function combinator(module: ModuleText, node: Node): void {
  const callee = module.ownPromise ? null : combinatorOf(node)
  if (callee !== null) module.edits.replace(callee.object.start, callee.object.end, 'charcoal$')
}

export function rewriteYield(module: ModuleText, node: Node, within: Node): void {
  if (syntax.isInAtomicBlock(node, within)) {
    const remedy = 'collect what is to be yielded and yield it after the block'
    module.refuse(node, `\`yield\` inside an atomic block: the consumer would run inside the block; ${remedy}`)
  }
  const end = node.start + 'yield'.length
  // At the start of a statement a parenthesis could become a call of the line above.
  const open = module.statements.has(node.start) ? '0, (' : '('
  const text = `${open}yield* charcoal$.${node.delegate ? 'emitAll' : 'emit'}(`
  if (!node.argument) return module.edits.replace(node.start, end, `${text}))`)
  if (node.delegate) module.removeStar(end)
  else own(module, node.argument)
  module.edits.replace(node.start, end, text)
  module.edits.after(node.end, '))')
}

/** `return promise` waits for it, outside the `try` that it may stand in. */
export function rewriteReturn(module: ModuleText, node: Node, within: Node): void {
  if (!node.argument) return
  if (!within.generator && !syntax.mayReturnPromise(node)) return
  if (!within.generator && syntax.isInTry(node, within))
    return callsThatEnd(node.argument).forEach((call) => take(module, call))
  combinator(module, node.argument)
  own(module, node.argument)
  const semicolon = module.source.slice(0, node.end).trimEnd().endsWith(';')
  const [open, close] = node.argument.type === 'SequenceExpression' ? ['((', ')))'] : ['(', '))']
  module.edits.before(node.argument.extra?.parenStart ?? node.argument.start, `(yield* charcoal$.wait${open}`)
  module.edits.after(semicolon ? module.source.lastIndexOf(';', node.end) : node.end, close)
}

/** A call that is returned from inside `try` begins there, and is waited for outside. */
function take(module: ModuleText, call: Node): void {
  module.edits.before(call.start, 'charcoal$.owned(')
  module.edits.after(call.end, ')')
}

export function rewriteLabel(module: ModuleText, node: Node, within: Node): void {
  const isLoop = node.body.type === 'LabeledStatement' && syntax.isForAwait(node.body.body)
  if (isLoop) module.refuse(node, 'two labels of one `for await` cannot be transformed: use one label')
  if (!isAtomicLabel(node)) return
  if (!isBlock(node.body)) module.refuse(node, '`atomic:` stands before a block: write atomic: { … }')
  const name = module.names.get(within)!
  module.atStartOf(node.body, `${WAIT} charcoal$.enter(${name === '' ? '' : JSON.stringify(name)}); try {`)
  module.edits.atEndOf(node.body.end, LEAVE)
}

export function rewriteForAwait(module: ModuleText, node: Node, parent: Node): void {
  const { left, right, body } = node
  const name = `loop${++module.loops}$`
  const labelled = parent.type === 'LabeledStatement' && !isAtomicLabel(parent)
  const label = labelled ? `${parent.label.name}: ` : ''
  const [open, close] = left.type === 'ObjectPattern' ? ['(', ')'] : ['', '']
  module.edits.replace(labelled ? parent.start : node.start, left.start, `{ const ${name} = new charcoal$.Iteration(`)
  module.edits.replace(left.end, right.start, '')
  module.edits.replace(right.end, body.start, '')
  module.edits.later((text) => {
    text.move(right.start, right.end, left.start)
    text.appendLeft(right.end, `); try { ${label}while (yield* ${name}.step()) { ${open}`)
    text.appendLeft(left.end, ` = ${name}.value${close}; `)
  })
  const fails = `catch (e$) { ${name}.failed = true; throw e$ }`
  module.edits.after(body.end, ` } } ${fails} finally { yield* ${name}.close() } }`)
}
