/**
 * Records the program in whose process it runs until the program ends, however it does. `hook.ts` runs it, in a realm
 * of its own: `Map` and the like are not the program's, but `globalThis` is the program's global object.
 */
import { AsyncResource } from 'node:async_hooks'
import fs from 'node:fs'
import { isMainThread, threadId } from 'node:worker_threads'
import type { End } from '../../format/types.ts'
import { watch } from './adapter.ts'
import { childrenNote, countChildren } from './children.ts'
import { Contexts } from './accesses/contexts.ts'
import { installAccesses, type Accesses } from './accesses/install.ts'
import { mostFrequent, News, recordOf, toldBy, type Told } from '../accesses/tell.ts'
import { handDown } from './inherited.ts'
import { CONFIG, HUNG, MARK, SILENT, STOP, type HookConfig } from './config.ts'
import { NodeRecorder } from './recorder.ts'
import { sample } from './sample.ts'
import { inFile } from './loader_map.ts'
import { isInExit, ownUrl, translatePlaces } from './stack.ts'
import { given } from '../given.ts'
import { madeText } from '../unwatched_text.ts'
import { tellUnwatched } from './accesses/unwatched.ts'
import { traceActivities } from '../activities.ts'

/** Node's own choice. */
const DEBUG_PORT = 9229

/** Node's exit status if its event loop has nothing left to do while a module still waits. */
const UNSETTLED = 13

type Stop = (why: string, more?: Pick<End, 'exitCode' | 'signal'>) => void

const text = process.env[CONFIG]
const config: HookConfig | null = JSON.parse(text ?? 'null')
if (config !== null && isRecording(config)) start(config)

