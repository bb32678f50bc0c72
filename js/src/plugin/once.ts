/**
 * Generator functions that are made once and not at each call. To make one costs nine times as much as a native call
 * of an `async` function does: each has a prototype and a hidden class of its own. Functions that are declared at the
 * top of a module have theirs beside them (see fuse.ts); all others keep theirs in a variable of the block around:
 *
 *     let body1$;
 *     … m(x) { return charcoal$.goPlain((body1$ ??= function* m$activity (x) { … }).call(this, x), body1$) }
 *
 * That is right where all functions that use the variable see the same variables around them: nothing between the block
 * and the function is made several times while the block runs once, as the variables of a loop are. In a loop of which
 * the function uses no variable, the block around the loop is taken. So it is if the variables that it uses do not
 * change once the function is there; these are handed over with each call:
 *
 *     let body1$;
 *     for (const id of ids) wait.push((x) => charcoal$.goPlain((body1$ ??= function* (id, x) { … })(id, x), body1$))
 */
import type { ModuleText } from './moduleText.ts'
import * as syntax from './syntax.ts'
import { children, declared, isBlock, isFunction, isMember, type Node } from './syntax.ts'

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

export const NOWHERE: Once = { block: null, perObject: false, loop: null }

/**
 * The block that keeps the generator function of `node`: outside all loops whose variables it does not use, or can be
 * handed. `handed` are these.
 */
function blockFor(node: Node, at: Once, mayHand: boolean): { block: Node | null; handed: string[] } {
  let { block, loop } = at
  let handed: string[] = []
  for (; loop !== null; loop = loop.at.loop) {
    const used = variablesOf(loop.node, node)
    if (used === null || (used.length > 0 && !mayHand)) break
    handed = used // what the loops in it declare is among these
    block = loop.at.block ?? block
  }
  return { block, handed }
}

/**
 * The variables that each turn of the loop has anew, and that `node`, a function in it, could use: by their names.
 * Null: one of them may change, or is not there yet, when the function is called.
 */
function variablesOf(loop: Node, node: Node): string[] | null {
  const used = new Set<string>()
  for (const part of children(node)) if (part !== node.id) addNames(part, used)
  for (const param of node.params) if (param.type === 'Identifier') used.delete(param.name)
  if (used.has('eval') || used.has(node.id?.name)) return null
  const found: { name: string; isThere: boolean }[] = []
  let unclear = false
  const look = (n: Node, parent: Node): void => {
    if (n === node) return
    if (n.type === 'WithStatement') unclear = true
    for (const name of namesOf(n)) if (used.has(name)) found.push({ name, isThere: isThere(n, parent, node) })
    for (const child of children(n)) look(child, n)
  }
  for (const child of children(loop)) look(child, loop)
  if (unclear) return null
  if (found.length === 0) return []
  const names = found.map(({ name }) => name)
  const twice = names.filter((name, i) => names.indexOf(name) < i)
  const changed = new Set([...changedIn(loop), ...declared(node), ...twice])
  const isFit = node.type !== 'FunctionDeclaration' && found.every(({ name, isThere }) => isThere && !changed.has(name))
  return isFit ? names : null
}

/** Has what `declaration`, inside `parent`, declares its value whenever `node` is made? */
function isThere(declaration: Node, parent: Node, node: Node): boolean {
  const holds = (n: Node): boolean => n.start <= node.start && node.end <= n.end
  if (declaration.type === 'CatchClause') return holds(declaration.body)
  if (!/^(Variable|Class)Declaration$/.test(declaration.type)) return false
  if (LOOP.test(parent.type)) return holds(parent.body)
  return isBlock(parent) && holds(parent) && declaration.end <= node.start
}

/**
 * Names of variables that change in `node`. A loop that declares variables in its head makes new ones for each turn,
 * and what its head does to them comes before the turn; functions in the head may do it later.
 */
function changedIn(node: Node): string[] {
  const head: Node | undefined = node.left ?? node.init
  const own = LOOP.test(node.type) && head?.type === 'VariableDeclaration' ? namesOf(head) : []
  const isLater = (n: Node): boolean => isFunction(n) || n.type === 'ClassBody'
  const changedBy = (part: Node): string[] => {
    const names = changedIn(part)
    const isHead = part === node.test || part === node.update
    return isHead && !syntax.some(syntax.inside(part), isLater) ? names.filter((name) => !own.includes(name)) : names
  }
  return [...(own.length > 0 ? [] : syntax.assignedBy(node)), ...children(node).flatMap(changedBy)]
}

/** The names that `node` itself declares in the block around it, or in its own. */
function namesOf(node: Node): string[] {
  if (node.type === 'VariableDeclaration') return node.kind === 'var' ? [] : syntax.boundNames(node)
  const declared = node.type === 'CatchClause' ? node.param : node.type.endsWith('Declaration') && node.id
  return declared ? syntax.boundNames(declared) : []
}

/** All names in `node`, whatever they stand for. */
function addNames(node: Node, names: Set<string>): void {
  if (/^(JSX)?Identifier$/.test(node.type)) names.add(node.name)
  for (const child of children(node)) addNames(child, names)
}

/** Where a generator function is kept: the variable, and variables of loops that each call hands over. */
export interface Kept {
  name: string
  handed: string[]
}

/**
 * A variable for the generator function of `node`, which stands at `at`; null if it is to be made at each call. With
 * `mayHand` the generator function may have more parameters, before its own.
 */
export function keep(module: ModuleText, node: Node, at: Once, mayHand: boolean): Kept | null {
  const isAlone = module.fetched.has(node) || (at.perObject && NAMES_ITSELF.test(node.type) && node.id)
  if (isAlone) return null
  const { block, handed } = blockFor(node, at, mayHand)
  if (block === null) return null
  const name = `body${++module.kept}$`
  const names = module.variables.get(block) ?? []
  module.variables.set(block, [...names, name])
  return { name, handed }
}

/** Declares the variables of a block of which all parts have been rewritten. */
export function declareKept(module: ModuleText, block: Node): void {
  const names = module.variables.get(block)
  if (names !== undefined) module.atStartOf(block, ` let ${names.join(', ')};`)
}
