/** The command `charcoal-measure`. */
import { existsSync } from 'node:fs'
import { MeasureError } from '../format/error.ts'
import { parseArguments, type Parsed } from './args.ts'
import { loadBaseline } from './baseline.ts'
import { study } from './corpus.ts'
import { commands, help } from './help.ts'
import { checkFiles, output } from './output.ts'
import { Progress } from './progress.ts'
import { say } from './say.ts'
import { attachCommand, nativeCommand, nodeCommand, webCommand, type Request } from './record.ts'

const recorders: Record<string, (request: Request) => Promise<number>> = {
  attach: attachCommand,
  'c-program': nativeCommand,
  node: nodeCommand,
  web: webCommand,
}

/** Commands whose words after the first are another program's. */
const runs = (name: string): boolean => name === 'node' || name === 'c-program'

/** Gives the exit status. */
export async function main(args: string[]): Promise<number> {
  const [name, ...rest] = args
  // A reader that closes the pipe, as in `… | head`, is no error.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(0)
    say(`charcoal-measure: standard output cannot be written: ${error.message}`)
    process.exit(1)
  })
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
    if (rest.includes('--help') && (!runs(name) || rest[0] === '--help')) {
      process.stdout.write(help(name))
      return 0
    }
    const parsed = parseArguments(rest, command.options, { first: runs(name) })
    const { words } = parsed
    if (words.length === 0 && name !== 'corpus') throw new MeasureError(`usage: charcoal-measure ${command.usage}`, 2)
    return await run(name, parsed)
  } catch (error) {
    if (!(error instanceof MeasureError)) throw error
    say(`charcoal-measure: ${error.message}`)
    return error.exitCode
  }
}

async function run(name: string, { words, options, all }: Parsed): Promise<number> {
  const progress = new Progress(options.has('quiet'))
  if (name !== 'corpus') checkFiles(options, runs(name) ? words.slice(0, 1) : words)
  const baseline = await loadBaseline(options)
  if (name === 'trace' || name === 'report') {
    if (name === 'trace' && words.length > 1)
      throw new MeasureError('`trace` takes one file; for several use `report`', 2)
    for (const file of words) if (!existsSync(file)) throw new MeasureError(`the trace ${file} does not exist`, 2)
    return output(words, options, progress, { baseline, convertedTo: options.get('out') })
  }
  const day = new Date()
    .toISOString()
    .replace(/[-:]|\.\d+Z/g, '')
    .replace('T', '-')
  const out = options.get('out') ?? `charcoal-${day}.jsonl`
  const stop = new AbortController()
  const interrupted = (): void => {
    if (stop.signal.aborted) {
      progress.clear()
      if (existsSync(out)) say(`broken off; \`charcoal-measure trace --truncated ${out}\` shows what there is`)
      process.exit(130)
    }
    progress.say('stopping; once more ends at once')
    stop.abort()
  }
  process.on('SIGINT', interrupted)
  process.on('SIGTERM', interrupted)
  const request: Request = { words, options, all, out, baseline, progress, signal: stop.signal }
  try {
    if (name === 'corpus') return await study(words, options, progress, stop.signal)
    return await recorders[name](request)
  } finally {
    process.off('SIGINT', interrupted)
    process.off('SIGTERM', interrupted)
  }
}

declare const __VERSION__: string
