/**
 * Which reads of a program only ask something: what they read is tested, and nothing holds it any longer. An operation
 * that only asked before a wait, and asks again after it, decides anew:
 *
 *     if (!map.has(key)) { const value = await load(key); if (!map.has(key)) map.set(key, value) }
 *
 * And one that acts on the answer at once, as a semaphore does, has used it up; what is done after a wait, elsewhere,
 * is not done because of it:
 *
 *     async acquire() { if (this.free > 0) { this.free--; return } await new Promise((go) => this.waiting.push(go)) }
 *     release() { const go = this.waiting.shift(); if (go) go(); else this.free++ }
 *
 * The analysis asks the syntax tree, and changes nothing.
 */
import { contains, isFunction, walk, type Node } from '../../source/tree.ts'
import { isLength, isSize } from './shapes.ts'

/** What is known of a read that only asks, or of a call that adds to a list or takes from it. */
export interface Tested {
  /**
   * The function around it updates what it has tested before it waits, and its caller cannot tell how the test went:
   * the function throws nothing and answers with nothing. `later`: it is asynchronous.
   */
  callersCannotTell?: 'at once' | 'later'
  /** The same of what stands behind this line and column in the function itself. */
  untold?: [line: number, column: number]
  /** It is no read: it changes a list by what is in it, so that nothing of others is lost. */
  updates?: true
  /**
   * It is only logged, or a length that is handed to a call whose answer nobody takes: what the function does later
   * does not depend on it.
   */
  told?: true
  /** It asks whether the value is still the one that the function read before, and what follows depends on that. */
  compares?: true
}

/** How many statements behind a test are looked at, for what is done if it does not leave. */
const MAX_BEHIND = 50

/** By the node of the read. */
export type TestedReads = Map<Node, Tested>

export function testedReads(program: Node, code: string): TestedReads {
  const found: TestedReads = new Map()
  const behind = new Map<Node, () => Node[]>()
  const note = (test: Node, of: (read: Node) => Tested): void => {
    for (const read of askedIn(test)) found.set(read, of(read))
  }
  /** What constants of the function at hand, and of those around it, were read from. */
  const kept = new Map<string, string>()
  const inside = (around: Node, silent: Tested['callersCannotTell']): void => {
    const before: [name: string, text: string | undefined][] = []
    walk(around, (n) => {
      if (isFunction(n)) {
        for (const read of forgottenIn(n)) note(read, () => ({}))
        inside(n, answersNothing(n) ? (n.async ? 'later' : 'at once') : undefined)
        return true
      }
      if (n.type === 'BlockStatement')
        for (const [i, s] of n.body.entries()) behind.set(s, () => n.body.slice(i + 1, i + 1 + MAX_BEHIND))
      if (n.type === 'IfStatement') {
        const { consequent, alternate } = n
        const instead = alternate ?? (leavesIt(statementsOf(consequent).at(-1) ?? n) ? behind.get(n)?.() : null)
        const updated = new Set([consequent, instead].flatMap((branch) => updatedIn(statementsOf(branch), code)))
        note(n.test, (read) =>
          updated.has(textOfList(read, code))
            ? {
                ...(silent !== undefined && { callersCannotTell: silent }),
                ...(!contains(n, leavesIt) && { untold: [n.loc.end.line, n.loc.end.column + 1] as [number, number] }),
              }
            : {},
        )
        const compared = comparedIn(n, kept, code)
        if (compared !== null) found.set(compared, { compares: true })
      } else if (n.type === 'ConditionalExpression' || isLoop(n)) note(n.test, () => ({}))
      else if (isConstant(n))
        for (const { id, init } of n.declarations) {
          before.push([id.name, kept.get(id.name)])
          kept.set(id.name, textOf(init, code))
        }
      else if (n.type === 'ExpressionStatement' && n.expression.type === 'CallExpression') {
        for (const read of handedOver(n.expression))
          if (isConsole(n.expression) || isCount(read)) found.set(read, { told: true })
      } else if (isListUpdate(n)) found.set(n, { updates: true })
      else if (n.type === 'ExpressionStatement' && n.expression.type === 'LogicalExpression')
        note(n.expression.left, () => ({}))
      return false
    })
    for (const [name, text] of before.reverse())
      if (text === undefined) kept.delete(name)
      else kept.set(name, text)
  }
  inside(program, undefined)
  return found
}

