/**
 * The rewriting of a file, construct by construct: each function tells when it is entered, waits and is left, and each
 * access to what others could share stands inside a call of ours, which answers with the same value. How accesses are
 * told of, and calls, stands in the classes below this one.
 */
import { contains, isFunction, keyName, namesOf, type Node } from '../../source/tree.ts'
import { CallRewriter } from './call_rewriter.ts'
import { exportsOf, importsOf, moduleName, WHOLE_MODULE } from './exports.ts'
import { Rewritten, type Transformed } from './rewritten.ts'
import { Scopes } from './scopes.ts'
import { handsOn, onlyCounts, passesFunctions } from './shapes.ts'
import type { Style } from './style.ts'

/** Rewrites one file; `transform.ts` shows what comes out. */
export class Rewriter extends CallRewriter {
  private readonly program: Node
  private readonly module: boolean
  /** The names of functions that are given to calls, such as `const save = asyncFn(function* () {})`. */
  private readonly given = new Map<Node, string>()

  /** `module`: whether it is one. */
  constructor(code: string, program: Node, file: number, style: Style, module: boolean) {
    super(
      new Rewritten(code, program, file, style.eachLine),
      new Scopes(file, style.isGlobal && !module),
      style,
      module && style.url !== undefined ? importsOf(program, style.url) : new Map(),
    )
    this.program = program
    this.module = module
  }

