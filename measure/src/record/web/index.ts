/**
 * Records a page, its frames and its workers: in a browser of its own, or a tab of one that runs already.
 *
 * @example
 * await recordWeb('http://localhost:8080/', { out: 'run.jsonl', duration: 30_000, mode: 'full', script: 'steps.mjs' })
 */
import { copyFileSync, existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { grouped } from '../../format/counted.ts'
import { MeasureError } from '../../format/error.ts'
import type { Calibration, Header, TraceRecord } from '../../format/types.ts'
import { loadLocal } from '../../analysis/sourcemaps.ts'
import { convertTrace } from '../chrome/index.ts'
import { atExit } from '../cleanup.ts'
import { storeOriginals } from '../originals.ts'
import type { Recorded } from '../recorded.ts'
import { tellRecording, type Tell } from '../tell.ts'
import { storeUses, type ScriptText } from '../uses.ts'
import { PageAccesses } from './accesses/index.ts'
import { act, Ending, type Steps } from './act.ts'
import { attach } from './attach.ts'
import { connectBrowser, startBrowser, type Browser } from './browser.ts'
import { calibrateWeb } from './calibrate.ts'
import { load, responds } from './load.ts'
import { Scripts } from './scripts.ts'
import { startTracing, stopTracing, type Mode } from './tracing.ts'

export type { Steps } from './act.ts'

export interface RecordWebOptions {
  /** The trace file. */
  out: string
  /**
   * A module whose default export acts on the page, or that function itself. Recording ends when it has ended, or after
   * `duration`.
   */
  script?: string | Steps
  /** Milliseconds from the page's load; default 10,000, or until the script ends; of a tab that is there: no end. */
  duration?: number
  /** Default `full`. */
  mode?: Mode
  browser?: string
  browserArgs?: string[]
  headless?: boolean
  /** Stops; what was recorded is kept. */
  signal?: AbortSignal
  progress?: Tell
  /** Keep the browser's own trace, too. */
  keep?: string
  /** Milliseconds to wait for the page to load; default 30,000. */
  loadTimeout?: number
  /** Run the self-test first, some two seconds; its result stands in the trace. */
  calibrate?: boolean
  /** Watch what the page's own scripts read and write; mode `full`, and not of a tab that is there. */
  accesses?: boolean
  /** Further hosts, and packages, whose scripts are watched. */
  own?: string[]
  /** Record this tab of a browser that runs already, as it is; the address is only for the report's title. */
  attach?: { endpoint: string; page: string }
}

export async function recordWeb(url: string, options: RecordWebOptions): Promise<Recorded> {
  const { attach: running } = options
  const address = running === undefined ? checkUrl(url) : null
  const steps = await loadSteps(options.script)
  const say = options.progress ?? (() => {})
  const mode = options.mode ?? 'full'
  const ending = new Ending()
  const abort = (): void => ending.end('stopped')
  options.signal?.addEventListener('abort', abort, { once: true })
  if (options.signal?.aborted) abort()
  const dir = mkdtempSync(path.join(tmpdir(), 'charcoal-web-'))
  const removed = atExit(() => rmSync(dir, { recursive: true, force: true }))
  const raw = path.join(dir, 'trace.json')
  let browser: Browser | undefined
  try {
    if (running === undefined) {
      say('starting the browser')
      browser = await startBrowser({ browser: options.browser, headless: options.headless, args: options.browserArgs })
    } else browser = await connectBrowser(running.endpoint)
    const calibration = options.calibrate === true ? await calibrate(browser, mode, say) : undefined
    const { version } = browser
    const own = options.own ?? []
    const accesses =
      options.accesses === true && mode === 'full' && address !== null
        ? new PageAccesses(browser.cdp, [...own, new URL(address).hostname])
        : undefined
    const { failure, notes, maps, texts } = await record(browser, address, {
      ...options,
      steps,
      mode,
      ending,
      raw,
      say,
      watched: accesses,
    })
    await browser.close()
    browser = undefined
    say('converting')
    const header: Partial<Header> = {
      source: 'web',
      mode,
      title: url,
      command: [url],
      started: new Date().toISOString(),
      tool: `charcoal-measure (${version})`,
      ...(own.length > 0 && { own }),
      ...(accesses !== undefined && { accesses: true }),
    }
    const recorded = await convertTrace(raw, options.out, {
      header,
      reason: ending.reason,
      nothing: ranNothing(address ?? url),
      notes,
      calibration,
      ...(accesses !== undefined && {
        place: (place) => accesses.rewriting.original(place),
        more: (location, found) => [...accesses.records(location, found), ...unwatchedNotes(accesses)],
      }),
    })
    if (mode === 'full') {
      await storeOriginals(options.out, async (wanted) => maps.get(wanted) ?? loadLocal(wanted))
      if (accesses === undefined) await storeUses(options.out, async (url) => texts.get(url) ?? [])
    }
    if (failure !== undefined)
      throw Object.assign(
        new MeasureError(`the steps failed: ${failure.message}; what was recorded until then is in ${options.out}`, 6),
        { recorded },
      )
    return recorded
  } finally {
    options.signal?.removeEventListener('abort', abort)
    await browser?.close()
    if (options.keep !== undefined && existsSync(raw)) moveFile(raw, options.keep)
    removed()
  }
}

function ranNothing(url: string): MeasureError {
  const why = url.startsWith('file:')
    ? '; browsers load no modules (<script type="module">) from files: serve the folder over HTTP'
    : '; if it waits for input, let --script give it some'
  return new MeasureError(`the page ${url} ran no JavaScript while it was recorded${why}`)
}

/** Across file systems, too. */
function moveFile(from: string, to: string): void {
  copyFileSync(from, to)
  rmSync(from)
}

async function calibrate(browser: Browser, mode: Mode, say: Tell): Promise<Calibration | undefined> {
  say('calibrating')
  try {
    return await calibrateWeb(browser, mode)
  } catch (error) {
    say(`not calibrated: ${(error as Error).message}`)
    return undefined
  }
}

interface Recording extends RecordWebOptions {
  steps: Steps | null
  mode: Mode
  ending: Ending
  raw: string
  say: Tell
  watched: PageAccesses | undefined
}

interface Outcome {
  /** The error of the steps. */
  failure: Error | undefined
  notes: string[]
  /** The texts of scripts' source maps, by address. */
  maps: Map<string, string>
  /** The texts of scripts, by address. */
  texts: Map<string, ScriptText[]>
}

/** From the first page (null: the tab as it is) to the browser's trace in the file `raw`. */
async function record(browser: Browser, address: string | null, options: Recording): Promise<Outcome> {
  const { cdp, endpoint } = browser
  const { steps, mode, ending, say, watched, loadTimeout = 30_000 } = options
  const scripts = new Scripts(cdp)
  const session = await attach(cdp, mode, options.attach?.page, watched)
  let crashed = 'the page crashed'
  cdp.on('Inspector.targetCrashed', () => ending.end('crash'), session)
  // Where V8 would crash because its heap is full, it stops for a debugger instead, and waits.
  cdp.on('Debugger.paused', ({ reason }, paused) => {
    if (reason === 'OOM' && paused === session) {
      crashed = 'the page ran out of memory'
      ending.end('crash')
      void cdp.send('Runtime.terminateExecution', {}, session).catch(() => {})
    }
    void cdp.send('Debugger.resume', {}, paused).catch(() => {})
  })
  void cdp.closed.then(() => ending.end('crash'))
  await startTracing(cdp, session, mode)
  if (address !== null) {
    say(`loading ${address}`)
    await load(cdp, session, address, ending.signal, loadTimeout)
  }
  const duration = options.duration ?? (steps === null && address !== null ? 10_000 : undefined)
  const how = steps !== null ? ' while the steps run' : duration !== undefined ? ` for ${duration / 1000} s` : ''
  say(`recording${how}; Ctrl-C ends it and reports`)
  let events = ''
  cdp.on('Tracing.bufferUsage', ({ eventCount, percentFull }) => {
    const count = grouped(Number(eventCount ?? 0))
    events = `${count} events, buffer ${Math.ceil(100 * (percentFull ?? 0))} % full`
  })
  const told = tellRecording(say, () => events)
  const failure = await act(cdp, session, ending, { steps, duration, loadTimeout, endpoint, log: say }).finally(told)
  const notes: string[] = []
  if (failure !== undefined) {
    notes.push(`the steps failed: ${failure.message}`)
    say(`the steps failed, keeping what was recorded: ${failure.message}`)
  }
  if (ending.reason === 'crash') notes.push(`${crashed}; what was recorded until then is in the report`)
  else if (!(await responds(cdp, session))) {
    ending.reason = 'hung'
    notes.push('the page hung: at the end its script had not returned to the event loop, and was broken off')
    await cdp.send('Runtime.terminateExecution', {}, session, 5000).catch(() => {})
    // The turn is in the trace once it has ended.
    await responds(cdp, session)
  }
  say('fetching the trace')
  const answers = ['finished', 'duration', 'stopped'].includes(ending.reason)
  const maps: Outcome['maps'] = answers ? await scripts.maps() : new Map()
  const texts: Outcome['texts'] = answers && watched === undefined ? await scripts.texts() : new Map()
  const lost = await stopTracing(cdp, session, options.raw)
  await watched?.collect()
  if (lost)
    notes.push(
      "the browser's trace buffer was full: the recording is incomplete; record for a shorter time, or in mode fast",
    )
  return { failure, notes, maps, texts }
}

const unwatchedNotes = (accesses: PageAccesses): TraceRecord[] =>
  accesses.unwatched().map((text) => ({ type: 'note', code: 'unwatched', text }))

function checkUrl(url: string): string {
  try {
    const { protocol } = new URL(url)
    if (!['http:', 'https:', 'file:', 'data:', 'about:'].includes(protocol)) throw new Error()
    return url
  } catch {
    if (existsSync(url)) return pathToFileURL(path.resolve(url)).href
    throw new MeasureError(
      `${url} is no URL; give one with its scheme, like http://localhost:8080/, or the path of an HTML file`,
      2,
    )
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
  if (typeof module.default !== 'function')
    throw new MeasureError(
      `the steps file ${script} has no default export that is a function; see \`charcoal-measure help web\``,
      2,
    )
  return module.default
}
