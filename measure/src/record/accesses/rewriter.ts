/**
 * The rewriting of a file, construct by construct: each function tells when it is entered, waits and is left, and each
 * access to what others could share stands inside a call of ours, which answers with the same value.
 */
import { KEYED, LANGUAGE, MOVES, WHOLE } from '../../source/methods.ts'
import { contains, isFunction, keyName, namesOf, walk, type Node } from '../../source/tree.ts'
import { exportsOf, importsOf, moduleName, WHOLE_MODULE, type Imported } from './exports.ts'
import { Rewritten, type Transformed } from './rewritten.ts'
import { Scopes } from './scopes.ts'
import { MARK } from './sites.ts'
import {
  countedBy,
  handsOn,
  isAssign,
  isHeld,
  isLength,
  isOptional,
  isSize,
  languageCall,
  makesCode,
  passesFunctions,
  registers,
  runsOnce,
  timeOf,
  type LanguageCall,
} from './shapes.ts'

/** How the runtime knows to which activation a callback belongs. */
export interface Style {
  /** By where it stands in the text, as in a page; else by the ids that Node gives to callbacks. */
  lexical: boolean
  /** The file's address; undefined: it has none that others could import it by. */
  url?: string
  /** The statement that the file begins with. */
  first: string
  /** A comment in each line that is rewritten. */
  eachLine: string
  /**
   * Rewrites a literal text that `eval` runs, as development servers write modules; the same text if it is not the
   * program's own; null: it is told as code that is not watched. Undefined: none is rewritten.
   */
  evaluated?(text: string): string | null
  /** What the outermost scope declares is global: a script of a page. */
  isGlobal: boolean
}

/** Rewrites one file; `transform.ts` shows what comes out. */
export class Rewriter {
  readonly out: Rewritten
  private readonly scopes: Scopes
  private readonly program: Node
  private readonly style: Style
  private readonly module: boolean
  private readonly imports: Map<string, Imported>

  /** `module`: whether it is one. */
  constructor(code: string, program: Node, file: number, style: Style, module: boolean) {
    this.program = program
    this.style = style
    this.module = module
    this.out = new Rewritten(code, program, file, style.eachLine)
    this.scopes = new Scopes(file, style.isGlobal && !module)
    this.imports = module && style.url !== undefined ? importsOf(program, style.url) : new Map()
  }

  result(): Transformed {
    const { program, out, style, module } = this
    const start = out.bodyStart(program)
    const waits = module && contains(program, (n) => n.type === 'AwaitExpression')
    const order = out.now()
    const activation = waits ? out.activationName() : null
    out.functions.push({ name: '', line: 1, column: 1, activation, waits, temporaries: [] })
    const { names } = this.scopes.enter(program, null)
    this.statements(program.body)
    if (waits && style.lexical) out.insert(program.end, `;$ch.leave(${activation});`)
    return out.result(
      start,
      order,
      style.first + this.exports(names) + (waits ? `const ${activation}=$ch.enter(-1);` : ''),
    )
  }

  /** The statements by which others get to know the module's variables, and it those of what it imports as a whole. */
  private exports(variables: Map<string, boolean>): string {
    const { program, style, module, out, imports } = this
    const name = module && style.url !== undefined ? moduleName(style.url) : null
    if (name === null) return ''
    const exported = exportsOf(program, style.url!, variables, imports)
    const told =
      exported === null ? '' : `$ch.exports(${out.file},${JSON.stringify(name)},${JSON.stringify(exported)});`
    const whole = [...imports].filter(([, imported]) => imported.name === WHOLE_MODULE)
    return told + whole.map(([local, { module }]) => `$ch.ns(${local},${JSON.stringify(module)});`).join('')
  }

  private wrap(node: Node, before: string, after: string): void {
    this.out.wrap(node, before, after, (n) => this.visit(n))
  }

