/** Packages are told from a program's own code by where their files lie. */
import { withoutQuery } from './address.ts'

/** The package that a file belongs to (`lowdb`, `@scope/name`), by its path or URL. Undefined: to none. */
export const packageOf = (file: string): string | undefined =>
  /.*[\\/]node_modules[\\/]((?:@[^\\/]+[\\/])?[^\\/]+)/.exec(withoutQuery(file))?.[1]