  result(): Transformed {
    const { program, out, style, module } = this
    const start = out.bodyStart(program)
    const waits = module && contains(program, (n) => n.type === 'AwaitExpression')
    const order = out.now()
    const activation = waits ? out.activationName() : null
    out.functions.push({ name: '', line: 1, column: 1, activation, isStepped: false, waits, temporaries: [] })
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

  /**
   * A parenthesis that is put before a statement must not make a call of the line above, which may end without a
   * semicolon.
   */
  private statements(nodes: Node[]): void {
    for (const node of nodes) {
      if (node.type === 'ExpressionStatement' && node.directive === undefined) this.out.insert(node.start, ';')
      this.visit(node)
      if (waitsInLoop(node)) this.again(node.end)
    }
  }

  /** A statement that may stand alone: behind a `for await` there is one more. `first` are statements before it. */
  private statement(node: Node, first = ''): void {
    if (node.type === 'BlockStatement') {
      if (first !== '') this.out.insert(node.start + 1, first)
      return this.visit(node)
    }
    const isLoop = waitsInLoop(node)
    const isBlock = isLoop || first !== ''
    if (isBlock) this.out.insert(node.start, `{${first}`)
    this.visit(node)
    if (isLoop) this.again(node.end)
    if (isBlock) this.out.insert(node.end, '}')
  }

  protected visit(node: Node): void {
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
        // What compilers make of an `async` function.
        if (AWAITER.test(node.callee.name)) this.names(node, this.out.inner.name)
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
        this.defaults(node.id)
        if (node.init === null) return
        this.names(node.init, node.id.name)
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
        this.names(node.value, this.nameOf(node))
        return isFunction(node.value) ? this.function(node.value, this.nameOf(node), node) : this.visit(node.value)
      case 'MethodDefinition':
      case 'PropertyDefinition':
        if (node.computed) this.visit(node.key)
        if (node.value !== null)
          isFunction(node.value) ? this.function(node.value, this.nameOf(node), node) : this.visit(node.value)
        return
      case 'TryStatement':
        this.statements(node.block.body)
        this.defaults(node.handler?.param)
        for (const block of [node.handler?.body, node.finalizer]) if (block) this.goesOn(block)
        return
      case 'ForOfStatement': {
        const told = this.round(node)
        return node.await
          ? this.loopThatWaits(node, told)
          : (this.contents(node.right), this.statement(node.body, told))
      }
      case 'ForInStatement': {
        const told = this.round(node)
        onlyCounts(node) ? this.counted(node.right) : this.properties(node.right)
        return this.statement(node.body, told)
      }
      case 'IfStatement':
        this.visit(node.test)
        this.statement(node.consequent)
        return node.alternate === null ? undefined : this.statement(node.alternate)
      case 'ForStatement':
        this.visitAll([node.init, node.test, node.update])
        return this.statement(node.body)
      case 'WhileStatement':
      case 'DoWhileStatement':
        this.visit(node.test)
        return this.statement(node.body)
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

  /** A block that is entered although an `await` threw: the activation goes on. */
  private goesOn(block: Node): void {
    this.again(block.start + 1)
    this.statements(block.body)
  }

  /** Here the activation goes on, if it had waited. */
  private again(at: number): void {
    if (this.out.inner.waits) this.out.insert(at, `;${this.goingOn};`)
  }

  private get goingOn(): string {
    return `$ch.again(${this.out.inner.activation})`
  }

  /**
   * What a loop gives a value to in each of its rounds. Properties are told of in its head; variables by the statements
   * that are answered, with which its body begins.
   */
  private round({ left, await: waits }: Node): string {
    if (left.type === 'VariableDeclaration') {
      this.visit(left)
      return ''
    }
    this.defaults(left)
    this.targets(left, waits && this.out.inner.waits ? this.goingOn : '')
    let told = ''
    for (const name of namesOf(left)) {
      const shared = this.scopes.shared(name)
      if (shared !== null) told += `$ch.a(${shared},${this.out.site(left, name)});`
    }
    return told
  }

  /**
   * `for await`: it waits for each of the values. Node tells when callbacks begin and end, a page does not. `told`:
   * with which statements the body begins.
   */
  private loopThatWaits({ right, body }: Node, told: string): void {
    const { activation, waits } = this.out.inner
    const isTold = this.style.lexical && waits
    if (isTold) this.out.insert(right.start, `$ch.away(${activation},(`)
    this.contents(right)
    if (isTold) this.out.insert(right.end, '))')
    const isBlock = body.type === 'BlockStatement'
    const [start, end] = isBlock ? [body.start + 1, body.end - 1] : [body.start, body.end]
    if (!isBlock) this.out.insert(start, '{')
    this.again(start)
    if (told !== '') this.out.insert(start, told)
    this.statements(isBlock ? body.body : [body])
    if (isTold) this.out.insert(end, `;$ch.away(${activation});`)
    if (!isBlock) this.out.insert(end, '}')
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

  /** The only function among a call's arguments has the name of what is made of it. */
  private names(made: Node, name: string | undefined): void {
    if (made.type !== 'CallExpression' || name === undefined) return
    const functions = made.arguments.filter(isFunction)
    if (functions.length === 1) this.given.set(functions[0], name)
  }

  /** `once`: a callback that runs once, of the activation around it. */
  protected function(node: Node, name: string, holder: Node = node, once = false): void {
    // A generator waits where it hands a value over, if who asks for the next one has waited.
    const waits = node.async || node.generator
    const owner = once ? this.out.around() : null
    const hasOne = waits || owner !== null || (this.style.lexical ? handsOn(node) : passesFunctions(node))
    const activation = hasOne ? this.out.activationName() : null
    const { line, column } = this.out.begin(node, holder)
    const block = node.body.type === 'BlockStatement'
    // Parameters, and a body that is an expression, cannot declare variables, so those of the function around are used.
    const { temporaries } = this.out.inner
    const frame = { name: node.id?.name ?? this.given.get(node) ?? name, line, column, isStepped: isStepped(node) }
    this.out.functions.push({ ...frame, activation: null, waits: false, temporaries })
    const site = activation === null ? 0 : this.out.site(node, '')
    const from = owner === null ? '' : `,${owner}`
    const first = this.out.now()
    // Default values of parameters see one another's names, and not the variables of the body.
    this.scopes.enterParameters(node)
    for (const param of node.params)
      this.defaults(param, (value, of) => {
        const order = this.out.now()
        this.value(value, of)
        // A generator is not entered before somebody asks for its first value.
        if (activation === null || node.generator || this.out.now() === order) return
        this.out.insert(value.start, `$ch.early(${site},()=>(`, order)
        this.out.insert(value.end, `)${from})`)
      })
    const [before, after] = activation === null ? ['', ''] : [`$ch.early(${site},()=>(`, `)${from})`]
    this.takenByArrow(node, first, before, after)
    this.scopes.leave()
    this.out.functions.pop()
    const own = block || activation !== null ? [] : temporaries
    this.out.functions.push({ ...frame, activation, waits, temporaries: own })
    const { names, token, declared } = this.scopes.enter(node, node.params)
    const tokenText = names.size > 0 ? `const ${token}={};` : ''
    const begins = isStepped(node) ? 'begin' : 'enter'
    const enter = activation === null ? '' : `const ${activation}=$ch.${begins}(${site}${from});`
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

  /** A `yield` of a generator that is not asynchronous. */
  private handsOver({ start, end, argument, delegate }: Node, site: number): void {
    const { activation } = this.out.inner
    if (delegate) this.out.insert(argument.start, `$ch.each(${activation},${site},(`)
    else {
      this.out.insert(start, `$ch.on(${activation},${site},`)
      this.out.insert(argument?.start ?? end, ` $ch.out(${activation}${argument === null ? '' : ',('}`)
    }
    this.visitAll([argument])
    this.out.insert(end, `)${argument === null ? '' : ')'}${delegate ? '' : ')'}`)
  }

  /** An `await`, or a `yield`, after which the function goes on when somebody wants the next value. */
  private waits(node: Node): void {
    const { activation, waits, isStepped } = this.out.inner
    const { argument } = node
    if (isStepped) return this.handsOver(node, this.out.site(node, this.out.text(node)))
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
}

const AWAITER = /^_*(awaiter|asyncToGenerator)$/i

/** A generator that is not asynchronous: who asks it for a value goes on when it has one. */
const isStepped = ({ async, generator }: Node): boolean => generator === true && async !== true

/** `for await`, with or without a label. */
function waitsInLoop(node: Node): boolean {
  const loop = node.type === 'LabeledStatement' ? node.body : node
  return loop.type === 'ForOfStatement' && loop.await
}
