/**
 * Records a Node program: runs it with the hook, waits, puts the parts of its workers together.
 *
 * @example
 * await recordNode('server.mjs', ['--port', '0'], { out: 'server.jsonl', signal })
 */
import { spawn } from 'node:child_process'
import { existsSync, readdirSync, rmSync, statSync } from 'node:fs'
import { constants } from 'node:os'
import path from 'node:path'
import { pathToFileURL, fileURLToPath } from 'node:url'
import { MeasureError } from '../../format/error.ts'
import type { Calibration } from '../../format/types.ts'
import { CONFIG, type HookConfig } from './config.ts'
import { complete } from '../complete.ts'
import type { Recorded } from '../recorded.ts'

export interface RecordNodeOptions {
  /** The trace file. */
  out: string
  /** `full`: with places in source text; `fast`: without. Default `full`. */
  mode?: 'fast' | 'full'
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
  progress?: (text: string) => void
  /** Called with the child's process id. */
  started?: (pid: number) => void
}

/** The program's own exit status is in `exitCode`. */
export async function recordNode(program: string, args: string[], options: RecordNodeOptions): Promise<Recorded> {
  const file = path.resolve(options.cwd ?? '.', program)
  if (!existsSync(file)) throw new MeasureError(`the program ${program} does not exist; give the path of a JavaScript file`, 2)
  if (statSync(file).isDirectory()) throw new MeasureError(`the program ${program} is a directory; give the path of a JavaScript file`, 2)
  const out = path.resolve(options.out)
  const config: HookConfig = { out, full: options.mode !== 'fast', parent: process.pid, origin: performance.timeOrigin + performance.now(), calibration: options.calibration }
  const began = performance.now()
  rmSync(out, { force: true })
  const child = spawn(process.execPath, ['--import', pathToFileURL(hookFile()).href, ...(options.execArgv ?? []), file, ...args], {
    cwd: options.cwd,
    stdio: options.stdio ?? 'inherit',
    env: { ...(options.env ?? process.env), [CONFIG]: JSON.stringify(config) },
  })
  let stopped = false
  let interrupter: ReturnType<typeof setTimeout> | undefined
  let killer: ReturnType<typeof setTimeout> | undefined
  const stop = (): void => {
    if (stopped) return
    stopped = true
    // At a terminal Ctrl-C has reached the program already; a second signal would end one that takes its time to finish.
    interrupter = setTimeout(() => child.kill('SIGINT'), options.terminal === true ? 2000 : 0)
    killer = setTimeout(() => {
      options.progress?.('the program does not end; killing it')
      child.kill('SIGKILL')
    }, 5000)
  }
  const timer = options.duration === undefined ? undefined : setTimeout(stop, options.duration)
  options.signal?.addEventListener('abort', stop, { once: true })
  if (options.signal?.aborted) stop()
  if (child.pid !== undefined) options.started?.(child.pid)
  const [code, signal] = await new Promise<[number | null, NodeJS.Signals | null]>((done, fail) => {
    child.on('error', (error) => fail(new MeasureError(`Node could not be started: ${error.message}`, 2)))
    child.on('exit', (c, s) => done([c, s]))
  }).finally(() => {
    clearTimeout(timer)
    clearTimeout(interrupter)
    clearTimeout(killer)
    options.signal?.removeEventListener('abort', stop)
  })
  if (!existsSync(out)) throw new MeasureError(`${program} ended (${signal ?? `status ${code}`}) before anything could be recorded; run it with \`node ${program}\` to see why`)
  const parts = readdirSync(path.dirname(out)).filter((name) => name.startsWith(`${path.basename(out)}.part-`)).map((name) => path.join(path.dirname(out), name))
  const recorded = await complete(out, parts, { reason: stopped ? 'stopped' : signal !== null ? 'signal' : 'crash' })
  const exitCode = code ?? 128 + (constants.signals[signal!] ?? 0)
  const ms = performance.now() - began
  if (recorded.continuations === 0) throw new MeasureError(`nothing was recorded: ${program} ended (${signal ?? `status ${code}`}) before its event loop ran`)
  if (recorded.continuations <= 1 && ms < 5000 && !stopped) options.progress?.(`the program ended at once (${Math.round(ms)} ms, ${signal ?? `status ${code}`}): its event loop ran nothing after the first script`)
  return { ...recorded, exitCode }
}

/** The built hook, beside this file's bundle. */
function hookFile(): string {
  const here = path.dirname(fileURLToPath(import.meta.url))
  for (const dir of [...(process.env.CHARCOAL_MEASURE === undefined ? [] : [path.join(process.env.CHARCOAL_MEASURE, 'dist')]), here, path.join(here, '../../../dist')]) {
    const file = path.join(dir, 'hook.mjs')
    if (existsSync(file)) return file
  }
  throw new MeasureError('dist/hook.mjs is missing; run `npm run build` in measure/')
}
