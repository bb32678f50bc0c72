/**
 * Records a Node program that runs already, through its debugging port (`node --inspect`, or `kill -USR1` to one that
 * was started without). The hook is loaded into the program, and switched off afterwards; the program goes on.
 *
 * What was registered before is not known: the first continuations have no parents. Workers and child processes are not
 * recorded, nor is what the program reads and writes, for its code is loaded already.
 */
import { existsSync, rmSync } from 'node:fs'
import path from 'node:path'
import { counted } from '../../format/counted.ts'
import { MeasureError } from '../../format/error.ts'
import { complete } from '../complete.ts'
import type { NodeEndpoint } from '../endpoint.ts'
import { storeOriginals } from '../originals.ts'
import type { Recorded } from '../recorded.ts'
import { sizeText, tellRecording, type Tell } from '../tell.ts'
import { storeUses } from '../uses.ts'
import { Cdp, type Peer } from '../web/cdp.ts'
import { asked } from './asked.ts'
import { CONFIG, MARK, STOP, type HookConfig, type NodeMode } from './config.ts'
import { hookUrl } from './hook_file.ts'
import { evaluateWhereItIs, turns } from './hung.ts'

export interface AttachNodeOptions {
  /** The trace file. */
  out: string
  /** Default `full`. */
  mode?: NodeMode
  /** Milliseconds; default: until `signal`, or the program's end. */
  duration?: number
  signal?: AbortSignal
  progress?: Tell
}

export async function attachNode(endpoint: NodeEndpoint, options: AttachNodeOptions): Promise<Recorded> {
  const out = path.resolve(options.out)
  const mode = options.mode ?? 'full'
  rmSync(out, { force: true })
  let ended = false
  let beside: Beside | undefined
  const cdp = await Cdp.connect(endpoint.socket, PROGRAM)
  try {
    const end = endOf(cdp)
    // This is asked first, because a program that waits already does not say so again.
    await cdp.send('NodeRuntime.notifyWhenWaitingForDisconnect', { enabled: true })
    const tooLate = end.then((): never => {
      throw new MeasureError(`the program at ${endpoint.socket} ended before its recording began`)
    })
    // A program that waits for its debugger (--inspect-brk) begins now.
    await cdp.send('Runtime.runIfWaitingForDebugger')
    const origin = performance.timeOrigin + performance.now()
    const config = { out, mode, parent: process.pid, origin, accesses: false, attached: true }
    await Promise.race([load(cdp, config), tooLate, brokenOff(options)])
    if (!existsSync(out))
      throw new MeasureError(`the program at ${endpoint.socket} writes no file here: it runs on another machine`)
    beside = await Promise.race([besideIt(cdp), tooLate, brokenOff(options)])
    const { progress = () => {} } = options
    progress(`recording ${endpoint.title}; Ctrl-C ends it and reports, and the program goes on`)
    ended = await over(end, options).finally(tellRecording(progress, () => sizeText(out)))
    if (!ended && !(await told(cdp))) progress('the program does not answer; what was recorded until now follows')
  } finally {
    cdp.close()
  }
  const recorded = await complete(
    out,
    [],
    { reason: ended ? 'signal' : 'stopped' },
    {
      title: endpoint.title,
      note: besideText(beside),
    },
  )
  if (mode !== 'fast') await storeOriginals(out)
  if (mode !== 'fast') await storeUses(out)
  return recorded
}

const PROGRAM: Peer = {
  name: 'the program',
  slow: 'it does not return to its event loop, or another debugger has stopped it',
}

/** What a program has beside its main thread, where the hook is. */
interface Beside {
  /** Those that begin later are counted, too. */
  workers: number
  /** At the beginning. */
  children: number
}

async function besideIt(cdp: Cdp): Promise<Beside> {
  const resources = 'process.getActiveResourcesInfo?.() ?? []'
  const children = await evaluate(cdp, `(${resources}).filter((name) => name === 'ProcessWrap').length`)
  const found: Beside = { workers: 0, children: Number(children) }
  cdp.on('NodeWorker.attachedToWorker', () => void found.workers++)
  await cdp.send('NodeWorker.enable', { waitForDebuggerOnStart: false })
  return found
}

