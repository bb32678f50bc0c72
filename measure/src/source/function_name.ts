/**
 * The name of a function, read from the line of the text on which it begins. A source map does not tell it: the names
 * in a map are those of variables, and a minifier takes away the names of functions that nobody calls by name.
 */
const WORDS = String.raw`[\p{ID_Start}$_][\p{ID_Continue}$]*`
const NAME = String.raw`(#?${WORDS})`
const TYPES = String.raw`\s*(?:<[^()]*>)?\s*`

/** Words before a function's name; a map may say that it begins at any of them. */
const BEFORE = String.raw`(?:export|default|public|protected|private|static|override|async|function|get|set)\b`
/** `async save(`, `export function save<T>(` */
const NAMED = new RegExp(String.raw`^(?:${BEFORE}\s*)*\*?\s*${NAME}${TYPES}\(`, 'u')
/** `save`, where the place is that of the parameters. */
const BEFORE_PARAMETERS = new RegExp(`${NAME}${TYPES}$`, 'u')
/** `save = `, `save: Save = `, `{ save: ` */
const ASSIGNED = new RegExp(String.raw`${NAME}\s*(?::[^=(){};,]*)?=\s*$|(?:^|[{,])\s*${NAME}\s*:\s*$`, 'u')
const ANONYMOUS = /(?:async\s*)?(?:function\s*\*?\s*)?$/

const NO_NAMES = new Set(
  (
    'async await case default delete do else export extends for function if in instanceof new of return super switch ' +
    'throw typeof void while with yield catch'
  ).split(' '),
)

const named = (match: RegExpExecArray | null): string | undefined =>
  match?.slice(1).find((name) => name !== undefined && !NO_NAMES.has(name))

/**
 * The function begins at the column, counted from 1: at its first word, its name or its parameters.
 *
 * @example
 * functionNameAt('const save = async () => {}', 14) // 'save'
 */
export function functionNameAt(line: string, column: number): string | undefined {
  const before = line.slice(0, column - 1)
  const after = line.slice(column - 1)
  return (
    named(NAMED.exec(after)) ??
    (/^[(<]/.test(after) ? named(BEFORE_PARAMETERS.exec(before)) : undefined) ??
    named(ASSIGNED.exec(before.replace(ANONYMOUS, '')))
  )
}
