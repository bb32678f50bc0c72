/**
 * Records a C program that charcoal-cc has compiled: its runtime writes the trace. Conflicts are in it if the program
 * was compiled with -fcharcoal-atomicity.
 */
import { spawn } from 'node:child_process'
import { existsSync, rmSync } from 'node:fs'
import path from 'node:path'
import { MeasureError } from '../../format/error.ts'
import { complete } from '../complete.ts'
import { causeOf, ended, pathOf, statusOf, titleOf, type RunOptions } from '../program.ts'
import type { Recorded } from '../recorded.ts'
import { sizeText, tellRecording } from '../tell.ts'

export interface RecordNativeOptions extends RunOptions {
  /** The trace file. */
  out: string
}

/** The program's own exit status is in `exitCode`. */
export async function recordNative(program: string, args: string[], options: RecordNativeOptions): Promise<Recorded> {
  const file = pathOf(program, options.cwd) ?? program
  const out = path.resolve(options.out)
  rmSync(out, { force: true })
  const env = options.env ?? process.env
  const child = spawn(file, args, {
    cwd: options.cwd,
    stdio: options.stdio ?? 'inherit',
    env: { ...env, CHARCOAL_TRACE: out, CHARCOAL_ATOMICITY: watching(env.CHARCOAL_ATOMICITY) },
  })
  const { progress = () => {}, live } = options
  const told = live === true ? tellRecording(progress, () => sizeText(out)) : () => {}
  // Compilers name source files as they were named to them.
  const folders = [options.cwd ?? process.cwd(), path.dirname(path.resolve(options.cwd ?? '', file))]
  const end = await ended(child, options).finally(told)
  if (!existsSync(out))
    throw new MeasureError(`${program} wrote no trace: compile it with charcoal-cc, best with -fcharcoal-atomicity`)
  const recorded = await complete(out, [], causeOf(end), { title: titleOf(program, args), folders })
  return { ...recorded, exitCode: statusOf(end) }
}

/** What is found stands in the report, so it need not change the program's status, unless that is asked for. */
function watching(asked = ''): string {
  return /(^|:)exitcode=/.test(asked) ? asked : [asked, 'exitcode=0'].filter(Boolean).join(':')
}
