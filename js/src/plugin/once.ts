/**
 * Generator functions that are made once and not at each call. To make one costs nine times as much as a native call
 * of an `async` function does: each has a prototype and a hidden class of its own. Functions that are declared at the
 * top of a module have theirs beside them (see fuse.ts); all others keep theirs in a variable of the block around:
 *
 *     let $body1;
 *     … m(x) { return $charcoal.goPlain(($body1 ??= function* m$activity (x) { … }).call(this, x), $body1) }
 *
 * That is right where all functions that use the variable see the same variables around them: nothing between the block
 * and the function is made several times while the block runs once, as the variables of a loop are. In a loop of which
 * the function uses no variable, the block around the loop is taken.
 */
import type { ModuleText } from './moduleText.ts'
import { children, isBlock, isFunction, isMember, startOfCode, type Node } from './syntax.ts'

/** Where what is made once for a block can be kept. */
export interface Once {
  /** The innermost block, or the module; null: what stands here may be made several times while that runs. */
  block: Node | null
  /** What stands here is made for each object of a class, all of which see the same variables. */
  perObject: boolean
  /** The innermost loop of the same function around what stands here, and where that loop stands. */
  loop: { node: Node; at: Once } | null
}

const LOOP = /^(For|While|DoWhile)/
/** What has variables of its own whenever it is made: its private names, and its name. */
const NAMES_ITSELF = /^(Class|Function)Expression$|^ClassDeclaration$/

/** The same for what is directly inside `node`, which stands at `at`. */
export function onceIn(node: Node, at: Once): Once {
  if (isBlock(node)) return { block: node, perObject: false, loop: at.loop }
  if (isFunction(node) || /^StaticBlock$|^TSModule/.test(node.type)) return NOWHERE
  if (LOOP.test(node.type)) return { ...NOWHERE, loop: { node, at } }
  if (at.perObject && NAMES_ITSELF.test(node.type)) return NOWHERE
  if (node.type === 'ClassBody') return { ...at, loop: null } // each class has private names of its own
  return isMember(node) ? { ...at, perObject: true } : at
}

const NOWHERE: Once = { block: null, perObject: false, loop: null }

/** The block that keeps the generator function of `node`: outside all loops of which it uses no variable. */
function blockFor(node: Node, at: Once): Node | null {
  let { block, loop } = at
  for (; loop !== null && !usesVariableOf(loop.node, node); loop = loop.at.loop) block = loop.at.block ?? block
  return block
}

/** Could `node`, a function in the loop, use a variable that each turn has anew? Names alone are compared. */
function usesVariableOf(loop: Node, node: Node): boolean {
  const used = new Set<string>()
  for (const part of children(node)) if (part !== node.id) addNames(part, used)
  for (const param of node.params) if (param.type === 'Identifier') used.delete(param.name)
  if (used.has('eval') || used.has(node.id?.name)) return true
  const declares = (n: Node): boolean => n !== node && (namesOf(n).some((name) => used.has(name)) || below(n))
  const below = (n: Node): boolean => n.type === 'WithStatement' || children(n).some(declares)
  return below(loop)
}

/** The names that `node` itself declares in the block around it, or in its own. */
function namesOf(node: Node): string[] {
  const names = new Set<string>()
  if (node.type === 'VariableDeclaration') {
    if (node.kind !== 'var') for (const { id } of node.declarations) addNames(id, names)
  } else if (node.type === 'CatchClause' && node.param) addNames(node.param, names)
  else if (node.type.endsWith('Declaration') && node.id) addNames(node.id, names)
  return [...names]
}

/** All names in `node`, whatever they stand for. */
function addNames(node: Node, names: Set<string>): void {
  if (/^(JSX)?Identifier$/.test(node.type)) names.add(node.name)
  for (const child of children(node)) addNames(child, names)
}

/** A variable for the generator function of `node`, which stands at `at`; null if it is to be made at each call. */
export function keep(module: ModuleText, node: Node, at: Once): string | null {
  const isAlone = module.fetched.has(node) || (at.perObject && NAMES_ITSELF.test(node.type) && node.id)
  const block = isAlone ? null : blockFor(node, at)
  if (block === null) return null
  const name = `$body${++module.kept}`
  const names = module.variables.get(block) ?? []
  module.variables.set(block, [...names, name])
  return name
}

/** Declares the variables of a block of which all parts have been rewritten. */
export function declareKept(module: ModuleText, block: Node): void {
  const names = module.variables.get(block)
  if (names === undefined) return
  const at = module.bodies.has(block) ? startOfCode(block) : block.start + 1
  // A directive that no semicolon ends needs one now.
  const end = /[^;{]$/.test(module.source.slice(0, at)) ? ';' : ''
  module.edits.before(at, `${end} let ${names.join(', ')};`)
}
