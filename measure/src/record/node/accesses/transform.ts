/**
 * Rewrites a program's own code so that it tells which variables and properties it reads and writes, and which
 * activation of which function does so. Only text is inserted, never a line break, so lines stay; columns are put right
 * by the shifts, and functions' own texts by the marks around all that is inserted (left out below). Each access is
 * still made by the program's own expression, in its own place: ours only stands beside it. What is not understood
 * stays as it is.
 *
 *     async function buy() { const left = this.left; await pay(); this.left = left - 1 }
 *     async function buy() {const $ch_a=$ch.enter(0);try{ const left = $ch.r(this,"left",1).left;
 *         $ch.back($ch_a,2,await $ch.away($ch_a,(pay())));
 *         this.left = $ch.put(this,"left",3,left - 1) }finally{$ch.leave($ch_a)}}
 */
import { parse } from 'acorn'
import { contains, type Node } from '../../../source/tree.ts'
import type { Transformed } from './rewritten.ts'
import { Rewriter } from './rewriter.ts'
import { FILE_SITES, MARK } from './sites.ts'
import { shiftedMap } from './source_map.ts'

/**
 * Null if the text is left as it is: it cannot be parsed, or what it does could depend on the rewriting. `file`: a
 * number of its own.
 */
export function transform(code: string, url: string, module: boolean, file: number): Transformed | null {
  if (code.includes('$ch') || code.includes(MARK)) return null
  const read = (text: string): Node => {
    try {
      return parse(text, {
        ecmaVersion: 'latest',
        sourceType: module ? 'module' : 'script',
        locations: true,
        allowHashBang: true,
        allowAwaitOutsideFunction: module,
        allowReturnOutsideFunction: !module,
      })
    } catch {
      return null
    }
  }
  const program = read(code)
  const asserts = /['"](node:)?assert(\/strict)?['"]/.test(code)
  if (program === null || contains(program, (n) => isWith(n) || (asserts && readsFile(n)), true)) return null
  const map = shiftedMap(code, url)
  if (map === null) return null
  const rewriter = new Rewriter(code, program, file)
  const rewritten = rewriter.result(url, module)
  // It is better to report nothing than to break a program.
  if (rewritten.sites.sites.length > FILE_SITES || read(rewritten.code) === null) return null
  return { ...rewritten, code: rewritten.code + map(rewriter.out.inserted) }
}

/** Inside `with`, our names could be the object's. */
const isWith = (n: Node): boolean => n.type === 'WithStatement'

/** `assert(x)` without a message reads the file, at the column where it stands in the text that runs. */
function readsFile(n: Node): boolean {
  if (n.type !== 'CallExpression' || n.arguments.length !== 1) return false
  const { callee } = n
  return callee.type === 'MemberExpression'
    ? callee.property.name === 'ok'
    : callee.type === 'Identifier' && /assert|ok/i.test(callee.name)
}
