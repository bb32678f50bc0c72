/**
 * An `async` function becomes a function that runs a generator function: the body stays where it is. One that a
 * framework wants to be `async` (see staying.ts) stays so around that:
 *
 *     async function save(x) { 'use server'; charcoal$.told(); return charcoal$.go(function* save$activity () { … }) }
 */
import { placeholders } from './fuse.ts'
import { fetches } from './fetched.ts'
import type { ModuleText } from './moduleText.ts'
import { keep, type Once } from './once.ts'
import { own } from './own.ts'
import * as syntax from './syntax.ts'
import { inside, isArrow, isBlock, some, type Node } from './syntax.ts'

export function rewriteFunction(module: ModuleText, node: Node, at: Once): void {
  const { body } = node
  const stays = module.staying.has(node)
  const name = module.hoisted.get(node)
  if (name !== undefined && node.type !== 'FunctionDeclaration') return hoistValue(module, node, name)
  if (!stays) removeAsync(module, node)
  if (name !== undefined) return hoist(module, node, name)

  const { moves, open, close } = frame(module, node, at)
  const brace = `{${variables(module, node)}`
  // Without the word `async` TypeScript would not tell what asks for the types that the method gives a promise.
  const isUntold = module.isTyped && node.type === 'ClassMethod' && !node.returnType && !node.generator
  if (isUntold && isDecorated(node)) module.edits.before(body.start, ': Promise<any> ')
  // The promise of one that stays `async` is the caller's, and what runs in it begins at once.
  const fetched = `${fetches(module, node)}${stays ? ' charcoal$.told();' : ''}`
  if (isBlock(body)) {
    const start = syntax.startOfCode(body)
    head(module, node, moves, start, `${module.endOfDirective(start)}${fetched}${open}`, brace)
    module.edits.atEndOf(body.end, `}${close} `)
  } else {
    const waits = !node.generator && syntax.mayBePromise(body)
    const expression = fetched === '' ? open.replace(' return', '') : ` {${fetched}${open}`
    const result = `${brace} return (${waits ? 'yield* charcoal$.wait(' : ''}`
    if (waits) own(module, body)
    head(module, node, moves, syntax.endOfArrow(module.source, node), expression, result)
    module.edits.after(node.end, `${waits ? '))' : ')'} }${close}${fetched === '' ? '' : ' }'}`)
  }
}

/**
 * In sloppy code a function that is declared in a block is a variable of the function around it, too, unless it is
 * `async`. So it becomes a variable of the block.
 */
export function declareInBlock(module: ModuleText, node: Node, block: Node): void {
  module.edits.remove(node.id.start, node.id.end)
  module.edits.move(node.start, node.end, block.start + 1, ` let ${node.id.name} = `, ';')
}

/**
 * So does one in a case of a `switch`, before which no variable can be declared. Where a block around has a variable of
 * that name, that of the function stays in its own.
 */
export function declareAround(module: ModuleText, { id }: Node, statement: Node): void {
  const { discriminant } = statement
  const isName = (n: Node): boolean => syntax.isIdentifier(n, id.name)
  if (some(inside(discriminant), isName, () => true))
    module.refuse(discriminant, `${id.name} is also the name of a function in a case of this switch: rename one`)
  module.edits.before(statement.start, `{ let ${id.name}; `)
  module.edits.after(statement.end, ' }')
}

/** The function itself becomes the generator function; one that calls it comes before it. */
function hoist(module: ModuleText, node: Node, name: string): void {
  const { id } = node
  const { passed, call } = callOf(module, node, name)
  module.edits.before(node.start, `function ${name}(${passed}) { return ${call} } `)
  module.edits.before(id.start, '*')
  module.edits.after(id.end, '$activity')
  const start = syntax.startOfCode(node.body)
  module.edits.before(start, `${module.endOfDirective(start)}${variables(module, node)}`)
}

/**
 * The value of a `const` likewise: what calls the generator function becomes the value, and ends the statement.
 *
 *     const f = async (x) => x+1
 *
 * becomes
 *
 *     const f = (arg1$) => charcoal$.goPlain(f$activity(arg1$), f$activity, f); function* f$activity(x) { return x+1 }
 */
