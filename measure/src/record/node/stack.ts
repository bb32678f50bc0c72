/**
 * Where we are: the user's innermost frame (where something is being registered) and outermost frame (the function that
 * the event loop called). Frames of Node itself and of this recorder do not count. Costs a few microseconds; places are
 * cached by script and position.
 */
import type { Place } from '../place.ts'
import { scriptAddress } from '../script_address.ts'

export interface Frames {
  /** Where something is registered; null: no code of the user's is on the stack. */
  inner: Place | null
  /** The function that the event loop called, at its beginning; null: unknown. */
  outer: Place | null
  /** The user's code registers by itself, not through a function of Node's. */
  direct: boolean
  /** Not even a built-in function of the language stands between: a promise that is made here is an `await`. */
  bare: boolean
}

const LIMIT = 9
let own = ''
const places = new Map<string, Map<number, Place>>()

/** Moves a place in the text that runs to the text that the file has, where the two differ. */
let translate: (place: Place) => Place = (place) => place

interface Site {
  getScriptNameOrSourceURL(): string | null
  getFileName(): string | null
  getPosition(): number
  getLineNumber(): number | null
  getColumnNumber(): number | null
  getEnclosingLineNumber?(): number | null
  getEnclosingColumnNumber?(): number | null
  getFunctionName(): string | null
  isAsync(): boolean
}

function place(url: string, site: Site, enclosing: boolean): Place {
  let ofScript = places.get(url)
  if (ofScript === undefined) places.set(url, (ofScript = new Map()))
  // The beginning of a function has no position of its own; the position asked about and a sign tell them apart.
  const key = enclosing ? -1 - site.getPosition() : site.getPosition()
  let found = ofScript.get(key)
  if (found === undefined) {
    const begin: [number, number] = [
      site.getEnclosingLineNumber?.() ?? site.getLineNumber() ?? 0,
      site.getEnclosingColumnNumber?.() ?? site.getColumnNumber() ?? 0,
    ]
    const [line, column] = enclosing ? begin : [site.getLineNumber() ?? 0, site.getColumnNumber() ?? 0]
    const name = site.getFunctionName() ?? ''
    ofScript.set(
      key,
      (found = translate({ url: scriptAddress(url), line, column, name, ...(!enclosing && { begin }) })),
    )
  }
  return found
}

/** True for what people wrote: not Node's code, not this recorder's. */
export function isUsers(url: string): boolean {
  return url !== '' && !url.startsWith('node:') && url !== own
}

/** Null for frames of Node, of this recorder, and of what waits for us. */
function userUrl(site: Site): string | null {
  const url = site.getFileName() ?? site.getScriptNameOrSourceURL()
  return typeof url !== 'string' || !isUsers(url) || site.isAsync() ? null : url
}

const NOWHERE: Frames = { inner: null, outer: null, direct: false, bare: false }
const frames: Frames = { ...NOWHERE }
/** Frames of Node that stand above every registration. */
const between = new Set(['node:internal/async_hooks', 'node:internal/process/task_queues', 'node:async_hooks'])
const holder: { stack?: unknown } = {}

function sites(_: unknown, all: Site[]): Frames {
  frames.inner = frames.outer = null
  let first = 0
  let url: string | null = null
  frames.direct = frames.bare = true
  for (; first < all.length; first++) {
    if ((url = userUrl(all[first])) !== null) break
    const file = all[first].getFileName()
    if (typeof file !== 'string') frames.bare = false
    else if (file !== own && !between.has(file)) frames.direct = frames.bare = false
  }
  if (url === null) return frames
  frames.inner = place(url, all[first], false)
  let last = all.length - 1
  for (; last > first; last--) if (!all[last].isAsync() && (url = userUrl(all[last])) !== null) break
  // A stack that was cut among the user's frames does not have the outermost one.
  if (all.length < LIMIT || last < all.length - 1) {
    frames.outer = place(last === first ? userUrl(all[first])! : url!, all[last], true)
  }
  return frames
}

/** Set once: the URL of the file this code runs in, whose frames do not count. */
export function ownUrl(url: string): void {
  own = url
}

/** Places found from now on go through `by`, once each. */
export function translatePlaces(by: (place: Place) => Place): void {
  translate = by
}

/** A place found otherwise, put right as those of stacks are. */
export const translated = (place: Place): Place => translate(place)

/** The result is valid until the next call. */
export function here(below?: Function): Frames {
  const stack = formatted(sites, below)
  // While the program formats a stack, the language formats no other one: then it is not known where we are.
  return stack === frames ? frames : NOWHERE
}

/** True if `process.exit` is on the stack. */
export function isInExit(): boolean {
  return formatted(hasExit) === true
}

function hasExit(_: unknown, all: Site[]): boolean {
  for (let i = 0; i < all.length; i++)
    if (all[i].getFunctionName() === 'exit' && all[i].getFileName() === 'node:internal/process/per_thread') return true
  return false
}

function formatted(format: (error: unknown, all: Site[]) => unknown, below?: Function): unknown {
  const { prepareStackTrace, stackTraceLimit } = Error as any
  Error.stackTraceLimit = LIMIT
  ;(Error as any).prepareStackTrace = format
  Error.captureStackTrace(holder, below as any)
  const { stack } = holder
  ;(Error as any).prepareStackTrace = prepareStackTrace
  Error.stackTraceLimit = stackTraceLimit
  return stack
}
