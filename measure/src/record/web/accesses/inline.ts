/** The scripts that stand in a page's own text. */

export interface InlineScript {
  start: number
  end: number
  module: boolean
}

const SCRIPT = /<script\b((?:[^>"']|"[^"]*"|'[^']*')*)>([^]*?)<\/script\s*>/gi
const JAVASCRIPT = /^(module|(text|application)\/(x-)?(java|ecma)script)?$/i

/** `integrity` forbids to change a script; blanks take its place, so that no column moves. */
export const withoutIntegrity = (html: string): string =>
  html.replace(/<(?:script|link)\b[^>]*>/gi, (tag) =>
    tag.replace(/\sintegrity\s*=\s*("[^"]*"|'[^']*'|[^\s>]+)/gi, (attribute) => attribute.replace(/[^\n]/g, ' ')),
  )

export function* inlineScripts(html: string): Generator<InlineScript> {
  for (const { index, 0: whole, 1: attributes, 2: text } of html.matchAll(SCRIPT)) {
    const type = attributeOf(attributes, 'type') ?? ''
    if (text.trim() === '' || attributeOf(attributes, 'src') !== undefined || !JAVASCRIPT.test(type.trim())) continue
    const start = index + whole.indexOf('>', '<script'.length + attributes.length) + 1
    yield { start, end: start + text.length, module: type.trim().toLowerCase() === 'module' }
  }
}

/** Its value; undefined: there is no such attribute. */
function attributeOf(attributes: string, name: string): string | undefined {
  const found = new RegExp(`(?:^|\\s)${name}(?:\\s*=\\s*("[^"]*"|'[^']*'|[^\\s>]+)|(?=\\s|/|$))`, 'i').exec(attributes)
  return found === null ? undefined : (found[1] ?? '').replace(/^["']|["']$/g, '')
}
