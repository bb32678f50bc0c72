/**
 * The papers' study again: real applications, each in a scripted session of two minutes, and Node servers under load,
 * one after the other. Everything that is needed is in `corpus/`; one call installs, records, analyses and pools. What
 * has been recorded in `out` is not recorded again.
 *
 * @example
 * await corpus({ out: 'study', seconds: 125, progress: console.error })
 */
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
  copyFileSync,
} from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { analyse, pool, type Figures } from '../analysis/index.ts'
import { compactSites } from '../analysis/pool.ts'
import type { Site } from '../analysis/sites.ts'
import { MeasureError } from '../format/error.ts'
import { calibrateNode } from '../record/node/calibrate.ts'
import { recordNode } from '../record/node/index.ts'
import { recordWeb } from '../record/web/index.ts'
import { htmlReport } from '../report/index.ts'
import { install, type Installed, type Manifest } from './install.ts'
import { answers, freePort, Services } from './serve.ts'
import { sheet } from './sheet.ts'
import { tables } from './tables.ts'
import { act, type Session, type SessionResult } from './session.ts'

export interface CorpusOptions {
  /** Folder for traces, figures and the report. */
  out: string
  /** Names of applications; default all. */
  only?: string[]
  /** Length of a session with a web application; default 125. */
  seconds?: number
  /** Length of the load on a server; default 40. */
  loadSeconds?: number
  /** Where applications are installed; default in the user's cache. */
  cache?: string
  mode?: 'fast' | 'full'
  progress?: (text: string) => void
  signal?: AbortSignal
}

/** What became of one application; stands beside its figures. */
export interface Entry {
  name: string
  kind: 'web' | 'server'
  title: string
  version: string
  session?: SessionResult
  load?: { seconds: number; done: number; failed: number }
  error?: string
}

interface WebApp extends Session {
  title: string
  package: ['npm' | 'pip', string]
  serve(context: Context): Promise<{ url: string }>
}

interface ServerApp {
  title: string
  package: ['npm', string]
  program?: string
  command?(context: Context): { program: string; args: string[]; cwd?: string; ready: string }
  load(
    url: string,
    until: () => boolean,
    context: { dir: string; load(module: string): Promise<any> },
  ): Promise<{ done: number; failed: number }>
}

interface Context extends Installed {
  dir: string
  port: number
  start: Services['start']
  run: Services['run']
  site: Services['site']
  esbuild: any
}

export async function corpus(options: CorpusOptions): Promise<{ entries: Entry[]; figures: Figures[] }> {
  const say = options.progress ?? (() => {})
  const folder = corpusFolder()
  const manifest = JSON.parse(readFileSync(path.join(folder, 'manifest.json'), 'utf8')) as Manifest
  const web = readdirSync(path.join(folder, 'web'))
    .map((file) => path.basename(file, '.mjs'))
    .sort()
  const servers = (await import(pathToFileURL(path.join(folder, 'server/servers.mjs')).href)).default as Record<
    string,
    ServerApp
  >
  const all = [...web, ...Object.keys(servers)]
  const unknown = options.only?.find((name) => !all.includes(name))
  if (unknown !== undefined)
    throw new MeasureError(`no application ${unknown} in the corpus; there are: ${all.join(', ')}`, 2)
  const out = path.resolve(options.out)
  mkdirSync(out, { recursive: true })
  const installed = install(
    manifest,
    path.resolve(
      options.cache ?? path.join(process.env.XDG_CACHE_HOME ?? path.join(homedir(), '.cache'), 'charcoal-measure'),
    ),
    say,
  )
  for (const name of options.only ?? all) {
    if (options.signal?.aborted) break
    if (existsSync(path.join(out, `${name}.json`))) {
      say(`${name}: recorded before`)
      continue
    }
    const entry: Entry = { name, kind: web.includes(name) ? 'web' : 'server', title: name, version: '' }
    const dir = mkdtempSync(path.join(tmpdir(), 'charcoal-corpus-'))
    const services = new Services()
    const trace = path.join(out, `${name}.jsonl`)
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
      if (entry.kind === 'web')
        await oneWeb(
          entry,
          (await import(pathToFileURL(path.join(folder, `web/${name}.mjs`)).href)).default,
          context,
          trace,
          options,
          say,
        )
      else await oneServer(entry, servers[name]!, context, trace, options, say, folder)
      const [registry, pack] =
        entry.kind === 'web'
          ? (await import(pathToFileURL(path.join(folder, `web/${name}.mjs`)).href)).default.package
          : servers[name]!.package
      entry.version = manifest[registry as 'npm' | 'pip'][pack]!
      const figures = await analyse(trace, { title: entry.title, truncated: true })
      writeFileSync(path.join(out, `${name}.json`), JSON.stringify({ entry, figures }))
      say(`${name}: ${figures.counts.continuations.toLocaleString('en')} continuations`)
    } catch (error) {
      entry.error = (error as Error).message
      say(`${name}: FAILED: ${entry.error}`)
      writeFileSync(path.join(out, `${name}.failed.json`), JSON.stringify(entry))
    } finally {
      await services.stop()
      rmSync(dir, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 })
    }
  }
  return summarise(out, all)
}

/**
 * Pools what has been recorded in `out`, and writes `figures.json`, `pooled.json` (the same, short), `study.json`,
 * `tables.md`, `figures.svg` and `report.html` there.
 */
