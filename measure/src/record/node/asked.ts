/**
 * Evaluates an expression in a Node program and waits for its promise. V8 12.4 (Node 22) now and then says that a
 * promise was collected which is being settled at that moment. So the program keeps it, and is asked for it again.
 *
 * @example
 * const { result } = await asked(cdp, 'new Promise((done) => setImmediate(done, 42))')
 */
import type { Cdp } from '../web/cdp.ts'

let questions = 0

/** What `Runtime.evaluate` answers. `deadline` in milliseconds. */
export async function asked(cdp: Cdp, expression: string, deadline?: number): Promise<any> {
  const kept = `globalThis[Symbol.for('charcoal.measure.asked.${process.pid}.${++questions}')]`
  let text = `${kept} = ${expression}`
  try {
    for (;;)
      try {
        return await cdp.send('Runtime.evaluate', { expression: text, awaitPromise: true }, undefined, deadline)
      } catch (error) {
        if (!String(error).includes('Promise was collected')) throw error
        text = kept
      }
  } finally {
    cdp.send('Runtime.evaluate', { expression: `delete ${kept}` }).catch(() => {})
  }
}
