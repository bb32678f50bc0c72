/** The commands that record: `node`, `c-program`, `web`, `attach`. */
import { Console } from 'node:console'
import { existsSync } from 'node:fs'
import type { Figures } from '../analysis/index.ts'
import { MeasureError } from '../format/error.ts'
import { signalText } from '../format/signal.ts'
import { findEndpoint, type BrowserEndpoint } from '../record/endpoint.ts'
import { attachNode } from '../record/node/attach.ts'
import { calibrateNode } from '../record/node/calibrate.ts'
import { recordNative } from '../record/native/index.ts'
import { isNodeModule, recordNode } from '../record/node/index.ts'
import { pathOf, type RunOptions } from '../record/program.ts'
import type { Recorded } from '../record/recorded.ts'
import type { Tell } from '../record/tell.ts'
import { recordWeb, type RecordWebOptions } from '../record/web/index.ts'
import { choice, milliseconds, misplaced, type Parsed } from './args.ts'
import { commands } from './help.ts'
import { isFiguresOnly, output } from './output.ts'
import type { Progress } from './progress.ts'
import { say } from './say.ts'

/** What the user has asked for. */
export interface Request extends Parsed {
  /** The trace file. */
  out: string
  /** The earlier recording that it is compared with. */
  baseline?: Figures
  progress: Progress
  /** Ctrl-C. */
  signal: AbortSignal
}

const tellOf =
  ({ progress }: Request): Tell =>
  (text, passing) =>
    progress.say(text, passing)

const timeOf = ({ options }: Request, name: string): number | undefined =>
  options.has(name) ? milliseconds(options.get(name)!, name) : undefined

const modeOf = <T extends string>({ options }: Request, modes: readonly T[]): T =>
  choice(options.get('mode') ?? 'full', 'mode', modes)

function summary({ progress }: Request, { out, continuations, dropped, reason, signal }: Recorded): void {
  progress.clear()
  const lost = dropped > 0 ? `, ${dropped} dropped` : ''
  const end = reason === 'signal' ? `the program ${signalText(signal)}` : reason
  say(`recorded: ${out} (${continuations} continuations${lost}; ${end})`)
}

/** The summary, and what else was asked for; gives the exit status. */
async function report(request: Request, recorded: Recorded): Promise<number> {
  summary(request, recorded)
  return output([request.out], request.options, request.progress, request)
}

export async function nodeCommand(request: Request): Promise<number> {
  const { words, options, all, out, progress, signal } = request
  const tell = tellOf(request)
  const mode = modeOf(request, ['fast', 'full', 'sample'])
  const [program, ...args] = words
  checkProgram(request, 'node', isNodeModule)
  const calibrated = !options.has('no-calibrate') && mode !== 'sample'
  if (calibrated) tell('calibrating')
  const failed = (error: unknown): undefined => void tell(`not calibrated: ${(error as Error).message}`)
  const accesses = !options.has('no-accesses')
  const calibration = calibrated ? await calibrateNode({ mode, accesses, signal }).catch(failed) : undefined
  progress.clear()
  if (signal.aborted) return 130
  const recorded = await recordNode(program, args, {
    out,
    mode,
    calibration,
    execArgv: all.get('node-arg') ?? [],
    accesses,
    own: all.get('own'),
    ...runOptions(request),
  })
  return statusAfter(request, recorded)
}

export async function nativeCommand(request: Request): Promise<number> {
  const { words, out } = request
  checkProgram(request, 'c-program')
  return statusAfter(request, await recordNative(words[0], words.slice(1), { out, ...runOptions(request) }))
}

/** Fails if there is no such program; says so if our options stand after it. */
function checkProgram(
  { words: [program, ...args] }: Request,
  command: string,
  isModule?: (file: string) => boolean,
): void {
  pathOf(program, undefined, isModule)
  for (const arg of misplaced(args, commands[command].options)) {
    const remedy = `to give it to charcoal-measure, put it before ${program}`
    say(`charcoal-measure: ${arg} stands after the program, so the program gets it; ${remedy}`)
  }
}

function runOptions(request: Request): RunOptions {
  const figuresOnly = isFiguresOnly(request.options)
  return {
    duration: timeOf(request, 'duration'),
    signal: request.signal,
    terminal: process.stdin.isTTY === true,
    progress: tellOf(request),
    live: (figuresOnly ? process.stderr : process.stdout).isTTY !== true,
    ...(figuresOnly && { stdio: ['inherit', process.stderr.fd, 'inherit'] }),
  }
}

/** Reports; the exit status is the program's own, unless that is 0. */
async function statusAfter(request: Request, recorded: Recorded): Promise<number> {
  const told = await report(request, recorded)
  const own = request.signal.aborted || recorded.reason === 'stopped' ? 0 : (recorded.exitCode ?? 0)
  return own === 0 ? told : own
}

export async function webCommand(request: Request): Promise<number> {
  const { words, options, all } = request
  // The steps run in this process.
  if (isFiguresOnly(options)) globalThis.console = new Console(process.stderr)
  const loadTimeout = timeOf(request, 'load-timeout')
  return recordPage(request, words[0], {
    script: options.get('script'),
    browser: options.get('browser'),
    browserArgs: all.get('browser-arg') ?? [],
    headless: !options.has('show'),
    keep: options.get('keep'),
    ...(loadTimeout !== undefined && { loadTimeout }),
    calibrate: !options.has('no-calibrate'),
    accesses: !options.has('no-accesses'),
    ...(all.has('own') && { own: all.get('own') }),
  })
}

async function recordPage(request: Request, title: string, more: Partial<RecordWebOptions>): Promise<number> {
  const { out, progress, options, signal } = request
  const mode = modeOf(request, ['fast', 'full'])
  try {
    const duration = timeOf(request, 'duration')
    summary(request, await recordWeb(title, { out, mode, duration, signal, progress: tellOf(request), ...more }))
  } catch (error) {
    // If the steps fail, there is still a recording, which is worth a report.
    if (!(error instanceof MeasureError) || error.exitCode !== 6 || !existsSync(out)) throw error
    progress.clear()
    await output([out], options, progress, request)
    throw error
  }
  return output([out], options, progress, request)
}

export async function attachCommand(request: Request): Promise<number> {
  const { words, options, out, signal } = request
  const endpoint = await findEndpoint(words[0])
  if (endpoint.kind === 'browser') {
    const page = pageOf(endpoint, options.get('page'))
    return recordPage(request, page.url, { attach: { endpoint: endpoint.socket, page: page.id } })
  }
  const mode = modeOf(request, ['fast', 'full', 'sample'])
  const duration = timeOf(request, 'duration')
  return report(request, await attachNode(endpoint, { out, mode, duration, signal, progress: tellOf(request) }))
}

/** The tab that has the text in its address or title. */
function pageOf({ pages }: BrowserEndpoint, text = ''): BrowserEndpoint['pages'][number] {
  const found = pages.find(({ url, title }) => url.includes(text) || title.includes(text))
  if (found !== undefined) return found
  throw new MeasureError(
    pages.length === 0
      ? 'the browser has no tab'
      : `no tab has ${JSON.stringify(text)}; there are: ${pages.map((p) => p.url).join(' ')}`,
    2,
  )
}
