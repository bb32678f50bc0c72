/** Switches the browser's tracing on and off. The trace goes to a file as the browser's own JSON. */
import { closeSync, openSync, writeSync } from 'node:fs'
import { MeasureError } from '../../format/error.ts'
import type { Cdp } from './cdp.ts'

/** Milliseconds. */
const HANDOVER = 120_000

export type Mode = 'fast' | 'full'

/** `fast` has everything but promises and names; `full` needs the debugger of each target as well. */
export function categories(mode: Mode): string[] {
  const common = [
    'devtools.timeline',
    'disabled-by-default-devtools.timeline',
    'v8.execute',
    'blink.user_timing',
    '__metadata',
  ]
  return mode === 'full'
    ? [...common, 'disabled-by-default-v8.inspector', 'disabled-by-default-v8.cpu_profiler']
    : [...common, 'blink']
}

export async function startTracing(cdp: Cdp, session: string, mode: Mode): Promise<void> {
  await cdp.send(
    'Tracing.start',
    {
      transferMode: 'ReturnAsStream',
      streamFormat: 'json',
      bufferUsageReportingInterval: 1000,
      traceConfig: {
        recordMode: 'recordAsMuchAsPossible',
        traceBufferSizeInKb: 1200 * 1024,
        includedCategories: categories(mode),
        excludedCategories: ['*'],
      },
    },
    session,
  )
}

/** Ends tracing and writes what it has to `file`; true if the browser lost events because its buffer was full. */
export async function stopTracing(
  cdp: Cdp,
  session: string,
  file: string,
  progress: (bytes: number) => void = () => {},
): Promise<boolean> {
  const complete = new Promise<{ stream?: string; dataLossOccurred: boolean }>((done, fail) => {
    const undo = cdp.on(
      'Tracing.tracingComplete',
      (params) => {
        undo()
        done(params)
      },
      session,
    )
    void cdp.closed.then(() => fail(new MeasureError('the browser closed before it handed over the trace')))
    setTimeout(
      () => fail(new MeasureError(`the browser has not handed over the trace within ${HANDOVER / 1000} s`)),
      HANDOVER,
    ).unref()
  })
  complete.catch(() => {})
  await cdp.send('Tracing.end', {}, session)
  const { stream, dataLossOccurred } = await complete
  if (stream === undefined) throw new MeasureError('the browser handed over no trace')
  const fd = openSync(file, 'w')
  try {
    for (let bytes = 0; ;) {
      const { data, eof, base64Encoded } = await cdp.send('IO.read', { handle: stream, size: 4 << 20 }, session)
      const piece = Buffer.from(data, base64Encoded === true ? 'base64' : 'utf8')
      for (let at = 0; at < piece.length;) at += writeSync(fd, piece, at)
      progress((bytes += piece.length))
      if (eof) break
    }
  } finally {
    closeSync(fd)
    void cdp.send('IO.close', { handle: stream }, session).catch(() => {})
  }
  return dataLossOccurred
}
