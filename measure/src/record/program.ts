/** Running the program that is recorded: it ends by itself, when it is told to, or when it is killed. */
import type { ChildProcess, StdioOptions } from 'node:child_process'
import { existsSync, readdirSync, statSync } from 'node:fs'
import { constants } from 'node:os'
import path from 'node:path'
import { MeasureError } from '../format/error.ts'
import { signalText } from '../format/signal.ts'
import type { End } from '../format/types.ts'
import { atExit } from './cleanup.ts'
import { ifKilled } from './if_killed.ts'
import { KILL_TREE, killTree } from './process_tree.ts'
import type { Tell } from './tell.ts'

export interface RunOptions {
  cwd?: string
  env?: NodeJS.ProcessEnv
  stdio?: StdioOptions
  /** Ends the program with SIGINT; what was recorded is kept. A second abort is not needed: after 5 s it is killed. */
  signal?: AbortSignal
  /** `signal` was Ctrl-C at a terminal, which the program has received itself. */
  terminal?: boolean
  /** Milliseconds after which the program is ended as by `signal`. */
  duration?: number
  progress?: Tell
  /** Tell how far the recording is, too. Default: no, for the program may write to the same terminal. */
  live?: boolean
  /** Called with the child's process id. */
  started?: (pid: number) => void
  /** Called with the same before a program that hangs is killed; may fail. */
  hangs?: (pid: number) => Promise<void>
}

/** What a report on a program is called: the command, as far as it is short. */
export function titleOf(program: string, args: string[]): string {
  const text = [program, ...args].join(' ')
  return text.length > MAX_TITLE ? `${text.slice(0, MAX_TITLE - 1)}…` : text
}

const MAX_TITLE = 100

/** Milliseconds that a program has to end by itself once it was told to. */
const TIMEOUT = 5000

export interface Ended {
  code: number | null
  signal: NodeJS.Signals | null
  /** It was told to end; it did not answer, and was killed. */
  stopped: boolean
  hung: boolean
}

/** Why its recording ended, if that does not say so itself. */
export function causeOf({ code, signal, stopped, hung }: Ended): Pick<End, 'reason' | 'signal'> {
  if (hung) return { reason: 'hung' }
  if (stopped) return { reason: 'stopped' }
  if (signal !== null) return { reason: 'signal', signal }
  return { reason: code === 0 ? 'finished' : 'exit' }
}

/** How it ended, as the verb of a sentence. */
export const endedText = ({ code, signal }: Ended): string =>
  signal === null ? `ended with status ${code}` : signalText(signal)

/** As a shell tells it. */
export const statusOf = ({ code, signal }: Ended): number => code ?? 128 + (constants.signals[signal!] ?? 0)

/** The files that workers and child processes write beside the trace `out`. */
export function partsOf(out: string): string[] {
  const dir = path.dirname(out)
  if (!existsSync(dir)) return []
  return readdirSync(dir)
    .filter((name) => name.startsWith(`${path.basename(out)}.part-`))
    .sort()
    .map((name) => path.join(dir, name))
}

/** Ends the child processes that are being recorded. */
function killParts(out: string): void {
  for (const part of partsOf(out)) {
    const pid = Number(/\.part-(\d+)-\d+$/.exec(part)?.[1])
    try {
      if (pid > 1 && pid !== process.pid) process.kill(pid, 'SIGINT')
    } catch {
      // The process has ended.
    }
  }
}

/**
 * Tells the program and its recorded child processes to end, as Ctrl-C does; after 5 s the program is killed, and what
 * it has started is told to end.
 */
const ORPHANED = `${KILL_TREE}
kill -INT "$1"
for part in \${2:+"$2".part-*}; do
  pid=\${part##*.part-}; pid=\${pid%%-*}
  [ "$pid" -gt 1 ] && kill -INT "$pid"
done
n=0; while kill -0 "$1" && [ $n -lt 50 ]; do n=$((n + 1)); sleep 0.1; done
if kill -0 "$1"; then kill_tree "$1"; fi`

/**
 * When the program has ended, by itself or because it was told to. Nothing that it has started outlives this process
 * once it was told, or if this process is killed. `out` is the trace, if child processes are recorded beside it.
 */
export async function ended(child: ChildProcess, options: RunOptions, out = ''): Promise<Ended> {
  const killOthers = (): void => {
    if (out !== '') killParts(out)
  }
  let stopped = false
  let hung = false
  let interrupter: ReturnType<typeof setTimeout> | undefined
  let killer: ReturnType<typeof setTimeout> | undefined
  const stop = (): void => {
    if (stopped) return
    stopped = true
    // At a terminal Ctrl-C has reached the program already, and a second signal would end a program that is still
    // finishing.
    interrupter = setTimeout(() => child.kill('SIGINT'), options.terminal === true ? 2000 : 0)
    killer = setTimeout(() => void kill(), TIMEOUT)
  }
  const kill = async (): Promise<void> => {
    options.progress?.('the program does not end; killing it')
    await options.hangs?.(child.pid!).catch(() => {})
    killTree(child.pid!, () => (hung = child.kill('SIGKILL')))
  }
  const dismiss = child.pid === undefined ? () => {} : ifKilled(ORPHANED, [String(child.pid), out])
  const done = atExit(() => {
    if (child.pid !== undefined) killTree(child.pid, () => child.kill('SIGKILL'))
    killOthers()
    dismiss()
  })
  const timer = options.duration === undefined ? undefined : setTimeout(stop, options.duration)
  options.signal?.addEventListener('abort', stop, { once: true })
  if (options.signal?.aborted) stop()
  if (child.pid !== undefined) options.started?.(child.pid)
  try {
    const [code, signal] = await new Promise<[number | null, NodeJS.Signals | null]>((ok, fail) => {
      child.on('error', (error) => fail(new MeasureError(`the program could not be started: ${error.message}`, 2)))
      child.on('exit', (c, s) => ok([c, s]))
    })
    if (stopped) killOthers()
    return { code, signal, stopped, hung }
  } finally {
    for (const t of [timer, interrupter, killer]) clearTimeout(t)
    options.signal?.removeEventListener('abort', stop)
    if (child.exitCode !== null || child.signalCode !== null) child.kill = () => true
    done()
  }
}

/**
 * The path of a file, or null for a command. Fails if it is neither. `isModule`: also of what is no file but a module
 * that Node finds there.
 */
export function pathOf(program: string, cwd = '.', isModule = (_: string): boolean => false): string | null {
  const file = path.resolve(cwd, program)
  const isFolder = statSync(file, { throwIfNoEntry: false })?.isDirectory()
  if (isFolder === false) return file
  if (isFolder && isModule(file)) return file
  if (isFolder) throw new MeasureError(`the program ${program} is a directory; give the path of a file`, 2)
  const named =
    !program.includes('/') &&
    (process.env.PATH ?? '').split(path.delimiter).some((dir) => existsSync(path.join(dir, program)))
  if (named) return null
  if (isModule(file)) return file
  throw new MeasureError(
    `the program ${program} does not exist; give the path of a file, or a command like \`npm run dev\``,
    2,
  )
}
