/** The command `charcoal-measure`. */
import { existsSync } from 'node:fs'
import { MeasureError } from '../format/error.ts'
import { calibrateNode } from '../record/node/calibrate.ts'
import { checkProgram, recordNode } from '../record/node/index.ts'
import { recordWeb } from '../record/web/index.ts'
import { choice, milliseconds, misplaced, parseArguments, type Parsed } from './args.ts'
import { study } from './corpus.ts'
import { commands, help } from './help.ts'
import { checkFiles, output } from './output.ts'
import { Progress } from './progress.ts'

/** Gives the exit status. */
export async function main(args: string[]): Promise<number> {
  const [name, ...rest] = args
  // `… | head` is no error.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1))
  try {
    if (name === undefined || name === 'help' || name === '--help' || name === '-h') {
      const topic = rest[0]
      if (topic !== undefined && commands[topic] === undefined)
        throw new MeasureError(`there is no command ${topic}; there are: ${Object.keys(commands).join(', ')}`, 2)
      process.stdout.write(help(topic))
      return name === undefined ? 2 : 0
    }
    if (name === '--version') {
      console.log(__VERSION__)
      return 0
    }
    const command = commands[name]
    if (command === undefined)
      throw new MeasureError(`there is no command ${name}; there are: ${Object.keys(commands).join(', ')}`, 2)
    if (rest.includes('--help') && (name !== 'node' || rest[0] === '--help')) {
      process.stdout.write(help(name))
      return 0
    }
    const parsed = parseArguments(rest, command.options, { first: name === 'node' })
    const { words } = parsed
    if (words.length === 0 && name !== 'corpus') throw new MeasureError(`usage: charcoal-measure ${command.usage}`, 2)
    return await run(name, parsed)
  } catch (error) {
    if (!(error instanceof MeasureError)) throw error
    console.error(`charcoal-measure: ${error.message}`)
    return error.exitCode
  }
}

async function run(name: string, { words, options, all }: Parsed): Promise<number> {
  const progress = new Progress(options.has('quiet'))
  const say = (text: string): void => progress.say(text)
  const out =
    options.get('out') ??
    `charcoal-${new Date()
      .toISOString()
      .replace(/[-:]|\.\d+Z/g, '')
      .replace('T', '-')}.jsonl`
  const duration = options.has('duration') ? milliseconds(options.get('duration')!, 'duration') : undefined
  if (name !== 'corpus') checkFiles(options)
  if (name === 'trace' || name === 'report') {
    if (name === 'trace' && words.length > 1)
      throw new MeasureError('`trace` takes one file; for several use `report`', 2)
    for (const file of words) if (!existsSync(file)) throw new MeasureError(`the trace ${file} does not exist`, 2)
    return output(words, options, progress, options.get('out'))
  }
  const stop = new AbortController()
  const interrupted = (): void => {
    if (stop.signal.aborted) {
      progress.clear()
      if (existsSync(out))
        console.error(`broken off; \`charcoal-measure trace --truncated ${out}\` shows what there is`)
      process.exit(130)
    }
    say('stopping; once more ends at once')
    stop.abort()
  }
  process.on('SIGINT', interrupted)
  process.on('SIGTERM', interrupted)
  try {
    if (name === 'corpus') return await study(words, options, progress, stop.signal)
    if (name === 'node') {
      const mode = choice(options.get('mode') ?? 'full', 'mode', ['fast', 'full', 'sample'] as const)
      const [program, ...args] = words
      checkProgram(program)
      for (const arg of misplaced(args, commands.node.options)) {
        console.error(
          `charcoal-measure: ${arg} stands behind the program, so the program gets it; to give it to charcoal-measure, put it before ${program}`,
        )
      }
      const calibrated = !options.has('no-calibrate') && mode !== 'sample'
      if (calibrated) say('calibrating')
      const failed = (error: unknown): undefined => void say(`not calibrated: ${(error as Error).message}`)
      const calibration = calibrated ? await calibrateNode({ mode, signal: stop.signal }).catch(failed) : undefined
      progress.clear()
      if (stop.signal.aborted) return 130
      const recorded = await recordNode(program, args, {
        out,
        mode,
        duration,
        calibration,
        execArgv: all.get('node-arg') ?? [],
        accesses: !options.has('no-accesses'),
        signal: stop.signal,
        terminal: process.stdin.isTTY === true,
        progress: say,
      })
      summary(recorded, progress)
      const told = await output([out], options, progress)
      const own = stop.signal.aborted || recorded.reason === 'stopped' ? 0 : (recorded.exitCode ?? 0)
      return own === 0 ? told : own
    }
    const mode = choice(options.get('mode') ?? 'full', 'mode', ['fast', 'full'] as const)
    try {
      const recorded = await recordWeb(words[0], {
        out,
        mode,
        duration,
        signal: stop.signal,
        progress: say,
        script: options.get('script'),
        browser: options.get('browser'),
        browserArgs: all.get('browser-arg') ?? [],
        headless: !options.has('show'),
        keep: options.get('keep'),
        ...(options.has('load-timeout') && { loadTimeout: milliseconds(options.get('load-timeout')!, 'load-timeout') }),
        calibrate: !options.has('no-calibrate'),
      })
      summary(recorded, progress)
    } catch (error) {
      // Steps that fail leave a recording, which is worth its report.
      if (!(error instanceof MeasureError) || error.exitCode !== 6 || !existsSync(out)) throw error
      progress.clear()
      await output([out], options, progress)
      throw error
    }
    return await output([out], options, progress)
  } finally {
    process.off('SIGINT', interrupted)
    process.off('SIGTERM', interrupted)
  }
}

function summary(
  { out, continuations, dropped, reason }: { out: string; continuations: number; dropped: number; reason: string },
  progress: Progress,
): void {
  progress.clear()
  console.error(
    `recorded: ${out} (${continuations} continuations${dropped > 0 ? `, ${dropped} dropped` : ''}; ${reason})`,
  )
}

declare const __VERSION__: string
