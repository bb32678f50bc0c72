/** Questions about the shape of a piece of code, on which it depends how its accesses can be told. */
import { LANGUAGE } from '../../source/methods.ts'
import { contains, isFunction, keyName, walk, type Node } from '../../source/tree.ts'

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

/** Functions that access one property, which their second argument names, of the first: do they write it? */
const OF_ONE: Record<string, boolean> = {
  'Reflect.get': false,
  'Reflect.has': false,
  'Reflect.getOwnPropertyDescriptor': false,
  'Reflect.set': true,
  'Reflect.deleteProperty': true,
  'Reflect.defineProperty': true,
  'Object.hasOwn': false,
  'Object.getOwnPropertyDescriptor': false,
  'Object.defineProperty': true,
}
/** Those that read all properties of their first argument, and those that read a list to its end. */
const OF_ALL = /^(Object\.(keys|values|entries|getOwnPropertyNames)|Reflect\.ownKeys|JSON\.stringify|structuredClone)$/
const OF_LIST = /^(Array\.from|Object\.fromEntries|(Weak)?(Map|Set))$/
/** Methods of every object that ask for the property that their argument names. */
const ASKS = /^(hasOwnProperty|hasOwn|propertyIsEnumerable)$/

/** What a call of the language's own functions accesses. */
export interface LanguageCall {
  object: Node
  /** Undefined: all of it. */
  key?: Node
  writes: boolean
  /** The elements of a list, not the properties. */
  list: boolean
}

/** Null: it calls something else. */
export function languageCall({ type, callee, arguments: given }: Node): LanguageCall | null {
  if (given.some((argument: Node) => argument.type === 'SpreadElement')) return null
  const [first, second] = given
  const method = callee.type === 'MemberExpression' && !callee.computed ? (callee.property.name as string) : null
  // `Object.prototype.hasOwnProperty.call(object, key)`, `object.hasOwnProperty(key)`
  const asks = method === 'call' && ASKS.test(callee.object.property?.name ?? callee.object.name)
  if (asks && second !== undefined) return { object: first, key: second, writes: false, list: false }
  const isNamed = callee.type === 'Identifier' || (method !== null && callee.object.type === 'Identifier')
  const name = isNamed ? (method === null ? callee.name : `${callee.object.name}.${method}`) : ''
  if (first === undefined) return null
  if (Object.hasOwn(OF_ONE, name) && second !== undefined)
    return { object: first, key: second, writes: OF_ONE[name]!, list: false }
  if (method !== null && ASKS.test(method) && name !== 'Object.hasOwn' && callee.object.type !== 'Super')
    return { object: callee.object, key: first, writes: false, list: false }
  const list = OF_LIST.test(name) && (type === 'NewExpression') === (method === null)
  return list || OF_ALL.test(name) ? { object: first, writes: false, list } : null
}

/** `Object.keys(object).length`: how many properties an object has; null: it is something else. */
export function countedBy(node: Node): Node | null {
  if (!isLength(node) || node.object.type !== 'CallExpression') return null
  const { callee, arguments: given } = node.object
  const of = callee.type === 'MemberExpression' ? languageCall(node.object) : null
  return of !== null && of.key === undefined && !of.list && given.length === 1 && callee.object.name !== 'JSON'
    ? of.object
    : null
}

/** `for (const key in object) n++`: what it does depends on how many properties there are, not on which. */
export function onlyCounts({ left, body }: Node): boolean {
  const name = left.type === 'VariableDeclaration' ? left.declarations[0].id.name : undefined
  if (name === undefined) return false
  let isUsed = false
  walk({ body }, (n) => {
    if (n.type === 'Identifier' && n.name === name) isUsed = true
    return n.type === 'CallExpression' && languageCall(n)?.key?.name === name
  })
  return !isUsed
}

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
