/** What differs between the rewriting of a file for Node and for a page. */
export interface Style {
  /** A callback's activation is known by where it stands in the text, as in a page; else by the ids that Node gives. */
  lexical: boolean
  /** The file's address; undefined: it has none that others could import it by. */
  url?: string
  /** The statement that the file begins with. */
  first: string
  /** A comment in each line that is rewritten. */
  eachLine: string
  /**
   * Rewrites a literal text that `eval` runs, as development servers write modules; the same text if it is not the
   * program's own; null: it is told as code that is not watched. Undefined: none is rewritten.
   */
  evaluated?(text: string): string | null
  /** It is the body of an asynchronous function. */
  isBody?: boolean
  /** What the outermost scope declares is global: a script of a page. */
  isGlobal: boolean
}
