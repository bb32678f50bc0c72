/**
 * The rewriting of calls: what methods of collections and functions of the language access, callbacks that belong to
 * the activation around the call that registers them, and code that a call makes.
 */
import { KEYED, LANGUAGE, MOVES, WHOLE } from '../../source/methods.ts'
import { contains, isFunction, type Node } from '../../source/tree.ts'
import { AccessRewriter } from './access_rewriter.ts'
import { isAssign, isHeld, languageCall, makesCode, registers, timeOf, type LanguageCall } from './shapes.ts'
import { MARK } from './sites.ts'

/** Something else may run while it is evaluated. */
const waitsIn = (node: Node): boolean => isWait(node) || contains(node, isWait)

const isWait = ({ type }: Node): boolean => type === 'AwaitExpression' || type === 'YieldExpression'

export abstract class CallRewriter extends AccessRewriter {
  /** A function of the language accesses what it is given: a write is told of after the call. */
  protected languageCall(node: Node, { object, key, writes, list }: LanguageCall): void {
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

  protected call(node: Node): void {
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
        const held = this.held(object)
        const others = node.arguments.slice(1)
        if (!others.some(waitsIn)) {
          this.wrap(key, `$ch.key(${held},`, `,${site}${grows})`)
          return this.visitAll(others)
        }
        const name = this.out.temporary()
        this.wrap(key, `${name}=`, '')
        return this.lastOf(others, `$ch.key(${held},${name},${site}${grows})`)
      }
      if (callee.property.type === 'Identifier' && Object.hasOwn(WHOLE, method)) {
        const site = this.out.site(node, this.out.text(object))
        if (node.arguments.some(waitsIn)) {
          const held = this.held(object)
          const more = method === 'push' ? '' : `,${WHOLE[method]}${MOVES.has(method) ? ',true' : ''}`
          return this.lastOf(node.arguments, `$ch.${method === 'push' ? 'push' : 'all'}(${held},${site}${more})`)
        }
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

  /** What a call accesses is told of when its arguments have been evaluated: one of them waits. */
  private lastOf(given: Node[], tells: string): void {
    const last = given.at(-1)!
    this.visitAll(given.slice(0, -1))
    this.wrap(last.type === 'SpreadElement' ? last.argument : last, '$ch.late(', `,${tells})`)
  }

  /** Of a call: callbacks that it registers belong to the activation around it. */
  protected arguments(call: Node): void {
    const how = this.style.lexical ? registers(call) : null
    if (how === null) return this.visitAll(this.madeOf(call))
    for (const argument of call.arguments)
      if (isFunction(argument)) this.function(argument, '', argument, true)
      else if (argument === timeOf(call)) this.wrap(argument, '$ch.sleep(', ')')
      else if (how === 'reaction' && isHeld(argument)) this.wrap(argument, '$ch.cb(', ')')
      else this.visit(argument)
  }

  /** `new Map(list)` … */
  protected made(node: Node): void {
    const ofLanguage = languageCall(node)
    if (ofLanguage?.list === true) this.languageCall(node, ofLanguage)
    else this.visitAll(this.madeOf(node))
  }

  /** Tells of code that a call makes; returns the arguments that are still to be visited. */
  protected madeOf(call: Node): Node[] {
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

  /** `Object.assign(to, from …)`: what is written is told of after the call, for its arguments may wait. */
  protected assign(node: Node): void {
    const [to, ...from] = node.arguments
    const isShared = isHeld(to)
    if (isShared) this.out.insert(node.start, '$ch.o(')
    this.visit(to)
    for (const object of from) this.properties(object)
    if (isShared) this.out.insert(node.end, `,${this.out.site(node, this.out.text(to))},true)`)
  }
}
