/**
 * The scopes around a piece of code while a file is rewritten, and which of their variables activations can share:
 * those that change, and that belong to the module or are used by a function inside. What no scope declares is global,
 * and so is what a page's script declares outside of functions: another file may assign to it.
 */
import { CONSTANT } from '../../source/methods.ts'
import { isFunction, namesOf, walk, type Node } from '../../source/tree.ts'

export interface Scope {
  /** Variables that this function, or the module, declares in its own body: true if something assigns to them later. */
  names: Map<string, boolean>
  parent: Scope | null
  /** Names an activation of the function, so that its variables can be told from those of another; null: the module. */
  token: string | null
  /** All names that the function, or the program, declares, as whatever. */
  declared: Set<string>
}

export class Scopes {
  private inner: Scope | null = null
  private tokens = 0
  private readonly file: number

  /** A script of a page. */
  private readonly isGlobal: boolean

  /** `file`: the number of the file, whose variables belong to its module unless they are global. */
  constructor(file: number, isGlobal: boolean) {
    this.file = file
    this.isGlobal = isGlobal
  }

  /** A function, with its parameters, or the program. */
  enter(node: Node, params: Node[] | null): Scope {
    const names = new Map<string, boolean>()
    for (const name of declaredBy(node)) names.set(name, false)
    const token = params === null ? null : `$ch_s${this.tokens++}`
    const scope = { names, parent: this.inner, token, declared: new Set(declaredIn(node)) }
    this.inner = scope
    if (names.size === 0 || (this.isGlobal && params === null)) return scope
    // Only what a function inside assigns to, or reads while it changes, can be shared.
    walk(node, (n) => {
      const assigns = /^AssignmentExpression$|^For(Of|In)Statement$/.test(n.type)
      const target = assigns ? n.left : n.type === 'UpdateExpression' ? n.argument : null
      for (const name of namesOf(target)) if (names.has(name)) names.set(name, true)
    })
    for (const [name, changes] of [...names]) if (!changes) names.delete(name)
    if (scope.token === null || names.size === 0) return scope
    const inside = new Set<string>()
    walk(node.body, (n) => {
      if (isFunction(n)) walk(n, (m) => void (m.type === 'Identifier' && inside.add(m.name)))
      return isFunction(n)
    })
    for (const name of [...names.keys()]) if (!inside.has(name)) names.delete(name)
    return scope
  }

  /** The parameters of a function alone, for their default values. */
  enterParameters({ id, params }: Node): void {
    const declared = new Set<string>(id ? [id.name] : [])
    for (const param of params) for (const name of namesOf(param)) declared.add(name)
    this.inner = { names: new Map(), parent: this.inner, token: null, declared }
  }

  leave(): void {
    this.inner = this.inner!.parent
  }

  /** The object and key that stand for a variable, if it can be shared. */
  shared(name: string): string | null {
    for (let scope = this.inner; scope !== null; scope = scope.parent) {
      if (scope.names.has(name)) return `${scope.token ?? this.outermost(name)},${JSON.stringify(name)}`
      if (scope.declared.has(name)) return null
    }
    return CONSTANT.has(name) ? null : `$ch.global("${name}"),"${name}"`
  }

  /** The name means what the program, and no function around this place, declares. */
  isOutermost(name: string): boolean {
    let scope = this.inner
    while (scope !== null && scope.parent !== null && !scope.declared.has(name)) scope = scope.parent
    return scope?.parent === null
  }

  private outermost(name: string): string {
    return this.isGlobal ? `$ch.global("${name}",true)` : `$ch.module(${this.file})`
  }
}

/** The variables that the body of a function, or the program, declares itself. */
function* declaredBy(node: Node): Generator<string> {
  const body = node.type === 'Program' ? node.body : node.body.type === 'BlockStatement' ? node.body.body : []
  // A module may stand in a block of its own, as webpack writes it.
  const [first] = body
  const inBlock = node.type === 'Program' && body.length === 1 && first.type === 'BlockStatement'
  for (const statement of inBlock ? first.body : body) {
    const declaration = statement.type === 'ExportNamedDeclaration' ? statement.declaration : statement
    if (declaration?.type !== 'VariableDeclaration' || declaration.kind === 'const') continue
    for (const { id } of declaration.declarations) yield* namesOf(id)
  }
}

/**
 * The names that the function, or the program, declares, also otherwise than as variables that count: parameters,
 * constants, names in blocks.
 */
function declaredIn(node: Node): string[] {
  const found: string[] = node.id ? [node.id.name] : []
  for (const param of node.params ?? []) found.push(...namesOf(param))
  walk(node, (n) => {
    if (n.type === 'VariableDeclarator') found.push(...namesOf(n.id))
    else if (/^Import(Default|Namespace)?Specifier$/.test(n.type)) found.push(n.local.name)
    else if (n.type === 'CatchClause' && n.param !== null) found.push(...namesOf(n.param))
    else if ((n.type === 'FunctionDeclaration' || n.type.startsWith('Class')) && n.id) found.push(n.id.name)
    return isFunction(n)
  })
  return found
}
