/**
 * The papers' study again: real applications, each in scripted sessions, and Node servers under load. Everything that
 * is needed is in `corpus/`; one call installs, records, analyses and pools. It goes round all applications once, then
 * again, so that what the machine does meanwhile meets all of them, and a study that was broken off has whole rounds.
 * What has been recorded in `out` is not recorded again. Figures are computed when all has been recorded.
 *
 * @example
 * await corpus({ out: 'study', runs: 5, seconds: 20, progress: console.error })
 */
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import path from 'node:path'
import { analyse, type Figures } from '../analysis/index.ts'
import { grouped } from '../format/counted.ts'
import { MeasureError } from '../format/error.ts'
import { applications, corpusFolder, manifestOf, type Application } from './applications.ts'
import { install, type Installed } from './install.ts'
import { recordApplication, type Entry, type RecordingOptions } from './recording.ts'
import { studyOf, writeStudy, type Recorded, type Study } from './summary.ts'

export interface CorpusOptions {
  /** Folder for traces, figures and the report. */
  out: string
  /** Names of applications; default all. */
  only?: string[]
  /** Recordings of each application; default 5. Those beyond, if there are any in `out`, are not used. */
  runs?: number
  /** Length of a session with a web application, seconds; default 20. */
  seconds?: number
  /** Length of the load on a server, seconds; default 8. */
  loadSeconds?: number
  /** Where applications are installed; default in the user's cache. */
  cache?: string
  mode?: 'fast' | 'full'
  progress?: (text: string) => void
  signal?: AbortSignal
}

export async function corpus(options: CorpusOptions): Promise<Study> {
  const say = options.progress ?? (() => {})
  const folder = corpusFolder()
  const all = await applications(folder)
  const chosen = options.only?.map((name) => named(all, name)) ?? all
  const out = path.resolve(options.out)
  mkdirSync(out, { recursive: true })
  const cache = process.env.XDG_CACHE_HOME ?? path.join(homedir(), '.cache')
  const installed = install(manifestOf(folder), folder, path.resolve(options.cache ?? `${cache}/charcoal-measure`), say)
  const signal = options.signal ?? new AbortController().signal
  const recording: RoundOptions = {
    out,
    installed,
    seconds: options.seconds ?? 20,
    loadSeconds: options.loadSeconds ?? 8,
    mode: options.mode ?? 'full',
    signal,
    say,
  }
  const runs = options.runs ?? 5
  for (let run = 1; run <= runs; run++) {
    const failed = await round(chosen, run, recording)
    await round(failed, run, recording)
  }
  const study = studyOf(await recordings(out, all, runs, say))
  writeStudy(study, out)
  return study
}

type RoundOptions = Omit<RecordingOptions, 'trace'> & { out: string; installed: Installed }

/** Records each application that has no recording of this number yet. Gives those that failed. */
async function round(applications: Application[], run: number, options: RoundOptions): Promise<Application[]> {
  const { out, installed, signal, say } = options
  const failed: Application[] = []
  for (const application of applications) {
    if (signal.aborted) return []
    const file = path.join(out, `${application.name}.${run}`)
    if (existsSync(`${file}.entry.json`)) continue
    const { title } = application.app
    say(`${new Date().toISOString().slice(11, 19)} ${title}: recording ${run}`)
    // The file has another name until it is complete.
    const trace = `${file}.part.jsonl`
    try {
      const entry = await recordApplication(application, run, installed, { ...options, trace })
      if (signal.aborted) return []
      renameSync(trace, `${file}.jsonl`)
      writeFileSync(`${file}.entry.json`, JSON.stringify(entry))
    } catch (error) {
      say(`${title}: FAILED: ${(error as Error).message}`)
      failed.push(application)
    } finally {
      rmSync(trace, { force: true })
    }
  }
  return failed
}

function named(all: Application[], name: string): Application {
  const found = all.find((a) => a.name === name)
  if (found === undefined)
    throw new MeasureError(`no application ${name} in the corpus; there are: ${all.map((a) => a.name).join(', ')}`, 2)
  return found
}

/** The recordings in the folder with their figures, which are computed where they have not been. */
async function recordings(
  out: string,
  all: Application[],
  runs: number,
  say: (text: string) => void,
): Promise<Recorded[]> {
  const found: Recorded[] = []
  for (const { name, app } of all)
    for (let run = 1; run <= runs; run++) {
      const file = path.join(out, `${name}.${run}`)
      if (!existsSync(`${file}.entry.json`)) continue
      const entry = JSON.parse(readFileSync(`${file}.entry.json`, 'utf8')) as Entry
      if (!existsSync(`${file}.figures.json`)) {
        const figures = await analyse(`${file}.jsonl`, { title: app.title, truncated: true })
        writeFileSync(`${file}.figures.json`, JSON.stringify(figures))
        say(`${app.title}: ${grouped(figures.counts.continuations)} continuations`)
      }
      found.push({ entry, figures: JSON.parse(readFileSync(`${file}.figures.json`, 'utf8')) as Figures })
    }
  if (found.length === 0) throw new MeasureError('nothing was recorded: see the messages above', 4)
  return found
}
