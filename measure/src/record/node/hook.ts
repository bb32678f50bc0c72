/** Loaded by `node --import` into the program's main thread and workers: records until the program ends, however it does. */
import { isMainThread, threadId } from 'node:worker_threads'
import { watch } from './adapter.ts'
import { CONFIG, type HookConfig } from './config.ts'
import { NodeRecorder } from './recorder.ts'
import { ownUrl } from './stack.ts'
import { traceActivities } from '../activities.ts'

const config: HookConfig | null = JSON.parse(process.env[CONFIG] ?? 'null')
if (config !== null && process.ppid === config.parent) start(config)

function start(config: HookConfig): void {
  ownUrl(import.meta.url)
  const { performance } = globalThis
  const now = performance.now.bind(performance)
  const offset = (performance.timeOrigin - config.origin) * 1000
  const recorder = new NodeRecorder({
    out: isMainThread ? config.out : `${config.out}.part-${threadId}`,
    full: config.full,
    now: () => now() * 1000 + offset,
    thread: { id: threadId + 1, kind: isMainThread ? 'node' : 'worker', name: isMainThread ? 'main' : `worker ${threadId}` },
    command: process.argv.slice(1),
  })
  if (isMainThread && config.calibration !== undefined) recorder.write(config.calibration)
  let reason = 'finished'
  const stop = (why: string, code?: number): void => {
    unwatch()
    recorder.stop(why, code)
  }
  traceActivities(recorder)
  Object.defineProperty(globalThis, Symbol.for('charcoal.mark'), { value: (name: string) => recorder.mark(String(name)), configurable: true })
  const exit: (code: number) => void = (process as any).reallyExit
  // After the program's own listeners, as far as possible: `exit` is emitted, then the process ends through `reallyExit`.
  process.on('exit', (code) => {
    if (reason === 'finished' && code !== 0) reason = 'exit'
    if (!isMainThread) stop(reason, code)
  })
  if (isMainThread) {
    ;(process as any).reallyExit = (code: number) => {
      stop(reason, code)
      exit.call(process, code)
    }
    process.on('exit', (code) => stop(reason, code))
    process.on('uncaughtExceptionMonitor', () => (reason = 'crash'))
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
      const end = (): void => {
        reason = signal === 'SIGINT' ? 'stopped' : 'signal'
        if (process.listenerCount(signal) > 1) return
        stop(reason)
        process.off(signal, end)
        process.kill(process.pid, signal)
      }
      process.on(signal, end)
    }
  }
  const unwatch = watch(recorder)
}