function besideText({ workers, children }: Beside): string | undefined {
  if (workers + children === 0) return undefined
  const all = [
    ...(workers > 0 ? [counted(workers, 'worker')] : []),
    ...(children > 0 ? [counted(children, 'child process', 'child processes')] : []),
  ]
  return `only the main thread was recorded; the program also has ${all.join(' and ')}`
}

/** Fails when the user has enough before the recording has begun; the hook that comes too late looks for us. */
function brokenOff({ signal }: AttachNodeOptions): Promise<never> {
  return new Promise((_, fail) => {
    const stop = (): void => fail(new MeasureError('broken off before the recording began', 130))
    signal?.addEventListener('abort', stop, { once: true })
    if (signal?.aborted) stop()
  })
}

/** Ends the recording in the program, which may hang: then its debugger stops it for that. False if nothing helps. */
async function told(cdp: Cdp): Promise<boolean> {
  const stop = `globalThis[Symbol.for(${JSON.stringify(STOP)})]`
  try {
    if (await turns(cdp)) await evaluate(cdp, `${stop}()`)
    else await evaluateWhereItIs(cdp, `${stop}(true)`)
    return true
  } catch {
    return false
  }
}

/** Settles when the program ends, or waits at its end for us to let go of it. */
function endOf(cdp: Cdp): Promise<void> {
  return new Promise((done) => {
    cdp.on('NodeRuntime.waitingForDisconnect', () => done())
    void cdp.closed.then(() => done())
  })
}

/** True if the program has ended, false if it is time to leave it alone. */
async function over(end: Promise<void>, { duration, signal }: AttachNodeOptions): Promise<boolean> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const told = new Promise<boolean>((done) => {
    const stop = (): void => done(false)
    if (duration !== undefined) timer = setTimeout(stop, duration)
    signal?.addEventListener('abort', stop, { once: true })
    if (signal?.aborted) stop()
    void end.then(() => done(true))
  })
  return told.finally(() => clearTimeout(timer))
}

/** Loads the hook as a module, which the debugger cannot do by itself. */
function load(cdp: Cdp, config: HookConfig): Promise<unknown> {
  return evaluate(
    cdp,
    `(async () => {
      if (Symbol.for(${JSON.stringify(MARK)}) in globalThis) throw new Error('it is being recorded already')
      await new Promise(setImmediate) // before its first turn Node may still be starting, and then imports nothing
      const get = process.getBuiltinModule?.bind(process) ?? process.mainModule?.require
      const loader = get?.('node:vm').constants?.USE_MAIN_CONTEXT_DEFAULT_LOADER
      if (loader === undefined) throw new Error('it is older than Node.js 20.16')
      process.env[${JSON.stringify(CONFIG)}] = ${JSON.stringify(JSON.stringify(config))}
      const text = ${JSON.stringify(`import(${JSON.stringify(`${hookUrl()}?${config.origin}`)})`)}
      // Node warns that this is experimental, which does not concern the program.
      const { emitWarning } = process
      process.emitWarning = () => {}
      let loaded
      try { loaded = new (get('node:vm').Script)(text, { importModuleDynamically: loader }).runInThisContext() }
      finally { process.emitWarning = emitWarning }
      try { await loaded }
      finally { delete process.env[${JSON.stringify(CONFIG)}] }
    })()`,
  )
}

async function evaluate(cdp: Cdp, expression: string): Promise<unknown> {
  const { result, exceptionDetails } = await asked(cdp, expression)
  if (exceptionDetails !== undefined)
    throw new MeasureError(`the program cannot be recorded: ${whatFailed(exceptionDetails)}`)
  return result.value
}

/** The message alone: a stack would show only our own text. */
const whatFailed = ({ exception }: { exception?: { description?: string } }): string =>
  exception?.description?.split('\n')[0]!.replace(/^Error: /, '') ?? 'it fails'
