/**
 * What is left of a study when it is over: for each application its recordings in short, and their pooled histograms.
 * `study.json` holds it, and every table and drawing is made from that file alone.
 */
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { pool, type Figures } from '../analysis/index.ts'
import { compactSites } from '../analysis/pool.ts'
import type { HistogramJson } from '../analysis/histogram.ts'
import type { Calibration } from '../format/types.ts'
import { htmlReport } from '../report/index.ts'
import { valuesOf, type Values } from './measures.ts'
import type { Entry } from './recording.ts'
import { sheet } from './sheet.ts'
import { tables } from './tables.ts'

export interface Recorded {
  entry: Entry
  figures: Figures
}

/** One recording in short. */
export interface Run extends Entry {
  browser?: string
  calibration?: Pick<Calibration, 'kinds' | 'overhead'>
  values: Values
}

export interface Studied {
  name: string
  kind: Entry['kind']
  title: string
  version: string
  runs: Run[]
  /** Of all runs together, without places, single chains and trees. */
  figures: Figures
}

export interface Study {
  applications: Studied[]
}

export function studyOf(recorded: Recorded[]): Study {
  const byName = grouped(recorded)
  return {
    applications: [...byName.values()].map((runs) => {
      const { name, kind, title, version } = runs[0]!.entry
      const figures = pool(
        runs.map((r) => r.figures),
        title,
      )
      return { name, kind, title, version, runs: runs.map(short), figures: stripped(figures) }
    }),
  }
}

/** The figures of all applications of a kind together. */
export function pools({ applications }: Study): Figures[] {
  const names = { web: 'web applications', server: 'Node servers' }
  return (['web', 'server'] as const).flatMap((kind) => {
    const of = applications.filter((a) => a.kind === kind)
    return of.length === 0
      ? []
      : [
          pool(
            of.map((a) => a.figures),
            `All ${of.length} ${names[kind]}`,
          ),
        ]
  })
}

/** Writes `study.json`, `tables.md`, `figures.svg` and `report.html`. */
export function writeStudy(study: Study, out: string): void {
  const all = pools(study)
  writeFileSync(path.join(out, 'study.json'), `${JSON.stringify(study)}\n`)
  writeFileSync(path.join(out, 'tables.md'), tables(study))
  writeFileSync(path.join(out, 'figures.svg'), sheet(all))
  writeFileSync(path.join(out, 'report.html'), htmlReport([...all, ...study.applications.map((a) => a.figures)]))
}

function grouped(recorded: Recorded[]): Map<string, Recorded[]> {
  const groups = new Map<string, Recorded[]>()
  for (const r of recorded) groups.set(r.entry.name, [...(groups.get(r.entry.name) ?? []), r])
  return groups
}

function short({ entry, figures }: Recorded): Run {
  const [{ calibration, tool }] = figures.recordings
  const browser = /\((.*)\)/.exec(tool)?.[1]
  return { ...entry, ...(browser && { browser }), ...(calibration && { calibration }), values: valuesOf(figures) }
}

/** Only what is counted: nothing in it names a place of the machine. */
function stripped(f: Figures): Figures {
  return compactSites(
    withoutExamples({
      ...f,
      recordings: f.recordings.map(({ command, calibration, ...r }) => r),
      timeline: [],
      tiny: [],
      notes: [],
      ranking: { ...f.ranking, chains: [] },
      atomic: { ...f.atomic, longest: [], interrupted: [], unserialisable: [] },
      sites: [],
    }),
  )
}

function withoutExamples<T>(value: T): T {
  if (Array.isArray(value)) return value.map(withoutExamples) as T
  if (typeof value !== 'object' || value === null) return value
  const { bins } = value as Partial<HistogramJson>
  if (Array.isArray(bins)) return { ...value, bins: bins.map(([bin, count]) => [bin, count, []]) }
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, withoutExamples(inner)])) as T
}
