/**
 * Records a Node program: runs it with the hook, waits, puts the parts of its workers and child processes together.
 *
 * @example
 * await recordNode('server.mjs', ['--port', '0'], { out: 'server.jsonl', signal })
 */
import { spawn, type ChildProcess } from 'node:child_process'
import { existsSync, readdirSync, rmSync, statSync } from 'node:fs'
import { constants } from 'node:os'
import path from 'node:path'
import { MeasureError } from '../../format/error.ts'
import type { Calibration } from '../../format/types.ts'
import { atExit } from '../cleanup.ts'
import { complete } from '../complete.ts'
import { storeOriginals } from '../originals.ts'
import type { Recorded } from '../recorded.ts'
import { sizeText, tellRecording, type Tell } from '../tell.ts'
import { CONFIG, type HookConfig, type NodeMode } from './config.ts'
import { hookUrl } from './hook_file.ts'

export type { NodeMode } from './config.ts'

export interface RecordNodeOptions {
  /** The trace file. */
  out: string
  /** Default `full`. */
  mode?: NodeMode
  /** Watch what the program's own code reads and writes, mode `full` only. Default: true. */
  accesses?: boolean
  /** Options for Node itself. */
  execArgv?: string[]
  cwd?: string
  env?: NodeJS.ProcessEnv
  stdio?: 'inherit' | 'ignore' | 'pipe'
  /** Ends the program with SIGINT; what was recorded is kept. A second abort is not needed: after 5 s it is killed. */
  signal?: AbortSignal
  /** `signal` was Ctrl-C at a terminal, which the program has received itself. */
  terminal?: boolean
  /** Milliseconds after which the program is ended as by `signal`. */
  duration?: number
  /** The self-test's result (`calibrateNode`), for the trace. */
  calibration?: Calibration
  progress?: Tell
  /** Tell how far the recording is, too. Default: no, for the program may write to the same terminal. */
  live?: boolean
  /** Called with the child's process id. */
  started?: (pid: number) => void
}

/** Milliseconds that a program has to end by itself once it was told to. */
const PATIENCE = 5000

/** The program's own exit status is in `exitCode`. */
export async function recordNode(program: string, args: string[], options: RecordNodeOptions): Promise<Recorded> {
  const command = commandOf(program, args, options)
  const out = path.resolve(options.out)
  const mode = options.mode ?? 'full'
  const config: HookConfig = {
    out,
    mode,
    parent: process.pid,
    origin: performance.timeOrigin + performance.now(),
    accesses: mode === 'full' && options.accesses !== false,
    calibration: options.calibration,
  }
  const began = performance.now()
  for (const file of [out, ...partsOf(out)]) rmSync(file, { force: true })
  const env = options.env ?? process.env
  const hook = `--import=${hookUrl()}`
  const child = spawn(command[0], command.slice(1), {
    cwd: options.cwd,
    stdio: options.stdio ?? 'inherit',
    // Through the environment the hook reaches child processes as well, whoever starts them.
    env: { ...env, [CONFIG]: JSON.stringify(config), NODE_OPTIONS: `${hook} ${env.NODE_OPTIONS ?? ''}`.trim() },
  })
  const { progress = () => {}, live } = options
  const told = live === true ? tellRecording(progress, () => sizeText(out)) : () => {}
  const { code, signal, stopped, hung } = await ended(child, options, () => killParts(out)).finally(told)
  const status = signal ?? `status ${code}`
  if (!existsSync(out) && partsOf(out).length === 0) {
    throw new MeasureError(
      `${program} ended (${status}) before anything could be recorded; run it with \`node ${program}\` to see why`,
    )
  }
  const ms = performance.now() - began
  const reason = hung ? 'hung' : stopped ? 'stopped' : signal !== null ? 'signal' : 'crash'
  const recorded = await complete(out, partsOf(out), { reason, end: ms * 1000 })
  if (mode !== 'fast') await storeOriginals(out)
  const exitCode = code ?? 128 + (constants.signals[signal!] ?? 0)
  if (recorded.continuations === 0)
    throw new MeasureError(`nothing was recorded: ${program} ended (${status}) before its event loop ran`)
  if (recorded.continuations <= 1 && ms < 5000 && !stopped) {
    progress(
      `the program ended at once (${Math.round(ms)} ms, ${status}): its event loop ran nothing after the first script`,
    )
  }
  return { ...recorded, exitCode }
}

