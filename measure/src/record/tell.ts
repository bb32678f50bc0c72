/** What a recorder says while it works. */
import { statSync } from 'node:fs'

/** `passing`: another text follows in a moment; for terminals only. */
export type Tell = (text: string, passing?: boolean) => void

/** Tells once a second how long a recording lasts and how much there is of it. The result ends that. */
export function tellRecording(tell: Tell, amount: () => string): () => void {
  const began = performance.now()
  const timer = setInterval(() => {
    const seconds = Math.round((performance.now() - began) / 1000)
    tell(`recording: ${[`${seconds} s`, amount()].filter(Boolean).join(', ')}; Ctrl-C ends it and reports`, true)
  }, 1000)
  return () => clearInterval(timer)
}

/** The size of a file that is being written. */
export function sizeText(file: string): string {
  try {
    return `${(statSync(file).size / 1e6).toFixed(1)} MB`
  } catch {
    return ''
  }
}
