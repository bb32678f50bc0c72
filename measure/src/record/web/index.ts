/**
 * Records a page, its frames and its workers in a browser of its own.
 *
 * @example
 * await recordWeb('http://localhost:8080/', { out: 'run.jsonl', duration: 30_000, mode: 'full', script: 'steps.mjs' })
 */
import { existsSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { MeasureError } from '../../format/error.ts'
import type { Calibration } from '../../format/types.ts'
import { convertTrace } from '../chrome/index.ts'
import type { Recorded } from '../recorded.ts'
import { attach } from './attach.ts'
import { startBrowser, type Browser } from './browser.ts'
import { calibrateWeb } from './calibrate.ts'
import type { Cdp } from './cdp.ts'
import { Page, Stopped, type StepsContext } from './steps.ts'
import { startTracing, stopTracing, type Mode } from './tracing.ts'

export type Steps = (context: StepsContext) => Promise<void>

export interface RecordWebOptions {
  /** The trace file. */
  out: string
  /** A module whose default export acts on the page, or that function itself. Recording ends when it has ended, or after `duration`. */
  script?: string | Steps
  /** Milliseconds from the page's load; default 10,000, or until the script ends. */
  duration?: number
  /** Default `full`. */
  mode?: Mode
  browser?: string
  browserArgs?: string[]
  headless?: boolean
  /** Stops; what was recorded is kept. */
  signal?: AbortSignal
  progress?: (text: string) => void
  /** Keep the browser's own trace, too. */
  keep?: string
  /** Milliseconds to wait for the page to load; default 30,000. */
  loadTimeout?: number
  /** Run the self-test first, some two seconds; its result stands in the trace. */
  calibrate?: boolean
}

export async function recordWeb(url: string, options: RecordWebOptions): Promise<Recorded> {
  const address = checkUrl(url)
  const steps = await loadSteps(options.script)
  const say = options.progress ?? (() => {})
  const mode = options.mode ?? 'full'
  const stop = new AbortController()
  let reason = 'finished'
  const end = (why: string): void => {
    if (!stop.signal.aborted) reason = why
    stop.abort()
  }
  const abort = (): void => end('stopped')
  options.signal?.addEventListener('abort', abort, { once: true })
  if (options.signal?.aborted) abort()
  const dir = mkdtempSync(path.join(tmpdir(), 'charcoal-web-'))
  const raw = path.join(dir, 'trace.json')
  let browser: Browser | undefined
  try {
    say('starting the browser')
    browser = await startBrowser({ browser: options.browser, headless: options.headless, args: options.browserArgs })
    const { cdp } = browser
    let calibration: Calibration | undefined
    if (options.calibrate === true) {
      say('calibrating')
      calibration = await calibrateWeb(browser, mode).catch((error) => {
        say(`not calibrated: ${(error as Error).message}`)
        return undefined
      })
    }
    const session = await attach(cdp, mode)
    const notes: string[] = []
    cdp.on('Inspector.targetCrashed', () => end('crash'), session)
    void cdp.closed.then(() => end('crash'))
    await startTracing(cdp, session, mode)
    say(`loading ${url}`)
    await load(cdp, session, address, stop.signal, options.loadTimeout ?? 30_000)
    const page = new Page(cdp, session, stop.signal)
    const duration = options.duration ?? (steps === null ? 10_000 : undefined)
    const timer = duration === undefined ? undefined : setTimeout(() => end('duration'), duration)
    say(steps === null ? `recording for ${duration! / 1000} s; Ctrl-C ends it and reports` : 'recording while the steps run; Ctrl-C ends it and reports')
    const stopped = new Promise<void>((done) => (stop.signal.aborted ? done() : stop.signal.addEventListener('abort', () => done(), { once: true })))
    let failure: Error | undefined
    if (steps !== null) {
      const acting = steps({ page, endpoint: browser.endpoint, signal: stop.signal, log: say }).then(
        () => duration === undefined && end('finished'),
        (error) => {
          if (error instanceof Stopped || stop.signal.aborted) return
          failure = error
          end('steps failed')
        },
      )
      await Promise.race([acting, stopped])
      if (duration !== undefined && !stop.signal.aborted) await stopped
      await acting
    } else await stopped
    clearTimeout(timer)
    if (failure !== undefined) {
      notes.push(`the steps failed: ${failure.message}`)
      say(`the steps failed, keeping what was recorded: ${failure.message}`)
    }
    say('fetching the trace')
    const lost = await stopTracing(cdp, session, raw)
    if (lost) notes.push("the browser's trace buffer was full: the recording is incomplete; record for a shorter time, or in mode fast")
    const version = browser.version
    await browser.close()
    browser = undefined
    say('converting')
    const recorded = await convertTrace(raw, options.out, {
      header: { source: 'web', mode, title: url, command: [url], started: new Date().toISOString(), tool: `charcoal-measure (${version})` },
      reason,
      notes,
      calibration,
    })
    if (failure !== undefined) throw Object.assign(new MeasureError(`the steps failed: ${failure.message}; what was recorded until then is in ${options.out}`, 6), { recorded })
    return recorded
  } finally {
    options.signal?.removeEventListener('abort', abort)
    await browser?.close()
    if (options.keep !== undefined && existsSync(raw)) renameSync(raw, options.keep)
    rmSync(dir, { recursive: true, force: true })
  }
}

function checkUrl(url: string): string {
  try {
    const { protocol } = new URL(url)
    if (!['http:', 'https:', 'file:', 'data:', 'about:'].includes(protocol)) throw new Error()
    return url
  } catch {
    if (existsSync(url)) return pathToFileURL(path.resolve(url)).href
    throw new MeasureError(`${url} is no URL; give one with its scheme, like http://localhost:8080/, or the path of an HTML file`, 2)
  }
}

async function loadSteps(script: string | Steps | undefined): Promise<Steps | null> {
  if (script === undefined) return null
  if (typeof script === 'function') return script
  const file = path.resolve(script)
  if (!existsSync(file)) throw new MeasureError(`the steps file ${script} does not exist`, 2)
  let module: any
  try {
    module = await import(pathToFileURL(file).href)
  } catch (error) {
    throw new MeasureError(`the steps file ${script} cannot be loaded: ${(error as Error).message}`, 2)
  }
  if (typeof module.default !== 'function') throw new MeasureError(`the steps file ${script} has no default export that is a function; see \`charcoal-measure help web\``, 2)
  return module.default
}

async function load(cdp: Cdp, session: string, url: string, signal: AbortSignal, timeout: number): Promise<void> {
  let status = 0
  const undoResponse = cdp.on('Network.responseReceived', ({ type, response }) => {
    if (type === 'Document' && status === 0) status = response.status
  }, session)
  let timer: ReturnType<typeof setTimeout> | undefined
  let undo = (): void => {}
  const loaded = new Promise<'loaded' | 'late' | 'stopped'>((done) => {
    undo = cdp.on('Page.loadEventFired', () => done('loaded'), session)
    timer = setTimeout(() => done('late'), timeout)
    signal.addEventListener('abort', () => done('stopped'), { once: true })
  })
  try {
    await cdp.send('Network.enable', {}, session)
    const { errorText } = await cdp.send('Page.navigate', { url }, session)
    if (errorText) throw new MeasureError(`the page ${url} does not load: ${errorText}${/CONNECTION_REFUSED/.test(errorText) ? '; is the server running?' : ''}`, 5)
    const how = await loaded
    if (how === 'late') throw new MeasureError(`the page ${url} has not loaded within ${timeout / 1000} s`, 5)
    if (status >= 400) throw new MeasureError(`the page ${url} does not load: the server answers with status ${status}`, 5)
  } finally {
    clearTimeout(timer)
    undo()
    undoResponse()
    await cdp.send('Network.disable', {}, session).catch(() => {})
  }
}
