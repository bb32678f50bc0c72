/**
 * How a child process of a recorded program has ended, as far as its part of the recording tells: the program may have
 * gone on as if nothing had happened.
 */
import path from 'node:path'
import { signalText } from '../format/signal.ts'
import type { End, Note, TraceRecord } from '../format/types.ts'

export class Child {
  private process = 0
  private name = ''
  private isWorker = false
  private end: End | null = null

  /** A record of its part. */
  add(record: TraceRecord): void {
    if (record.type === 'charcoal-trace') this.name = path.basename(record.command?.[0] ?? '')
    else if (record.type === 'end') this.end = record
    else if (record.type === 'thread') {
      this.process = record.process ?? 0
      this.isWorker = record.kind === 'worker'
    }
  }

  /** Null: nothing happened to it. */
  note(): Note | null {
    const fate = this.fate()
    if (fate === null || this.isWorker) return null
    const name = this.name === '' ? '' : ` (${this.name})`
    return { type: 'note', code: 'child', text: `child process ${this.process}${name} ${fate}` }
  }

  private fate(): string | null {
    if (this.end === null) return isRunning(this.process) ? null : 'was killed or crashed'
    const { reason, signal, exitCode } = this.end
    if (reason === 'signal') return signalText(signal)
    if (reason === 'crash') return 'crashed'
    if (reason === 'hung') return 'hung'
    return exitCode !== undefined && exitCode !== 0 ? `ended with status ${exitCode}` : null
  }
}

function isRunning(pid: number): boolean {
  try {
    return pid > 1 && process.kill(pid, 0)
  } catch {
    return false
  }
}
