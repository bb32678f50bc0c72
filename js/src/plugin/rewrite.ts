/**
 * Rewrites `async` functions as activity functions, in the text:
 *
 *     async function f(x) {
 *       atomic: { n = (await g(x)) + 1 }
 *     }
 *
 * becomes, on the same lines,
 *
 *     function f(x) { return $charcoal.go(function* f$activity () {
 *       atomic: { $charcoal.enter("f"); try { n = ((yield* $charcoal.wait(g(x)))) + 1 } finally { … leave … } }
 *     }) }
 */
import type { Edits } from './edits.ts'
import { fusible, hoisted } from './fuse.ts'
import { rewriteFunction } from './functions.ts'
import { ModuleText } from './moduleText.ts'
import { rewriteSuper, SUPER } from './super.ts'
import * as syntax from './syntax.ts'
import { isArrow, isAtomicLabel, isBlock, isForAwait, isFunction, some, type Node } from './syntax.ts'
import { rewriteAwait, rewriteForAwait, rewriteLabel, rewriteReturn, rewriteYield } from './waits.ts'

export const DIRECTIVE = 'use activity'

/** Where the walk is. */
interface Place {
  /** The innermost function whose code this is, if it is transformed. */
  within: Node | null
  /** All `async` functions here are transformed. */
  all: boolean
  /** The innermost function that is no arrow: it has the `this` and `super` of this place. */
  home: Node | null
  /** A generator function will stand between here and `home`. */
  cut: boolean
}

/** Walks the syntax tree, children first, and says what is to be rewritten; the other files say how. */
export class Rewriter {
  private readonly text: ModuleText

  constructor(edits: Edits, file: string) {
    this.text = new ModuleText(edits, file)
  }

  rewrite(tree: Node, all: boolean): void {
    this.text.ownPromise = syntax.declared(tree).includes('Promise')
    this.text.hoisted = hoisted(tree, (node) => all || isMarked(node))
    this.text.fusible = fusible(tree, this.text.hoisted)
    this.children(tree, { within: null, all, home: null, cut: false })
    // This method is no activity itself, but contains some. For the other methods `rewriteFunction` has done this.
    for (const home of this.text.supers) this.text.edits.before(home.body.start + 1, SUPER)
  }

  private children(node: Node, at: Place): void {
    for (const child of syntax.children(node)) this.visit(child, node, at)
  }

  private visit(node: Node, parent: Node, at: Place): void {
    if (isFunction(node)) return this.function(node, parent, at)
    if (node.type === 'ExpressionStatement') this.text.statements.add(node.start)
    const isClass = node.type === 'ClassBody'
    this.children(node, isClass ? { within: null, all: at.all || at.within !== null, home: null, cut: false } : at)
    if (at.within !== null) this.inActivity(node, parent, at.within)
    else if (isAtomicLabel(node) && some(node, (n) => n.type === 'AwaitExpression' || isForAwait(n))) {
      const remedy = 'put it into an async function'
      this.text.refuse(node, `an atomic block with \`await\` outside any function would not be atomic: ${remedy}`)
    }
    if (node.type === 'Super' && at.cut) rewriteSuper(this.text, node, parent, at.home)
  }

  private function(node: Node, parent: Node, at: Place): void {
    if (node.async) this.text.names.set(node, syntax.nameOf(node, parent))
    const marked = node.async && (at.all || at.within !== null || isMarked(node))
    const home = isArrow(node) ? at.home : node
    const cut = marked || (isArrow(node) && at.cut)
    const body: Place = { within: marked ? node : null, all: at.all || marked || at.within !== null, home, cut }
    const head: Place = { ...at, all: body.all }
    for (const child of syntax.children(node)) this.visit(child, node, child === node.body ? body : head)
    if (marked) rewriteFunction(this.text, node)
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
      case 'ForOfStatement':
        return node.await ? rewriteForAwait(this.text, node, parent) : undefined
      case 'VariableDeclaration':
        if (node.kind !== 'await using') return
        const remedy = 'use try { … } finally { await x[Symbol.asyncDispose]() }'
        this.text.refuse(node, `\`await using\` cannot be transformed yet: ${remedy}`)
    }
  }
}

/** Is the function marked itself: by its directive, or by an atomic block in its own code? */
function isMarked(node: Node): boolean {
  if (isBlock(node.body) && syntax.hasDirective(node.body, DIRECTIVE)) return true
  return some(node, isAtomicLabel, (inner) => isArrow(inner) && !inner.async)
}