/** Constants with one name and a value, by declaration. */
const isConstant = ({ type, kind, declarations }: Node): boolean =>
  type === 'VariableDeclaration' &&
  kind === 'const' &&
  declarations.every(({ id, init }: Node) => id.type === 'Identifier' && init !== null)

const textOf = ({ start, end }: Node, code: string): string => code.slice(start, end)

const isCount = (read: Node): boolean => isLength(read) || isSize(read)

const isConsole = ({ callee }: Node): boolean =>
  callee.type === 'MemberExpression' && callee.object.type === 'Identifier' && callee.object.name === 'console'

/** The reads in a call's arguments, if these are computed at once. */
function handedOver(call: Node): Node[] {
  const reads: Node[] = []
  if (contains(call, waits)) return reads
  walk(call, (n) => {
    if (n !== call.callee && /^(Identifier|MemberExpression)$/.test(n.type)) reads.push(n)
    return n === call.callee || isFunction(n)
  })
  return reads
}

/**
 * `const seen = v; …; if (v === seen) v = next`, or `if (v !== seen) continue`: `v`, read again. `kept`: what constants
 * were read from, as texts.
 */
function comparedIn({ test, consequent }: Node, kept: Map<string, string>, code: string): Node | null {
  const { type, operator, left, right } = test
  if (type !== 'BinaryExpression' || !/^[!=]==?$/.test(operator)) return null
  if (operator.startsWith('!') && !leavesIt(statementsOf(consequent).at(-1) ?? test)) return null
  for (const [read, constant] of [
    [left, right],
    [right, left],
  ])
    if (constant.type === 'Identifier' && kept.get(constant.name) === textOf(read, code)) return read
  return null
}

const isLoop = ({ type, test }: Node): boolean => /^(While|DoWhile|For)Statement$/.test(type) && test !== null

/** `list.push(x)`, `list.shift()` … */
const isListUpdate = ({ type, callee }: Node): boolean =>
  type === 'CallExpression' &&
  callee.type === 'MemberExpression' &&
  !callee.computed &&
  ['push', 'pop', 'shift', 'unshift'].includes(callee.property.name)

/** `map.set(key, value)`, `set.delete(key)` … */
const isEntryUpdate = ({ type, callee }: Node): boolean =>
  type === 'CallExpression' &&
  callee.type === 'MemberExpression' &&
  !callee.computed &&
  ['set', 'add', 'delete'].includes(callee.property.name)

/** What is read; of a list's length or a collection's size, the list or the collection. */
function textOfList(read: Node, code: string): string {
  const { start, end } = isCount(read) ? read.object : read
  return code.slice(start, end)
}

const leavesIt = ({ type }: Node): boolean => /^(Return|Throw|Break|Continue)Statement$/.test(type)

const waits = ({ type, await: awaits }: Node): boolean =>
  type === 'AwaitExpression' || type === 'YieldExpression' || awaits === true

/** The reads whose values a test uses, and nothing else. */
function* askedIn(test: Node): Generator<Node> {
  switch (test.type) {
    case 'UnaryExpression':
      return yield* askedIn(test.argument)
    case 'BinaryExpression':
      yield test // `key in object`
      yield* askedIn(test.left)
      return yield* askedIn(test.right)
    case 'LogicalExpression':
      yield* askedIn(test.left)
      return yield* askedIn(test.right)
    case 'ChainExpression':
      return yield* askedIn(test.expression)
    case 'Identifier':
      return yield test
    case 'MemberExpression':
      yield test
      yield* askedIn(test.object)
      if (test.computed) yield* askedIn(test.property)
      return
    case 'CallExpression':
      // What is asked of a collection; another function could keep what it is given.
      if (test.callee.type !== 'MemberExpression') return
      yield test
      return yield* askedIn(test.callee.object)
  }
}

