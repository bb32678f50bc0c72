/** What methods of collections do, by name: all that a syntax tree tells. */

/**
 * Methods of maps, sets and a page's storage (`localStorage`) whose first argument is the key; and of all collections,
 * whether they write.
 */
export const KEYED: Record<string, boolean> = {
  get: false,
  has: false,
  set: true,
  delete: true,
  add: true,
  getItem: false,
  setItem: true,
  removeItem: true,
}
export const WHOLE: Record<string, boolean> = {
  push: true,
  pop: true,
  shift: true,
  unshift: true,
  splice: true,
  clear: true,
  sort: true,
  reverse: true,
  fill: true,
  includes: false,
  indexOf: false,
  find: false,
  findIndex: false,
  some: false,
  every: false,
  forEach: false,
  map: false,
  filter: false,
  slice: false,
  join: false,
  reduce: false,
  at: false,
  concat: false,
  entries: false,
  findLast: false,
  findLastIndex: false,
  flat: false,
  flatMap: false,
  keys: false,
  lastIndexOf: false,
  reduceRight: false,
  toReversed: false,
  toSorted: false,
  toSpliced: false,
  values: false,
  with: false,
  copyWithin: true,
}
/** Methods after which elements that stay have other numbers. */
export const MOVES = new Set(['shift', 'unshift', 'splice', 'sort', 'reverse', 'copyWithin'])
/** Objects of the language: nobody's state. */
export const LANGUAGE = new Set([
  'console',
  'Math',
  'JSON',
  'Object',
  'Array',
  'Promise',
  'Number',
  'String',
  'Date',
  'Symbol',
  'Reflect',
  'Atomics',
  'Buffer',
  'import',
  'require',
])
/** Further names that no file declares and nothing assigns to. */
const HOST = [
  'undefined',
  'NaN',
  'Infinity',
  'arguments',
  'eval',
  'globalThis',
  'window',
  'self',
  'document',
  'navigator',
  'location',
  'performance',
  'process',
  'module',
  'exports',
  '__filename',
  '__dirname',
]
/** Names that stand for the same thing all the time, wherever a file uses them without declaring them. */
export const CONSTANT = new Set([...LANGUAGE, ...HOST])
