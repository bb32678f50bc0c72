/**
 * An option that a function does not have is ignored, as everywhere in JavaScript; but `map(urls, load, { concurrency:
 * 5 })` would open a thousand connections. So it is said, each once, with the names that there are.
 */
import { NO_SIGNAL } from '../core/say.ts'
import { TEXTS } from './texts.ts'

const OPERATION = ['signal']

/** The options of each function that has more than a signal. */
const KNOWN: Readonly<Record<string, readonly string[]>> = {
  spawn: ['name', 'contained', 'signal'],
  atomic: ['spawns', 'continuations'],
  finish: ['name', 'signal'],
  deadline: ['name', 'signal'],
  map: ['limit', ...OPERATION],
  retry: ['attempts', 'delay', 'factor', 'longest', 'jitter', 'when', ...OPERATION],
  timeout: ['otherwise', ...OPERATION],
  handler: ['when', 'name'],
  simulate: ['decide', 'idleTimeout', 'settle', 'maxSteps', 'globals', 'epoch'],
  explore: ['schedules', 'seed', 'shrink', 'idleTimeout', 'settle', 'maxSteps', 'globals', 'epoch'],
}

const told = new Set<string>()

/** `options` were given to the function `who`. */
export function checkOptions(who: string, options: unknown): void {
  const { signal } = Object(options) as { signal?: AbortSignal }
  if (signal !== undefined && typeof signal?.addEventListener !== 'function')
    throw new TypeError(TEXTS[NO_SIGNAL](who, signal))
  const known = KNOWN[who] ?? OPERATION
  let wrong: string[] | undefined
  if (Object(options) !== options) wrong = [JSON.stringify(options)]
  else for (const name in options as object) if (!known.includes(name)) (wrong ??= []).push(name)
  if (wrong === undefined) return
  const what = `charcoal: ${who} has no option ${wrong.join(', ')}; it takes { ${known.join(', ')} }`
  if (!told.has(what)) console.warn(what)
  told.add(what)
}
