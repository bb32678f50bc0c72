/**
 * What functions of a script name in their text: variables that they do not declare themselves, and properties of
 * these, of `this` and of their parameters. Functions of the same script that they call by name are looked into as
 * well. Tells nothing about which objects these were when the program ran.
 *
 * @example
 * parseUses('let n = 0\nasync function add() { n = n + (await one()) }')!.at(2, 20) // reads n, one; writes n
 */
import { parse } from 'acorn'
import { KEYED, LANGUAGE, WHOLE } from './methods.ts'
import { isFunction, keyName, namesOf, walk, type Node } from './tree.ts'

export interface NamedUses {
  reads: Set<string>
  writes: Set<string>
}

/** How many calls away a function is still looked into. */
const MAX_CALLS = 3
const MAX_PATH = 3

/** Null if the text is not JavaScript. */
export function parseUses(text: string): ScriptUses | null {
  for (const sourceType of ['module', 'script'] as const)
    try {
      return new ScriptUses(text, parse(text, { ecmaVersion: 'latest', sourceType, allowHashBang: true }))
    } catch {
      // Then it is the other kind of source.
    }
  return null
}

class ScriptUses {
  private readonly functions: Node[] = []
  /** Of methods, which begin before what the tree calls the function. */
  private readonly begins = new Map<Node, number>()
  /** Functions by name; null: several have it. */
  private readonly byName = new Map<string, Node | null>()
  /** Of each line, the offset at which it begins. */
  private readonly lines: number[] = [0]

  constructor(text: string, program: Node) {
    for (let i = text.indexOf('\n'); i !== -1; i = text.indexOf('\n', i + 1)) this.lines.push(i + 1)
    walk(program, (n) => {
      if (isFunction(n)) this.functions.push(n)
      // In stacks a method begins before its name.
      if (n.value && isFunction(n.value)) this.begins.set(n.value, n.start)
      const [name, f] = named(n)
      if (f && isFunction(f)) this.byName.set(name, this.byName.has(name) ? null : f)
    })
  }

  /** Of the innermost function around a place; line from 1, column from 0. Null: there is none. */
  at(line: number, column: number): NamedUses | null {
    const at = (this.lines[line - 1] ?? Infinity) + column
    let inner: Node | null = null
    for (const f of this.functions) {
      const start = this.begins.get(f) ?? f.start
      if (start <= at && at < f.end && start >= (inner?.start ?? 0)) inner = f
    }
    if (inner === null) return null
    const uses: NamedUses = { reads: new Set(), writes: new Set() }
    this.collect(inner, uses, new Set(), MAX_CALLS)
    return uses
  }

  private collect(f: Node, uses: NamedUses, seen: Set<Node>, calls: number): void {
    seen.add(f)
    for (const name of new FunctionUses(f, uses).calls) {
      const called = this.byName.get(name)
      if (calls > 0 && called && !seen.has(called)) this.collect(called, uses, seen, calls - 1)
    }
  }
}

/** The name of a function, where a node gives it one. */
function named(n: Node): [string, Node | null | undefined] {
  if (n.type === 'FunctionDeclaration') return [n.id?.name ?? '', n]
  if (n.type === 'VariableDeclarator') return [n.id.name ?? '', n.init]
  if (n.type === 'MethodDefinition' || n.type === 'PropertyDefinition') return [keyName(n.key), n.value]
  return ['', null]
}

/** Adds what one function names to `uses`. */
class FunctionUses {
  /** Names of functions that it calls, and of methods of `this`. */
  readonly calls = new Set<string>()
  private readonly params: Set<string>
  private readonly declared: Set<string>
  private readonly uses: NamedUses

  constructor(f: Node, uses: NamedUses) {
    this.uses = uses
    this.params = new Set(f.params.flatMap((p: Node) => [...namesOf(p)]))
    this.declared = declaredIn(f)
    for (const param of f.params) this.visit(param)
    this.visit(f.body)
  }

  private visit(n: Node): void {
    switch (n.type) {
      case 'Identifier':
      case 'MemberExpression':
        return this.read(n)
      case 'AssignmentExpression':
        this.write(n.left, n.operator !== '=')
        return this.visit(n.right)
      case 'UpdateExpression':
        return this.write(n.argument, true)
      case 'UnaryExpression':
        return n.operator === 'delete' ? this.write(n.argument, false) : this.visit(n.argument)
      case 'CallExpression':
        return this.call(n)
      case 'Property':
      case 'MethodDefinition':
      case 'PropertyDefinition':
        if (n.computed) this.visit(n.key)
        if (n.value !== null) this.visit(n.value)
        return
      case 'LabeledStatement':
        return this.visit(n.body)
      case 'BreakStatement':
      case 'ContinueStatement':
      case 'MetaProperty':
        return
      default:
        walk(n, (child) => (this.visit(child), true))
    }
  }

  private read(n: Node): void {
    const path = this.path(n)
    if (path !== null) this.uses.reads.add(path)
    this.inside(n)
  }

  /** What stands in an access beside the path itself. */
  private inside(n: Node): void {
    if (n.type !== 'MemberExpression') return
    this.visit(n.object)
    if (n.computed) this.visit(n.property)
  }

  private write(target: Node, reads: boolean): void {
    if (target.type !== 'Identifier' && target.type !== 'MemberExpression') {
      for (const name of namesOf(target)) if (!this.declared.has(name)) this.uses.writes.add(name)
      return
    }
    const path = this.path(target)
    if (path !== null) {
      this.uses.writes.add(path)
      if (reads) this.uses.reads.add(path)
    }
    this.inside(target)
  }

  private call({ callee, arguments: given }: Node): void {
    for (const argument of given) this.visit(argument)
    if (callee.type === 'Identifier') this.calls.add(callee.name)
    if (callee.type !== 'MemberExpression' || callee.computed) return this.visit(callee)
    const { object, property } = callee
    if (object.type === 'ThisExpression') this.calls.add(keyName(property))
    const writes = KEYED[property.name] ?? WHOLE[property.name]
    if (writes === true) this.write(object, false)
    else this.visit(object)
  }

  /** How a text names what is accessed; null: it is the function's own, or nobody's. */
  private path(n: Node): string | null {
    if (n.type === 'ThisExpression') return 'this'
    if (n.type === 'Identifier') return this.declared.has(n.name) || LANGUAGE.has(n.name) ? null : n.name
    if (n.type !== 'MemberExpression') return null
    const { object, property, computed } = n
    const ofParam = object.type === 'Identifier' && this.params.has(object.name)
    const base = ofParam ? object.name : this.path(object)
    if (base === null || computed || base.split('.').length === MAX_PATH) return base
    return `${base}.${keyName(property)}`
  }
}

/** All that the function, and those inside it, declare. */
function declaredIn(f: Node): Set<string> {
  const names = new Set<string>()
  const add = (pattern: Node): void => {
    for (const name of namesOf(pattern)) names.add(name)
  }
  const look = (n: Node): void => {
    if (isFunction(n)) n.params.forEach(add)
    if (n.type === 'VariableDeclarator' || /^(Function|Class)Declaration$/.test(n.type)) add(n.id)
    if (n.type === 'CatchClause') add(n.param)
  }
  look(f)
  if (f.type !== 'FunctionDeclaration' && f.id) add(f.id)
  walk(f, look)
  return names
}
