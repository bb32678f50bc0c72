/** Loads the page that is to be recorded: until its load event, a deadline, or the user's Ctrl-C. */
import { MeasureError } from '../../format/error.ts'
import type { Cdp } from './cdp.ts'
import { loadError } from './load_error.ts'

/** Milliseconds in which a page that is alive answers. */
const ALIVE = 5000

/** True if the page's main thread answers. */
export function responds(cdp: Cdp, session: string): Promise<boolean> {
  return cdp.send('Runtime.evaluate', { expression: '0\n//# sourceURL=charcoal-measure:alive' }, session, ALIVE).then(
    () => true,
    () => false,
  )
}

export async function load(
  cdp: Cdp,
  session: string,
  url: string,
  signal: AbortSignal,
  timeout: number,
): Promise<void> {
  let status = 0
  let timer: ReturnType<typeof setTimeout> | undefined
  const undo: (() => void)[] = []
  const loaded = new Promise<'loaded' | 'late' | 'stopped'>((done) => {
    undo.push(cdp.on('Page.loadEventFired', () => done('loaded'), session))
    timer = setTimeout(() => done('late'), timeout)
    signal.addEventListener('abort', () => done('stopped'), { once: true })
    if (signal.aborted) done('stopped')
  })
  undo.push(
    cdp.on(
      'Network.responseReceived',
      ({ type, response }) => {
        if (type === 'Document' && status === 0) status = response.status
      },
      session,
    ),
  )
  try {
    await cdp.send('Network.enable', {}, session)
    // A server that never answers keeps this command waiting as well.
    const navigated = cdp.send('Page.navigate', { url }, session, timeout + 60_000).then(({ errorText }) => {
      if (errorText) throw loadError(url, errorText)
      return loaded
    })
    navigated.catch(() => {})
    const how = await Promise.race([navigated, loaded])
    if (how === 'late') {
      const why =
        status === 0
          ? 'its server has not answered'
          : (await responds(cdp, session))
            ? 'something that it needs has not come'
            : 'a script of it runs without end'
      throw new MeasureError(`the page ${url} has not loaded within ${timeout / 1000} s: ${why}`, 5)
    }
    if (status >= 400)
      throw new MeasureError(`the page ${url} does not load: the server answers with status ${status}`, 5)
  } finally {
    clearTimeout(timer)
    for (const f of undo) f()
    void cdp.send('Network.disable', {}, session).catch(() => {})
  }
}
