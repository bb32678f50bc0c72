/**
 * Options of a command line. A value follows after `=` or as the next word; options marked `optional` take one only
 * after `=`.
 */
import { MeasureError } from '../format/error.ts'

export interface Option {
  name: string
  /** What stands for the value in help; none: a switch. */
  value?: string
  optional?: boolean
  help: string
}

export interface Parsed {
  /** The last value of each. */
  options: Map<string, string>
  /** All values of each, in order. */
  all: Map<string, string[]>
  words: string[]
}

/** With `first`, everything after the first word is left alone: it belongs to another program. */
export function parseArguments(args: string[], known: Option[], { first = false } = {}): Parsed {
  const options = new Map<string, string>()
  const all = new Map<string, string[]>()
  const words: string[] = []
  for (let i = 0; i < args.length; i++) {
    const arg = args[i]
    if (arg === '--') {
      words.push(...args.slice(i + 1))
      break
    }
    if (!arg.startsWith('-') || arg === '-') {
      words.push(arg)
      if (!first) continue
      words.push(...args.slice(i + 1))
      break
    }
    const equals = arg.indexOf('=')
    const name = arg.slice(arg.startsWith('--') ? 2 : 1, equals === -1 ? undefined : equals)
    const option = known.find((o) => o.name === name)
    if (option === undefined)
      throw new MeasureError(`unknown option ${arg}${near(name, known)}; see \`charcoal-measure help\``, 2)
    if (option.value === undefined && equals !== -1) throw new MeasureError(`--${name} takes no value`, 2)
    let value = equals === -1 ? '' : arg.slice(equals + 1)
    if (option.value !== undefined && option.optional !== true && equals === -1) {
      if (++i >= args.length) throw new MeasureError(`--${name} needs a value: --${name} ${option.value}`, 2)
      value = args[i]
    }
    options.set(name, value)
    all.set(name, [...(all.get(name) ?? []), value])
  }
  return { options, all, words }
}

/** Options of ours among another program's arguments: most likely they were meant for us. */
export function misplaced(args: string[], known: Option[]): string[] {
  return args.filter((arg) => known.some((o) => arg === `--${o.name}` || arg.startsWith(`--${o.name}=`)))
}

function near(name: string, known: Option[]): string {
  const found = known.find((o) => o.name.startsWith(name.slice(0, 3)) && name.length >= 3)
  return found === undefined ? '' : ` (did you mean --${found.name}?)`
}

/** `30s`, `500ms`, `2m`, or seconds; in milliseconds. */
export function milliseconds(text: string, option: string): number {
  const match = /^(\d+(?:\.\d+)?)(ms|s|m|h)?$/.exec(text)
  const ms = match === null ? NaN : Number(match[1]) * { ms: 1, s: 1000, m: 60_000, h: 3_600_000 }[match[2] ?? 's']!
  if (!(ms > 0) || ms > 2 ** 31)
    throw new MeasureError(`--${option} is ${JSON.stringify(text)}; give a time like 30s, 500ms or 2m`, 2)
  return ms
}

/** A whole number above 0. */
export function count(text: string, option: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text))
    throw new MeasureError(`--${option} is ${JSON.stringify(text)}; give a whole number like 5`, 2)
  return Number(text)
}

export function choice<T extends string>(text: string, option: string, choices: readonly T[]): T {
  if (!choices.includes(text as T))
    throw new MeasureError(`--${option} is ${JSON.stringify(text)}; it can be ${choices.join(' or ')}`, 2)
  return text as T
}
