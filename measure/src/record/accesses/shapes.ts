/** Questions about the shape of a piece of code, on which it depends how its accesses can be told. */
import { LANGUAGE } from '../../source/methods.ts'
import { contains, isFunction, keyName, type Node } from '../../source/tree.ts'

/** `f().a`, `f().a.b`, but not `(f()).a`, which is rare and only its places in stacks suffer. */
export function endsInCall(node: Node): boolean {
  let n = node
  while (n.type === 'MemberExpression' || n.type === 'TaggedTemplateExpression') n = n.object ?? n.tag
  return n.type === 'CallExpression' || n.type === 'ImportExpression'
}

/** True if a chain may end early at this node or below it. */
export const isOptional = (n: Node): boolean =>
  (n.type === 'MemberExpression' || n.type === 'CallExpression') && (n.optional || isOptional(n.object ?? n.callee))

/** A variable or property: what it holds may be others', too. */
export const isHeld = (n: Node): boolean =>
  (n.type === 'Identifier' && !LANGUAGE.has(n.name)) || n.type === 'MemberExpression' || n.type === 'ThisExpression'

/** Calls that run a text, or WebAssembly, by the last name in them. */
const MAKES = /^(eval|runIn(This|New)?Context|compileFunction)$/
const OF_WASM = /^(instantiate|compile)(Streaming)?$/
const MADE_NEW = /^(Function|Script|SourceTextModule)$/
/** What everybody asks for the global object. */
const OF_GLOBAL = /^\s*return this;?\s*$/

/** What a call makes code by (`eval`), or null. */
export function makesCode({ type, callee, arguments: [text] }: Node): string | null {
  if (text === undefined || text.type === 'SpreadElement' || OF_GLOBAL.test(text.value)) return null
  const called = callee.type === 'SequenceExpression' ? callee.expressions.at(-1) : callee
  const isMember = called.type === 'MemberExpression' && !called.computed
  const name: string | undefined = isMember ? called.property.name : called.name
  if (name === undefined) return null
  const ofWasm = isMember && called.object.type === 'Identifier' && called.object.name === 'WebAssembly'
  if (ofWasm && (type === 'NewExpression' || OF_WASM.test(name))) return 'WebAssembly'
  return MADE_NEW.test(name) ? (type === 'NewExpression' || name === 'Function' ? name : null) : makes(name)
}

const makes = (name: string): string | null => (MAKES.test(name) ? name : null)

/** `map.size` */
export const isSize = ({ type, computed, property }: Node): boolean =>
  type === 'MemberExpression' && !computed && property.name === 'size'

/** `list.length` */
export const isLength = ({ type, computed, property }: Node): boolean =>
  type === 'MemberExpression' && !computed && property.name === 'length'

/** `Object.assign(to, …)` */
export const isAssign = ({ callee, arguments: [to] }: Node): boolean =>
  callee.type === 'MemberExpression' &&
  !callee.computed &&
  callee.object.type === 'Identifier' &&
  callee.object.name === 'Object' &&
  callee.property.name === 'assign' &&
  to !== undefined

/** A function that hands functions on: what they do later belongs to its activation. */
export const passesFunctions = (node: Node): boolean =>
  contains(
    node.body.type === 'BlockStatement' ? node.body : { body: node.body },
    (n) => n.type === 'CallExpression' && n.arguments.some(isFunction),
  )

const REACTIONS = new Set(['then', 'catch', 'finally'])
const ONCE = new Set([
  'setTimeout',
  'queueMicrotask',
  'requestAnimationFrame',
  'requestIdleCallback',
  'requestVideoFrameCallback',
  'postTask',
])
const EVENTS = new Set(['load', 'loadend', 'success', 'error', 'complete', 'abort'])

/** `onload`, `onsuccess` …: the handler of a request, which runs once. */
export const runsOnce = (property: string): boolean => property.startsWith('on') && EVENTS.has(property.slice(2))

/** What a call registers that runs once: a promise's reaction, or another callback; null: nothing that is known. */
export function registers({ callee, arguments: given }: Node): 'reaction' | 'callback' | null {
  const name = callee.type === 'Identifier' ? callee.name : callee.computed === false ? keyName(callee.property) : ''
  if (callee.type === 'MemberExpression' && REACTIONS.has(name)) return 'reaction'
  if (ONCE.has(name)) return 'callback'
  return name === 'addEventListener' && EVENTS.has(given[0]?.value) ? 'callback' : null
}

/** The same in a page, where also callbacks that the text names, and handlers of requests, need an activation. */
export const handsOn = (node: Node): boolean =>
  passesFunctions(node) ||
  contains({ body: node.body }, (n) => (n.type === 'CallExpression' && registers(n) === 'reaction') || isHandler(n))

const isHandler = ({ type, left, right }: Node): boolean =>
  type === 'AssignmentExpression' &&
  left.type === 'MemberExpression' &&
  !left.computed &&
  isFunction(right) &&
  runsOnce(keyName(left.property))

/** How long a timer is asked for, in a call that sets one. */
export const timeOf = ({ callee, arguments: given }: Node): Node =>
  (callee.type === 'Identifier' ? callee.name : callee.computed === false ? keyName(callee.property) : '') ===
    'setTimeout' && given[1]?.type !== 'SpreadElement'
    ? given[1]
    : undefined
