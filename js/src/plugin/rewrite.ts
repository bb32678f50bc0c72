/**
 * Rewrites `async` functions as activity functions, in the text:
 *
 *     async function f(x) {
 *       atomic: { n = (await g(x)) + 1 }
 *     }
 *
 * becomes, on the same lines,
 *
 *     function f(x) { return charcoal$.go(function* f$activity () {
 *       atomic: { charcoal$.enter("f"); try { n = ((yield* charcoal$.wait(g(x)))) + 1 } finally { … leave … } }
 *     }) }
 */
import type { Edits } from './edits.ts'
import { DIRECTIVE, staying } from './staying.ts'
import { isSuperCall, rewriteArguments, rewriteSuper, rewriteSuperCall, rewriteTarget } from './fetched.ts'
import { fusible, hoisted } from './fuse.ts'
import { declareAround, declareInBlock, rewriteFunction } from './functions.ts'
import { ModuleText } from './moduleText.ts'
import { moved } from './moved.ts'
import { declareKept, NOWHERE, onceIn, type Once } from './once.ts'
import { ELSEWHERE, handOn, importedFrom, OURS, ownArguments, sparedDefaults, takeBack } from './own.ts'
import * as syntax from './syntax.ts'
import { isArrow, isAtomicLabel, isAwaitUsing, isBlock, isForAwait, isFunction, isMember, some } from './syntax.ts'
import type { Node } from './syntax.ts'
import { refuseInHead, rewriteUsing } from './using.ts'
import { rewriteAwait, rewriteForAwait, rewriteLabel, rewriteReturn, rewriteYield } from './waits.ts'

/** Where the walk is. */
interface Place extends Once {
  /** The innermost function whose code this is, if it is transformed. */
  within: Node | null
  /** All `async` functions here are transformed. */
  all: boolean
  /** The outermost transformed function between here and the one that has the `super` of this place, or that itself. */
  cut: Node | null
  /** The same among the arrow functions, which have no `arguments`. */
  arrow: Node | null
}

const inClass = (at: Place): Place => ({
  ...at,
  within: null,
  all: at.all || at.within !== null,
  cut: null,
  arrow: null,
})

/** Walks the syntax tree, children first, and says what is to be rewritten; the other files say how. */
export class Rewriter {
  private readonly text: ModuleText

  constructor(edits: Edits, file: string) {
    this.text = new ModuleText(edits, file)
  }

  /** Gives the names of the variables that the module has to declare. */
  rewrite(tree: Node, all: boolean): string[] {
    this.text.ownPromise = syntax.declared(tree).includes('Promise')
    this.text.staying = staying(tree)
    this.text.moved = moved(tree)
    const isHoisted = (node: Node): boolean => !isEmpty(node) && !this.text.staying.has(node) && (all || isMarked(node))
    this.text.hoisted = hoisted(tree, isHoisted)
    this.text.fusible = fusible(tree, this.text.hoisted)
    this.text.ours = importedFrom(tree, OURS)
    this.text.imported = importedFrom(tree, ELSEWHERE)
    this.text.isSloppy = tree.sourceType !== 'module' && !syntax.hasDirective(tree, 'use strict')
    const top: Place = { within: null, all, cut: null, arrow: null, block: tree, perObject: false, loop: null }
    for (const child of syntax.children(tree)) this.visit(child, tree, top)
    return this.text.variables.get(tree) ?? []
  }

  private visit(node: Node, parent: Node, at: Place): void {
    if (isFunction(node)) return this.function(node, parent, at)
    if (node.type === 'ExpressionStatement') this.text.statements.add(node.start)
    const outer = isMember(node) ? syntax.outerParts(node) : syntax.children(node)
    const around = { ...at, ...onceIn(node, at) }
    for (const child of syntax.children(node)) this.visit(child, node, outer.includes(child) ? around : inClass(around))
    if (isBlock(node)) declareKept(this.text, node)
    if (node.type === 'SwitchCase' && this.text.isSloppy)
      for (const f of node.consequent as Node[]) if (isRewritten(f, around)) declareAround(this.text, f, parent)
    if (at.within !== null) this.inActivity(node, parent, at.within)
    else if (isAtomicLabel(node)) refuseOutside(this.text, node)
    if (at.within !== null && node.type === 'CallExpression') ownArguments(this.text, node)
    if (at.arrow !== null && syntax.isIdentifier(node, 'arguments')) rewriteArguments(this.text, node, parent, at.arrow)
    if (at.cut === null) return
    if (node.type === 'Super') rewriteSuper(this.text, node, parent, at.cut)
    else if (isSuperCall(node)) rewriteSuperCall(this.text, node)
    else if (node.type === 'MetaProperty' && node.meta.name === 'new') rewriteTarget(this.text, node, at.cut)
  }

