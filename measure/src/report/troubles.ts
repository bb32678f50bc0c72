/** What is wrong with a recording, told before everything else: it hung, it crashed, it was cut off. */
import type { Figures, Recording } from '../analysis/figures.ts'

/** What somebody must know before believing anything else: the first line. */
export function troubles(f: Figures): string[] {
  return f.recordings.flatMap((r) => {
    const text = troubleOf(r)
    return text === undefined ? [] : [`${f.recordings.length > 1 ? `${r.title}: ` : ''}${text}`]
  })
}

function troubleOf({ reason, hungIn }: Recording): string | undefined {
  if (reason === 'crash') return 'it crashed; what was recorded until then follows'
  if (reason === 'truncated') return 'the recording breaks off: figures are of its beginning'
  if (reason !== 'hung') return undefined
  const where = hungIn === undefined ? '' : ` in ${hungIn}`
  return `it hung${where}: at the end it had not returned to its event loop`
}