  private about(object: Node, name: string, rest: string, before?: string, after?: string): void {
    this.out.about(object, name, rest, (n) => this.visit(n), before, after)
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
      if (node.type === 'ExpressionStatement' && node.directive === undefined) this.out.insert(node.start, ';')
      this.visit(node)
      if (this.style.lexical && waitsInLoop(node)) this.again(node.end)
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
        // Another callee has to stay as it is: `new a.b()` is not `new f(a).b()`.
        if (node.callee.type === 'ClassExpression' || isFunction(node.callee)) this.visit(node.callee)
        return this.made(node)
      case 'ChainExpression':
        return this.chain(node.expression)
      case 'AssignmentExpression':
        return this.assignment(node)
      case 'UpdateExpression':
        return this.update(node)
      case 'AwaitExpression':
        return node.argument.type === 'ImportExpression' ? this.imported(node) : this.waits(node)
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
      case 'ObjectExpression':
        for (const property of node.properties)
          property.type === 'SpreadElement' ? this.properties(property.argument) : this.visit(property)
        return
      case 'BinaryExpression':
        return node.operator === 'in' ? this.contained(node) : this.visitAll([node.left, node.right])
      case 'Property':
        if (node.computed) this.visit(node.key)
        if (node.shorthand) {
          const tells = node.value.type === 'Identifier' ? this.readOf(node.value.name) : null
          if (tells === null) return
          this.out.insert(node.start, `${node.value.name}:(${tells},${this.out.site(node, node.value.name)}),`)
          return this.out.insert(node.end, ')')
        }
        return isFunction(node.value) ? this.function(node.value, this.nameOf(node), node) : this.visit(node.value)
      case 'MethodDefinition':
      case 'PropertyDefinition':
        if (node.computed) this.visit(node.key)
        if (node.value !== null)
          isFunction(node.value) ? this.function(node.value, this.nameOf(node), node) : this.visit(node.value)
        return
      case 'TryStatement':
        this.statements(node.block.body)
        for (const block of [node.handler?.body, node.finalizer]) if (block) this.goesOn(block)
        return
      case 'ForOfStatement':
        if (node.left.type === 'VariableDeclaration') this.visit(node.left)
        return node.await ? this.loopThatWaits(node) : (this.contents(node.right), this.visit(node.body))
      case 'ForInStatement':
        this.properties(node.right)
        return this.visit(node.body)
      case 'LabeledStatement':
        return this.visit(node.body)
      case 'BreakStatement':
      case 'ContinueStatement':
      case 'ImportDeclaration':
      case 'MetaProperty':
        return
      case 'ExportAllDeclaration':
        return this.handedOn(node)
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
  private goesOn(block: Node): void {
    this.again(block.start + 1)
    this.statements(block.body)
  }

  /** Here the activation goes on, if it had waited. */
  private again(at: number): void {
    const { activation, waits } = this.out.inner
    if (waits) this.out.insert(at, `;$ch.again(${activation});`)
  }

  /** `for await`: it waits for each of the values. Node tells when callbacks begin and end, a page does not. */
  private loopThatWaits({ right, body }: Node): void {
    const { activation, waits } = this.out.inner
    const isTold = this.style.lexical && waits
    if (isTold) this.out.insert(right.start, `$ch.away(${activation},(`)
    this.contents(right)
    if (isTold) this.out.insert(right.end, '))')
    if (body.type !== 'BlockStatement') return this.visit(body)
    this.goesOn(body)
    if (isTold) this.out.insert(body.end - 1, `;$ch.away(${activation});`)
  }

  /** `export * as counter from './counter.mjs'`: imported once more, for the object that others get to be known. */
  private handedOn({ exported, source, attributes, end }: Node): void {
    const { url } = this.style
    const module =
      exported === null || attributes?.length > 0 || url === undefined ? null : moduleName(source.value, url)
    if (module === null) return
    const name = this.out.namespaceName()
    this.out.insert(
      end,
      `;import*as ${name} from${JSON.stringify(source.value)};$ch.ns(${name},${JSON.stringify(module)});`,
    )
  }

  // Functions

  /** Of a method or a property; one whose name is computed has its text in brackets. */
  private nameOf({ key, computed }: Node): string {
    return computed && key.type !== 'Literal' ? `[${this.out.text(key)}]` : keyName(key)
  }

  /** `once`: a callback that runs once, of the activation around it. */
  private function(node: Node, name: string, holder: Node = node, once = false): void {
    const asynchronous = node.async
    const owner = once ? this.out.around() : null
    const hasOne =
      asynchronous ||
      owner !== null ||
      (!node.generator && (this.style.lexical ? handsOn(node) : passesFunctions(node)))
    const activation = hasOne ? this.out.activationName() : null
    const { line, column } = this.out.begin(node, holder)
    // Default values of parameters do not see the variables of the body.
    for (const param of node.params) this.defaults(param)
    const block = node.body.type === 'BlockStatement'
    this.out.functions.push({
      name: node.id?.name ?? name,
      line,
      column,
      activation,
      waits: asynchronous,
      // A body that is an expression cannot declare variables, so those of the function around it are used.
      temporaries: block || activation !== null ? [] : this.out.inner.temporaries,
    })
    const { names, token, declared } = this.scopes.enter(node, node.params)
    const tokenText = names.size > 0 ? `const ${token}={};` : ''
    const from = owner === null ? '' : `,${owner}`
    const enter = activation === null ? '' : `const ${activation}=$ch.enter(${this.out.site(node, '')}${from});`
    const leave = `}finally{$ch.leave(${activation})}`
    if (block) {
      const start = this.out.bodyStart(node.body)
      const order = this.out.now()
      const taken = this.takenFrom(node, declared)
      this.statements(node.body.body)
      const text = `${enter}${tokenText}${this.out.declared()}${taken}${activation === null ? '' : 'try{'}`
      if (text !== '') this.out.insert(start, text, order)
      if (activation !== null) this.out.insert(node.body.end - 1, leave)
    } else if (activation !== null) {
      const start = this.out.arrow(node)
      const order = this.out.now()
      this.visit(node.body)
      this.out.insert(start, `{${enter}${this.out.declared()}try{return (`, order)
      this.out.insert(node.end, `)${leave}}`)
    } else this.visit(node.body)
    this.scopes.leave()
    this.out.functions.pop()
  }

  /** An `await`, or a `yield` of an asynchronous generator, which goes on when somebody wants the next value. */
  private waits(node: Node): void {
    const { activation, waits } = this.out.inner
    const { argument } = node
    if (!waits || argument === null) return this.visitAll([argument])
    this.out.insert(node.start, `$ch.back(${activation},${this.out.site(node, this.out.text(node))},`)
    this.out.insert(argument.start, `$ch.away(${activation},(`)
    this.visit(argument)
    this.out.insert(node.end, ')))')
  }

  /** `await import('./counter.mjs')` */
  private imported(node: Node): void {
    const { source } = node.argument
    const { url } = this.style
    const module = typeof source.value === 'string' && url !== undefined ? moduleName(source.value, url) : null
    if (module !== null) this.out.insert(node.start, '$ch.ns(')
    this.waits(node)
    if (module !== null) this.out.insert(node.end, `,${JSON.stringify(module)})`)
  }

  // Accesses

  private read(node: Node): void {
    const tells = this.out.isTold(node) ? null : this.readOf(node.name)
    if (tells === null) return
    this.out.insert(node.start, `(${tells},${this.out.site(node, node.name)}),`)
    this.out.insert(node.end, ')')
  }

  /** A call, up to its site, that tells of a variable's being read; null: nobody else can change it. */
  private readOf(name: string): string | null {
    const shared = this.scopes.shared(name)
    if (shared !== null) return `$ch.n(${shared}`
    const imported = this.scopes.isOutermost(name) ? this.imports.get(name) : undefined
    if (imported === undefined || imported.name === WHOLE_MODULE) return null
    return `$ch.im(${JSON.stringify(imported.module)},${JSON.stringify(imported.name)}`
  }

  private member(node: Node, deletes: boolean): void {
    if (this.nobodys(node)) return
    const { object, property, computed } = node
    const counted = deletes ? null : countedBy(node)
    if (this.out.isTold(node))
      return this.visitAll(counted !== null ? [counted] : computed ? [object, property] : [object])
    if (counted !== null) return this.about(counted, 'count', String(this.out.site(node, this.out.text(counted))))
    const site = this.out.site(node, this.out.text(node))
    // Of a size, a test is told of: what does nothing but count its entries decides nothing.
    if (isSize(node) && !deletes && this.out.isTested(node)) return this.about(object, 'size', String(site))
    if (isLength(node) && !deletes && !this.out.isTested(node)) return this.about(object, 'len', String(site))
    if (!computed) return this.about(object, deletes ? 'x' : 'r', `${JSON.stringify(keyName(property))},${site}`)
    const held = this.held(object)
    const name = deletes ? 'kx' : typeof property.value === 'number' ? 'i' : 'k'
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
    const temporary = this.out.temporary()
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
      const rest = `${JSON.stringify(keyName(property))},${this.out.site(node, this.out.text(node))}`
      this.out.about(object, 'r', rest, (n) => this.chain(n))
    }
    if (computed) this.visit(property)
  }