  private function(node: Node, parent: Node, at: Place): void {
    if (node.async) this.text.names.set(node, syntax.nameOf(node, parent))
    this.text.bodies.add(node.body)
    const marked = isRewritten(node, at)
    const around = isMember(node) ? inClass(at) : at
    const own = marked ? node : null
    const [cut, arrow] = isArrow(node) ? [around.cut ?? own, around.arrow ?? own] : [own, null]
    const all = at.all || marked || at.within !== null
    const outer = syntax.outerParts(node)
    const once = onceIn(node, at)
    for (const child of syntax.children(node)) {
      const within = marked && child === node.body ? node : null
      this.visit(child, node, outer.includes(child) ? at : { within, all, cut, arrow, ...once })
    }
    if (all) sparedDefaults(this.text, node)
    if (marked) {
      rewriteFunction(this.text, node, this.text.moved.has(node) ? NOWHERE : at)
      const isInBlock = isBlock(parent) && !this.text.bodies.has(parent)
      if (isInBlock && node.type === 'FunctionDeclaration' && this.text.isSloppy)
        declareInBlock(this.text, node, parent)
    } else if (all && !node.async && !node.generator) handOn(this.text, node)
  }

  private inActivity(node: Node, parent: Node, within: Node): void {
    switch (node.type) {
      case 'AwaitExpression':
        return rewriteAwait(this.text, node, parent, within)
      case 'YieldExpression':
        return rewriteYield(this.text, node, within)
      case 'ReturnStatement':
        return rewriteReturn(this.text, node, within)
      case 'LabeledStatement':
        return rewriteLabel(this.text, node, within)
      case 'TryStatement':
        return takeBack(this.text, node)
      case 'ForOfStatement':
        return node.await ? rewriteForAwait(this.text, node, parent) : undefined
      case 'BlockStatement':
        return rewriteUsing(this.text, node)
      case 'VariableDeclaration':
        return isAwaitUsing(node) && !isBlock(parent) ? refuseInHead(this.text, node) : undefined
    }
  }
}

/** An atomic block that is in no `async` function has nothing that could wait in it. */
function refuseOutside(module: ModuleText, block: Node): void {
  const waits = (n: Node): boolean => /^(Await|Yield)Expression$/.test(n.type) || isForAwait(n) || isAwaitUsing(n)
  const wait = syntax.firstOf(block, waits)
  if (wait === undefined) return
  const [where, remedy] =
    wait.type === 'YieldExpression'
      ? ['a `yield` in a generator function', 'make it an async function, or write yield* atomic(function* () { … })']
      : ['`await` outside any function', 'put it into an async function']
  module.refuse(block, `an atomic block with ${where} would not be atomic: ${remedy}`)
}

/**
 * A function without code stays as it is: with `Object.getPrototypeOf(async function* () {}).prototype` programs get at
 * what the language gives no name.
 */
function isEmpty({ params, body }: Node): boolean {
  return params.length === 0 && isBlock(body) && body.body.length + body.directives.length === 0
}

/** Does `node` become an activity function? */
function isRewritten(node: Node, at: Place): boolean {
  return Boolean(node.async) && isFunction(node) && !isEmpty(node) && (at.all || at.within !== null || isMarked(node))
}

/** Is the function marked itself: by its directive, or by an atomic block in its own code? */
function isMarked(node: Node): boolean {
  if (isBlock(node.body) && syntax.hasDirective(node.body, DIRECTIVE)) return true
  return some(node, isAtomicLabel, (inner) => isArrow(inner) && !inner.async)
}
