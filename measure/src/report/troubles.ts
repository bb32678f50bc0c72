/** What is wrong with a recording, told before everything else: it hung, it crashed, it was cut off. */
import type { Figures, Recording } from '../analysis/figures.ts'
import { signalText } from '../format/signal.ts'
import { time } from './format.ts'

/** What somebody must know before believing anything else: the first line. */
export function troubles(f: Figures): string[] {
  return f.recordings.flatMap((r) => {
    const told = f.recordings.length > 1 ? `${r.title}: ` : ''
    return [troubleOf(r), childrenOf(r)].flatMap((text) => (text === undefined ? [] : [`${told}${text}`]))
  })
}

function troubleOf({ source, reason, signal, hungFor, hungIn }: Recording): string | undefined {
  if (reason === 'signal') return `the program ${signalText(signal)}; what was recorded until then follows`
  if (reason === 'crash') return `${source === 'web' ? 'the page' : 'it'} crashed; what was recorded until then follows`
  if (reason === 'unsettled')
    return 'it ended with status 13: nothing was left to do while an `await` at the top level of a module waited'
  if (reason === 'truncated') return 'the recording breaks off: figures are of its beginning'
  if (reason !== 'hung') return undefined
  const where = hungIn === undefined ? '' : ` in ${hungIn}`
  const long = hungFor === undefined ? '' : ` for ${time(hungFor)}`
  return `it hung${long}${where}: at the end it had not returned to its event loop`
}

const MAX_CHILDREN = 3

function childrenOf({ children = [] }: Recording): string | undefined {
  if (children.length === 0) return undefined
  const more = children.length - MAX_CHILDREN
  return (
    children.slice(0, MAX_CHILDREN).join('; ') +
    (more > 0 ? `; and ${more} more did not end by ${more === 1 ? 'itself' : 'themselves'}` : '')
  )
}