  /** What a pattern takes from an object that others may hold. */
  private taken(value: Node, pattern: Node): void {
    if (!isHeld(value)) return this.visit(value)
    if (pattern.type === 'ArrayPattern') return this.contents(value)
    const told = pattern.type === 'ObjectPattern' ? this.takenBy(pattern, `${this.out.text(value)}.`) : '0'
    if (told === '0') return this.visit(value)
    this.wrap(value, '$ch.d(', `,${told})`)
  }

  /**
   * What an object pattern reads, as a literal: names, sites, and the same of a pattern inside, in turn; 0: nothing. A
   * finding is about one property, so each property has a site of its own.
   */
  private takenBy(pattern: Node, path: string): string {
    if (pattern.type === 'AssignmentPattern') return this.takenBy(pattern.left, path)
    if (pattern.type !== 'ObjectPattern') return '0'
    const told: string[] = []
    for (const property of pattern.properties) {
      if (property.type !== 'Property' || property.computed) continue
      const name = path + keyName(property.key)
      const site = this.out.site(property, name)
      told.push(JSON.stringify(keyName(property.key)), String(site), this.takenBy(property.value, `${name}.`))
    }
    return told.length === 0 ? '0' : `[${told.join()}]`
  }

  /** The same of what a function is given; an arrow function cannot say what that was. */
  private takenFrom(node: Node, declared: Set<string>): string {
    if (node.type === 'ArrowFunctionExpression' || declared.has('arguments')) return ''
    const told = node.params.map((param: Node) => this.takenBy(param, ''))
    return told.map((list: string, i: number) => (list === '0' ? '' : `$ch.d(arguments[${i}],${list});`)).join('')
  }

