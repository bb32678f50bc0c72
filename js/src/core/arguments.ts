/**
 * What the public functions say of arguments that they cannot take: which function, what it takes, and what it was
 * given.
 */
export function refuse(who: string, wanted: string, given: unknown): never {
  throw new TypeError(`${who} takes ${wanted}, not ${shown(given)}`)
}

/** On one line, also what has no text of its own, or the text of a whole function. */
function shown(given: unknown): string {
  if (typeof given === 'string') return `"${given}"`
  return Object(given) === given ? `this ${typeof given}` : String(given)
}

/** A number of things: whole, `least` or more, or Infinity. */
export function checkCount(who: string, n: number, least: number): void {
  if (!(n >= least && (n % 1 === 0 || n === Infinity)))
    refuse(who, `a whole number from ${least} on, or Infinity`, n)
}

/** A time: any number but NaN; what is negative is over already. */
export function checkTime(who: string, ms: number): void {
  if (typeof ms !== 'number' || Number.isNaN(ms)) refuse(who, 'a number of milliseconds', ms)
}

export function checkFunction(who: string, f: unknown): void {
  if (typeof f !== 'function') refuse(who, 'a function', f)
}

/** What can be run: a function, or an operation. */
export function checkBody(who: string, body: unknown): void {
  if (typeof body === 'function') return
  const what = Object(body) as object
  if (what !== body || !(Symbol.iterator in what || 'then' in what)) refuse(who, 'a function or an operation', body)
}

/** One of several words. */
export function checkWord(who: string, word: string, words: readonly string[]): void {
  if (!words.includes(word)) refuse(who, words.join(', '), word)
}

/** What can be gone through: a list, a set, a stream, a generator. */
export function checkItems(who: string, items: unknown): void {
  const what = Object(items) as object
  if (!(Symbol.iterator in what || Symbol.asyncIterator in what)) refuse(who, 'an iterable of items', items)
}

/** An object with this method. */
export function checkMethod(who: string, wanted: string, what: unknown, method: string): void {
  if (typeof (what as Record<string, unknown> | null | undefined)?.[method] !== 'function') refuse(who, wanted, what)
}

export function checkSignal(who: string, signal: unknown): void {
  checkMethod(who, 'an AbortSignal', signal, 'addEventListener')
}
