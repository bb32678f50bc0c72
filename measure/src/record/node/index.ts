/**
 * Records a Node program: runs it with the hook, waits, puts the parts of its workers and child processes together.
 *
 * @example
 * await recordNode('server.mjs', ['--port', '0'], { out: 'server.jsonl', signal })
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { createServer, type AddressInfo } from 'node:net'
import path from 'node:path'
import { MeasureError } from '../../format/error.ts'
import type { Calibration } from '../../format/types.ts'
import { atExit } from '../cleanup.ts'
import { complete } from '../complete.ts'
import { storeOriginals } from '../originals.ts'
import { causeOf, ended, endedText, partsOf, pathOf, statusOf, titleOf, type RunOptions } from '../program.ts'
import type { Recorded } from '../recorded.ts'
import { sizeText, tellRecording } from '../tell.ts'
import { insertBeforeEnd } from '../stored.ts'
import { storeUses } from '../uses.ts'
import { unwatchedFile } from './accesses/unwatched.ts'
import { CONFIG, SILENT, type HookConfig, type NodeMode } from './config.ts'
import { hookUrl } from './hook_file.ts'
import { askWhereItHangs } from './hung.ts'

export type { NodeMode } from './config.ts'

export interface RecordNodeOptions extends RunOptions {
  /** The trace file. */
  out: string
  /** Default `full`. */
  mode?: NodeMode
  /** Watch what the program's own code reads and writes, mode `full` only. Default: true. */
  accesses?: boolean
  /** Names of packages whose code counts as the program's own. */
  own?: string[]
  /** Options for Node itself. */
  execArgv?: string[]
  /** The self-test's result (`calibrateNode`), for the trace. */
  calibration?: Calibration
}

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
    own: options.own,
    calibration: options.calibration,
    debugPort: await freePort(),
  }
  const began = performance.now()
  for (const file of [out, unwatchedFile(out), ...partsOf(out)]) rmSync(file, { force: true })
  const env = options.env ?? process.env
  const given = `${env.NODE_OPTIONS ?? ''} ${(options.execArgv ?? []).join(' ')}`
  const nodeOptions = [
    `--import=${hookUrl()}`,
    ...(given.includes('--inspect') ? [] : [SILENT]),
    env.NODE_OPTIONS ?? '',
  ]
  const child = spawn(command[0], command.slice(1), {
    cwd: options.cwd,
    stdio: options.stdio ?? 'inherit',
    // Through the environment the hook reaches child processes as well, whoever starts them.
    env: { ...env, [CONFIG]: JSON.stringify(config), NODE_OPTIONS: nodeOptions.join(' ').trim() },
  })
  const { progress = () => {}, live } = options
  const told = live === true ? tellRecording(progress, () => sizeText(out)) : () => {}
  const hangs = (pid: number): Promise<void> => askWhereItHangs(pid, config.debugPort!)
  const end = await ended(child, { hangs, ...options }, out).finally(told)
  if (!existsSync(out) && partsOf(out).length === 0) {
    throw new MeasureError(
      `${program} ${endedText(end)} before anything could be recorded; run it with \`node ${program}\` to see why`,
    )
  }
  const ms = performance.now() - began
  // What processes write that outlive the program (`detached`).
  atExit(() => [unwatchedFile(out), ...partsOf(out)].forEach((part) => rmSync(part, { force: true })))
  const fallback = { ...causeOf(end), end: ms * 1000, ...(end.code !== null && { exitCode: end.code }) }
  const recorded = await complete(out, partsOf(out), fallback, { title: titleOf(program, args) })
  storeUnwatched(out)
  if (mode !== 'fast') await storeOriginals(out)
  if (mode !== 'fast' && !config.accesses) await storeUses(out)
  if (recorded.continuations === 0)
    throw new MeasureError(`nothing was recorded: ${program} ${endedText(end)} before its event loop ran`)
  if (recorded.continuations <= 1 && ms < 5000 && !end.stopped) {
    progress(
      `the program ${endedText(end)} after ${Math.round(ms)} ms: its event loop ran nothing after the first script`,
    )
  }
  return { ...recorded, exitCode: statusOf(end) }
}

/** Own code that was not watched, as its threads and child processes have told, each once. */
function storeUnwatched(out: string): void {
  const file = unwatchedFile(out)
  if (!existsSync(file)) return
  const told = new Set(readFileSync(file, 'utf8').split('\n').filter(Boolean))
  rmSync(file)
  const notes = [...told].map((text) => `{"type":"note","code":"unwatched","text":${text}}\n`)
  insertBeforeEnd(out, notes.join(''))
}

/** A port on which nothing listens now. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

/** `node .` runs a folder's package, and `node server` the file `server.js`. */
export function isNodeModule(file: string): boolean {
  try {
    return createRequire(file).resolve(file) !== ''
  } catch {
    return false
  }
}

/** A JavaScript file for Node, or a command that will start Node (`npm run dev`). */
function commandOf(program: string, args: string[], options: RecordNodeOptions): string[] {
  const file = pathOf(program, options.cwd, isNodeModule)
  return file === null ? [program, ...args] : [process.execPath, ...(options.execArgv ?? []), file, ...args]
}