  /** What is read as a whole may be others', too, and something depends on it. */
  private isTaken(object: Node): boolean {
    return isHeld(object) && object.type !== 'ThisExpression' && !this.out.isTold(object)
  }

  /** All of a list is read. */
  private contents(list: Node): void {
    if (!this.isTaken(list)) return this.visit(list)
    this.about(list, 'all', `${this.out.site(list, this.out.text(list))},false`)
  }

  /** All that an object holds is read. */
  private properties(object: Node): void {
    if (!this.isTaken(object)) return this.visit(object)
    this.about(object, 'o', `${this.out.site(object, this.out.text(object))},false`)
  }

  /** `Object.assign(to, from …)`: what is written is told of after the call, for its arguments may wait. */
  private assign(node: Node): void {
    const [to, ...from] = node.arguments
    const isShared = isHeld(to)
    if (isShared) this.out.insert(node.start, '$ch.o(')
    this.visit(to)
    for (const object of from) this.properties(object)
    if (isShared) this.out.insert(node.end, `,${this.out.site(node, this.out.text(to))},true)`)
  }

  /** `key in object` */
  private contained(node: Node): void {
    const { left, right } = node
    if (left.type === 'PrivateIdentifier') return this.visit(right)
    const site = this.out.site(node, this.out.text(node))
    const key = this.out.temporary()
    this.wrap(left, `(${key}=`, ')')
    this.wrap(right, '$ch.in(', `,${key},${site})`)
  }

  /** A function of the language accesses what it is given: a write is told of after the call. */
  private languageCall(node: Node, { object, key, writes, list }: LanguageCall): void {
    if (key === undefined) {
      list ? this.contents(object) : this.properties(object)
      return this.visitAll(node.arguments.slice(1))
    }
    const site = this.out.site(node, `${this.out.text(object)}[${this.out.text(key)}]`)
    if (writes) this.out.insert(node.start, '$ch.did(')
    const held = this.held(object)
    const name = writes ? this.out.temporary() : ''
    this.wrap(key, writes ? `${name}=` : `$ch.k(${held},`, writes ? '' : `,${site})`)
    this.visitAll(node.arguments.filter((argument: Node) => argument !== object && argument !== key))
    if (writes) this.out.insert(node.end, `,${held},${name},${site})`)
  }

