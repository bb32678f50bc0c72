/**
 * The rewriting of a file, construct by construct: each function tells when it is entered, waits and is left, and each
 * access to what others could share stands inside a call of ours, which answers with the same value.
 */
import { KEYED, LANGUAGE, MOVES, WHOLE } from '../../../source/methods.ts'
import { contains, isFunction, keyName, namesOf, walk, type Node } from '../../../source/tree.ts'
import { Insertions } from './insertions.ts'
import { Scopes } from './scopes.ts'
import { endsInCall, isHeld, isOptional, passesFunctions } from './shapes.ts'
import { FILE_SITES, MARK, type FileSite, type FileSites } from './sites.ts'

/** The activation of a function, inside it. */
const ACTIVATION = '$ch_a'

export interface Transformed {
  code: string
  sites: FileSites
}

interface Function {
  name: string
  line: number
  column: number
  activation: string | null
  /** Variables of ours that the function declares: objects and keys that are evaluated once and used twice. */
  temporaries: string[]
}

/** Rewrites one file; `transform.ts` shows what comes out. */
export class Rewriter {
  readonly insertions: Insertions
  private readonly sites: FileSite[] = []
  private functions: Function[] = []
  private readonly scopes: Scopes
  private readonly code: string
  private readonly program: Node
  private temporaries = 0

  private readonly file: number

  constructor(code: string, program: Node, file: number) {
    this.code = code
    this.program = program
    this.file = file
    this.insertions = new Insertions(code)
    this.scopes = new Scopes(file)
  }

  result(url: string, module: boolean): Transformed {
    const start = this.bodyStart(this.program)
    const waits = module && contains(this.program, (n) => n.type === 'AwaitExpression')
    const order = this.insertions.now()
    this.functions.push({ name: '', line: 1, column: 1, activation: waits ? ACTIVATION : null, temporaries: [] })
    this.scopes.enter(this.program, null)
    this.statements(this.program.body)
    const sites: FileSites = { sites: this.sites, shifts: {} }
    // First of all, for places are looked up while the module runs; the table stands behind the program, in a function,
    // which the language hoists.
    const table = `$ch_f${this.file}`
    const enter = waits ? `const ${ACTIVATION}=$ch.enter(-1);` : ''
    this.insert(start, `$ch.file(${this.file},${JSON.stringify(url)},${table});${enter}${this.declared()}`, order)
    const code = this.insertions.apply(sites)
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

  private insert(at: number, text: string, order?: number): void {
    this.insertions.insert(at, text, order)
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
          const shared = node.value.type === 'Identifier' ? this.scopes.shared(node.value.name) : null
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
    const { names, token } = this.scopes.enter(node, node.params)
    const tokenText = names.size > 0 ? `const ${token}={};` : ''
    const enter = activation === null ? '' : `const ${ACTIVATION}=$ch.enter(${this.site(node, '')});`
    const leave = `}finally{$ch.leave(${ACTIVATION})}`
    if (block) {
      const start = this.bodyStart(node.body)
      const order = this.insertions.now()
      this.statements(node.body.body)
      const text = `${enter}${tokenText}${this.declared()}${activation === null ? '' : 'try{'}`
      if (text !== '') this.insert(start, text, order)
      if (activation !== null) this.insert(node.body.end - 1, leave)
    } else if (activation !== null) {
      const from = this.arrow(node)
      const order = this.insertions.now()
      this.visit(node.body)
      this.insert(from, `{${enter}${this.declared()}try{return (`, order)
      this.insert(node.end, `)${leave}}`)
    } else this.visit(node.body)
    this.scopes.leave()
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
    const shared = this.scopes.shared(node.name)
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
      const shared = this.scopes.shared(left.name)
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
    const shared = [...namesOf(left)].map((name) => [name, this.scopes.shared(name)]).filter(([, of]) => of !== null)
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
    const shared = argument.type === 'Identifier' ? this.scopes.shared(argument.name) : null
    if (shared === null) return
    const site = this.site(node, argument.name)
    this.insert(node.start, `($ch.n(${shared},${site}),$ch.a(${shared},${site},`)
    this.insert(node.end, '))')
  }
}
