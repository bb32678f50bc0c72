/**
 * Text that comes from programs, as people may see it: names and addresses can hold anything, also what tells a
 * terminal to clear its screen, or turns the order of letters.
 */
const UNSEEN = /[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu
/** What a message of several lines has. */
const EXCEPT_LINES = /(?!\n)[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu

/** As JSON has it, too. */
const escape = (c: string): string => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`

/** `\u001b` for what would not be seen; `lines`: line breaks stay. */
export const visible = (text: string, { lines = false } = {}): string =>
  text.replace(lines ? EXCEPT_LINES : UNSEEN, escape)

/** The same of all texts in a value, which stays as it is; what has none is not copied. */
export function visibleIn<T>(value: T): T {
  if (typeof value === 'string') return visible(value) as T
  if (typeof value !== 'object' || value === null) return value
  let copy: any
  for (const [key, of] of Object.entries(value)) {
    const seen = visibleIn(of)
    if (seen === of) continue
    copy ??= Array.isArray(value) ? [...value] : { ...value }
    copy[key] = seen
  }
  return copy ?? value
}
