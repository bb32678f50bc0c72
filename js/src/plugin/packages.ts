/**
 * Files of packages in `node_modules`. Most were built by whoever published them; but a part of a monorepo that is
 * copied there for a release, or a library that needs no build, stands there as it was written. Its atomic blocks are
 * transformed as those of the program, because they would do nothing otherwise. To find them costs a look at the text
 * of each file, so only a file that surely has such a block, or the directive, is parsed.
 */
import { isUntransformed } from '../dev/untransformed.ts'
import { DIRECTIVE } from './staying.ts'

/** Is it a file of a package? What a program includes by the names of its files does not mean those. */
export const isOfPackage = (file: string): boolean => /[\\/]node_modules[\\/]/.test(file)

const DIRECTIVES = [`'${DIRECTIVE}'`, `"${DIRECTIVE}"`]

/** Has a file of a package been published with something to transform? */
export const isAsWritten = (text: string): boolean =>
  (text.includes('atomic') && isUntransformed(text)) || DIRECTIVES.some((directive) => text.includes(directive))
