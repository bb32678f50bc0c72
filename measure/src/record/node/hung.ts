/**
 * Asks a program that does not end where it is, before it is killed. `SIGUSR1` opens its debugging port, which a thread
 * of Node's serves. If it does not return to its event loop, the debugger stops it, and the recorder in it writes what
 * it has, with the place.
 */
import { MeasureError } from '../../format/error.ts'
import { findEndpoint } from '../endpoint.ts'
import { Cdp } from '../web/cdp.ts'
import { HUNG } from './config.ts'

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

/** Stops a program that does not return to its event loop, evaluates something in it, and lets it go on. */
export async function evaluateWhereItIs(cdp: Cdp, expression: string): Promise<void> {
  const paused = new Promise<string>((done) =>
    cdp.on('Debugger.paused', ({ callFrames }) => done(callFrames[0].callFrameId)),
  )
  const late = new Promise<never>((_, fail) => {
    setTimeout(() => fail(new MeasureError('the program does not stop for its debugger')), DEADLINE).unref()
  })
  late.catch(() => {})
  await cdp.send('Debugger.enable', {}, undefined, DEADLINE)
  await cdp.send('Debugger.pause', {}, undefined, DEADLINE)
  const callFrameId = await Promise.race([paused, late])
  await cdp.send('Debugger.evaluateOnCallFrame', { callFrameId, expression }, undefined, DEADLINE)
  await cdp.send('Debugger.resume', {}, undefined, DEADLINE)
}

/** True if the program's event loop goes round: it waits, for a child process perhaps, and takes its time to end. */
export function turns(cdp: Cdp): Promise<boolean> {
  const expression = 'new Promise((done) => setImmediate(done))'
  const asked = cdp.send('Runtime.evaluate', { expression, awaitPromise: true }, undefined, TURN)
  return asked.then(
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
