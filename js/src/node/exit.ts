/**
 * What waits when Node has nothing left to do waits for ever, and the process would end without a word.
 *
 * - An atomic block that waits for a promise ends with a `DeadlockError` instead.
 * - A module whose `await` at the top level never ends makes Node end with the code 13. Then it is told which
 *   activities wait, and for what. Otherwise nobody needs those that wait: a reader of a channel, for one, may be left
 *   behind.
 */
import type { AtomicBlock } from '../core/atomicBlock.ts'
import { domain } from '../core/current.ts'
import { PROTOCOL } from '../core/kind.ts'
import { describeActivities } from '../dev/report.ts'

interface Process {
  exitCode?: unknown
  on?(event: string, f: () => void): void
}

/** Node's code for a module that waits for ever. */
const UNSETTLED = 13

const host = (globalThis as { process?: Process }).process

// Copies of the library have one domain, so one of them tells.
const TELLS = Symbol.for(`charcoal.exit.${PROTOCOL}`)
const realm = globalThis as { [TELLS]?: true }

if (!realm[TELLS]) {
  realm[TELLS] = true
  host?.on?.('beforeExit', () => {
    const { base, top } = domain
    if (top !== undefined && top !== base) (top as AtomicBlock).reportIfStuck()
  })
  host?.on?.('exit', () => {
    if (host.exitCode !== UNSETTLED || domain.live === null) return
    console.warn(`charcoal: nothing is left to do, and these wait for ever:\n${describeActivities()}`)
  })
}
