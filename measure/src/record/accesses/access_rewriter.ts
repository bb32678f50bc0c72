/**
 * The rewriting of accesses: each read and write of what others could share stands inside a call of ours, which answers
 * with the same value. Of other constructs it knows only that they can be visited.
 */
import { LANGUAGE } from '../../source/methods.ts'
import { isFunction, keyName, namesOf, type Node } from '../../source/tree.ts'
import { WHOLE_MODULE, type Imported } from './exports.ts'
import type { Rewritten } from './rewritten.ts'
import type { Scopes } from './scopes.ts'
import { countedBy, isHeld, isLength, isOptional, isSize, runsOnce } from './shapes.ts'
import type { Style } from './style.ts'

/** What stands for a parameter of an arrow function, with its number. */
const GIVEN = '$ch_g'

export abstract class AccessRewriter {
  readonly out: Rewritten
  protected readonly scopes: Scopes
  protected readonly style: Style
  /** What the module imports, by its own names. */
  protected readonly imports: ReadonlyMap<string, Imported>

  constructor(out: Rewritten, scopes: Scopes, style: Style, imports: ReadonlyMap<string, Imported>) {
    this.out = out
    this.scopes = scopes
    this.style = style
    this.imports = imports
  }

  /** Rewrites what is inside a node, whatever it is. */
  protected abstract visit(node: Node): void

  /** See `Rewriter`. */
  protected abstract function(node: Node, name: string, holder?: Node, once?: boolean): void

  protected wrap(node: Node, before: string, after: string): void {
    this.out.wrap(node, before, after, (n) => this.visit(n))
  }

  protected about(object: Node, name: string, rest: string, before?: string, after?: string): void {
    this.out.about(object, name, rest, (n) => this.visit(n), before, after)
  }

  protected visitAll(nodes: Node[]): void {
    for (const node of nodes) if (node !== null) this.visit(node)
  }

  /** What is evaluated in a pattern, or a parameter: defaults, and names in brackets. `visit` gets each. */
  protected defaults(pattern: Node, visit = (value: Node, name: string): void => this.value(value, name)): void {
    const inside = (part: Node): void => this.defaults(part, visit)
    switch (pattern?.type) {
      case 'AssignmentPattern':
        visit(pattern.right, pattern.left.name ?? '')
        return inside(pattern.left)
      case 'ObjectPattern':
        for (const { computed, key, value, argument } of pattern.properties) {
          if (computed) visit(key, '')
          inside(value ?? argument)
        }
        return
      case 'ArrayPattern':
        return pattern.elements.forEach(inside)
      case 'RestElement':
        return inside(pattern.argument)
    }
  }

  /** A value that is stored under a name. */
  protected value(value: Node, name: string): void {
    if (isFunction(value)) this.function(value, name)
    else this.visit(value)
  }

  protected read(node: Node): void {
    const tells = this.out.isTold(node) ? null : this.readOf(node.name)
    if (tells === null) return
    this.out.insert(node.start, `(${tells},${this.out.site(node, node.name)}),`)
    this.out.insert(node.end, ')')
  }

  /** A call, up to its site, that tells of a variable's being read; null: nobody else can change it. */
  protected readOf(name: string): string | null {
    const shared = this.scopes.shared(name)
    if (shared !== null) return `$ch.n(${shared}`
    const imported = this.scopes.isOutermost(name) ? this.imports.get(name) : undefined
    if (imported === undefined || imported.name === WHOLE_MODULE) return null
    return `$ch.im(${JSON.stringify(imported.module)},${JSON.stringify(imported.name)}`
  }

