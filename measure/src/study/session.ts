/**
 * A session with a web application: when it is ready, the first actions once, then all actions again and again, with
 * pauses in between as people make, until the time is over. An action that fails is counted, and the session goes on: a
 * study must not end because a menu was slow.
 */
import type { Page, StepsContext } from '../record/web/steps.ts'

export type Action = [name: string, act: (page: Page, round: number) => Promise<unknown>]

export interface Session {
  ready: string
  first?: Action[]
  actions: Action[]
}

export interface SessionResult {
  seconds: number
  done: number
  failed: Record<string, number>
}

export async function act(
  { ready, first = [], actions }: Session,
  seconds: number,
  { page, signal, log }: Pick<StepsContext, 'page' | 'signal' | 'log'>,
): Promise<SessionResult> {
  let began = performance.now()
  const result: SessionResult = { seconds: 0, done: 0, failed: {} }
  const over = (): boolean => signal.aborted || performance.now() - began > seconds * 1000
  const one = async ([name, action]: Action, round: number): Promise<void> => {
    try {
      await action(page, round)
      result.done++
    } catch (error) {
      if (signal.aborted) return
      result.failed[name] = (result.failed[name] ?? 0) + 1
      log(`${name}: ${(error as Error).message.split('\n')[0]}`)
      await page.press('Escape').catch(() => {})
    }
    await page.sleep(300 + ((round * 7 + name.length * 53) % 9) * 80).catch(() => {})
  }
  page.timeout = 60_000
  try {
    await page.waitFor(ready)
  } catch (error) {
    log(`never ready: ${(error as Error).message}`)
    result.failed.ready = 1
  }
  page.timeout = 5000
  began = performance.now()
  for (const action of first) if (!over()) await one(action, 0)
  for (let round = 0; !over(); round++) for (const action of actions) if (!over()) await one(action, round)
  result.seconds = (performance.now() - began) / 1000
  return result
}
