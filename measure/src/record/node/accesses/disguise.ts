/** Keeps the rewriting from the program's sight: functions' texts and the columns of stacks are those of the files. */
import vm from 'node:vm'
import { isUsers } from '../stack.ts'
import { given } from '../../given.ts'
import { copied } from '../../copied.ts'
import { disguiseTexts } from '../../accesses/disguise_texts.ts'
import { scriptAddress } from '../../script_address.ts'
import { originalColumn, type FileSites } from '../../accesses/sites.ts'

type SitesOf = (url: string) => FileSites | undefined

/** Runs a text in a realm of the program's. */
type Run = (text: string) => unknown

/** The result does for a further realm of the program's what is done for its first. */
export function disguise(sitesOf: SitesOf): (run: Run) => void {
  const native = (globalThis.Error as any).prepareStackTrace
  const first = nodesStacks(native, sitesOf)
  const realm = (run: Run, prepare?: Prepare): void => {
    disguiseTexts(run('(function () {}).constructor') as FunctionConstructor)
    disguiseFrames(run('Error') as ErrorConstructor, prepare, sitesOf)
  }
  realm((text) => new vm.Script(text).runInThisContext(), first)
  return (run) => realm(run)
}

/** What `Error.prepareStackTrace` is set to. */
type Prepare = (this: unknown, error: unknown, frames: NodeJS.CallSite[]) => unknown

/** A program that formats stacks itself asks their frames for columns: it gets frames that answer with the files'. */
function disguiseFrames(Class: ErrorConstructor, first: Prepare | undefined, sitesOf: SitesOf): void {
  if (typeof Class !== 'function') return
  const ours = new WeakSet<Prepare>()
  if (first !== undefined) ours.add(first)
  let now: unknown
  const { get, set } = {
    get: () => now,
    set(prepare: unknown): void {
      now = prepare
      if (typeof prepare !== 'function' || ours.has(prepare as Prepare)) return
      const wrapped = given(function (this: unknown, error: unknown, frames: NodeJS.CallSite[]) {
        for (let i = 0; i < frames.length; i++) Reflect.set(frames, i, written(frames[i]!, sitesOf))
        return Reflect.apply(prepare, this, [error, frames])
      })
      ours.add(wrapped)
      now = wrapped
    },
  }
  set(first ?? Reflect.get(Class, 'prepareStackTrace'))
  Reflect.defineProperty(Class, 'prepareStackTrace', {
    get: given(get),
    set: given(set),
    configurable: true,
    enumerable: true,
  })
}

/** A frame as it would be if the file ran as people wrote it. */
function written(frame: NodeJS.CallSite, sitesOf: SitesOf): NodeJS.CallSite {
  const [name, line, column] = [frame.getFileName(), frame.getLineNumber(), frame.getColumnNumber()]
  const sites = typeof name === 'string' ? sitesOf(scriptAddress(name)) : undefined
  if (sites === undefined || line === null || column === null || asWritten.has(frame)) return frame
  const answers: Record<PropertyKey, () => unknown> = {
    getColumnNumber: () => originalColumn(sites, line, column),
    toString: () => placed(frame.toString(), frame, sitesOf),
  }
  const result = new Proxy(frame, {
    get(_, key) {
      if (Object.hasOwn(answers, key)) return given(answers[key]!)
      const value = Reflect.get(frame, key)
      return typeof value === 'function' ? given((...args: unknown[]) => Reflect.apply(value, frame, args)) : value
    },
  })
  asWritten.add(result)
  return result
}

/** What one formatter of the program's hands on to another. */
const asWritten = new WeakSet<NodeJS.CallSite>()

/**
 * Node itself writes the columns of the text that runs, and so they are put right in what it has written; where it
 * applies source maps, these are shifted for it. `native`: how it writes stacks; undefined before Node 20.12.
 */
function nodesStacks(native: any, sitesOf: SitesOf): Prepare | undefined {
  const anyProcess = process as any
  if (typeof native !== 'function' || native.name !== 'ErrorPrepareStackTrace') return undefined
  let mapped =
    anyProcess.sourceMapsEnabled === true ||
    `${process.execArgv} ${process.env.NODE_OPTIONS}`.includes('--enable-source-maps')
  const enable = anyProcess.setSourceMapsEnabled
  if (typeof enable === 'function')
    anyProcess.setSourceMapsEnabled = given(function setSourceMapsEnabled(this: unknown, on: boolean): void {
      Reflect.apply(enable, this, [on])
      mapped = on
    })
  return given(function ErrorPrepareStackTrace(error: unknown, frames: NodeJS.CallSite[]) {
    const shown = copied(frames).filter((frame) => !isOurs(frame))
    const text = native(error, shown)
    if (mapped || typeof text !== 'string') return text
    const lines = text.split('\n')
    const first = Math.max(1, lines.length - shown.length)
    return lines.map((line, i) => (i < first ? line : placed(line, shown[i - first]!, sitesOf))).join('\n')
  })
}

/** Of this recorder. */
function isOurs(frame: NodeJS.CallSite): boolean {
  const url = frame.getFileName()
  return typeof url === 'string' && url !== '' && !url.startsWith('node:') && !isUsers(url)
}

/** `f (file:///x.mjs:1:2)` with the file's own column. */
function placed(text: string, frame: NodeJS.CallSite, sitesOf: SitesOf): string {
  const [name, line, column] = [frame.getFileName(), frame.getLineNumber(), frame.getColumnNumber()]
  const sites = typeof name === 'string' ? sitesOf(scriptAddress(name)) : undefined
  const said = `:${line}:${column}`
  const at = text.lastIndexOf(said)
  if (sites === undefined || line === null || column === null || at === -1) return text
  return `${text.slice(0, at)}:${line}:${originalColumn(sites, line, column)}${text.slice(at + said.length)}`
}