function hoistValue(module: ModuleText, node: Node, name: string): void {
  const { body, params } = node
  const { passed, call } = callOf(module, node, name)
  const at = removeAsync(module, node)
  if (!isArrow(node)) {
    module.edits.before(at, `function (${passed}) { return ${call} }; `)
    module.edits.after(at + 'function'.length, `* ${name}$activity `)
  } else {
    const paren = syntax.find(module.source, '(', at)
    const isBare = params.length === 1 && (paren < 0 || paren > params[0].start)
    module.edits.before(at, `(${passed}) => ${call}; function* ${name}$activity ${isBare ? '(' : ''}`)
    if (isBare) module.edits.after(params[0].end, ')')
    const arrow = syntax.endOfArrow(module.source, node)
    module.edits.remove(arrow - 2, arrow)
    if (!isBlock(body)) return returned(module, node, arrow)
  }
  const start = syntax.startOfCode(body)
  module.edits.before(start, `${module.endOfDirective(start)}${variables(module, node)}`)
}

/** Gives the generator function of an arrow function a body that returns the expression, which begins at `at`. */
function returned(module: ModuleText, node: Node, at: number): void {
  const waits = syntax.mayBePromise(node.body)
  if (waits) own(module, node.body)
  module.edits.before(at, ` {${variables(module, node)} return (${waits ? 'yield* charcoal$.wait(' : ''}`)
  module.edits.after(node.end, `${waits ? '))' : ')'} }`)
}

/** How the generator function of `node` is called, which is called `name` itself, with which parameters of `node`. */
function callOf(module: ModuleText, node: Node, name: string): { passed: string; call: string } {
  const params = parametersOf(node)
  const names = placeholders(params)
  const body = `${name}$activity`
  const runtime = runtimeOf(node)
  // If making the generator cannot throw, it is made in place.
  const isPlain = runtime === 'charcoal$.go' && params.every((p) => p.type === 'Identifier')
  const self = module.fusible.get(name) === node ? `, ${name}` : ''
  const made = `${body}(${names.join(', ')})`
  if (isPlain) return { passed: names.join(', '), call: `charcoal$.goPlain(${made}, ${body}${self})` }
  if (!isArrow(node)) return { passed: names.join(', '), call: `${runtime}(${body}, undefined, arguments)` }
  const passed = [...names, '...charcoalArgs$'].join(', ')
  return { passed, call: `${runtime}(${body}, undefined, [${passed}])` }
}

/** What the generator function declares of its own. */
const variables = (module: ModuleText, node: Node): string => (module.awaiting.has(node) ? ' let awaited$;' : '')

/** Opens the generator function at `at`. */
function head(module: ModuleText, node: Node, moves: boolean, at: number, open: string, body: string): void {
  if (!moves) return module.edits.before(at, `${open} ${body}`)
  const params = parametersOf(node)
  const first = params[0].start
  const last = params[params.length - 1].end
  const comma = /^\s*,/.exec(module.source.slice(last))
  if (comma !== null) module.edits.remove(last, last + comma[0].length)
  const left = [...remaining(module, node, params), ...(isArrow(node) ? ['...charcoalArgs$'] : [])]
  module.edits.move(first, last, at, open, `) ${body}`, left.join(', '))
}

/**
 * What stands in place of parameters that have moved. In a method with decorators these ask for the types, and those
 * of the parameters belong to the method:
 *
 *     @Post() async save(@Body() { id }: Note) { … }
 *
 * becomes
 *
 *     @Post() save(@Body() arg1$: Note) { … function* ({ id }: Note) { … } … }
 */
function remaining(module: ModuleText, node: Node, params: Node[]): string[] {
  const names = placeholders(params)
  if (!isDecorated(node)) return names
  const textOf = ({ start, end }: Node): string => module.source.slice(start, end)
  const single = params.filter((p) => p.type !== 'RestElement')
  return single.map((param, i) => {
    const decorators = decoratorsOf(param)
    if (decorators.some((d) => some(d, (n) => n.async === true)))
      module.refuse(param, 'an async function in the decorator of a parameter: declare it outside the class')
    for (const { start, end } of decorators) module.edits.remove(start, end)
    const { typeAnnotation } = param.left ?? param
    const type = typeAnnotation ? textOf(typeAnnotation) : ''
    const optional = i < names.length ? '' : ' = undefined' // does not count for the `length` of the method
    return [...decorators.map(textOf), `arg${i + 1}$${type}${optional}`].join(' ')
  })
}

/** Does anything ask for the types of the method? */
const isDecorated = (node: Node): boolean =>
  node.decorators?.length > 0 || parametersOf(node).some((p) => decoratorsOf(p).length > 0)

