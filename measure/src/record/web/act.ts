/** What happens while a page is recorded: time passes, or steps are taken, until one of them or the user ends it. */
import type { Cdp } from './cdp.ts'
import { Page, Stopped, type StepsContext } from './steps.ts'

export type Steps = (context: StepsContext) => Promise<void>

/** Why a recording ended; the first reason counts. */
export class Ending {
  reason = 'finished'
  private readonly controller = new AbortController()

  get signal(): AbortSignal {
    return this.controller.signal
  }

  readonly end = (why: string): void => {
    if (!this.signal.aborted) this.reason = why
    this.controller.abort()
  }

  /** When it has ended. */
  get over(): Promise<void> {
    return new Promise((done) =>
      this.signal.aborted ? done() : this.signal.addEventListener('abort', () => done(), { once: true }),
    )
  }
}

export interface ActOptions {
  steps: Steps | null
  /** Milliseconds; absent: until the steps have ended. */
  duration: number | undefined
  /** Milliseconds for each page that the steps load. */
  loadTimeout: number
  endpoint: string
  log(text: string): void
}

/** The error of the steps, if they failed. */
export async function act(
  cdp: Cdp,
  session: string,
  ending: Ending,
  { steps, duration, loadTimeout, endpoint, log }: ActOptions,
): Promise<Error | undefined> {
  const { signal, end, over } = ending
  const timer = duration === undefined ? undefined : setTimeout(() => end('duration'), duration)
  let failure: Error | undefined
  try {
    if (steps === null) await over
    else {
      const acting = steps({ page: new Page(cdp, session, signal, loadTimeout), endpoint, signal, log }).then(
        () => duration === undefined && end('finished'),
        (error) => {
          if (error instanceof Stopped || signal.aborted) return
          failure = error
          end('steps failed')
        },
      )
      // Nobody waits for steps that do not notice the end.
      await Promise.race([acting, over])
      await over
    }
  } finally {
    clearTimeout(timer)
  }
  return failure
}
