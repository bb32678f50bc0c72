/** From trace files to what the user asked for: summary, HTML, JSON, Perfetto. */
import { accessSync, constants, existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { analyse, pool, type Figures } from '../analysis/index.ts'
import { MeasureError } from '../format/error.ts'
import { visible } from '../format/visible.ts'
import { looksLikeTrace } from '../format/read.ts'
import { convertTrace } from '../record/chrome/index.ts'
import { exportPerfetto } from '../record/perfetto.ts'
import { htmlReport, terminalSummary } from '../report/index.ts'
import { compare } from './baseline.ts'
import type { Tell } from '../record/tell.ts'
import type { Progress } from './progress.ts'
import { say } from './say.ts'

/**
 * Fails if a file that is asked for cannot be written, or would replace one that is read, or one that is needed is not
 * there: better now than after an hour of recording. `read`: the traces, or the program.
 */
export function checkFiles(options: Map<string, string>, read: string[]): void {
  const [format, ...file] = (options.get('export') ?? 'perfetto').split('=')
  if (format !== 'perfetto') throw new MeasureError(`--export is ${JSON.stringify(format)}; it can be perfetto`, 2)
  const written: Record<string, string | undefined> = { export: file.join('=') }
  for (const name of ['out', 'html', 'json', 'keep']) written[name] = options.get(name)
  const script = options.get('script')
  const all = script === undefined ? read : [...read, script]
  const taken = new Map(all.map((file) => [identity(file), 'it is what is to be read']))
  for (const [name, file] of Object.entries(written)) {
    if (!file) continue
    const why = taken.get(identity(file)) ?? whyNotWritable(file, ['out', 'keep'].includes(name))
    if (why !== undefined) throw new MeasureError(`--${name}: ${file} cannot be written: ${why}`, 2)
    if (!isDevice(file)) taken.set(identity(file), `--${name} is written there, too`)
  }
  const baseline = options.get('baseline')
  if (baseline !== undefined && !existsSync(baseline))
    throw new MeasureError(
      `the baseline ${baseline} does not exist; record one with --out, or write one with --json=${baseline}`,
      2,
    )
}

/** The same for two names of one file. */
function identity(file: string): string {
  const found = existsSync(file) ? statSync(file) : undefined
  return found === undefined ? path.resolve(file) : `${found.dev}:${found.ino}`
}

/** A device, or a pipe, which is there to be written to, and not to be replaced. */
const isDevice = (file: string): boolean => existsSync(file) && !statSync(file).isFile()

/** `replaced`: the file that is there is removed first. */
function whyNotWritable(file: string, replaced: boolean): string | undefined {
  try {
    if (!existsSync(file)) accessSync(path.dirname(path.resolve(file)), constants.W_OK)
    else if (statSync(file).isDirectory()) return 'it is a directory'
    else if (replaced && isDevice(file)) return 'it is no ordinary file'
    else accessSync(file, constants.W_OK)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT' ? 'its folder does not exist' : (error as Error).message
  }
  return undefined
}

export interface OutputOptions {
  /** What the recording is compared with. */
  baseline?: Figures
  /** Where a trace of another format is kept in ours. */
  convertedTo?: string
}

/** Standard output is for the figures alone. */
export const isFiguresOnly = (options: Map<string, string>): boolean => options.get('json') === ''

/** The exit status: 7 if there is a conflict that the baseline has not. */
export async function output(
  files: string[],
  options: Map<string, string>,
  progress: Progress,
  { baseline, convertedTo }: OutputOptions,
): Promise<number> {
  const tell: Tell = (text, passing) => progress.say(text, passing)
  const truncated = options.has('truncated')
  const title = options.get('title')
  const dir = mkdtempSync(path.join(tmpdir(), 'charcoal-convert-'))
  try {
    const traces: string[] = []
    const all: Figures[] = []
    for (const [i, file] of files.entries()) {
      let trace = file
      if (!looksLikeTrace(file)) {
        trace = convertedTo ?? path.join(dir, `${i}-${path.basename(file).replace(/\.json(\.gz)?$/, '')}.jsonl`)
        tell(`converting ${file}`)
        await convertTrace(file, trace, { truncated, progress: tell, header: { title: title ?? path.basename(file) } })
      }
      traces.push(trace)
      all.push(
        await analyse(trace, {
          truncated,
          progress: tell,
          ...(title !== undefined && files.length === 1 && { title }),
        }),
      )
    }
    const figures = all.length === 1 ? all : [pool(all, title ?? `${all.length} recordings`), ...all]
    progress.clear()
    if (options.has('html')) {
      const file = options.get('html') || `${files[0].replace(/\.jsonl?(\.gz)?$/, '')}.html`
      write(file, htmlReport(figures))
      say(`report: ${file}`)
    }
    if (options.has('export')) {
      if (traces.length > 1) throw new MeasureError('--export takes one trace at a time', 2)
      const file =
        options.get('export')!.replace(/^perfetto=?/, '') || `${files[0].replace(/\.jsonl?(\.gz)?$/, '')}.perfetto.json`
      await exportPerfetto(traces[0], file, { truncated })
      say(`for Perfetto: ${file}`)
    }
    if (options.has('json')) {
      const text = `${JSON.stringify(figures.length === 1 ? figures[0] : figures, null, 1)}\n`
      if (isFiguresOnly(options)) process.stdout.write(visible(text, { lines: true }))
      else write(options.get('json')!, text)
    }
    if (!isFiguresOnly(options))
      process.stdout.write(
        terminalSummary(figures[0], {
          color: process.stdout.isTTY === true && process.env.NO_COLOR === undefined,
          width: process.stdout.columns || 100,
        }),
      )
    if (baseline === undefined) return 0
    const { lines, status } = compare(figures[0], baseline)
    for (const line of lines) say(visible(line))
    return status
  } finally {
    rmSync(dir, { recursive: true, force: true })
  }
}

function write(file: string, text: string): void {
  try {
    writeFileSync(file, text)
  } catch (error) {
    throw new MeasureError(`${file} cannot be written: ${(error as Error).message}`, 2)
  }
}
