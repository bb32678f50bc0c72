/**
 * The rule `no-interrupted-update`. It reports a variable or property that an async function reads before an `await`
 * and writes after it, on the strength of the old value, outside an atomic block: in between anybody may have changed
 * it.
 *
 * @example
 * const was = n; await save(); n = was + 1   // reported: anything may have changed n during the wait
 */
export type Node = { type: string } & Record<string, any>

interface Event {
  kind: 'read' | 'write' | 'wait'
  key: string
  node: Node
  block: Node | null
}

const FUNCTION = /Function/

/** Reads, writes and waits of a function in the order in which they happen. */
class Order {
  readonly events: Event[] = []
  private block: Node | null = null
  private readonly locals: Set<string>

  constructor(root: Node) {
    this.locals = declared(root)
    this.visit(root.body)
  }

  private add(kind: Event['kind'], key: string | null, node: Node): void {
    if (key !== null) this.events.push({ kind, key, node, block: this.block })
  }

  /** `count`, `this.items`, `state.user.name`; null for what belongs to the function alone or cannot be named. */
  private key(node: Node): string | null {
    if (node.type === 'Identifier') return this.locals.has(node.name) ? null : node.name
    if (node.type === 'MemberExpression' && !node.computed) {
      const object = node.object.type === 'ThisExpression' ? 'this' : this.key(node.object)
      return object === null || object === undefined ? null : `${object}.${node.property.name}`
    }
    return null
  }

  visit(node: Node | null | undefined): void {
    if (node === null || node === undefined || FUNCTION.test(node.type)) return
    switch (node.type) {
      case 'AwaitExpression':
        this.visit(node.argument)
        return this.add('wait', '', node)
      case 'YieldExpression':
        this.visit(node.argument)
        // `yield* atomic(...)` is a wait like any other, as seen from outside.
        return this.add('wait', '', node)
      case 'AssignmentExpression': {
        const key = this.key(node.left)
        if (node.operator !== '=') this.add('read', key, node.left)
        if (node.left.type === 'MemberExpression' && key === null) this.visit(node.left.object)
        this.visit(node.right)
        return this.add('write', key, node.left)
      }
      case 'UpdateExpression': {
        this.add('read', this.key(node.argument), node.argument)
        return this.add('write', this.key(node.argument), node.argument)
      }
      case 'MemberExpression':
        this.add('read', this.key(node), node)
        if (this.key(node) === null) this.visit(node.object)
        if (node.computed) this.visit(node.property)
        return
      case 'Identifier':
        return this.add('read', this.key(node), node)
      case 'Property':
        if (node.computed) this.visit(node.key)
        return this.visit(node.value)
      case 'VariableDeclarator':
        return this.visit(node.init)
      case 'LabeledStatement': {
        const before = this.block
        if (node.label.name === 'atomic') this.block = node
        this.visit(node.body)
        this.block = before
        return
      }
      case 'ForStatement':
      case 'WhileStatement':
      case 'DoWhileStatement':
      case 'ForOfStatement':
      case 'ForInStatement':
        // The loop is walked twice, because what one round reads may be written by the next one.
        for (let round = 0; round < 2; round++) {
          if (round === 0) this.visit(node.init)
          this.visit(node.test)
          this.visit(node.right)
          if (node.await) this.add('wait', '', node)
          this.visit(node.body)
          this.visit(node.update)
        }
        return
    }
    for (const key of Object.keys(node)) {
      if (key === 'parent' || key === 'label') continue
      const value = node[key]
      if (Array.isArray(value)) for (const item of value) item && typeof item.type === 'string' && this.visit(item)
      else if (value && typeof value.type === 'string') this.visit(value)
    }
  }
}

function declared(root: Node): Set<string> {
  const names = new Set<string>()
  const pattern = (n: Node | null): void => {
    if (n === null || n === undefined) return
    if (n.type === 'Identifier') names.add(n.name)
    else
      for (const item of n.elements ?? n.properties ?? [n.argument ?? n.left ?? n.value])
        item && pattern(item.type === 'Property' ? item.value : item)
  }
  const walk = (n: Node): void => {
    if (n.type === 'VariableDeclarator') pattern(n.id)
    if (n.type === 'CatchClause') pattern(n.param)
    for (const key of Object.keys(n)) {
      if (key === 'parent') continue
      const value = n[key]
      for (const item of Array.isArray(value) ? value : [value])
        if (item && typeof item.type === 'string' && !FUNCTION.test(item.type)) walk(item)
    }
  }
  for (const p of root.params) pattern(p)
  walk(root.body)
  return names
}

export const interrupted = {
  meta: {
    type: 'problem' as const,
    docs: { description: 'a read before and a write after an await, outside an atomic block' },
    schema: [],
    messages: {
      interrupted:
        '{{key}} was read on line {{line}}, and anything may have changed it during the wait on line {{wait}}. ' +
        'Put both into one atomic block, or read it again after the wait.',
    },
  },
  create(context: any) {
    const check = (node: Node): void => {
      if (!node.async && !node.generator) return
      const { events } = new Order(node)
      const told = new Set<Node>()
      events.forEach((write, at) => {
        if (write.kind !== 'write' || told.has(write.node)) return
        let waited: Event | null = null
        for (let i = at - 1; i >= 0; i--) {
          const e = events[i]
          if (e.kind === 'wait' && (e.block === null || e.block !== write.block)) waited ??= e
          else if (e.kind !== 'wait' && e.key === write.key) {
            if (waited !== null && e.kind === 'read') {
              told.add(write.node)
              context.report({
                node: write.node,
                messageId: 'interrupted',
                data: { key: write.key, line: e.node.loc.start.line, wait: waited.node.loc.start.line },
              })
            }
            return
          }
        }
      })
    }
    return {
      'FunctionDeclaration:exit': check,
      'FunctionExpression:exit': check,
      'ArrowFunctionExpression:exit': check,
    }
  },
}