interface Ended {
  code: number | null
  signal: NodeJS.Signals | null
  /** It was told to end; it did not answer, and was killed. */
  stopped: boolean
  hung: boolean
}

/**
 * When the program has ended, by itself or because it was told to. Nothing that it has started outlives this process
 * once it was told.
 */
async function ended(child: ChildProcess, options: RecordNodeOptions, killOthers: () => void): Promise<Ended> {
  let stopped = false
  let hung = false
  let interrupter: ReturnType<typeof setTimeout> | undefined
  let killer: ReturnType<typeof setTimeout> | undefined
  const stop = (): void => {
    if (stopped) return
    stopped = true
    // At a terminal Ctrl-C has reached the program already; a second signal would end one that takes its time to
    // finish.
    interrupter = setTimeout(() => child.kill('SIGINT'), options.terminal === true ? 2000 : 0)
    killer = setTimeout(() => {
      options.progress?.('the program does not end; killing it')
      hung = child.kill('SIGKILL')
    }, PATIENCE)
  }
  const done = atExit(() => {
    child.kill('SIGKILL')
    killOthers()
  })
  const timer = options.duration === undefined ? undefined : setTimeout(stop, options.duration)
  options.signal?.addEventListener('abort', stop, { once: true })
  if (options.signal?.aborted) stop()
  if (child.pid !== undefined) options.started?.(child.pid)
  try {
    const [code, signal] = await new Promise<[number | null, NodeJS.Signals | null]>((ok, fail) => {
      child.on('error', (error) => fail(new MeasureError(`the program could not be started: ${error.message}`, 2)))
      child.on('exit', (c, s) => ok([c, s]))
    })
    if (stopped) killOthers()
    return { code, signal, stopped, hung }
  } finally {
    for (const t of [timer, interrupter, killer]) clearTimeout(t)
    options.signal?.removeEventListener('abort', stop)
    if (child.exitCode !== null || child.signalCode !== null) child.kill = () => true
    done()
  }
}

/** A JavaScript file for Node, or a command that will start Node (`npm run dev`). */
function commandOf(program: string, args: string[], options: RecordNodeOptions): string[] {
  const file = checkProgram(program, options.cwd)
  return file === null ? [program, ...args] : [process.execPath, ...(options.execArgv ?? []), file, ...args]
}

/** The path of a JavaScript file, or null for a command. Fails if it is neither. */
export function checkProgram(program: string, cwd = '.'): string | null {
  const file = path.resolve(cwd, program)
  if (existsSync(file)) {
    if (statSync(file).isDirectory())
      throw new MeasureError(`the program ${program} is a directory; give the path of a JavaScript file`, 2)
    return file
  }
  const named =
    !program.includes('/') &&
    (process.env.PATH ?? '').split(path.delimiter).some((dir) => existsSync(path.join(dir, program)))
  if (named) return null
  throw new MeasureError(
    `the program ${program} does not exist; give the path of a JavaScript file, or a command like \`npm run dev\``,
    2,
  )
}

/** What workers and child processes wrote. */
function partsOf(out: string): string[] {
  const dir = path.dirname(out)
  if (!existsSync(dir)) return []
  return readdirSync(dir)
    .filter((name) => name.startsWith(`${path.basename(out)}.part-`))
    .sort()
    .map((name) => path.join(dir, name))
}

/** Ends the child processes that are being recorded. */
function killParts(out: string): void {
  for (const part of partsOf(out)) {
    const pid = Number(/\.part-(\d+)-\d+$/.exec(part)?.[1])
    try {
      if (pid > 1 && pid !== process.pid) process.kill(pid, 'SIGINT')
    } catch {
      // It has ended.
    }
  }
}