/** Those of a parameter with a default stand at its name if that has a type. */
const decoratorsOf = (param: Node): Node[] => param.decorators ?? param.left?.decorators ?? []

/** What opens the generator function, without parameters that move there, and what closes it and the call. */
interface Frame {
  moves: boolean
  open: string
  close: string
}

/**
 * Parameters that are not plain names move into the generator function, for their defaults are its code. Plain ones
 * have the same names in it, or are those of the function around it if it is made in the call. So are those of a
 * function that stays `async`, which rejects its promise with what they throw.
 */
function frame(module: ModuleText, node: Node, at: Once): Frame {
  const uses = (test: (n: Node) => boolean): boolean => some(node, (n) => test(n) || syntax.isEval(n), isArrow)
  const usesThis = uses((n) => n.type === 'ThisExpression' || n.type === 'Super')
  const usesArguments = !isArrow(node) && uses((n) => syntax.isIdentifier(n, 'arguments'))
  const params = parametersOf(node)
  const stays = module.staying.has(node)
  const isSimple = (stays || params.every((p) => p.type === 'Identifier')) && !syntax.redeclares(node.body, params)
  // In sloppy code `arguments` and the parameters are the same variables, so they stay in one function.
  const moves = !isSimple || (usesArguments && params.length > 0)
  const self = usesThis ? 'this' : 'undefined'

  // A name for stacks and reports, in a form that hides no name of the program's.
  const name = module.names.get(node)!
  const runtime = runtimeOf(node)
  const kept = stays ? null : keep(module, node, at, !usesArguments)
  const handed = kept === null ? [] : kept.handed
  // The variable in which it is kept would become the name of a function that has none.
  const [before, after] = name === '' && kept !== null ? ['charcoal$.nameless(', ')'] : ['', '']
  const generatorFunction = `${before}${name === '' ? 'function*' : `function* ${name}$activity`}`
  const all = stays && node.generator ? 'yield* ' : ''
  const open = ` return ${all}${runtime}(${kept === null ? '' : `${kept.name} ??= `}${generatorFunction}`
  const listed = (args: string[]): string => `[${[...handed, ...args].join(', ')}]`
  const ownArguments = handed.length > 0 ? listed(['...arguments']) : 'arguments'
  if (moves) {
    const passed = isArrow(node) ? listed([...placeholders(params), '...charcoalArgs$']) : ownArguments
    const first = handed.map((name) => `${name}, `).join('')
    return { moves, open: `${open} (${first}`, close: `${after}, ${self}, ${passed})` }
  }
  if (usesArguments) return { moves, open: `${open} ()`, close: `${after}, ${self}, arguments)` }
  if (kept === null) return { moves, open: `${open} ()`, close: usesThis ? ', this)' : ')' }
  const names = [...handed, ...params.map((p) => p.name)]
  if (runtime !== 'charcoal$.go') {
    const given = isArrow(node) ? `[${names.join(', ')}]` : ownArguments
    return { moves, open: `${open} (${names.join(', ')})`, close: `${after}, ${self}, ${given})` }
  }
  // To make the generator cannot throw, so it is made in place.
  const made = ` return charcoal$.goPlain((${kept.name} ??= ${generatorFunction} (${names.join(', ')})`
  const passed = (usesThis ? ['this', ...names] : names).join(', ')
  return { moves, open: made, close: `${after})${usesThis ? '.call' : ''}(${passed}), ${kept.name})` }
}

/** Gives where the rest of the function begins. */
function removeAsync(module: ModuleText, node: Node): number {
  const from = node.decorators?.length ? node.decorators[node.decorators.length - 1].end : node.start
  const at = syntax.find(module.source, 'async', from)
  const end = at + /^async\s*/.exec(module.source.slice(at))![0].length
  module.edits.remove(at, end)
  if (node.generator) module.removeStar(end)
  // Without the word the line above could go on here.
  if (node.type === 'ClassMethod' && (node.computed || node.generator)) module.edits.before(node.start, ';')
  if (isArrow(node) && module.statements.has(node.start)) module.edits.before(end, '0, ')
  return end
}

/** The parameters without the `this` of TypeScript, which is only a type. */
const parametersOf = (node: Node): Node[] => node.params.filter((p: Node) => !syntax.isIdentifier(p, 'this'))

/** What runs the generator function. */
function runtimeOf(node: Node): string {
  if (node.generator) return 'charcoal$.goGenerator'
  return syntax.returnsFromTry(node) ? 'charcoal$.goFlat' : 'charcoal$.go'
}
