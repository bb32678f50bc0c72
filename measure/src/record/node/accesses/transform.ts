/**
 * Rewrites a program's own code so that it tells which variables and properties it reads and writes, and which
 * activation of which function does so. Only text is inserted, never a line break, so lines stay; columns are put right
 * by the shifts, and functions' own texts by the marks around all that is inserted (left out below). Each access is
 * still made by the program's own expression, in its own place: ours only stands beside it. What is not understood
 * stays as it is.
 *
 *     async function buy() { const left = this.left; await pay(); this.left = left - 1 }
 *     async function buy() {const $ch_a=$ch.enter(0);try{ const left = $ch.r(this,"left",1).left;
 *         $ch.back($ch_a,2,await $ch.away($ch_a,(pay())));
 *         this.left = $ch.put(this,"left",3,left - 1) }finally{$ch.leave($ch_a)}}
 */
import { parse } from 'acorn'
import { KEYED, LANGUAGE, MOVES, WHOLE } from '../../../source/methods.ts'
import { contains, isFunction, keyName, namesOf, walk, type Node } from '../../../source/tree.ts'
import { shiftedMap } from './source_map.ts'
import { FILE_SITES, MARK, type FileSite, type FileSites } from './sites.ts'

/** The activation of a function, inside it. */
const ACTIVATION = '$ch_a'

interface Scope {
  /** Variables that this function, or the module, declares in its own body: true if something assigns to them later. */
  names: Map<string, boolean>
  parent: Scope | null
  /** Names an activation of the function, so that its variables can be told from those of another; null: the module. */
  token: string | null
  node: Node
}

export interface Transformed {
  code: string
  sites: FileSites
}

/**
 * Null if the text is left as it is: it cannot be parsed, or what it does could depend on the rewriting. `file`: a
 * number of its own.
 */
