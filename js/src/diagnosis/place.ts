/**
 * A message names the place in the user's code that has called the library: the first frame of the stack that is not
 * ours.
 */

/** By file and, where all is in one bundle, by name. */
const OURS = new RegExp(
  [
    /charcoal-js[\\/]dist[\\/]/,
    /[\\/]\.vite[\\/]deps[\\/]charcoal-js/,
    /[\\/]src[\\/](core|scope|wait|sync|ops|plugin|dev|diagnosis|legacy|streams|worker)[\\/](runtime[\\/])?\w+\.ts/,
    /^\s*at (async )?([\w$.]+\.(next|throw|return) \(<anonymous>\)|new (Atomic)?Call\b)/,
    /^\s*at (async )?(Domain|Scheduler|RootScope|Scope|Branch|Clause|Kept|\w*Call|Activity)\.\w+ /,
  ]
    .map((r) => r.source)
    .join('|'),
)

/** Code of the host, and packages that Vite's server has put into bundles of their own, ours among them. */
const FOREIGN = /\bnode:|[\\/]\.vite[\\/]deps[\\/]/

export const isOurs = (line: string): boolean => OURS.test(line)

/** The line of the stack that has called the library; `above` are the caller's own frames on top of it. */
export function placeOfCaller(above: number): string {
  const { stackTraceLimit } = Error
  Error.stackTraceLimit = 30
  const lines = (new Error().stack ?? '').split('\n').slice(2 + above).filter((line) => /:\d+:\d+/.test(line))
  Error.stackTraceLimit = stackTraceLimit
  let at = lines.findIndex((line) => !FOREIGN.test(line) && !isOurs(line))
  // In a bundle the wrapper that asyncFn makes stands before its caller.
  if (at > 0 && /\bnew (Atomic)?Call\b/.test(lines[at - 1])) at++
  return (lines[at] ?? '').trim()
}