/** False in a process that has outlived the recording, or that such a process has started. */
function isRecording({ parent }: HookConfig): boolean {
  try {
    return process.kill(parent, 0)
  } catch (error) {
    // Another user's process is there, too.
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

function start(config: HookConfig): void {
  announcePorts()
  ownUrl(import.meta.url)
  const now = performance.now.bind(performance)
  const offset = (performance.timeOrigin - config.origin) * 1000
  const first = config.attached === true || process.ppid === config.parent
  const recorder = new NodeRecorder({
    out: first && isMainThread ? config.out : `${config.out}.part-${process.pid}-${threadId}`,
    full: config.mode !== 'fast',
    mode: config.mode,
    now: () => now() * 1000 + offset,
    thread: {
      id: threadId + 1,
      kind: isMainThread ? 'node' : 'worker',
      name: `${first ? '' : `process ${process.pid} `}${isMainThread ? 'main' : `worker ${threadId}`}`,
    },
    command: process.argv.slice(1),
    own: config.own,
    accesses: config.accesses,
  })
  if (first && isMainThread && config.calibration !== undefined) recorder.write(config.calibration)
  const stop: Stop = (why, more) => {
    unwatch()
    recorder.stop(why, more)
  }
  traceActivities(recorder)
  countChildren()
  if (config.attached !== true) handDown(text!, import.meta.url)
  const after = new AsyncResource('charcoal').asyncId()
  translatePlaces(inFile)
  const accesses = config.accesses ? installAccesses(() => recorder.now()) : null
  if (accesses !== null) recorder.contexts = new Contexts(accesses.flows)
  else if (config.mode === 'full')
    recorder.note('no-accesses', 'what the program read and wrote was not watched: conflicts on data are not seen')
  if (config.attached === true) stopOnDemand(config, recorder, stop)
  recorder.ours = [after, new AsyncResource('charcoal').asyncId()]
  const told = accesses === null ? null : teller(accesses, recorder)
  if (told !== null) recorder.meanwhile = told.meanwhile
  recorder.atEnd = () => {
    told?.atEnd()
    const text = childrenNote()
    if (text !== null) recorder.note('children', text)
  }
  Object.defineProperty(globalThis, Symbol.for(MARK), {
    value: given((name: string) => recorder.mark(String(name))),
    configurable: true,
  })
  if (config.attached !== true && isMainThread) stopWithProcess(stop)
  else if (config.attached !== true)
    process.on('exit', (code) => stop(code === 0 ? 'finished' : 'exit', { exitCode: code }))
  if (first && isMainThread && config.debugPort !== undefined) answerWhenHung(config.debugPort, recorder, stop)
  const unwatch = config.mode === 'sample' ? sample(recorder) : watch(recorder)
}

/**
 * Tells what the watching of accesses has found. A process may be killed, so what is found is told before the end, too:
 * the trace has what was told last.
 */
function teller({ watch, describe }: Accesses, recorder: NodeRecorder): { atEnd(): void; meanwhile(): void } {
  const news = new News()
  const made = new Set<number>()
  const tell = (all: Told[]): void => {
    for (const told of all) {
      const record = recordOf(told, describe, (place) => recorder.location(place))
      if (record !== undefined) recorder.write({ ...record, finding: told.number })
    }
    for (const site of watch.made) {
      const described = made.has(site) ? undefined : describe(site)
      if (described !== undefined) tellUnwatched(madeText(described))
      made.add(site)
    }
  }
  return {
    atEnd: () => tell(mostFrequent(toldBy(watch))),
    meanwhile: () => tell(toldBy(watch, (finding) => news.has(finding))),
  }
}

/** Programs that this one starts may be debugged, and announce their ports as always. */
function announcePorts(): void {
  const { NODE_OPTIONS } = process.env
  if (NODE_OPTIONS?.includes(SILENT)) process.env.NODE_OPTIONS = NODE_OPTIONS.replace(` ${SILENT}`, '')
}

/** `askWhereItHangs` is the other side. A debugging port that the user has chosen stays. */
function answerWhenHung(port: number, recorder: NodeRecorder, stop: Stop): void {
  if (process.debugPort !== DEBUG_PORT) return
  process.debugPort = port
  const hung = (hangs: boolean): void => {
    if (!hangs) {
      recorder.note('killed', 'the program did not end within 5 s of being told to, and was killed')
      stop('stopped')
    } else if (recorder.hangs()) stop('hung')
  }
  Object.defineProperty(globalThis, Symbol.for(HUNG), { value: hung, configurable: true })
}

/** Milliseconds between two looks at whether the recording of a program that ran before is to end. */
const LOOK = 100
/** Every so many looks the recorder also asks whether the command is still there. */
const LOOKS_PER_QUESTION = 10

/**
 * The recording of a program that ran before ends with the program, when it is told to, and when the command is gone:
 * killed, or gone because the program did not answer. What is recorded after that nobody would read.
 */
function stopOnDemand(config: HookConfig, recorder: NodeRecorder, stop: Stop): void {
  const exited = (exitCode: number): void => stop('finished', { exitCode })
  atVeryEnd(exited)
  process.on('exit', exited)
  /** Set by a command that has enough: it is told when the recording has ended. */
  let enough: (() => void) | undefined
  const detach = (): void => {
    clearInterval(looks)
    process.off('exit', exited)
    stop('stopped')
    for (const name of [STOP, MARK]) Reflect.deleteProperty(globalThis, Symbol.for(name))
    enough?.()
  }
  const { ino } = fs.statSync(config.out)
  // A command that has given up has put another file in the place of the one that is written here.
  const isWanted = (): boolean => isRecording(config) && fs.statSync(config.out, { throwIfNoEntry: false })?.ino === ino
  let rounds = 0
  const looks = setInterval(() => {
    if (enough !== undefined || (++rounds % LOOKS_PER_QUESTION === 0 && !isWanted())) detach()
  }, LOOK).unref()
  /**
   * The debugger calls this in the middle of what the program does, also of what the recorder writes there. So the end
   * waits for a turn of the event loop, unless there will be none (`busy`).
   */
  const stopNow = (busy = false): Promise<void> | void => {
    if (!busy) return new Promise((done) => (enough = done))
    recorder.hangs(false)
    detach()
  }
  Object.defineProperty(globalThis, Symbol.for(STOP), { value: stopNow, configurable: true })
}

/**
 * After the program's own listeners, as far as possible: `exit` is emitted, then the process ends through `reallyExit`.
 */
function atVeryEnd(stop: (code: number) => void): void {
  const exit: (code: number) => void = (process as any).reallyExit
  ;(process as any).reallyExit = given((code: number) => {
    stop(code)
    Reflect.apply(exit, process, [code])
  })
}

function stopWithProcess(stop: Stop): void {
  // The program may replace these.
  const kill = process.kill.bind(process)
  const off = process.off.bind(process)
  const listenerCount = process.listenerCount.bind(process)
  let reason = 'finished'
  let chosen: typeof process.exitCode
  atVeryEnd((exitCode) => stop(reason, { exitCode }))
  process.on('beforeExit', () => (chosen = process.exitCode))
  process.on('exit', (exitCode) => {
    // Node 20 passes 0, and sets `process.exitCode`; later versions pass the status, as `process.exit` does.
    const isNodes = chosen === undefined && process.exitCode === UNSETTLED && !isInExit()
    if (reason === 'finished' && isNodes) return stop('unsettled', { exitCode: UNSETTLED })
    if (reason === 'finished' && exitCode !== 0) reason = 'exit'
    stop(reason, { exitCode })
  })
  process.on('uncaughtExceptionMonitor', () => (reason = 'crash'))
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    const end = (): void => {
      reason = signal === 'SIGINT' ? 'stopped' : 'signal'
      if (listenerCount(signal) > 1) return
      stop(reason, reason === 'signal' ? { signal } : {})
      off(signal, end)
      kill(process.pid, signal)
    }
    process.on(signal, end)
  }
}
