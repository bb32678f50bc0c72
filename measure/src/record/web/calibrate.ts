/** Calibrates a recording of the web: in the same browser, in a tab of its own that is closed afterwards. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Calibration } from '../../format/types.ts'
import { calibration } from '../../oracle/calibration.ts'
import { judge } from '../../oracle/oracle.ts'
import { costs, type Costs } from '../../oracle/overhead.ts'
import { serveOracles } from '../../oracle/server.ts'
import { webOracles } from '../../oracle/web.ts'
import { convertTrace } from '../chrome/index.ts'
import type { Browser } from './browser.ts'
import { attach } from './attach.ts'
import { startTracing, stopTracing, type Mode } from './tracing.ts'

/** One of each way in which the trace learns of a parent. */
const KINDS = [
  'timeout',
  'interval',
  'animation-frame',
  'idle',
  'post-task',
  'window-message',
  'message-port',
  'broadcast-channel',
  'from-worker',
  'microtask',
  'await-of-timeout',
  'await-fetch',
  'then',
  'xhr-load',
  'indexeddb-request',
  'mutation-observer',
  'resize-observer',
  'websocket-message',
  'event-source',
  'lock',
  'image-load',
  'script-run',
]

export async function calibrateWeb(browser: Browser, mode: Mode): Promise<Calibration> {
  const { cdp } = browser
  const dir = mkdtempSync(path.join(tmpdir(), 'charcoal-calibrate-'))
  const server = await serveOracles({ only: KINDS, timeout: 600 })
  const { targetId } = await cdp.send('Target.createTarget', { url: 'about:blank' })
  try {
    const measure = async (session: string): Promise<Costs> => {
      const { result } = await cdp.send(
        'Runtime.evaluate',
        { expression: `(${String(costs)})()`, awaitPromise: true, returnByValue: true },
        session,
      )
      return result.value ?? {}
    }
    const plain = await cdp.send('Target.attachToTarget', { targetId, flatten: true })
    await cdp.send('Page.enable', {}, plain.sessionId)
    await load(browser, plain.sessionId, `${server.url}empty.html`)
    const bare = await measure(plain.sessionId)
    await cdp.send('Target.detachFromTarget', { sessionId: plain.sessionId })

    const session = await attach(cdp, mode, targetId)
    await startTracing(cdp, session, mode)
    await load(browser, session, server.url)
    for (let waited = 0; waited < 3000; waited += 100) {
      const { result } = await cdp.send(
        'Runtime.evaluate',
        {
          expression:
            'oracleWaiting.size === 0 || globalThis.oracleOver === true\n//# sourceURL=charcoal-measure:steps',
          returnByValue: true,
        },
        session,
      )
      if (result.value === true) break
      await new Promise((done) => setTimeout(done, 100))
    }
    const recorded = await measure(session)
    await stopTracing(cdp, session, path.join(dir, 'trace.json'))
    const trace = path.join(dir, 'trace.jsonl')
    await convertTrace(path.join(dir, 'trace.json'), trace, { header: { mode } })
    return calibration(
      await judge(
        trace,
        webOracles.filter((o) => KINDS.includes(o.name)),
        mode,
      ),
      bare,
      recorded,
    )
  } finally {
    await cdp.send('Target.closeTarget', { targetId }).catch(() => {})
    server.close()
    rmSync(dir, { recursive: true, force: true })
  }
}

async function load({ cdp }: Browser, session: string, url: string): Promise<void> {
  const loaded = new Promise<void>((done) => {
    const undo = cdp.on('Page.loadEventFired', () => (undo(), done()), session)
    setTimeout(() => (undo(), done()), 5000).unref()
  })
  await cdp.send('Page.navigate', { url }, session)
  await loaded
}
