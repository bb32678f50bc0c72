/** One recording of one application of the study: the application is started, used and recorded, and ended. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { loadavg, tmpdir } from 'node:os'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { MeasureError } from '../format/error.ts'
import { calibrateNode } from '../record/node/calibrate.ts'
import { recordNode } from '../record/node/index.ts'
import { recordWeb } from '../record/web/index.ts'
import type { Application, Context, Kind, ServerApp, WebApp } from './applications.ts'
import type { Installed } from './install.ts'
import { answers, freePort, Services } from './serve.ts'
import { act, type SessionResult } from './session.ts'

/** What became of one recording; stands beside its trace. */
export interface Entry {
  name: string
  kind: Kind
  title: string
  version: string
  run: number
  node: string
  /** Load averages over one minute of the machine, when the recording began and ended. */
  machine: [before: number, after: number]
  session?: SessionResult
  load?: { seconds: number; done: number; failed: number }
}

export interface RecordingOptions {
  /** The trace file. */
  trace: string
  /** Length of a session with a web application, and of the load on a server, seconds. */
  seconds: number
  loadSeconds: number
  mode: 'fast' | 'full'
  signal: AbortSignal
  say: (text: string) => void
}

/** Starting and ending an application may take so long beside the session, seconds. */
const AROUND = 180

/** One more recording. Fails if it is not calibrated, or takes far longer than its session. */
export async function recordApplication(
  { name, kind, version, app }: Application,
  run: number,
  installed: Installed,
  options: RecordingOptions,
): Promise<Entry> {
  const dir = mkdtempSync(path.join(tmpdir(), 'charcoal-corpus-'))
  const services = new Services()
  const limit = AbortSignal.timeout(((kind === 'web' ? options.seconds : options.loadSeconds) + AROUND) * 1000)
  const signal = AbortSignal.any([options.signal, limit])
  try {
    const context: Context = {
      ...installed,
      dir,
      port: await freePort(),
      esbuild: await import(pathToFileURL(installed.module('esbuild/lib/main.js')).href).then((m) => m.default ?? m),
      start: services.start.bind(services),
      run: services.run.bind(services),
      site: services.site.bind(services),
    }
    const before = loadavg()[0]
    const used =
      kind === 'web'
        ? { session: await oneWeb(app as WebApp, context, { ...options, signal }) }
        : { load: await oneServer(app as ServerApp, context, { ...options, signal }) }
    if (limit.aborted) throw new MeasureError(`${app.title} did not end in time`, 4)
    const machine: Entry['machine'] = [before, loadavg()[0]].map((n) => Math.round(n * 10) / 10) as [number, number]
    return { name, kind, title: app.title, version, run, node: process.version, machine, ...used }
  } finally {
    await services.stop()
    rmSync(dir, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 })
  }
}

async function oneWeb(app: WebApp, context: Context, options: RecordingOptions): Promise<SessionResult> {
  const { trace, mode, signal, seconds, say } = options
  const { url } = await app.serve(context)
  let session: SessionResult | undefined
  await recordWeb(url, {
    out: trace,
    mode,
    calibrate: true,
    // Only this machine can be reached: there is no telemetry, and there are no fonts from elsewhere.
    browserArgs: ['--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1', '--disable-gpu'],
    loadTimeout: 90_000,
    signal,
    script: async (steps) => {
      session = await act(app, seconds, { ...steps, log: (text: string) => say(`${app.title}: ${text}`) })
      // A picture of what the session has made of the page, for people to look at.
      writeFileSync(trace.replace(/jsonl$/, 'png'), await steps.page.screenshot())
    },
  })
  if (session === undefined || 'ready' in session.failed)
    throw new MeasureError(`the session with ${app.title} did not begin`, 4)
  return session
}

async function oneServer(app: ServerApp, context: Context, options: RecordingOptions): Promise<Entry['load']> {
  const { trace, mode, signal, loadSeconds, say } = options
  const { dir, port } = context
  const { program, args, cwd, ready } = app.command(context)
  const stop = new AbortController()
  signal.addEventListener('abort', () => stop.abort(), { once: true })
  // Packages are nobody's own code here, so no reads and writes are watched.
  const calibration = await calibrateNode({ mode, accesses: false, signal: stop.signal })
  const recorded = recordNode(program, args, {
    out: trace,
    mode,
    accesses: false,
    stdio: 'ignore',
    signal: stop.signal,
    cwd: cwd ?? dir,
    calibration,
    env: { ...process.env, NODE_ENV: 'production', HOME: dir },
  })
  let ended: unknown
  recorded.then(
    () => (ended = true),
    (error) => (ended = error),
  )
  const url = `http://127.0.0.1:${port}/`
  try {
    await answers(`${url}${ready}`, () => {
      if (ended !== undefined)
        throw ended instanceof Error ? ended : new MeasureError(`${app.title} ended before it answered`, 4)
    })
    const began = performance.now()
    const over = (): boolean => stop.signal.aborted || performance.now() - began > loadSeconds * 1000
    const { done, failed } = await app.load(url, over, context)
    say(`${app.title}: ${done} requests done, ${failed} failed`)
    return { seconds: (performance.now() - began) / 1000, done, failed }
  } finally {
    stop.abort()
    await recorded.catch(() => {})
  }
}
