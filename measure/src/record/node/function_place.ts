/**
 * Where a function stands in the source. JavaScript cannot ask that; the inspector can, from inside the process and at
 * once. Asked once for each place where callbacks are registered, so its price (some 50 µs) does not matter.
 */
import { Session } from 'node:inspector'
import { copied } from '../copied.ts'
import type { Place } from '../place.ts'
import { scriptAddress } from '../script_address.ts'
import { translated } from './stack.ts'

const KEY = Symbol.for('charcoal.measure.function')
const MAX_ASKED = 5000

let session: Session | null | undefined
let asked = 0
const scripts = new Map<string, string>()

function post(method: string, params?: object): any {
  let answer: any
  ;(session as any).post(
    method,
    params,
    (error: unknown, result: unknown) => (answer = error === null ? result : undefined),
  )
  return answer
}

function connect(): boolean {
  if (session !== undefined) return session !== null
  try {
    session = new Session()
    session.connect()
    session.on('Debugger.scriptParsed', ({ params }: any) => void scripts.set(params.scriptId, params.url))
  } catch {
    // Node was built without an inspector.
    session = null
  }
  return session !== null
}

/**
 * The debugger lists all scripts when it is switched on; it stays off otherwise, because it would slow the program
 * down.
 */
function urlOf(script: string): string {
  if (!scripts.has(script)) {
    post('Debugger.enable')
    post('Debugger.disable')
    if (!scripts.has(script)) scripts.set(script, '')
  }
  return scripts.get(script)!
}

/**
 * The inspector says where the parameters begin; stacks say where the function does: at `function`, `async`, or a
 * method's name. How many characters lie between them.
 */
function beforeParameters(text: string): number {
  const isArrow = /^(async\s*)?\(/.test(text)
  const words =
    /^(?:(?:async|function|get|set)\b\s*)*\*?\s*(?:#?[\p{ID_Continue}$]+|'[^'\n]*'|"[^"\n]*")?[^\S\n]*(?=\()/u
  return isArrow ? 0 : (words.exec(text)?.[0].length ?? 0)
}

/** The beginning of a function; null for built-in ones, and where it cannot be known. */
export function functionPlace(f: Function): Place | null {
  if (asked >= MAX_ASKED || !connect()) return null
  asked++
  const global = globalThis as any
  Object.defineProperty(global, KEY, { value: f, configurable: true })
  try {
    const { objectId } =
      post('Runtime.evaluate', { expression: "globalThis[Symbol.for('charcoal.measure.function')]" })?.result ?? {}
    if (objectId === undefined) return null
    const { internalProperties } = post('Runtime.getProperties', { objectId, ownProperties: true }) ?? {}
    post('Runtime.releaseObject', { objectId })
    const { value } =
      copied<any>(internalProperties ?? []).find((p: any) => p.name === '[[FunctionLocation]]')?.value ?? {}
    if (value === undefined) return null
    const column = Math.max(1, value.columnNumber + 1 - beforeParameters(Function.prototype.toString.call(f)))
    return translated({
      url: scriptAddress(urlOf(value.scriptId)),
      line: value.lineNumber + 1,
      column,
      name: f.name,
    })
  } finally {
    delete global[KEY]
  }
}
