/**
 * The rule `no-unused-labels`, in the place of ESLint's own, whose repair deletes the label of an `atomic:` block, and
 * with it the guarantee.
 *
 * @example
 * atomic: { await save() }    // is used
 * outer: { save() }           // reported: nothing jumps to it
 */
import type { Node } from './interrupted.ts'

export const labels = {
  meta: {
    type: 'suggestion' as const,
    docs: { description: 'labels that nothing jumps to, other than `atomic`' },
    schema: [],
    messages: { unused: '{{name}}: is defined but never used.' },
  },
  create(context: any) {
    const open: { name: string; used: boolean }[] = []
    const use = (node: Node): void => {
      const target = open.findLast((label) => label.name === node.label?.name)
      if (target !== undefined) target.used = true
    }
    return {
      LabeledStatement: (node: Node) => open.push({ name: node.label.name, used: node.label.name === 'atomic' }),
      BreakStatement: use,
      ContinueStatement: use,
      'LabeledStatement:exit': (node: Node) => {
        if (!open.pop()!.used)
          context.report({ node: node.label, messageId: 'unused', data: { name: node.label.name } })
      },
    }
  },
}