export function transform(code: string, url: string, module: boolean, file: number): Transformed | null {
  if (code.includes('$ch') || code.includes(MARK)) return null
  const read = (text: string): Node => {
    try {
      return parse(text, {
        ecmaVersion: 'latest',
        sourceType: module ? 'module' : 'script',
        locations: true,
        allowHashBang: true,
        allowAwaitOutsideFunction: module,
        allowReturnOutsideFunction: !module,
      })
    } catch {
      return null
    }
  }
  const program = read(code)
  const asserts = /['"](node:)?assert(\/strict)?['"]/.test(code)
  if (program === null || contains(program, (n) => isWith(n) || (asserts && readsFile(n)), true)) return null
  const map = shiftedMap(code, url)
  if (map === null) return null
  const rewriter = new Rewriter(code, program, file)
  const rewritten = rewriter.result(url, module)
  // Rather nothing is told than a program broken.
  if (rewritten.sites.sites.length > FILE_SITES || read(rewritten.code) === null) return null
  return { ...rewritten, code: rewritten.code + map(rewriter.inserted) }
}

/** Inside `with`, our names could be the object's. */
const isWith = (n: Node): boolean => n.type === 'WithStatement'

/** `assert(x)` without a message reads the file, at the column where it stands in the text that runs. */
function readsFile(n: Node): boolean {
  if (n.type !== 'CallExpression' || n.arguments.length !== 1) return false
  const { callee } = n
  return callee.type === 'MemberExpression'
    ? callee.property.name === 'ok'
    : callee.type === 'Identifier' && /assert|ok/i.test(callee.name)
}

interface Function {
  name: string
  line: number
  column: number
  activation: string | null
  /** Variables of ours that the function declares: objects and keys that are evaluated once and used twice. */
  temporaries: string[]
}

class Rewriter {
  /** By line of the program's text: at which column how much was inserted, in order. */
  readonly inserted: Record<number, [column: number, length: number][]> = {}
  private readonly inserts: { at: number; text: string; order: number }[] = []
  private readonly sites: FileSite[] = []
  private functions: Function[] = []
  private scopes: Scope | null = null
  private readonly code: string
  private readonly program: Node
  private tokens = 0
  private temporaries = 0

  private readonly file: number

  constructor(code: string, program: Node, file: number) {
    this.code = code
    this.program = program
    this.file = file
  }

  result(url: string, module: boolean): Transformed {
    const start = this.bodyStart(this.program)
    const waits = module && contains(this.program, (n) => n.type === 'AwaitExpression')
    const order = this.inserts.length - 0.5
    this.functions.push({ name: '', line: 1, column: 1, activation: waits ? ACTIVATION : null, temporaries: [] })
    this.scope(this.program, null)
    this.statements(this.program.body)
    const sites: FileSites = { sites: this.sites, shifts: {} }
    // First of all, for places are looked up while the module runs; the table stands behind the program, in a function,
    // which the language hoists.
    const table = `$ch_f${this.file}`
    const enter = waits ? `const ${ACTIVATION}=$ch.enter(-1);` : ''
    this.insert(start, `$ch.file(${this.file},${JSON.stringify(url)},${table});${enter}${this.declared()}`, order)
    const code = this.apply(sites)
    return { code: `${code}\n${MARK}function ${table}(){return ${JSON.stringify(sites)}}${MARK}`, sites }
  }

  private declared(): string {
    const { temporaries } = this.functions.at(-1)!
    // `var`, for functions that are hoisted may run before this.
    return temporaries.length === 0 ? '' : `var ${temporaries.join()};`
  }

  private temporary(): string {
    const name = `$ch_t${this.temporaries++}`
    this.functions.at(-1)!.temporaries.push(name)
    return name
  }

  private insert(at: number, text: string, order = this.inserts.length): void {
    this.inserts.push({ at, text: `${MARK}${text}${MARK}`, order })
  }

  /** Puts a node between two texts, as one expression. */
  private wrap(node: Node, before: string, after: string, visit = (n: Node) => this.visit(n)): void {
    const several = node.type === 'SequenceExpression'
    this.insert(node.start, several ? `${before}(` : before)
    visit(node)
    this.insert(node.end, several ? `)${after}` : after)
  }

  /**
   * Puts an object between a call of ours and its end. V8 gives other places to properties of calls than to others, so
   * it is made no call if it is none.
   */
  private about(object: Node, name: string, rest: string, before = '', after = '', visit?: (n: Node) => void): void {
    const [open, close] = endsInCall(object) ? ['', ''] : ['(', ')']
    this.wrap(object, `${before}${open}$ch.${name}(`, `,${rest})${close}${after}`, visit)
  }

  /** Puts the insertions in, and notes by how much each line's columns move. */
  private apply(sites: FileSites): string {
    const { code } = this
    const sorted = this.inserts.sort((a, b) => a.at - b.at || a.order - b.order)
    const pieces: string[] = []
    let last = 0
    let line = 1
    let lineStart = 0
    let moved = 0
    for (const { at, text } of sorted) {
      pieces.push(code.slice(last, at), text)
      for (let i = code.indexOf('\n', Math.max(last, lineStart)); i !== -1 && i < at; i = code.indexOf('\n', i + 1)) {
        line++
        lineStart = i + 1
        moved = 0
      }
      const shifts = (sites.shifts[line] ??= [])
      shifts.push([at - lineStart + 1 + moved, text.length])
      ;(this.inserted[line] ??= []).push([at - lineStart, text.length])
      moved += text.length
      last = at
    }
    return pieces.join('') + code.slice(last)
  }

  private site(node: Node, text: string): number {
    const { name, line, column } = this.functions.at(-1)!
    return (
      this.file * FILE_SITES +
      this.sites.push([node.loc.start.line, node.loc.start.column + 1, name, line, column, text.slice(0, 60)]) -
      1
    )
  }

  private text(node: Node): string {
    return this.code.slice(node.start, Math.min(node.end, node.start + 60)).replace(/\s+/g, ' ')
  }

  /** After the directives. */
  private bodyStart(block: Node): number {
    let at = block.type === 'Program' ? (block.body[0]?.start ?? block.end) : block.start + 1
    for (const statement of block.body) {
      if (statement.directive === undefined) break
      at = statement.end
      if (this.code[at - 1] !== ';') this.insert(at, ';')
    }
    return at
  }

  // Scopes: which variables can be shared between activations.

  private scope(node: Node, params: Node[] | null): void {
    const names = new Map<string, boolean>()
    const body = node.type === 'Program' ? node.body : node.body.type === 'BlockStatement' ? node.body.body : []
    for (const statement of body) {
      const declaration = statement.type === 'ExportNamedDeclaration' ? statement.declaration : statement
      if (declaration?.type !== 'VariableDeclaration' || declaration.kind === 'const') continue
      for (const { id } of declaration.declarations) if (id.type === 'Identifier') names.set(id.name, false)
    }
    this.scopes = { names, parent: this.scopes, token: params === null ? null : `$ch_s${this.tokens++}`, node }
    // Only what a function inside assigns to, or reads while it changes, can be shared.
    const { scopes } = this
    walk(node, (n) => {
      const target = n.type === 'AssignmentExpression' ? n.left : n.type === 'UpdateExpression' ? n.argument : null
      for (const name of namesOf(target)) if (names.has(name)) names.set(name, true)
    })
    for (const [name, changes] of [...names]) if (!changes) names.delete(name)
    if (scopes!.token !== null && names.size > 0) {
      const inner = new Set<string>()
      walk(node.body, (n) => {
        if (isFunction(n)) walk(n, (m) => void (m.type === 'Identifier' && inner.add(m.name)))
      })
      for (const name of [...names.keys()]) if (!inner.has(name)) names.delete(name)
    }
  }

  /** The object and key that stand for a variable, if it can be shared. */
  private shared(name: string): string | null {
    for (let scope = this.scopes; scope !== null; scope = scope.parent) {
      if (scope.names.has(name)) return `${scope.token ?? `$ch.module(${this.file})`},${JSON.stringify(name)}`
      if (declares(scope.node, name)) return null
    }
    return null
  }

  private visitAll(nodes: Node[]): void {
    for (const node of nodes) if (node !== null) this.visit(node)
  }

  /**
   * A parenthesis that is put before a statement must not make a call of the line above, which may end without a
   * semicolon.
   */
  private statements(nodes: Node[]): void {
    for (const node of nodes) {
      if (node.type === 'ExpressionStatement' && node.directive === undefined) this.insert(node.start, ';')
      this.visit(node)
    }
  }

  private visit(node: Node): void {
    if (isFunction(node)) return this.function(node, '')
    switch (node.type) {
      case 'Identifier':
        return this.read(node)
      case 'BlockStatement':
      case 'StaticBlock':
        return this.statements(node.body)
      case 'SwitchCase':
        if (node.test !== null) this.visit(node.test)
        return this.statements(node.consequent)
      case 'MemberExpression':
        return this.member(node, false)
      case 'CallExpression':
        return this.call(node)
      case 'NewExpression':
        // What is called must stay as it is: `new a.b()` is not `new f(a).b()`.
        return this.visitAll(node.arguments)
      case 'ChainExpression':
        return this.chain(node.expression)
      case 'AssignmentExpression':
        return this.assignment(node)
      case 'UpdateExpression':
        return this.update(node)
      case 'AwaitExpression':
      case 'YieldExpression':
        return this.waits(node)
      case 'UnaryExpression':
        if (node.operator === 'delete' && node.argument.type === 'MemberExpression')
          return this.member(node.argument, true)
        if ((node.operator === 'typeof' || node.operator === 'delete') && node.argument.type === 'Identifier') return
        return this.visit(node.argument)
      case 'VariableDeclarator':
        if (node.id.type !== 'Identifier') this.defaults(node.id)
        if (node.init === null) return
        return isFunction(node.init) ? this.function(node.init, node.id.name ?? '') : this.taken(node.init, node.id)
      case 'SpreadElement':
        return this.contents(node.argument)
      case 'BinaryExpression':
        return node.operator === 'in' ? this.contained(node) : this.visitAll([node.left, node.right])
      case 'Property':
        if (node.computed) this.visit(node.key)
        if (node.shorthand) {
          const shared = node.value.type === 'Identifier' ? this.shared(node.value.name) : null
          if (shared !== null)
            (this.insert(node.start, `${node.value.name}:($ch.n(${shared},${this.site(node, node.value.name)}),`),
              this.insert(node.end, ')'))
          return
        }
        return isFunction(node.value) ? this.function(node.value, keyName(node.key), node) : this.visit(node.value)
      case 'MethodDefinition':
      case 'PropertyDefinition':
        if (node.computed) this.visit(node.key)
        if (node.value !== null)
          isFunction(node.value) ? this.function(node.value, keyName(node.key), node) : this.visit(node.value)
        return
      case 'TryStatement':
        this.statements(node.block.body)
        if (node.handler !== null) this.again(node.handler.body)
        if (node.finalizer !== null) this.again(node.finalizer)
        return
      case 'ForOfStatement':
        if (node.left.type === 'VariableDeclaration') this.visit(node.left)
        this.contents(node.right)
        return node.await && node.body.type === 'BlockStatement' ? this.again(node.body) : this.visit(node.body)
      case 'ForInStatement':
        this.visit(node.right)
        return this.visit(node.body)
      case 'LabeledStatement':
        return this.visit(node.body)
      case 'BreakStatement':
      case 'ContinueStatement':
      case 'ImportDeclaration':
      case 'ExportAllDeclaration':
      case 'MetaProperty':
        return
      case 'ExportNamedDeclaration':
        if (node.declaration !== null) this.visit(node.declaration)
        return
      case 'TaggedTemplateExpression':
        return this.visit(node.quasi)
      case 'ClassDeclaration':
      case 'ClassExpression':
        if (node.superClass !== null) this.visit(node.superClass)
        return this.visitAll(node.body.body)
      default:
        for (const [key, value] of Object.entries<any>(node)) {
          if (key === 'loc') continue
          if (Array.isArray(value)) for (const v of value) if (v !== null && typeof v?.type === 'string') this.visit(v)
          if (typeof value?.type === 'string') this.visit(value)
        }
    }
  }

  /** Defaults inside a pattern. */
  private defaults(pattern: Node): void {
    walk(pattern, (n) => n.type === 'AssignmentPattern' && (this.visit(n.right), true))
  }

  /** A block that is entered although an `await` threw: the activation goes on. */
  private again(block: Node): void {
    const { activation } = this.functions.at(-1)!
    if (activation !== null) this.insert(block.start + 1, `$ch.again(${activation});`)
    this.statements(block.body)
  }

  // Functions

  private function(node: Node, name: string, holder: Node = node): void {
    const asynchronous = node.async
    const activation = asynchronous || (!node.generator && passesFunctions(node)) ? ACTIVATION : null
    const { line, column } = this.begin(node, holder)
    const before = this.scopes
    // Defaults do not see the body's variables.
    for (const param of node.params) this.defaults(param)
    const block = node.body.type === 'BlockStatement'
    this.functions.push({
      name: node.id?.name ?? name,
      line,
      column,
      activation: asynchronous ? activation : null,
      // A body that is an expression has no room for variables; those of the function around it do.
      temporaries: block || activation !== null ? [] : this.functions.at(-1)!.temporaries,
    })
    this.scope(node, node.params)
    const { names, token } = this.scopes!
    const tokenText = names.size > 0 ? `const ${token}={};` : ''
    const enter = activation === null ? '' : `const ${ACTIVATION}=$ch.enter(${this.site(node, '')});`
    const leave = `}finally{$ch.leave(${ACTIVATION})}`
    if (block) {
      const start = this.bodyStart(node.body)
      const order = this.inserts.length - 0.5
      this.statements(node.body.body)
      const text = `${enter}${tokenText}${this.declared()}${activation === null ? '' : 'try{'}`
      if (text !== '') this.insert(start, text, order)
      if (activation !== null) this.insert(node.body.end - 1, leave)
    } else if (activation !== null) {
      const from = this.arrow(node)
      const order = this.inserts.length - 0.5
      this.visit(node.body)
      this.insert(from, `{${enter}${this.declared()}try{return (`, order)
      this.insert(node.end, `)${leave}}`)
    } else this.visit(node.body)
    this.scopes = before
    this.functions.pop()
  }

  /** Where stacks say that a function begins: a method begins before its name. */
  private begin(node: Node, holder: Node): { line: number; column: number } {
    const isMethod = holder.type === 'MethodDefinition' || holder.method || /^[gs]et$/.test(holder.kind)
    const first = isMethod ? holder : node
    const word = holder.static === true && isMethod ? /^static\s+/.exec(this.code.slice(first.start))![0] : ''
    const { line, column } = first.loc.start
    const lines = word.split('\n')
    return { line: line + lines.length - 1, column: (lines.length === 1 ? column : 0) + lines.at(-1)!.length + 1 }
  }

  /** Behind the arrow. */
  private arrow(node: Node): number {
    const comments = /\/\/.*|\/\*[^]*?\*\//g
    const from = node.params.at(-1)?.end ?? node.start
    const text = this.code.slice(from, node.body.start).replace(comments, (c) => ' '.repeat(c.length))
    return from + text.indexOf('=>') + 2
  }

  /** An `await`, or a `yield` of an asynchronous generator, which goes on when somebody wants the next value. */
  private waits(node: Node): void {
    const { activation } = this.functions.at(-1)!
    const { argument } = node
    if (activation === null || argument === null) return this.visitAll([argument])
    this.insert(node.start, `$ch.back(${activation},${this.site(node, this.text(node))},`)
    this.insert(argument.start, `$ch.away(${activation},(`)
    this.visit(argument)
    this.insert(node.end, ')))')
  }

  // Accesses

  private read(node: Node): void {
    const shared = this.shared(node.name)
    if (shared === null) return
    this.insert(node.start, `($ch.n(${shared},${this.site(node, node.name)}),`)
    this.insert(node.end, ')')
  }

  private member(node: Node, deletes: boolean): void {
    if (this.nobodys(node)) return
    const { object, property, computed } = node
    const site = this.site(node, this.text(node))
    if (!computed) return this.about(object, deletes ? 'w' : 'r', `${JSON.stringify(keyName(property))},${site}`)
    const held = this.held(object)
    const name = deletes ? 'kw' : typeof property.value === 'number' ? 'i' : 'k'
    this.wrap(property, `$ch.${name}(${held},`, `,${site})`)
  }

  /** True if a property is nobody's state, or cannot be told of; then what is computed is visited. */
  private nobodys({ object, property, computed }: Node): boolean {
    if (
      object.type !== 'Super' &&
      object.type !== 'MetaProperty' &&
      !(object.type === 'Identifier' && LANGUAGE.has(object.name))
    )
      return false
    if (computed) this.visit(property)
    return true
  }

  /** Visits an object that is evaluated once; returns what it can be named by afterwards. */
  private held(object: Node): string {
    if (object.type === 'ThisExpression') return 'this'
    const temporary = this.temporary()
    this.wrap(object, `(${temporary}=`, ')')
    return temporary
  }

  /**
   * Of `a.b?.c.d` only `b` and `c` are noted: `d` is read where `a.b` is there, which a call around it would forget.
   * Where `c` stands behind the `?.`, what is there is known afterwards, too.
   */
  private chain(node: Node): void {
    if (!isOptional(node)) return this.visit(node)
    if (node.type === 'CallExpression') {
      this.chain(node.callee)
      return this.visitAll(node.arguments)
    }
    const { object, property, computed } = node
    if (!node.optional || computed) this.chain(object)
    else {
      const rest = `${JSON.stringify(keyName(property))},${this.site(node, this.text(node))}`
      this.about(object, 'r', rest, '', '', (n) => this.chain(n))
    }
    if (computed) this.visit(property)
  }

  /** What a pattern takes from an object that others may hold. */
  private taken(value: Node, pattern: Node): void {
    if (!isHeld(value)) return this.visit(value)
    if (pattern.type === 'ArrayPattern') return this.contents(value)
    if (pattern.type !== 'ObjectPattern') return this.visit(value)
    const keys = pattern.properties.filter((p: Node) => p.type === 'Property' && !p.computed)
    if (keys.length === 0) return this.visit(value)
    // A finding tells of one property, so each has a site of its own.
    const told = keys.map((p: Node) => {
      const name = keyName(p.key)
      return `${JSON.stringify(name)},${this.site(p, `${this.text(value)}.${name}`)}`
    })
    this.wrap(value, '$ch.d(', `,[${told.join()}])`)
  }

  /** All of a list is read. */
  private contents(list: Node): void {
    if (!isHeld(list) || list.type === 'ThisExpression') return this.visit(list)
    this.about(list, 'all', `${this.site(list, this.text(list))},false`)
  }

  /** `key in object` */
  private contained(node: Node): void {
    const { left, right } = node
    if (left.type === 'PrivateIdentifier') return this.visit(right)
    const site = this.site(node, this.text(node))
    const key = this.temporary()
    this.wrap(left, `(${key}=`, ')')
    this.wrap(right, '$ch.in(', `,${key},${site})`)
  }

  private call(node: Node): void {
    const { callee } = node
    if (
      callee.type === 'MemberExpression' &&
      !callee.computed &&
      callee.object.type !== 'Super' &&
      !(callee.object.type === 'Identifier' && LANGUAGE.has(callee.object.name))
    ) {
      const method = callee.property.name as string
      const [key] = node.arguments
      const { object } = callee
      if (
        callee.property.type === 'Identifier' &&
        Object.hasOwn(KEYED, method) &&
        key !== undefined &&
        key.type !== 'SpreadElement'
      ) {
        const site = this.site(node, this.text(object))
        this.wrap(key, `$ch.key(${this.held(object)},`, `,${site},${KEYED[method]})`)
        return this.visitAll(node.arguments.slice(1))
      }
      if (callee.property.type === 'Identifier' && Object.hasOwn(WHOLE, method)) {
        this.about(
          object,
          'all',
          `${this.site(node, this.text(object))},${WHOLE[method]}${MOVES.has(method) ? ',true' : ''}`,
        )
        return this.visitAll(node.arguments)
      }
      this.visit(object)
      return this.visitAll(node.arguments)
    }
    if (callee.type === 'MemberExpression') {
      if (callee.object.type !== 'Super') this.visit(callee.object)
      if (callee.computed) this.visit(callee.property)
    } else if (callee.type !== 'Super' && callee.type !== 'Import' && callee.type !== 'Identifier') this.visit(callee)
    this.visitAll(node.arguments)
  }

  private assignment(node: Node): void {
    const { left, right, operator } = node
    if (left.type === 'Identifier') {
      const shared = this.shared(left.name)
      if (shared === null) return isFunction(right) ? this.function(right, left.name) : this.visit(right)
      const site = this.site(node, left.name)
      const reads = operator === '=' ? '' : `$ch.n(${shared},${site}),`
      this.insert(node.start, `(${reads}$ch.a(${shared},${site},`)
      this.visit(right)
      this.insert(node.end, '))')
      return
    }
    if (left.type === 'ObjectPattern' || left.type === 'ArrayPattern') return this.pattern(left, right)
    if (left.type !== 'MemberExpression' || this.nobodys(left)) return this.visit(right)
    const { object, property, computed } = left
    const site = this.site(node, this.text(left))
    const name = JSON.stringify(keyName(property))
    // V8 names a function after what it is assigned to, in stacks.
    if (!computed && isFunction(right)) {
      this.about(object, 'w', `${name},${site}`)
      return this.function(right, '')
    }
    const reads = operator !== '='
    if (computed) {
      const held = this.held(object)
      const key = this.temporary()
      this.wrap(property, reads ? `${key}=$ch.k(${held},` : `${key}=`, reads ? `,${site})` : '')
      this.wrap(right, `$ch.put(${held},${key},${site},`, ')')
    } else {
      const held = object.type === 'ThisExpression' ? 'this' : this.temporary()
      const before = held === 'this' ? '' : `(${held}=`
      if (reads) this.about(object, 'r', `${name},${site}`, before, held === 'this' ? '' : ')')
      else if (held !== 'this') this.wrap(object, before, ')')
      this.wrap(right, `$ch.put(${held},${name},${site},`, ')')
    }
  }

  /** `[a, b] = …`: what is shared is told of when the right side is known. */
  private pattern(left: Node, right: Node): void {
    this.defaults(left)
    const shared = [...namesOf(left)].map((name) => [name, this.shared(name)]).filter(([, of]) => of !== null)
    for (const [name, of] of shared) this.insert(right.start, `$ch.a(${of},${this.site(left, name!)},(`)
    this.taken(right, left)
    this.insert(right.end, '))'.repeat(shared.length))
  }

  private update(node: Node): void {
    const { argument } = node
    if (argument.type === 'MemberExpression') {
      if (this.nobodys(argument)) return
      const { object, property, computed } = argument
      const site = this.site(node, this.text(argument))
      if (!computed) return this.about(object, 'u', `${JSON.stringify(keyName(property))},${site}`)
      return this.wrap(property, `$ch.ku(${this.held(object)},`, `,${site})`)
    }
    const shared = argument.type === 'Identifier' ? this.shared(argument.name) : null
    if (shared === null) return
    const site = this.site(node, argument.name)
    this.insert(node.start, `($ch.n(${shared},${site}),$ch.a(${shared},${site},`)
    this.insert(node.end, '))')
  }
}

/** `f().a`, `f().a.b`, but not `(f()).a`, which is rare and only its places in stacks suffer. */
function endsInCall(node: Node): boolean {
  let n = node
  while (n.type === 'MemberExpression' || n.type === 'TaggedTemplateExpression') n = n.object ?? n.tag
  return n.type === 'CallExpression' || n.type === 'ImportExpression'
}

/** True if a chain may end early at this node or below it. */
const isOptional = (n: Node): boolean =>
  (n.type === 'MemberExpression' || n.type === 'CallExpression') && (n.optional || isOptional(n.object ?? n.callee))

/** A variable or property: what it holds may be others', too. */
const isHeld = (n: Node): boolean =>
  (n.type === 'Identifier' && !LANGUAGE.has(n.name)) || n.type === 'MemberExpression' || n.type === 'ThisExpression'

/** A function that hands functions on: what they do later belongs to its activation. */
const passesFunctions = (node: Node): boolean =>
  contains(
    node.body.type === 'BlockStatement' ? node.body : { body: node.body },
    (n) => n.type === 'CallExpression' && n.arguments.some(isFunction),
  )

/**
 * True if the function declares the name otherwise than as a variable that counts: a parameter, a constant, a name in a
 * block.
 */
function declares(node: Node, name: string): boolean {
  let found = node.id?.name === name
  const names = (pattern: Node): void => {
    for (const declared of namesOf(pattern)) found ||= declared === name
  }
  for (const param of node.params ?? []) names(param)
  walk(node, (n) => {
    if (n.type === 'VariableDeclarator') names(n.id)
    else if (n.type === 'CatchClause' && n.param !== null) names(n.param)
    else if ((n.type === 'FunctionDeclaration' || n.type === 'ClassDeclaration') && n.id?.name === name) found = true
    return isFunction(n)
  })
  return found
}