const statementsOf = (branch: Node): Node[] =>
  Array.isArray(branch) ? branch : branch?.type === 'BlockStatement' ? branch.body : branch ? [branch] : []

/** What a branch of an `if` updates before it waits, as texts. What it updates only sometimes does not count. */
function updatedIn(branch: Node[], code: string): string[] {
  const found: string[] = []
  for (const statement of branch) {
    if (waits(statement) || contains(statement, waits)) break
    if (!/^(Expression|Return)Statement$|^VariableDeclaration$/.test(statement.type)) continue
    if (contains(statement, isSometimes)) continue
    walk(statement, (n) => {
      const target = isListUpdate(n) || isEntryUpdate(n) ? n.callee.object : targetOf(n)
      if (target !== null) found.push(code.slice(target.start, target.end))
      return isFunction(n)
    })
  }
  return found
}

const isSometimes = ({ type }: Node): boolean => type === 'LogicalExpression' || type === 'ConditionalExpression'

const targetOf = ({ type, argument, left }: Node): Node | null =>
  type === 'UpdateExpression' ? argument : type === 'AssignmentExpression' ? left : null

/** True if a caller learns nothing from how a function ends, except that it has ended. */
function answersNothing({ body }: Node): boolean {
  return (
    body.type === 'BlockStatement' &&
    !contains(body, ({ type, argument }) =>
      type === 'ReturnStatement' ? !isNothing(argument) : type === 'ThrowStatement' || type === 'YieldExpression',
    )
  )
}

/** `return`, `return Promise.resolve()`, or a promise that somebody else settles. */
function isNothing(value: Node): boolean {
  if (value === null || isFunction(value)) return true
  if (value.type === 'NewExpression') return value.callee.name === 'Promise'
  const { type, callee, arguments: given } = value
  return (
    type === 'CallExpression' &&
    callee.type === 'MemberExpression' &&
    callee.object.name === 'Promise' &&
    callee.property.name === 'resolve' &&
    given.every(isNothing)
  )
}

/**
 * `const known = map.get(key)`: what a function reads into constants that are only tested or returned, and that nothing
 * uses behind the next wait. A loop comes back to what stands before its wait, so in such a function there are none.
 */
function* forgottenIn({ body }: Node): Generator<Node> {
  const constants: { id: Node; init: Node; end: number }[] = []
  const uses = new Map<string, Node[]>()
  const asked = new Set<Node>()
  const waiting: number[] = []
  let comesBack = false
  walk(body, (n) => {
    if (n.type === 'VariableDeclaration' && n.kind === 'const') {
      for (const { id, init } of n.declarations)
        if (id.type === 'Identifier' && init !== null) {
          constants.push({ id, init, end: n.end })
          uses.set(id.name, [])
        }
    } else if (n.type === 'IfStatement') for (const read of askedIn(n.test)) asked.add(read)
    else if (n.type === 'ReturnStatement' && n.argument !== null)
      for (const read of askedIn(n.argument)) asked.add(read)
    else if (/^(While|DoWhile|For|ForIn|ForOf)Statement$/.test(n.type)) comesBack ||= contains(n, waits)
    if (waits(n)) waiting.push(n.start)
    return isFunction(n)
  })
  if (comesBack || constants.length === 0) return
  walk(body, (n) => {
    if (n.type === 'Identifier') uses.get(n.name)?.push(n)
  })
  waiting.sort((a, b) => a - b)
  for (const { id, init, end } of constants) {
    const next = firstAfter(waiting, id.start)
    if (uses.get(id.name)!.every((use) => use.start <= end || (asked.has(use) && use.end < next))) yield init
  }
}

/** The first of these ascending numbers that is greater than `from`, or infinity. */
function firstAfter(numbers: number[], from: number): number {
  let [low, high] = [0, numbers.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (numbers[middle]! > from) high = middle
    else low = middle + 1
  }
  return numbers[low] ?? Infinity
}
