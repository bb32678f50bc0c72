/**
 * Generator functions that are made once and not at each call. To make one costs nine times as much as a native call
 * of an `async` function does: each has a prototype and a hidden class of its own. Functions that are declared at the
 * top of a module have theirs beside them (see fuse.ts); all others keep theirs in a variable of the block around:
 *
 *     let $body1;
 *     … m(x) { return $charcoal.goPlain(($body1 ??= function* m$activity (x) { … }).call(this, x), $body1) }
 *
 * That is right where all functions that use the variable see the same variables around them: nothing between the block
 * and the function is made several times while the block runs once, as the variables of a loop are.
 */
import type { ModuleText } from './moduleText.ts'
import { isBlock, isFunction, isMember, startOfCode, type Node } from './syntax.ts'

/** Where what is made once for a block can be kept. */
export interface Once {
  /** The innermost block, or the module; null: what stands here may be made several times while that runs. */
  block: Node | null
  /** What stands here is made for each object of a class, all of which see the same variables. */
  perObject: boolean
}

const LOOP = /^(For|While|DoWhile)/
/** What has variables of its own whenever it is made: its private names, and its name. */
const NAMES_ITSELF = /^(Class|Function)Expression$|^ClassDeclaration$/

/** The same for what is directly inside `node`, which stands at `at`. */
export function onceIn(node: Node, at: Once): Once {
  if (isBlock(node)) return { block: node, perObject: false }
  if (isFunction(node) || LOOP.test(node.type) || /^StaticBlock$|^TSModule/.test(node.type)) return NOWHERE
  if (at.perObject && NAMES_ITSELF.test(node.type)) return NOWHERE
  return isMember(node) ? { block: at.block, perObject: true } : at
}

const NOWHERE: Once = { block: null, perObject: false }

/** A variable for the generator function of `node`, which stands at `at`; null if it is to be made at each call. */
export function keep(module: ModuleText, node: Node, at: Once): string | null {
  const isAlone = module.fetched.has(node) || (at.perObject && NAMES_ITSELF.test(node.type) && node.id)
  if (at.block === null || isAlone) return null
  const name = `$body${++module.kept}`
  const names = module.variables.get(at.block) ?? []
  module.variables.set(at.block, [...names, name])
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
