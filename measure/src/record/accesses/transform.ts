/**
 * Rewrites a program's own code so that it tells which variables and properties it reads and writes, and which
 * activation of which function does so. Only text is inserted, never a line break, so lines stay; columns are put right
 * by the shifts, and functions' own texts by the marks around all that is inserted (left out below). Each access is
 * still made by the program's own expression, in its own place: ours only stands beside it. What is not understood
 * stays as it is.
 *
 *     async function buy() { const left = this.left; await pay(); this.left = left - 1 }
 *     async function buy() {const $ch_a1=$ch.enter(0);try{ const left = $ch.r(this,"left",1).left;
 *         $ch.back($ch_a1,2,await $ch.away($ch_a1,(pay())));
 *         this.left = $ch.put(this,"left",3,left - 1) }finally{$ch.leave($ch_a1)}}
 */
import { parse } from 'acorn'
import { contains, type Node } from '../../source/tree.ts'
import type { Transformed } from './rewritten.ts'
import { Rewriter } from './rewriter.ts'
import { FILE_SITES, MARK } from './sites.ts'
import { shiftedMap } from './source_map.ts'
import type { Style } from './style.ts'

/**
 * For Node. Null if the text is left as it is: it cannot be parsed, or what it does could depend on the rewriting.
 * `file`: a number of its own.
 */
export function transform(
  code: string,
  url: string,
  module: boolean,
  file: number,
  left: Left = () => {},
): Transformed | null {
  const map = shiftedMap(code, url)
  if (map === null) return (left('its source map is not understood'), null)
  // First of all, for places are looked up while the module runs; the table stands after the program, in a function,
  // which the language hoists.
  const table = `$ch_f${file}`
  const first = `$ch.file(${file},${JSON.stringify(url)},${table});`
  const rewritten = rewrite(code, module, file, { ...OF_NODE, url, first }, readsFiles(code), left)
  if (rewritten === null) return null
  // As text, which the recorder's realm makes objects of its own of.
  const sites = JSON.stringify(JSON.stringify(rewritten.sites))
  const text = `${rewritten.code}\n${MARK}function ${table}(){return ${sites}}${MARK}`
  return { sites: rewritten.sites, code: text + map(rewritten.inserted) }
}

/** The same for a text that a program compiles itself: no statement introduces it, because its sites are here. */
export const transformScript = (code: string, url: string, file: number, left: Left): Transformed | null =>
  rewrite(code, false, file, { ...OF_NODE, url, first: '' }, readsFiles(code), left)

/** The same for a module. */
export const transformModule = (code: string, url: string, file: number, left: Left): Transformed | null =>
  rewrite(code, true, file, { ...OF_NODE, url, first: '' }, readsFiles(code), left)

/** The same for the body of an asynchronous function. */
export const transformBody = (code: string, url: string, file: number, left: Left): Transformed | null =>
  rewrite(code, false, file, { ...OF_NODE, url, first: '', isBody: true }, readsFiles(code), left)

/**
 * The same for a page, whose sites the recorder keeps: it rewrites the scripts outside of the page. `module`: whether
 * it is one; undefined: it is one if it is no script.
 */
export function transformForPage(
  code: string,
  url: string,
  module: boolean | undefined,
  file: number,
  left: Left = () => {},
  evaluated?: Style['evaluated'],
): Transformed | null {
  return rewrite(code, module, file, { ...OF_PAGE, url, isGlobal: true, evaluated }, () => false, left)
}

/** The same for a text that a page's script gives to `eval`, whose variables are its own. */
export const transformEvaluated = (code: string, file: number, left: Left): Transformed | null =>
  rewrite(code, false, file, { ...OF_PAGE, isGlobal: false }, () => false, left)

/** Told why a text is left as it is, as a sentence on `it`. */
type Left = (why: string) => void

type Inserted = Rewriter['out']['inserted']

function rewrite(
  code: string,
  isModule: boolean | undefined,
  file: number,
  style: Style,
  forbids: (n: Node) => boolean,
  left: Left,
): (Transformed & { inserted: Inserted }) | null {
  const no = (why: string): null => (left(why), null)
  if (code.includes('$ch') || code.includes(MARK)) return no("it has this tool's own names")
  let module = isModule ?? false
  let program = read(code, module, style.isBody)
  if (program === null && isModule === undefined) program = read(code, (module = true))
  if (program === null) return no('it cannot be parsed')
  if (contains(program, isWith, true)) return no('it contains `with`')
  if (contains(program, forbids, true)) return no('it asserts without a message')
  const rewriter = new Rewriter(code, program, file, style, module)
  const rewritten = rewriter.result()
  // It is better to report nothing than to break a program.
  if (rewritten.sites.sites.length > FILE_SITES) return no('it has too many reads and writes')
  if (read(rewritten.code, module, style.isBody) === null) return no('it cannot be rewritten')
  return { ...rewritten, inserted: rewriter.out.inserted }
}

/** The syntax tree; null: it is no JavaScript of this kind. `awaits`: it can wait outside of its functions. */
export function read(code: string, module: boolean, awaits = module): Node {
  try {
    return parse(code, {
      ecmaVersion: 'latest',
      sourceType: module ? 'module' : 'script',
      locations: true,
      allowHashBang: true,
      allowAwaitOutsideFunction: awaits,
      allowReturnOutsideFunction: !module,
    })
  } catch {
    return null
  }
}

/** Node does not show a line that has this above an uncaught error: it is not the line that people wrote. */
const NOT_SHOWN = '/* node-do-not-add-exception-line */'

const OF_NODE = { lexical: false, eachLine: NOT_SHOWN, isGlobal: false }

/**
 * Stands in for the runtime in a realm where it is not (a worklet, for one), so that a rewritten script does there what
 * it did: each call answers with the program's own value.
 */
const WITHOUT_RUNTIME =
  '(()=>{const f=o=>o,s=(o,k)=>k,l=(a,b,v)=>v,m=(a,b,c,v)=>v;return{file(){},exports(){},im(){},ns:f,enter(){},' +
  'early:(s,v)=>v(),leave(){},begin(){},out:s,on:l,each:l,global(){},away:s,back:l,again(){},module(){},' +
  'r:f,w:f,u:f,k:s,i:s,kw:s,ku:s,put:m,d:f,in:f,n(){},' +
  'a:m,key:s,size:f,next:f,len:f,x:f,kx:s,did:f,count:f,keys:f,push:f,made:f,code:s,all:f,o:f,cb:f,sleep:f,late:f}})()'

const OF_PAGE = { lexical: true, first: `globalThis.$ch??=${WITHOUT_RUNTIME};`, eachLine: '' }

/** Inside `with`, our names could be the object's. */
const isWith = (n: Node): boolean => n.type === 'WithStatement'

/** `assert(x)` without a message reads the file, at the column where it stands in the text that runs. */
function readsFiles(code: string): (n: Node) => boolean {
  return /['"](node:)?assert(\/strict)?['"]/.test(code) ? readsFile : () => false
}

function readsFile(n: Node): boolean {
  if (n.type !== 'CallExpression' || n.arguments.length !== 1) return false
  const { callee } = n
  return callee.type === 'MemberExpression'
    ? callee.property.name === 'ok'
    : callee.type === 'Identifier' && /assert|ok/i.test(callee.name)
}
