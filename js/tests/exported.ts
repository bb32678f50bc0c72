/** What the package exports, with its types and comments, asked for once for all tests. */
import { exported } from '../scripts/examples.mjs'

export const all = exported(process.cwd())
