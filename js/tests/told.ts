/** What plain programs tell, natively and transformed. */
import { transform } from '../src/plugin/transform.ts'
import * as runtime from '../src/plugin/runtime.ts'
import * as lib from './lib.ts'

const AsyncFunction = Object.getPrototypeOf(async function () {}).constructor
const tick = (ms = 1): Promise<void> => new Promise((done) => setTimeout(done, ms))

/** What a value is, in more words than JSON has. */
function show(x: any, depth = 0): string {
  if (x === null || (typeof x !== 'object' && typeof x !== 'function'))
    return typeof x === 'string' ? JSON.stringify(x) : `${String(x)}${typeof x === 'bigint' ? 'n' : ''}`
  if (typeof x === 'function') return 'function'
  if (x instanceof Error) return String(x)
  if (x instanceof Promise) return 'promise'
  if (depth > 5) return '…'
  if (Array.isArray(x)) return `[${x.map((y) => show(y, depth + 1)).join(', ')}]`
  const fields = Object.keys(x).map((key) => `${key}: ${show(x[key], depth + 1)}`)
  return `{ ${fields.join(', ')} }`
}

/**
 * What the program tells, whether an activity or legacy code calls its `main`, and how that ends. `hooks` is what a
 * program with stores needs of Node.
 */
export async function told(text: string, inActivity: boolean, hooks?: object): Promise<string[]> {
  const lines: string[] = []
  const log = (...xs: unknown[]): void => void lines.push(xs.map((x) => show(x)).join(' '))
  try {
    const make = new AsyncFunction('charcoal$', 'log', 'tick', 'hooks', `${text}\nreturn main`)
    const main = await make(runtime, log, tick, hooks)
    log('returned', await (inActivity ? lib.spawn(() => main()) : main()))
  } catch (error) {
    log('threw', error)
  }
  await tick(5)
  return lines
}

export const transformed = (source: string): string =>
  transform(source, { file: 'x.js', all: true, format: 'commonjs' })!.code.replace(
    /const charcoal\$ = require\(.*?\);/,
    '',
  )

/** Some need what not all hosts have. */
export function isKnown(source: string): boolean {
  try {
    new AsyncFunction(source)
    return true
  } catch {
    return false
  }
}
