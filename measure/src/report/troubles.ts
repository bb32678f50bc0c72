/** What is wrong with a recording, told before everything else: it hung, it crashed, it was cut off. */
import type { Figures, Recording } from '../analysis/figures.ts'
import { signalText } from '../format/signal.ts'
import { time } from './format.ts'

/** What somebody must know before believing anything else: the first line. */
export function troubles(f: Figures): string[] {
  return f.recordings.flatMap((r) => {
    const text = troubleOf(r)
    return text === undefined ? [] : [`${f.recordings.length > 1 ? `${r.title}: ` : ''}${text}`]
  })
}

function troubleOf({ reason, signal, hungFor, hungIn }: Recording): string | undefined {
  if (reason === 'signal') return `the program ${signalText(signal)}; what was recorded until then follows`
  if (reason === 'crash') return 'it crashed; what was recorded until then follows'
  if (reason === 'truncated') return 'the recording breaks off: figures are of its beginning'
  if (reason !== 'hung') return undefined
  const where = hungIn === undefined ? '' : ` in ${hungIn}`
  const long = hungFor === undefined ? '' : ` for ${time(hungFor)}`
  return `it hung${long}${where}: at the end it had not returned to its event loop`
}
