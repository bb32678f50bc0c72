/** Looking at the syntax tree of a program, as acorn makes it. */
export type Node = any

export const isFunction = (n: Node): boolean =>
  n.type === 'FunctionDeclaration' || n.type === 'FunctionExpression' || n.type === 'ArrowFunctionExpression'

export const keyName = (key: Node): string =>
  key.type === 'PrivateIdentifier' ? `#${key.name}` : String(key.name ?? key.value ?? '')

/** Calls `f` with every node below; a true answer leaves out what is inside. */
export function walk(node: Node, f: (n: Node) => unknown): void {
  for (const key in node) {
    if (key === 'loc') continue
    const value = node[key]
    if (Array.isArray(value)) for (const child of value) visit(child, f)
    else visit(value, f)
  }
}

function visit(child: any, f: (n: Node) => unknown): void {
  if (typeof child?.type === 'string' && f(child) !== true) walk(child, f)
}

/** True if something in the node, but not in functions inside it unless `everywhere`, is so. */
export function contains(node: Node, is: (n: Node) => boolean, everywhere = false): boolean {
  let found = false
  walk(node, (n) => {
    if (is(n)) found = true
    return found || (!everywhere && isFunction(n))
  })
  return found
}

/** The variables that an assignment's left side, or a pattern, gives values to. */
export function* namesOf(target: Node): Generator<string> {
  if (target?.type === 'Identifier') yield target.name
  else if (target?.type === 'AssignmentPattern') yield* namesOf(target.left)
  else if (target?.type === 'RestElement') yield* namesOf(target.argument)
  else if (target?.type === 'ArrayPattern') for (const element of target.elements) yield* namesOf(element)
  else if (target?.type === 'ObjectPattern') for (const p of target.properties) yield* namesOf(p.value ?? p)
}
