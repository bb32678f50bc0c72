/**
 * Asks a program that does not end where it is, before it is killed. `SIGUSR1` opens its debugging port, which a thread
 * of Node's serves. If it does not return to its event loop, the debugger stops it, and the recorder in it writes what
 * it has, with the place.
 */
import { MeasureError } from '../../format/error.ts'
import { findEndpoint } from '../endpoint.ts'
import { Cdp } from '../web/cdp.ts'
import { asked } from './asked.ts'
import { HUNG } from './config.ts'
import { hookUrl } from './hook_file.ts'

/** Milliseconds for each step: a program in a call of the system never answers. */
const DEADLINE = 5000
/** Milliseconds within which an event loop goes round. */
const TURN = 2000

/** Fails if the program cannot be asked. */
export async function askWhereItHangs(pid: number, port: number): Promise<void> {
  process.kill(pid, 'SIGUSR1')
  const cdp = await Cdp.connect(await debuggerAt(port))
  try {
    const tell = `globalThis[Symbol.for(${JSON.stringify(HUNG)})]`
    if (await turns(cdp)) await cdp.send('Runtime.evaluate', { expression: `${tell}(false)` }, undefined, DEADLINE)
    else await evaluateWhereItIs(cdp, `${tell}(true)`)
  } finally {
    cdp.close()
  }
}

/**
 * Stops a program that does not return to its event loop, evaluates something in it, and lets it go on. The program may
 * be in the middle of the recorder's code, which then goes on to its end first.
 */
export async function evaluateWhereItIs(cdp: Cdp, expression: string): Promise<void> {
  const recorder = hookUrl()
  let innermost: Frame | undefined // of the program that has stopped; another debugger may have stopped it before us
  let noticed = (): void => {}
  const scripts = new Set<string>()
  const undo = [
    cdp.on('Debugger.paused', ({ callFrames }) => {
      innermost = callFrames[0]
      noticed()
    }),
    cdp.on('Debugger.resumed', () => (innermost = undefined)),
    cdp.on('Debugger.scriptParsed', ({ scriptId, url }) => url.startsWith(recorder) && scripts.add(scriptId)),
  ]
  const late = new Promise<never>((_, fail) => {
    setTimeout(() => fail(new MeasureError('the program does not stop for its debugger')), DEADLINE).unref()
  })
  late.catch(() => {})
  const send = (method: string, params = {}): Promise<unknown> => cdp.send(method, params, undefined, DEADLINE)
  const stop = async (): Promise<Frame> => {
    while (innermost === undefined) await Promise.race([new Promise<void>((done) => (noticed = done)), late])
    return innermost
  }
  await send('Debugger.enable')
  const pattern = `^${recorder.replace(/[^\w]/g, '\\$&')}`
  await send('Debugger.setBlackboxPatterns', { patterns: [pattern] })
  if (innermost === undefined) await send('Debugger.pause')
  let at = await stop()
  while (scripts.has(at.location.scriptId)) {
    innermost = undefined
    await send('Debugger.stepOut')
    at = await stop()
  }
  for (const f of undo) f()
  await send('Debugger.evaluateOnCallFrame', { callFrameId: at.callFrameId, expression })
  await send('Debugger.resume')
  await send('Debugger.disable')
}

interface Frame {
  callFrameId: string
  location: { scriptId: string }
}

/** True if the program's event loop goes round: it waits, for a child process perhaps, and takes its time to end. */
export function turns(cdp: Cdp): Promise<boolean> {
  return asked(cdp, 'new Promise((done) => setImmediate(done))', TURN).then(
    () => true,
    () => false,
  )
}

/** The address of the debugger, once it listens. */
async function debuggerAt(port: number): Promise<string> {
  const until = performance.now() + DEADLINE
  for (;;) {
    try {
      return (await findEndpoint(String(port))).socket
    } catch (error) {
      if (performance.now() > until) throw error
      await new Promise((done) => setTimeout(done, 20))
    }
  }
}
