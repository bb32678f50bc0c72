/**
 * `await using` in an activity function: what is declared with it is disposed of at the end of its block.
 *
 *     { const using1$ = new charcoal$.Disposal(); try { const file = using1$.add(await open(), true); … }
 *       catch (e$) { using1$.fail(e$) } finally { yield* using1$.run() } }
 */
import type { ModuleText } from './moduleText.ts'
import { isAwaitUsing, isUsing, type Node } from './syntax.ts'

/** A block, when all that is in it has been rewritten: what is inserted first stands innermost. */
export function rewriteUsing(module: ModuleText, block: Node): void {
  const statements = block.body as Node[]
  if (!statements.some(isAwaitUsing)) return
  const name = `using${++module.usings}$`
  module.atStartOf(block, ` const ${name} = new charcoal$.Disposal(); try {`)
  // What is declared with `using` alone has its turn among the others.
  for (const statement of statements) if (isUsing(statement)) declare(module, statement, name)
  module.edits.atEndOf(block.end, `} catch (e$) { ${name}.fail(e$) } finally { yield* ${name}.run() }`)
}

export function refuseInHead(module: ModuleText, node: Node): never {
  module.refuse(node, '`await using` in the head of a loop cannot be transformed: declare it in a block of its own')
}

function declare(module: ModuleText, { start, kind, declarations }: Node, name: string): void {
  const words = /^(await\s+)?using/.exec(module.source.slice(start))![0]
  module.edits.replace(start, start + words.length, 'const')
  for (const { init } of declarations as Node[]) {
    const isInParentheses = init.extra?.parenthesized === true
    module.edits.before(init.start, `${name}.add(${isInParentheses ? '(' : ''}`)
    module.edits.after(init.end, `${isInParentheses ? ')' : ''}, ${kind !== 'using'})`)
  }
}
