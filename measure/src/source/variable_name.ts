/** What a variable is called in the text that people wrote, where the text that ran has another name for it. */

const WORD = String.raw`#?[\p{ID_Start}$_][\p{ID_Continue}$]*`
const CHAIN = new RegExp(String.raw`^${WORD}(?:(?:\?\.|!?\.)${WORD}|\[[^[\]]*\])*`, 'u')
const PARTS = new RegExp(String.raw`${WORD}|\[[^[\]]*\]`, 'gu')

const chain = (text: string): string => CHAIN.exec(text)?.[0] ?? ''

/**
 * The beginning of `text` that has as many parts as `ran`; undefined: they have other shapes, so it is not known.
 *
 * @example
 * variableName('state.orders.push(order)', 't.orders') // 'state.orders'
 */
export function variableName(text: string, ran: string): string | undefined {
  if (ran === '' || chain(ran) !== ran) return undefined
  const wanted = ran.match(PARTS)!.length
  const whole = chain(text)
  const parts = [...whole.matchAll(PARTS)]
  const last = parts[wanted - 1]
  return last === undefined ? undefined : whole.slice(0, last.index + last[0].length)
}
