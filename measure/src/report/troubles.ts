import type { Figures } from '../analysis/figures.ts'

/** What somebody must know before believing anything else: the first line. */
export function troubles(f: Figures): string[] {
  const texts: Record<string, string> = {
    crash: 'it crashed; what was recorded until then follows',
    hung: 'it hung: at the end it had not returned to its event loop',
    truncated: 'the recording breaks off: figures are of its beginning',
  }
  return f.recordings.flatMap((r) =>
    texts[r.reason] === undefined ? [] : [`${f.recordings.length > 1 ? `${r.title}: ` : ''}${texts[r.reason]}`],
  )
}
