/** An `async` function becomes a function that runs a generator function: the body stays where it is. */
import { placeholders } from './fuse.ts'
import type { ModuleText } from './moduleText.ts'
import { SUPER } from './super.ts'
import * as syntax from './syntax.ts'
import { isArrow, isBlock, some, type Node } from './syntax.ts'

export function rewriteFunction(module: ModuleText, node: Node): void {
  const { body } = node
  const asksNewTarget = some(node, (n) => n.type === 'MetaProperty' && n.meta.name === 'new', isArrow)
  if (asksNewTarget) {
    module.refuse(node, 'new.target cannot be used in an activity function: pass what you need as an argument')
  }
  removeAsync(module, node)
  if (module.hoisted.has(node)) return hoist(module, node)

  // A name for stacks and reports, in a form that hides no name of the program's.
  const name = module.names.get(node)!
  const generatorFunction = name === '' ? 'function*' : `function* ${name}$activity`
  const open = ` return ${runtimeOf(node)}(${generatorFunction}`
  const { moves, args } = parameters(module, node)

  if (isBlock(body)) {
    const at = syntax.startOfCode(body)
    // A directive that no semicolon ends needs one now.
    const end = /[^;{]$/.test(module.source.slice(0, at)) ? ';' : ''
    const own = module.supers.delete(node) ? SUPER : ''
    head(module, node, moves, at, `${end}${own}${open}`, '{')
    module.edits.atEndOf(body.end, `}${args}) `)
  } else {
    const waits = !node.generator && syntax.mayBePromise(body)
    const expression = open.replace(' return', '')
    const result = waits ? '{ return (yield* $charcoal.wait(' : '{ return ('
    head(module, node, moves, endOfArrow(module, node), expression, result)
    module.edits.after(node.end, `${waits ? '))' : ')'} }${args})`)
  }
}

/** The function itself becomes the generator function; one that calls it comes before it. */
function hoist(module: ModuleText, node: Node): void {
  const { id } = node
  const params = parametersOf(node)
  const passed = placeholders(params).join(', ')
  const body = `${id.name}$activity`
  const runtime = runtimeOf(node)
  // If making the generator cannot throw, it is made in place.
  const isPlain = runtime === '$charcoal.go' && params.every((p) => p.type === 'Identifier')
  const made = isPlain ? `$charcoal.goPlain(${body}(${passed}), ${body})` : undefined
  const call = made ?? `${runtime}(${body}, undefined, arguments)`
  module.edits.before(node.start, `function ${id.name}(${passed}) { return ${call} } `)
  module.edits.before(id.start, '*')
  module.edits.after(id.end, '$activity')
}

/**
 * Opens the generator function at `at`. Parameters that are not plain names move there, for their defaults are its
 * code.
 */
function head(module: ModuleText, node: Node, moves: boolean, at: number, open: string, body: string): void {
  if (!moves) return module.edits.before(at, `${open} () ${body}`)
  const params = parametersOf(node)
  const first = params[0].start
  const last = params[params.length - 1].end
  const left = [...placeholders(params), ...(isArrow(node) ? ['...$args'] : [])]
  module.edits.move(first, last, at, `${open} (`, `) ${body}`, left.join(', '))
}

/** Must the parameters move into the generator function? And what is passed to it. */
function parameters(module: ModuleText, node: Node): { moves: boolean; args: string } {
  const usesThis = some(node, (n) => n.type === 'ThisExpression' || n.type === 'Super', isArrow)
  const usesArguments = some(node, (n) => syntax.isIdentifier(n, 'arguments'), isArrow)
  const params = parametersOf(node)
  const plain = params.every((p) => p.type === 'Identifier') && !syntax.redeclares(node.body, params)
  if (!plain && isArrow(node) && usesArguments) {
    const where = '`arguments` in an async arrow function with parameters of this kind'
    module.refuse(node, `${where}: take the value outside the arrow`)
  }
  const self = usesThis ? 'this' : 'undefined'
  const passed = isArrow(node) ? `[${[...placeholders(params), '...$args'].join(', ')}]` : 'arguments'
  if (!plain) return { moves: true, args: `, ${self}, ${passed}` }
  if (usesArguments) return { moves: false, args: `, ${self}, arguments` }
  return { moves: false, args: usesThis ? `, ${self}` : '' }
}

function removeAsync(module: ModuleText, node: Node): void {
  const from = node.decorators?.length ? node.decorators[node.decorators.length - 1].end : node.start
  const word = /\basync\b\s*/.exec(module.source.slice(from))!
  const end = from + word.index + word[0].length
  module.edits.remove(from + word.index, end)
  if (node.generator) module.removeStar(end)
}

function endOfArrow(module: ModuleText, node: Node): number {
  const end = node.body.extra?.parenStart ?? node.body.start
  return module.source.lastIndexOf('=>', end - 1) + 2
}

/** The parameters without the `this` of TypeScript, which is only a type. */
const parametersOf = (node: Node): Node[] => node.params.filter((p: Node) => !syntax.isIdentifier(p, 'this'))

/** What runs the generator function. */
function runtimeOf(node: Node): string {
  if (node.generator) return '$charcoal.goGenerator'
  return syntax.returnsFromTry(node) ? '$charcoal.goFlat' : '$charcoal.go'
}