  protected member(node: Node, deletes: boolean): void {
    if (this.nobodys(node)) return
    const { object, property, computed } = node
    const counted = deletes ? null : countedBy(node)
    if (this.out.isTold(node))
      return this.visitAll(counted !== null ? [counted] : computed ? [object, property] : [object])
    if (counted !== null) {
      const name = this.out.isTested(node) ? 'count' : 'keys'
      return this.about(counted, name, String(this.out.site(node, this.out.text(counted))))
    }
    const site = this.out.site(node, this.out.text(node))
    if (!deletes && (isSize(node) || isLength(node))) {
      const [tested, used] = isSize(node) ? ['size', 'next'] : ['r', 'len']
      const name = this.out.isTested(node) ? tested : used
      return this.about(object, name, name === 'r' ? `"length",${site}` : String(site))
    }
    if (!computed) return this.about(object, deletes ? 'x' : 'r', `${JSON.stringify(keyName(property))},${site}`)
    const held = this.held(object)
    const name = deletes ? 'kx' : typeof property.value === 'number' ? 'i' : 'k'
    this.wrap(property, `$ch.${name}(${held},`, `,${site})`)
  }

  /** True if a property is nobody's state, or cannot be told of; then what is computed is visited. */
  protected nobodys({ object, property, computed }: Node): boolean {
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
  protected held(object: Node): string {
    if (object.type === 'ThisExpression') return 'this'
    const temporary = this.out.temporary()
    this.wrap(object, `(${temporary}=`, ')')
    return temporary
  }

  /**
   * Of `a.b?.c.d` only `b` and `c` are noted: `d` is read where `a.b` is there, which a call around it would forget.
   * Where `c` stands behind the `?.`, what is there is known afterwards, too.
   */
  protected chain(node: Node): void {
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
  protected taken(value: Node, pattern: Node): void {
    if (!isHeld(value)) return this.visit(value)
    if (pattern.type === 'ArrayPattern') return this.contents(value)
    const told = pattern.type === 'ObjectPattern' ? this.takenBy(pattern, `${this.out.text(value)}.`) : '0'
    if (told === '0') return this.visit(value)
    this.wrap(value, '$ch.d(', `,${told})`)
  }

  /**
   * What an object pattern reads, as a literal: names (0: all), sites, and the same of a pattern inside, in turn; 0:
   * nothing. A finding is about one property, so each property has a site of its own.
   */
  protected takenBy(pattern: Node, path: string): string {
    if (pattern.type === 'AssignmentPattern') return this.takenBy(pattern.left, path)
    if (pattern.type !== 'ObjectPattern') return '0'
    const told: string[] = []
    for (const property of pattern.properties) {
      if (property.type === 'RestElement') told.push('0', String(this.out.site(property, path.slice(0, -1))), '0')
      if (property.type !== 'Property' || property.computed) continue
      const name = path + keyName(property.key)
      const site = this.out.site(property, name)
      told.push(JSON.stringify(keyName(property.key)), String(site), this.takenBy(property.value, `${name}.`))
    }
    return told.length === 0 ? '0' : `[${told.join()}]`
  }

  /** The same of what a function is given. */
  protected takenFrom(node: Node, declared: Set<string>): string {
    if (node.type === 'ArrowFunctionExpression' || declared.has('arguments')) return ''
    const told = node.params.map((param: Node) => this.takenBy(param, ''))
    return told.map((list: string, i: number) => (list === '0' ? '' : `$ch.d(arguments[${i}],${list});`)).join('')
  }

  /**
   * The same of what an arrow function is given. It has no `arguments`, so names of ours take the places of its
   * parameters from the first such pattern on, and defaults of one more pattern fill these in turn:
   *
   *     (a, { b }, c) => b     (a, $ch_g0, $ch_g1, ...{ $ch0: { b } = $ch.d($ch_g0, …), $ch1: c = $ch_g1 }) => b
   *
   * Calls of ours stand between `before` and `after`. `order`: of what begins before the parameters' own defaults.
   */
  protected takenByArrow(node: Node, order: number, before: string, after: string): void {
    const { params } = node
    if (node.type !== 'ArrowFunctionExpression' || params.at(-1)?.type === 'RestElement') return
    const told: string[] = params.map((param: Node) => this.takenBy(param, ''))
    const first = told.findIndex((list) => list !== '0')
    if (first < 0) return
    const hasDefault = ({ type }: Node): boolean => type === 'AssignmentPattern'
    const given = params.map((param: Node, i: number) => `${GIVEN}${i}${hasDefault(param) ? '=undefined' : ''}`)
    this.out.insert(params[first].start, `${given.slice(first).join()},...{`)
    for (const [i, param] of params.entries()) {
      if (i < first) continue
      const name = `${GIVEN}${i}`
      this.out.insert(param.start, `$ch${i}:`)
      if (told[i] === '0') {
        // Its default stays one, because the language names functions after what they are the default of.
        if (hasDefault(param)) this.out.insert(param.start, '{v:')
        this.out.insert(param.end, hasDefault(param) ? `}={v:${name}}` : `=${name}`)
        continue
      }
      const filled = `${before}$ch.d(`
      if (hasDefault(param)) this.out.insert(param.right.start, `${filled}${name}!==undefined?${name}:(`, order)
      else this.out.insert(param.end, `=${filled}${name}`)
      this.out.insert(param.end, `${hasDefault(param) ? ')' : ''},${told[i]})${after}`)
    }
    // Behind a comma that ends the parameters.
    this.out.insert(this.out.parenthesis(node), '}')
  }

  /** What is read as a whole may be others', too, and something depends on it. */
  protected isTaken(object: Node): boolean {
    return isHeld(object) && object.type !== 'ThisExpression' && !this.out.isTold(object)
  }

  /** All of a list is read. */
  protected contents(list: Node): void {
    if (!this.isTaken(list)) return this.visit(list)
    this.about(list, 'all', `${this.out.site(list, this.out.text(list))},false`)
  }

  /** All that an object holds is read. */
  protected properties(object: Node): void {
    if (!this.isTaken(object)) return this.visit(object)
    this.about(object, 'o', `${this.out.site(object, this.out.text(object))},false`)
  }

  /** How many properties an object holds is read. */
  protected counted(object: Node): void {
    if (!this.isTaken(object)) return this.visit(object)
    const [all, count] = [0, 1].map(() => this.out.site(object, this.out.text(object)))
    this.about(object, 'count', String(count), '$ch.o(', `,${all},false)`)
  }

  /** `key in object` */
  protected contained(node: Node): void {
    const { left, right } = node
    if (left.type === 'PrivateIdentifier') return this.visit(right)
    const site = this.out.site(node, this.out.text(node))
    const key = this.out.temporary()
    this.wrap(left, `(${key}=`, ')')
    this.wrap(right, '$ch.in(', `,${key},${site})`)
  }

  protected assignment(node: Node): void {
    const { left, right, operator } = node
    if (left.type === 'Identifier') {
      const shared = this.scopes.shared(left.name)
      if (shared === null) return this.value(right, left.name)
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
  protected pattern(left: Node, right: Node): void {
    this.defaults(left)
    this.targets(left)
    const shared = [...namesOf(left)].map((name) => [name, this.scopes.shared(name)]).filter(([, of]) => of !== null)
    for (const [name, of] of shared) this.out.insert(right.start, `$ch.a(${of},${this.out.site(left, name!)},(`)
    this.taken(right, left)
    this.out.insert(right.end, '))'.repeat(shared.length))
  }

  /**
   * The properties that a pattern gives values to: each is told of when its turn has come. `before`: a call that is
   * made right before that.
   */
  protected targets(pattern: Node, before = ''): void {
    const inside = (part: Node): void => this.targets(part, before)
    if (pattern.type === 'ObjectPattern') pattern.properties.forEach((p: Node) => inside(p.value ?? p.argument))
    else if (pattern.type === 'ArrayPattern') pattern.elements.forEach((e: Node) => e !== null && inside(e))
    else if (pattern.type === 'AssignmentPattern') inside(pattern.left)
    else if (pattern.type === 'RestElement') inside(pattern.argument)
    else if (pattern.type === 'MemberExpression' && !this.nobodys(pattern)) {
      const { object, property, computed } = pattern
      const number = this.out.site(pattern, this.out.text(pattern))
      const site = before === '' ? number : `(${before},${number})`
      if (!computed) return this.about(object, 'w', `${JSON.stringify(keyName(property))},${site}`)
      this.wrap(property, `$ch.kw(${this.held(object)},`, `,${site})`)
    }
  }

  protected update(node: Node): void {
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
