/** Calibrates a recording of Node: a small program, run bare and recorded. */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Calibration } from '../../format/types.ts'
import { calibration } from '../../oracle/calibration.ts'
import { nodeOracles, nodeProgram } from '../../oracle/node.ts'
import { judge } from '../../oracle/oracle.ts'
import { costs, type Costs } from '../../oracle/overhead.ts'
import { recordNode } from './index.ts'

const KINDS = [
  'timeout',
  'interval',
  'immediate',
  'tick',
  'microtask',
  'await-of-timeout',
  'await-settled-elsewhere',
  'timers-promises',
  'read-file',
  'await-read-file',
  'stat',
  'read-stream',
  'lookup',
  'connect',
  'http-request',
  'http-response',
  'fetch',
  'gzip',
  'random-bytes',
  'spawn-exit',
  'message-port',
  'worker-message',
]

export interface CalibrateOptions {
  mode: 'fast' | 'full'
  /** As in the recording that follows; default: true. */
  accesses?: boolean
  signal?: AbortSignal
}

export async function calibrateNode(options: CalibrateOptions): Promise<Calibration> {
  const dir = mkdtempSync(path.join(tmpdir(), 'charcoal-calibrate-'))
  try {
    const kinds = path.join(dir, 'kinds.mjs')
    const cost = path.join(dir, 'cost.mjs')
    const result = path.join(dir, 'cost.json')
    writeFileSync(kinds, nodeProgram(KINDS))
    writeFileSync(
      cost,
      `import { writeFileSync } from 'node:fs'\nwriteFileSync(${JSON.stringify(result)}, JSON.stringify(await ` +
        `(${String(costs)})()))\nprocess.exit()\n`,
    )
    const read = (): Costs => JSON.parse(readFileSync(result, 'utf8'))
    spawnSync(process.execPath, [cost], { stdio: 'ignore', timeout: 10_000 })
    const bare = read()
    const trace = path.join(dir, 'trace.jsonl')
    const recording = { ...options, out: trace, stdio: 'ignore', duration: 10_000 } as const
    await recordNode(cost, [], recording)
    const recorded = read()
    await recordNode(kinds, [], recording)
    return calibration(
      await judge(
        trace,
        nodeOracles.filter((o) => KINDS.includes(o.name)),
        options.mode,
      ),
      bare,
      recorded,
    )
  } finally {
    rmSync(dir, { recursive: true, force: true })
  }
}
