/** Prepares a page for recording. */
import type { PageAccesses } from './accesses/index.ts'
import type { Cdp } from './cdp.ts'
import { shim } from './shim.ts'
import type { Mode } from './tracing.ts'

/**
 * A session of the given page, or of the browser's first; it and every frame and worker that it makes are prepared
 * before their scripts run.
 */
export async function attach(cdp: Cdp, mode: Mode, target?: string, accesses?: PageAccesses): Promise<string> {
  const { targetInfos } = await cdp.send('Target.getTargets')
  const targetId =
    target ??
    targetInfos.find((t: any) => t.type === 'page')?.targetId ??
    (await cdp.send('Target.createTarget', { url: 'about:blank' })).targetId
  const source = `(${String(shim)})()\n//# sourceURL=charcoal-measure:shim`
  const sources = [source, ...(accesses === undefined ? [] : [accesses.source])]
  const prepare = async (session: string, type: string): Promise<void> => {
    const commands: Promise<unknown>[] = [
      cdp.send('Target.setAutoAttach', { autoAttach: true, flatten: true, waitForDebuggerOnStart: true }, session),
    ]
    if (mode === 'full')
      commands.push(
        cdp.send('Debugger.enable', { maxScriptsCacheSize: 0 }, session),
        cdp.send('Debugger.setSkipAllPauses', { skip: true }, session),
        cdp.send('Debugger.setAsyncCallStackDepth', { maxDepth: 1 }, session),
      )
    if (accesses !== undefined) commands.push(accesses.prepare(session))
    const hasPage = type === 'page' || type === 'iframe'
    if (hasPage) commands.push(cdp.send('Page.enable', {}, session))
    for (const source of sources)
      commands.push(
        hasPage
          ? cdp.send('Page.addScriptToEvaluateOnNewDocument', { source, runImmediately: true }, session)
          : cdp.send('Runtime.evaluate', { expression: source }, session),
      )
    commands.push(cdp.send('Runtime.runIfWaitingForDebugger', {}, session))
    // A kind of target may not know a command, or may be gone already; then it does without.
    await Promise.allSettled(commands)
  }
  const ours = new Set<string>()
  cdp.on('Target.attachedToTarget', ({ sessionId, targetInfo }, parent) => {
    if (!ours.has(parent)) return
    ours.add(sessionId)
    void prepare(sessionId, targetInfo.type)
  })
  // A dialogue that nobody answers would stop the page.
  cdp.on(
    'Page.javascriptDialogOpening',
    (_, session) => void cdp.send('Page.handleJavaScriptDialog', { accept: true }, session).catch(() => {}),
  )
  const { sessionId } = await cdp.send('Target.attachToTarget', { targetId, flatten: true })
  await cdp.send('Inspector.enable', {}, sessionId).catch(() => {})
  ours.add(sessionId)
  await prepare(sessionId, 'page')
  return sessionId
}