  private call(node: Node): void {
    const { callee } = node
    const ofLanguage = languageCall(node)
    if (ofLanguage !== null) return this.languageCall(node, ofLanguage)
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
        const site = this.out.site(node, this.out.text(object))
        const grows = KEYED[method] ? `,${method !== 'delete'}` : ''
        this.wrap(key, `$ch.key(${this.held(object)},`, `,${site}${grows})`)
        return this.visitAll(node.arguments.slice(1))
      }
      if (callee.property.type === 'Identifier' && Object.hasOwn(WHOLE, method)) {
        const site = this.out.site(node, this.out.text(object))
        if (method === 'push') this.about(object, 'push', String(site))
        else this.about(object, 'all', `${site},${WHOLE[method]}${MOVES.has(method) ? ',true' : ''}`)
        return this.visitAll(node.arguments)
      }
      this.visit(object)
      return this.arguments(node)
    }
    if (isAssign(node)) return this.assign(node)
    if (callee.type === 'MemberExpression') {
      if (callee.object.type !== 'Super') this.visit(callee.object)
      if (callee.computed) this.visit(callee.property)
    } else if (callee.type !== 'Super' && callee.type !== 'Import' && callee.type !== 'Identifier') this.visit(callee)
    this.arguments(node)
  }

  /** Of a call: callbacks that it registers belong to the activation around it. */
  private arguments(call: Node): void {
    const how = this.style.lexical ? registers(call) : null
    if (how === null) return this.visitAll(this.madeOf(call))
    for (const argument of call.arguments)
      if (isFunction(argument)) this.function(argument, '', argument, true)
      else if (argument === timeOf(call)) this.wrap(argument, '$ch.sleep(', ')')
      else if (how === 'reaction' && isHeld(argument)) this.wrap(argument, '$ch.cb(', ')')
      else this.visit(argument)
  }

  /** `new Map(list)` … */
  private made(node: Node): void {
    const ofLanguage = languageCall(node)
    if (ofLanguage?.list === true) this.languageCall(node, ofLanguage)
    else this.visitAll(this.madeOf(node))
  }

  /** Tells of code that a call makes; returns the arguments that are still to be visited. */
  private madeOf(call: Node): Node[] {
    const how = makesCode(call)
    if (how === null) return call.arguments
    const [text, ...others] = call.arguments
    const rewritten = how === 'eval' && typeof text.value === 'string' ? this.style.evaluated?.(text.value) : null
    if (typeof rewritten === 'string') {
      if (rewritten !== text.value) {
        this.out.insert(text.start, '$ch.code(')
        this.out.insert(text.end, `,${JSON.stringify(rewritten).replaceAll(MARK, '\\u1680')})`)
      }
      return others
    }
    this.wrap(text, '$ch.made(', `,${this.out.site(call, how)})`)
    return others
  }

  private assignment(node: Node): void {
    const { left, right, operator } = node
    if (left.type === 'Identifier') {
      const shared = this.scopes.shared(left.name)
      if (shared === null) return isFunction(right) ? this.function(right, left.name) : this.visit(right)
      const site = this.out.site(node, left.name)
      const reads = operator === '=' ? '' : `$ch.n(${shared},${site}),`
      if (operator === '=') this.out.update(left, right, site)
      this.out.insert(node.start, `(${reads}$ch.a(${shared},${site},`)
      this.visit(right)
      this.out.insert(node.end, '))')
      return
    }
    if (left.type === 'ObjectPattern' || left.type === 'ArrayPattern') return this.pattern(left, right)
    if (left.type !== 'MemberExpression' || this.nobodys(left)) return this.visit(right)
    const { object, property, computed } = left
    const site = this.out.site(node, this.out.text(left))
    const name = JSON.stringify(keyName(property))
    // V8 names a function after what it is assigned to, in stacks.
    if (!computed && isFunction(right)) {
      const isNamed = object.type === 'Identifier' && this.scopes.shared(object.name) === null
      if (isNamed) this.out.insert(node.start, `($ch.w(${object.name},${name},${site}),`)
      else this.about(object, 'w', `${name},${site}`)
      this.function(right, keyName(property), right, this.style.lexical && runsOnce(keyName(property)))
      if (isNamed) this.out.insert(node.end, ')')
      return
    }
    const reads = operator !== '='
    if (!reads) this.out.update(left, right, site)
    if (computed) {
      const held = this.held(object)
      const key = this.out.temporary()
      this.wrap(property, reads ? `${key}=$ch.k(${held},` : `${key}=`, reads ? `,${site})` : '')
      this.wrap(right, `$ch.put(${held},${key},${site},`, ')')
    } else {
      const held = object.type === 'ThisExpression' ? 'this' : this.out.temporary()
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
    for (const [name, of] of shared) this.out.insert(right.start, `$ch.a(${of},${this.out.site(left, name!)},(`)
    this.taken(right, left)
    this.out.insert(right.end, '))'.repeat(shared.length))
  }

  private update(node: Node): void {
    const { argument } = node
    if (argument.type === 'MemberExpression') {
      if (this.nobodys(argument)) return
      const { object, property, computed } = argument
      const site = this.out.site(node, this.out.text(argument))
      if (!computed) return this.about(object, 'u', `${JSON.stringify(keyName(property))},${site}`)
      return this.wrap(property, `$ch.ku(${this.held(object)},`, `,${site})`)
    }
    const shared = argument.type === 'Identifier' ? this.scopes.shared(argument.name) : null
    if (shared === null) return
    const site = this.out.site(node, argument.name)
    this.out.insert(node.start, `($ch.n(${shared},${site}),$ch.a(${shared},${site},`)
    this.out.insert(node.end, '))')
  }
}

/** `for await`, with or without a label. */
function waitsInLoop(node: Node): boolean {
  const loop = node.type === 'LabeledStatement' ? node.body : node
  return loop.type === 'ForOfStatement' && loop.await
}
