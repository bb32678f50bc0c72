/**
 * What the public functions say of arguments that they cannot take: which function, what it takes, and what it was
 * given.
 */
import {
  diagnosis,
  NO_BODY,
  NO_COUNT,
  NO_FUNCTION,
  NO_ITEMS,
  NO_SIGNAL,
  NO_SUCH_METHOD,
  NO_SUCH_WORD,
  NO_TIME,
  say,
} from './say.ts'
import { isOperation } from './generators.ts'

export function refuse(mistake: number, ...parts: unknown[]): never {
  throw new TypeError(say(mistake, ...parts))
}

/** A number of things: whole, `least` or more, or Infinity. */
export function checkCount(who: string, n: number, least: number): void {
  if (typeof n !== 'number' || !(n >= least && (n % 1 === 0 || n === Infinity))) refuse(NO_COUNT, who, n, least)
}

/** A time: any number but NaN; what is negative is over already. */
export function checkTime(who: string, ms: number): void {
  if (typeof ms !== 'number' || Number.isNaN(ms)) refuse(NO_TIME, who, ms)
}

export function checkFunction(who: string, f: unknown): void {
  if (typeof f !== 'function') refuse(NO_FUNCTION, who, f)
  diagnosis?.body(who, f)
}

/** What can be run: a function, or an operation. */
export function checkBody(who: string, body: unknown): void {
  if (typeof body === 'function') return checkFunction(who, body)
  if (!isOperation(body) && !hasMethod(body, 'then')) refuse(NO_BODY, who, body)
}

/** In development: names of options that the function does not have are told. */
export function checkOptions(who: string, options: object): void {
  diagnosis?.options(who, options)
}

/** One of several words. */
export function checkWord(who: string, word: string, words: readonly string[]): void {
  if (!words.includes(word)) refuse(NO_SUCH_WORD, who, word, words)
}

/** What can be gone through: a list, a set, a stream, a generator. Operations have an iterator, but hold no items. */
export function checkItems(who: string, items: unknown): void {
  const what = Object(items) as object
  if (Symbol.asyncIterator in what || (Symbol.iterator in what && !('then' in what))) return
  refuse(NO_ITEMS, who, items)
}

const hasMethod = (what: unknown, method: string): boolean =>
  typeof (what as Record<string, unknown> | null | undefined)?.[method] === 'function'

/** An object with this method. */
export function checkMethod(who: string, wanted: string, what: unknown, method: string): void {
  if (!hasMethod(what, method)) refuse(NO_SUCH_METHOD, who, what, wanted)
}

export function checkSignal(who: string, signal: unknown): void {
  if (!hasMethod(signal, 'addEventListener')) refuse(NO_SIGNAL, who, signal)
}
