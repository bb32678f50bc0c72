/** Keeps the rewriting from the program's sight: functions' texts and the columns of stacks are those of the files. */
import { isUsers } from '../stack.ts'
import { given } from '../../given.ts'
import { copied } from '../../copied.ts'
import { disguiseTexts } from '../../accesses/disguise_texts.ts'
import { scriptAddress } from '../../script_address.ts'
import { originalColumn, type FileSites } from '../../accesses/sites.ts'

export function disguise(sitesOf: (url: string) => FileSites | undefined): void {
  disguiseTexts()
  disguiseStacks(sitesOf)
}

/**
 * A program that formats stacks itself sees the text that runs. So does Node where it applies source maps, but those
 * are shifted for it.
 */
function disguiseStacks(sitesOf: (url: string) => FileSites | undefined): void {
  const anyError = globalThis.Error as any
  const anyProcess = process as any
  const native = anyError.prepareStackTrace
  // Before Node 20.12 this function does not exist.
  if (typeof native !== 'function' || native.name !== 'ErrorPrepareStackTrace') return
  let mapped =
    anyProcess.sourceMapsEnabled === true ||
    `${process.execArgv} ${process.env.NODE_OPTIONS}`.includes('--enable-source-maps')
  anyError.prepareStackTrace = given(function ErrorPrepareStackTrace(error: unknown, frames: NodeJS.CallSite[]) {
    const shown = copied(frames).filter((frame) => !isOurs(frame))
    const text = native(error, shown)
    if (mapped || typeof text !== 'string') return text
    const lines = text.split('\n')
    const first = Math.max(1, lines.length - shown.length)
    return lines.map((line, i) => (i < first ? line : placed(line, shown[i - first], sitesOf))).join('\n')
  })
  const enable = anyProcess.setSourceMapsEnabled
  if (typeof enable !== 'function') return
  anyProcess.setSourceMapsEnabled = given(function setSourceMapsEnabled(this: unknown, on: boolean): void {
    Reflect.apply(enable, this, [on])
    mapped = on
  })
}

/** Of this recorder. */
function isOurs(frame: NodeJS.CallSite): boolean {
  const url = frame.getFileName()
  return typeof url === 'string' && url !== '' && !url.startsWith('node:') && !isUsers(url)
}

/** `f (file:///x.mjs:1:2)` with the file's own column. */
function placed(text: string, frame: NodeJS.CallSite, sitesOf: (url: string) => FileSites | undefined): string {
  const [name, line, column] = [frame.getFileName(), frame.getLineNumber(), frame.getColumnNumber()]
  if (typeof name !== 'string' || line === null || column === null) return text
  const sites = sitesOf(scriptAddress(name))
  const said = `:${line}:${column}`
  const at = text.lastIndexOf(said)
  if (sites === undefined || at === -1) return text
  return `${text.slice(0, at)}:${line}:${originalColumn(sites, line, column)}${text.slice(at + said.length)}`
}