export function summarise(out: string, names: string[]): { entries: Entry[]; figures: Figures[] } {
  const recorded = names
    .filter((name) => existsSync(path.join(out, `${name}.json`)))
    .map(
      (name) => JSON.parse(readFileSync(path.join(out, `${name}.json`), 'utf8')) as { entry: Entry; figures: Figures },
    )
  if (recorded.length === 0) throw new MeasureError('nothing was recorded: see the messages above', 4)
  const of = (kind: Entry['kind']): Figures[] =>
    recorded.filter(({ entry }) => entry.kind === kind).map(({ figures }) => figures)
  const pools = [
    ...(of('web').length > 0 ? [pool(of('web'), `All ${of('web').length} web applications`)] : []),
    ...(of('server').length > 0 ? [pool(of('server'), `All ${of('server').length} Node servers`)] : []),
  ]
  const figures = [...pools, ...recorded.map((r) => r.figures)]
  const entries = recorded.map(({ entry }) => entry)
  writeFileSync(path.join(out, 'figures.json'), JSON.stringify(pools))
  writeFileSync(
    path.join(out, 'study.json'),
    JSON.stringify(
      recorded.map(({ entry, figures: f }) => ({ ...entry, counts: f.counts, subtrees: f.subtrees })),
      null,
      1,
    ),
  )
  // What fits beside the text: no timelines, no single chains.
  const small = pools.map((f) =>
    compactSites({
      ...f,
      recordings: f.recordings.map(({ command, ...r }) => r),
      sites: f.sites.map(placeless),
      timeline: [],
      ranking: { ...f.ranking, chains: f.ranking.chains.slice(0, 30) },
      tiny: f.tiny.slice(0, 20),
    }),
  )
  writeFileSync(path.join(out, 'pooled.json'), JSON.stringify(small))
  writeFileSync(path.join(out, 'tables.md'), tables(recorded, pools))
  writeFileSync(path.join(out, 'figures.svg'), sheet(pools))
  writeFileSync(path.join(out, 'report.html'), htmlReport(figures))
  return { entries, figures }
}

/** A site without this machine's folders and ports. */
function placeless({ sourceMap, original, ...site }: Site): Site {
  const short = (url: string): string =>
    url.includes('/node_modules/')
      ? url.slice(url.lastIndexOf('/node_modules/') + 1)
      : /^https?:/.test(url)
        ? new URL(url).pathname
        : url.startsWith('node:')
          ? url
          : path.basename(url)
  return {
    ...site,
    ...(site.url !== undefined && { url: short(site.url) }),
    ...(original && { original: { ...original, source: short(original.source) } }),
  }
}

async function oneWeb(
  entry: Entry,
  app: WebApp,
  context: Context,
  trace: string,
  options: CorpusOptions,
  say: (text: string) => void,
): Promise<void> {
  entry.title = app.title
  say(`${app.title}: starting`)
  const { url } = await app.serve(context)
  say(`${app.title}: recording ${url}`)
  await recordWeb(url, {
    out: trace,
    mode: options.mode ?? 'full',
    calibrate: true,
    // Nothing but this machine: no telemetry, no fonts from elsewhere.
    browserArgs: ['--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1', '--disable-gpu'],
    loadTimeout: 90_000,
    ...(options.signal && { signal: options.signal }),
    script: async (steps) => {
      entry.session = await act(app, options.seconds ?? 125, {
        ...steps,
        log: (text: string) => say(`${app.title}: ${text}`),
      })
      // To be looked at: what the session has made of the page.
      writeFileSync(trace.replace(/jsonl$/, 'png'), await steps.page.screenshot())
    },
  })
}

async function oneServer(
  entry: Entry,
  app: ServerApp,
  context: Context,
  trace: string,
  options: CorpusOptions,
  say: (text: string) => void,
  folder: string,
): Promise<void> {
  entry.title = app.title
  const { dir, port, apps } = context
  let command = app.command?.(context)
  if (command === undefined) {
    // Beside node_modules, so that its imports are found.
    const program = path.join(apps, `program-${app.program!}`)
    copyFileSync(path.join(folder, 'programs', app.program!), program)
    command = { program, args: [String(port), dir], ready: '' }
  }
  const seconds = options.loadSeconds ?? 40
  const stop = new AbortController()
  options.signal?.addEventListener('abort', () => stop.abort(), { once: true })
  const calibration = await calibrateNode({ mode: options.mode ?? 'full', signal: stop.signal }).catch(() => undefined)
  say(`${app.title}: recording under load for ${seconds} s`)
  const url = `http://127.0.0.1:${port}/`
  const recorded = recordNode(command.program, command.args, {
    out: trace,
    stdio: 'ignore',
    signal: stop.signal,
    cwd: command.cwd ?? dir,
    ...(calibration && { calibration }),
    env: { ...process.env, NODE_ENV: 'production', HOME: dir },
  })
  let ended: unknown
  recorded.then(
    () => (ended = true),
    (error) => (ended = error),
  )
  try {
    await answers(`${url}${command.ready}`, () => {
      if (ended !== undefined)
        throw ended instanceof Error ? ended : new MeasureError(`${app.title} ended before it answered`, 4)
    })
    const began = performance.now()
    const { done, failed } = await app.load(
      url,
      () => stop.signal.aborted || performance.now() - began > seconds * 1000,
      {
        dir,
        load: (name) => import(pathToFileURL(path.join(apps, 'node_modules', name, 'build/esm-debug/index.js')).href),
      },
    )
    entry.load = { seconds: (performance.now() - began) / 1000, done, failed }
    say(`${app.title}: ${done} done, ${failed} failed`)
  } finally {
    stop.abort()
    await recorded.catch(() => {})
  }
  await recorded
}

function corpusFolder(): string {
  const here = path.dirname(fileURLToPath(import.meta.url))
  const found = [
    path.join(here, '../corpus'),
    path.join(here, '../../corpus'),
    path.join(process.env.CHARCOAL_MEASURE ?? here, 'corpus'),
  ].find((place) => existsSync(path.join(place, 'manifest.json')))
  if (found === undefined) throw new MeasureError('the corpus folder is missing from this installation', 2)
  return found
}
